"""Headers of probes are read as text; each fault names its file, table and key."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake import probes, project
from fake.project import REPOSITORY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_probe.errors import InputError
from adk_probe.project import catalog, config
from adk_probe.project.helpers import Imports


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project.make(tmp_path / "project", "3.12")


def load(root: Path) -> catalog.Catalog:
    return catalog.load(root, config.load(root / "matrix.toml"))


def faults(root: Path) -> tuple[str, ...]:
    with pytest.raises(InputError) as caught:
        load(root)
    return caught.value.faults


def test_catalog_of_the_fake_project(root: Path) -> None:
    found = load(root)
    assert set(found.probes["fake-engine"]) == set(probes.plain(""))
    assert found.probes["fake-engine"]["import"].isolated
    assert found.probes["hostile"]["memory-kit"].memory == 64
    assert found.probe("workflow").needs == ("fake_engine:Workflow",)
    assert [control.id for control in found.controls] == ["control-pass", "control-fail"]
    with pytest.raises(InputError, match=r"(?s)no probe 'nothing'.*There are: .*loop"):
        found.probe("nothing")
    with pytest.raises(InputError, match="no probe 'loop'"):
        found.probe("loop", "hostile")


def test_the_repository_s_own_probes_are_well_headed() -> None:
    found = load(REPOSITORY)
    assert found.probes["google-adk"]


def test_the_kit_reads_a_header_as_the_catalog_does() -> None:
    import importlib.util

    spec = importlib.util.spec_from_file_location("probekit_read", REPOSITORY / "probes" / "probekit.py")
    assert spec is not None
    assert spec.loader is not None
    kit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kit)
    for group in load(REPOSITORY).probes.values():
        for probe in group.values():
            header = kit.read_header(str(REPOSITORY / probe.file))
            if header["id"] != probe.id:
                # many cells may come of one file, each with a part of its own in its name
                assert probe.id.startswith(f"{header['id']}/")
                continue
            assert header["claim"] == probe.claim
            assert tuple(header.get("needs", ())) == probe.needs


def header(*lines: str) -> str:
    return "# /// script\n" + "".join(f"# {line}\n" for line in lines) + "# ///\n"


BASE = ["[tool.adk-probe]", 'id = "bad"', 'claim = "c"', 'engine = "fake-engine"']
BAD = [
    ("", "no PEP 723 block"),
    ("# /// script\n# id = 3\n", "no PEP 723 block"),
    (header("[tool.adk-probe"), "probes/fake/bad.py: "),
    (header("tool = 3"), "has no [tool.adk-probe] table"),
    (header("[tool]", "adk-probe = 3"), "has no [tool.adk-probe] table"),
    (header('requires-python = ">=3"'), "has no [tool.adk-probe] table"),
    (header("x = " + "[" * 20000), "probes/fake/bad.py: "),
    (header(*BASE[:1], *BASE[2:]), "[tool.adk-probe] id: missing"),
    (header(*BASE[:1], 'id = "other"', *BASE[2:]), "[tool.adk-probe] id: 'other' must be the file's name, 'bad'"),
    (header(*BASE[:1], 'id = "../bad"', *BASE[2:]), "[tool.adk-probe] id: "),
    (header(*BASE[:3], 'engine = "other"'), "[tool.adk-probe] engine: 'other', but the folder is that of"),
    (header(*BASE[:2], 'claim = ""', BASE[3]), "[tool.adk-probe] claim: "),
    (header(*BASE, "timeout = 0"), "[tool.adk-probe] timeout: "),
    (header(*BASE, "timeout = nan"), "[tool.adk-probe] timeout: "),
    (header(*BASE, "timeout = 9999"), "[tool.adk-probe] timeout: "),
    (header(*BASE, "memory = 1"), "[tool.adk-probe] memory: "),
    (header(*BASE, 'needs = ["a b"]'), "[tool.adk-probe] needs: at [0]"),
    (header(*BASE, 'needs = "a"'), "[tool.adk-probe] needs: "),
    (header(*BASE, "isolated = 1"), "[tool.adk-probe] isolated: "),
    (header(*BASE, "colour = 1"), "[tool.adk-probe] colour: unknown key"),
]


@pytest.mark.parametrize(("text", "words"), BAD)
def test_bad_header(root: Path, text: str, words: str) -> None:
    (root / "probes" / "fake" / "bad.py").write_text(text, encoding="utf-8")
    found = faults(root)
    assert [fault for fault in found if words in fault and "probes/fake/bad.py" in fault], found


def test_names_of_fidelity_cells_are_no_probes(root: Path) -> None:
    path = root / "probes" / "fake" / "fidelity" / "bad.py"
    path.parent.mkdir()
    path.write_text(header(BASE[0], 'id = "fidelity/bad"', *BASE[2:]), encoding="utf-8")
    (fault,) = faults(root)
    assert fault.startswith("probes/fake/fidelity/bad.py: [tool.adk-probe] id: names that begin with 'fidelity/'")


def test_all_bad_headers_at_once(root: Path) -> None:
    for name in ("one", "two"):
        (root / "probes" / "fake" / f"{name}.py").write_text("", encoding="utf-8")
    (root / "probes" / "fake" / "three.py").write_bytes(b"\xff")
    (root / "probes" / "controls" / "control-fail.py").unlink()
    found = faults(root)
    assert len(found) == 4
    assert all("\n" not in fault for fault in found)


def test_mechanism_that_requires_what_nobody_claims(root: Path) -> None:
    (root / "probes" / "fake" / "loop.py").unlink()
    assert faults(root) == ("matrix.toml: [mechanisms.loop] requires: no probe 'loop' of fake-engine",)


def test_missing_folder(root: Path) -> None:
    text = (root / "matrix.toml").read_text().replace("probes/hostile", "probes/nowhere")
    (root / "matrix.toml").write_text(text)
    assert faults(root) == ("matrix.toml: [engines.hostile] probes: no folder 'probes/nowhere'",)


def test_probe_is_never_imported(root: Path) -> None:
    (root / "probes" / "fake" / "loop.py").write_text(
        probes.probe("loop", "fake-engine", "raise SystemExit('imported')", raw=True), encoding="utf-8"
    )
    load(root)


@given(text=st.text(max_size=60), lines=st.lists(st.text(max_size=20), max_size=4))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_header_is_read_or_named(tmp_path: Path, text: str, lines: list[str]) -> None:
    root = tmp_path / "project"
    if not root.exists():
        project.make(root, "3.12")
        for path in (root / "probes" / "hostile").iterdir():
            path.unlink()
    path = root / "probes" / "fake" / "bad.py"
    path.write_bytes((header(*BASE, *lines) + text).encode("utf-8", "surrogatepass"))
    found: tuple[str, ...] = ()
    try:
        load(root)
    except InputError as error:
        found = error.faults
    assert all("probes/fake/bad.py" in fault for fault in found)


def test_a_helper_counts_for_what_imports_it(root: Path) -> None:
    (root / "probes" / "other.py").write_text("import _kit\n", encoding="utf-8")
    loop = root / "probes" / "fake" / "loop.py"
    loop.write_text(loop.read_text(encoding="utf-8") + "\n\ndef later() -> None:\n    import other\n", encoding="utf-8")
    before = load(root)
    for helper, changed in (
        ("probes/probekit.py", {file for file in before.kits if "probekit" in (root / file).read_text("utf-8")}),
        ("probes/other.py", {"probes/fake/loop.py"}),
        ("probes/fake/_kit.py", {"probes/fake/loop.py"}),
        ("probes/unused.py", set()),
    ):
        path = root / helper
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(f"{text}\n# changed\n", encoding="utf-8")
        after = load(root)
        assert {file for file, kit in after.kits.items() if kit != before.kits[file]} == changed
        assert after.bytes == before.bytes
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a, b as c\nfrom d import e", "a b d"),
        ("def f():\n    import a; import b", "a b"),
        ("if True: from a import c", "a"),
        ("import a, \\\n    b", "a b"),
        ("from a import (\n    b,\n)", "a"),
        ("important = a\nreimport = b  # from c\nfrom . import d", ""),
    ],
)
def test_statements_that_import(text: str, names: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    for name in "abcde":
        (tmp_path / f"{name}.py").touch()
    helpers = [tmp_path / f"{name}.py" for name in "abcde"]
    assert [each.stem for each in Imports().of(path, helpers)] == names.split()


def test_what_cannot_be_read_could_import_any_helper(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_bytes(b"\xff")
    assert Imports().of(path, [tmp_path / "a.py", path, tmp_path / "b.py"]) == [tmp_path / "a.py", tmp_path / "b.py"]
