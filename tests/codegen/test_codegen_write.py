"""Files on disk: atomic, only on change, and never anybody else's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adk_probe.codegen import MARK, check, diff, write
from adk_probe.codegen.write import MANIFEST
from adk_probe.errors import InputError

ONE = {"a.py": f"# {MARK} 1\nx = 1\n", "sub/b.py": f"# {MARK} 1\ny = 'é'\n"}


def test_writes_and_then_leaves_alone(tmp_path: Path) -> None:
    drift = write(tmp_path / "new", ONE)
    assert drift.missing == ("a.py", "sub/b.py")
    assert (tmp_path / "new/sub/b.py").read_bytes() == ONE["sub/b.py"].encode()
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "new").rglob("*")}
    assert not write(tmp_path / "new", ONE)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "new").rglob("*")} == before
    assert not list(tmp_path.rglob("*.part"))


def test_check_and_diff_write_nothing(tmp_path: Path) -> None:
    write(tmp_path, ONE)
    (tmp_path / "a.py").write_text(f"# {MARK} 1\nx = 2\n", encoding="utf-8")
    (tmp_path / "sub/b.py").unlink()
    two = {"a.py": ONE["a.py"], "sub/b.py": ONE["sub/b.py"], "c.py": f"# {MARK}\n"}
    drift = check(tmp_path, two)
    assert (drift.changed, drift.missing, drift.orphaned) == (("a.py",), ("c.py", "sub/b.py"), ())
    text = diff(tmp_path, two)
    assert "--- a/a.py\n+++ b/a.py\n" in text
    assert "-x = 2\n+x = 1\n" in text
    assert "--- /dev/null\n+++ b/c.py\n" in text
    assert not (tmp_path / "c.py").exists()
    assert diff(tmp_path / "none", {}) == ""


def test_orphans_go_with_their_folders(tmp_path: Path) -> None:
    write(tmp_path, ONE)
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    drift = write(tmp_path, {"a.py": ONE["a.py"]})
    assert drift.orphaned == ("sub/b.py",)
    assert not (tmp_path / "sub").exists()
    assert (tmp_path / "mine.txt").exists()
    assert "sub/b.py" not in json.loads((tmp_path / MANIFEST).read_text(encoding="utf-8"))["files"]
    assert "+++ /dev/null" in diff(tmp_path, {})


def test_a_stranger_s_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("mine\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        write(tmp_path, ONE)
    assert refused.value.faults == (str(tmp_path / "a.py"),)
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == "mine\n"
    assert not (tmp_path / "sub").exists()


def test_an_orphan_that_its_user_took_over_stays(tmp_path: Path) -> None:
    write(tmp_path, ONE)
    (tmp_path / "sub/b.py").write_text("mine now\n", encoding="utf-8")
    with pytest.raises(InputError, match="not generated"):
        write(tmp_path, {"a.py": ONE["a.py"]})
    assert (tmp_path / "sub/b.py").exists()


def test_a_link_in_the_way_is_a_stranger(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(f"# {MARK}\n", encoding="utf-8")
    (tmp_path / "p").mkdir()
    (tmp_path / "p/a.py").symlink_to(outside)
    with pytest.raises(InputError):
        write(tmp_path / "p", ONE)
    assert outside.read_text(encoding="utf-8") == f"# {MARK}\n"


@pytest.mark.parametrize("path", ["../x.py", "/x.py", "a/../../x.py", "a\\x.py", "."])
def test_paths_stay_inside(tmp_path: Path, path: str) -> None:
    with pytest.raises(InputError, match="does not lie in"):
        write(tmp_path, {path: f"# {MARK}\n"})


@pytest.mark.parametrize("text", ["no json", "[]", '{"files": 3}', '{"files": {"../a.py": ""}}', '{"files": [3]}'])
def test_a_broken_manifest_is_said_to_be(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="no manifest"):
        check(tmp_path, ONE)
