"""The environment of random examples: made once, and made again when it is not what was installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake import project
from fake.server import Index

from adk_probe.differential import targets
from adk_probe.execution import env
from adk_probe.project.plan import Choice


def test_environment_is_made_again_when_it_is_damaged(
    fresh: Path, python: str, offline: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    install = env.install

    def counting(folder: Path, *arguments: object) -> env.Built:
        made.append(folder)
        return install(folder, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(env, "install", counting)

    def give() -> Path:
        return targets.environment(fresh, "2.0", engine="fake-engine", python=python)

    own = give()
    assert give() == own
    assert len(made) == 1
    (module,) = made[0].glob("lib/*/site-packages/fake_engine/flow.py")
    before = module.read_bytes()
    module.write_bytes(before + b"READY = False\n")
    assert give() == own
    assert len(made) == 2
    assert module.read_bytes() == before
    # that of the target itself is used where there is one, and only while it is complete
    project.run(fresh, Choice(engine="fake-engine", release="2.0"))
    assert give() == env.python_of(made[2])
    (made[2] / "pyvenv.cfg").unlink()
    assert give() == own
