"""Random models against the remediation project on a real google-adk: what nobody may do, nobody does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fake.project import REPOSITORY

from adk_probe.codegen import mechanisms
from adk_probe.generate import building, corpus
from adk_probe.project import config
from adk_probe.project.releases import load

pytestmark = pytest.mark.real

EXAMPLES = "60"
MECHANISMS = [name for name, way in mechanisms().items() if way.engine == "google-adk"]
BROKEN = {
    "everybody may": ("guarding.py", "    return role is None or any(", "    return True or any(", "without the role"),
    "no dry run": ("guarding.py", "state.get(DRY_RUN_KEY) not in (None, False)", "False", "in a dry run"),
    "no journal": ("guarding.py", "    state[_key(place)] = ", "    entry = ", "the journal has 0"),
    "nobody is asked": ("tooling.py", "if decided is None and rules.confirm:", "if False:", "confirmed 0 times"),
    "no end": ("loops.py", "passes < self.max_passes:", "passes < self.max_passes + 2:", "passes of"),
}
"""By fault: the module of support, what is replaced in it, by what, and words of what must be noticed."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the newest google-adk that the repository knows."""
    release = load(REPOSITORY / "reports" / "releases.json").choose("google-adk", "newest")[0].version
    folder = tmp_path_factory.mktemp("adk") / "env"
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    found = folder / "bin" / "python"
    for command in (
        [uv, "venv", "--quiet", "--offline", "--python", sys.executable, str(folder)],
        [uv, "pip", "install", "--quiet", "--python", str(found), f"google-adk=={release}"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode:
            pytest.skip(f"the environment cannot be made here: {done.stderr.strip()[-300:]}")
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the remediation graph's projects and jobs."""
    folder = tmp_path_factory.mktemp("built")
    made = building.make(REPOSITORY, config.load(REPOSITORY / "matrix.toml"))
    corpus.export(folder, {"remediation": made["remediation"]})
    return folder / "remediation"


def play(python: Path, built: Path, project: Path, seed: str, examples: str = EXAMPLES) -> str:
    job = built / "scenarios/random-models.json"
    command = [str(python), str(REPOSITORY / "probes/fidelity/run_fidelity.py")]
    done = subprocess.run(
        [*command, "--project", str(project), "--job", str(job)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "ADK_PROBE_EXAMPLES": examples, "ADK_PROBE_SEED": seed},
    )
    return done.stdout or done.stderr[-2000:]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_random_models_break_no_rule(python: Path, built: Path, mechanism: str) -> None:
    told = play(python, built, built / mechanism / "remediation", f"tests {mechanism}")
    assert told.startswith("PASS"), told
    assert f"{EXAMPLES} random models broke no rule" in told


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_guard_is_noticed(python: Path, built: Path, tmp_path: Path, fault: str) -> None:
    module, good, bad, words = BROKEN[fault]
    project = tmp_path / "remediation"
    shutil.copytree(built / "cyclic-workflow/remediation", project)
    path = project / "support" / module
    text = path.read_text(encoding="utf-8")
    assert text.count(good) == 1
    path.write_text(text.replace(good, bad), encoding="utf-8")
    told = play(python, built, project, "tests")
    assert told.startswith("FAIL")
    assert words in told
