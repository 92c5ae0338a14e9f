"""A probe and its helpers in one script: it runs by itself, and sees what the probe sees in its folder."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from report_samples import CATALOG, MATRIX

from adk_probe.errors import InputError
from adk_probe.model import Probe
from adk_probe.project.catalog import BLOCK
from adk_probe.project.config import Engine
from adk_probe.report.standalone import standalone

ROOT = Path(__file__).parents[2]
ENGINE = MATRIX.engines["toy"]
KIT = '''"""A kit with quotes that hurt: \'\'\' and \\"\\"\\" and a back\\\\slash."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

NAME = "kit"


def told(path, function):
    def lookup(unknown: Unknown) -> None: ...
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        function()
    origins = [Path(each.filename).resolve().parent == Path(path).resolve().parent for each in seen]
    print(NAME, Path(path).read_text(encoding="utf-8").startswith("# /// script"), origins)


if __name__ == "__main__":
    sys.exit("never reached")
'''
HELPER = '''"""A helper of the engine's probes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kit import told

NAME = "helper"


def annotated(number: int): ...


def evaluated():
    # without the probe's own `from __future__`, as it is in the folder
    return annotated.__annotations__["number"]
'''
PROBE = '''# /// script
# requires-python = ">=3.9"
# dependencies = [
#   "left-over",
# ]
#
# [tool.adk-probe]
# id = "loop"
# claim = "a loop ends"
# engine = "toy"
# ///
"""What it is about."""

from __future__ import annotations

import warnings

from _helper import NAME as OTHER
from _helper import evaluated, told

NAME = "probe"


def main():
    warnings.warn("mine", UserWarning)
    print(NAME, OTHER, evaluated())


if __name__ == "__main__":
    told(__file__, main)
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "probes" / "toy").mkdir(parents=True)
    (folder / "probes" / "kit.py").write_text(KIT, encoding="utf-8")
    (folder / "probes" / "unused.py").write_text("raise SystemExit('unused')\n", encoding="utf-8")
    (folder / "probes" / "toy" / "_helper.py").write_text(HELPER, encoding="utf-8", newline="\r\n")
    (folder / "probes" / "toy" / "loop.py").write_text(PROBE, encoding="utf-8")
    return folder


def output(script: Path) -> str:
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_script_prints_what_the_probe_prints_in_its_folder(project: Path, tmp_path: Path) -> None:
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(standalone(project, ENGINE, CATALOG.probes["toy"]["loop"], "toy-engine==2.0"), encoding="utf-8")
    assert output(script) == output(project / "probes" / "toy" / "loop.py")
    assert output(script) == "probe helper <class 'int'>\nkit True [True]\n"


def test_its_header_asks_for_the_release_and_keeps_the_rest(project: Path) -> None:
    script = standalone(project, ENGINE, CATALOG.probes["toy"]["loop"], "toy-engine==2.0", "2024-01-02T10:00:00Z")
    match = BLOCK.search(script)
    assert match is not None
    header = tomllib.loads("\n".join(line[2:] for line in match["content"].splitlines()))
    assert header["dependencies"] == ["toy-engine==2.0", "helper>=1,<2"]
    assert header["requires-python"] == ">=3.9"
    assert header["tool"]["adk-probe"]["id"] == "loop"
    assert header["tool"]["uv"]["exclude-newer"] == "2024-01-02T10:00:00Z"


def test_only_helpers_that_the_probe_needs_are_put_in_and_lines_end_as_on_unix(project: Path) -> None:
    script = standalone(project, ENGINE, CATALOG.probes["toy"]["loop"], "toy-engine==2.0")
    assert "unused" not in script
    assert "\r" not in script
    assert script.index('_module("kit"') < script.index('_module("_helper"')


def test_a_probe_without_helpers_is_left_as_it_is(project: Path) -> None:
    plain = "# /// script\n# dependencies = []\n# ///\nprint(1)\n"
    (project / "probes" / "toy" / "loop.py").write_text(plain, encoding="utf-8")
    script = standalone(project, ENGINE, CATALOG.probes["toy"]["loop"], "toy-engine==2.0")
    assert "_module" not in script
    ast.parse(script)
    assert script.endswith("print(1)\n")


REAL = [path for engine in ("google_adk", "loopgraph") for path in sorted((ROOT / "probes" / engine).rglob("[!_]*.py"))]


@pytest.mark.skipif(not REAL, reason="no probes are here")
@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_real_probe_becomes_a_script_of_python_3_9(path: Path) -> None:
    file = path.relative_to(ROOT)
    engine = Engine("an-engine", "an_engine", "/".join(file.parts[:2]))
    probe = Probe(path.stem, "", "an-engine", file.as_posix())
    script = standalone(ROOT, engine, probe, "an-engine==1.0")
    ast.parse(script, feature_version=(3, 9))
    compile(script, path.name, "exec")
    assert '# dependencies = ["an-engine==1.0"]\n' in script
    assert '_module("probekit"' in script


def made(tmp_path: Path, probe: str, kit: str = "x = 1\n") -> str:
    folder = tmp_path / "probes" / "toy"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "p.py").write_bytes(probe.encode())
    (tmp_path / "probes" / "kit.py").write_bytes(kit.encode())
    return standalone(tmp_path, ENGINE, Probe("p", "it holds", "toy", "probes/toy/p.py"), "toy-engine==1.0")


HEAD = "# /// script\n# dependencies = []\n# ///\n"
ODD_LINES = '"""Told\x0c on \u2028 two \x85 lines."""\nfrom __future__ import annotations\nimport kit\nprint(kit.x)\n'


@pytest.mark.parametrize(
    "probe",
    [
        "",
        "\n",
        "# nothing",
        '"""Only told."""',
        "\ufeff" + HEAD + "print(1)\n",
        HEAD + ODD_LINES,
        HEAD.replace("\n", "\r\n") + "x = '''\r\n'''\r\nprint(x)\r\n",
        HEAD + "@print\n@str\nclass First: ...\n",
        HEAD + "print('\\d')  # an odd escape\n",
    ],
)
def test_any_probe_gives_a_script_that_is_python(tmp_path: Path, probe: str) -> None:
    script = made(tmp_path, probe)
    assert script == made(tmp_path, probe)
    path = tmp_path / "script.py"
    path.write_text(script, encoding="utf-8")
    run = subprocess.run([sys.executable, "-W", "ignore", str(path)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_decorator_stays_with_what_it_decorates(tmp_path: Path) -> None:
    script = made(tmp_path, f"{HEAD}@str\nclass First: ...\n")
    assert "from __future__ import annotations\n\n@str\nclass First: ...\n" in script


@pytest.mark.parametrize(
    ("probe", "kit", "words"),
    [
        ("import kit\n", "def (:\n", r"probes/kit\.py: it is no Python that can be read: invalid syntax"),
        ("import kit\n", "x = '\0'\n", r"probes/kit\.py: it is no Python that can be read: .*null"),
        ("import (\n", "", r"probes/toy/p\.py: it is no Python that can be read"),
        ("x = " + "(" * 5000 + "\n", "", r"probes/toy/p\.py: it is no Python that can be read"),
    ],
)
def test_what_is_no_python_is_named(tmp_path: Path, probe: str, kit: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        made(tmp_path, probe, kit)


def test_helper_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    made(tmp_path, "import kit\n")
    (tmp_path / "probes" / "kit.py").write_bytes(b"# \xff\n")
    with pytest.raises(InputError, match=r"probes/kit\.py: not UTF-8 at byte 2"):
        standalone(tmp_path, ENGINE, Probe("p", "it holds", "toy", "probes/toy/p.py"), "toy-engine==1.0")
