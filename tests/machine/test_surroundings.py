"""Targets are resolved by declared means alone; the way to the index stays open."""

from __future__ import annotations

import base64
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake import engine, project
from fake.project import evidence
from fake.server import Index

from adk_probe.execution import env, uv
from adk_probe.machine import surroundings
from adk_probe.model import Kind, Lane, Target
from adk_probe.project import index
from adk_probe.project.config import Engine
from adk_probe.project.plan import Choice

ENGINE = Engine("fake-engine", "fake_engine", "probes/fake")
UPLOADED = "2024-01-10T12:00:00Z"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
NEWEST = ("fake-dep==2.0", "fake-engine==0.9")

STEERING = {
    "UV_EXCLUDE_NEWER": "2024-03-01T00:00:00Z",
    "UV_EXCLUDE_NEWER_PACKAGE": "fake-dep=2024-03-01T00:00:00Z",
    "UV_RESOLUTION": "lowest",
    "UV_PRERELEASE": "allow",
    "UV_CONSTRAINT": "{folder}/constraints.txt",
    "UV_BUILD_CONSTRAINT": "{folder}/constraints.txt",
    "UV_OVERRIDE": "{folder}/constraints.txt",
    "UV_EXCLUDE": "{folder}/constraints.txt",
    "UV_CONFIG_FILE": "{folder}/uv.toml",
    "UV_ENV_FILE": "{folder}/.env",
    "UV_EXTRA_INDEX_URL": "http://127.0.0.1:9/simple",
    "UV_INDEX": "http://127.0.0.1:9/simple",
    "UV_FIND_LINKS": "{folder}",
    "UV_NO_INDEX": "1",
    "UV_NO_BINARY": "1",
    "UV_NO_VERIFY_HASHES": "1",
    "UV_REQUIRE_HASHES": "1",
    "UV_INDEX_STRATEGY": "unsafe-best-match",
    "UV_FORK_STRATEGY": "fewest",
    "UV_CUSTOM_COMPILE_COMMAND": "fake-dep==1.0",
    "UV_LINK_MODE": "hardlink",
    "UV_COMPILE_BYTECODE": "1",
    "UV_PYTHON": "3.99",
    "UV_PYTHON_PREFERENCE": "only-managed",
    "UV_PROJECT": "{folder}",
    "UV_WORKING_DIR": "{folder}",
    "UV_TARGET": "{folder}/elsewhere",
    "UV_PREFIX": "{folder}/elsewhere",
    "UV_VENV_SEED": "1",
    "UV_SYSTEM_PYTHON": "1",
    "UV_TORCH_BACKEND": "cpu",
    "UV_A_VARIABLE_OF_TOMORROW": "1",
    "VIRTUAL_ENV": "/nowhere",
    "CONDA_PREFIX": "/nowhere",
    "RUST_LOG": "trace",
}
CONFIGURATION = (
    'constraint-dependencies = ["fake-dep<2"]\nexclude-newer = "2024-03-01T00:00:00Z"\nlink-mode = "symlink"\n'
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the caller's folder."""
    place = tmp_path / "caller" / "below"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    (place / "constraints.txt").write_text("fake-dep<2\n", encoding="utf-8")
    (place / ".env").write_text("UV_RESOLUTION=lowest\n", encoding="utf-8")
    (place / "uv.toml").write_text(CONFIGURATION, encoding="utf-8")
    return place


def resolve(lane: Lane = Lane.TODAY) -> tuple[str, ...]:
    at = Target("fake-engine", "0.9", PYTHON, lane)
    return env.resolve(at, ENGINE, UPLOADED, sys.executable, 60).pins


@pytest.mark.parametrize("name", sorted(STEERING))
def test_variable_steers_nothing(offline: Index, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (folder / "uv.toml").rename(folder / "uv.toml.away")
    (folder.parent / "uv.toml.away").write_text(CONFIGURATION, encoding="utf-8")
    monkeypatch.setenv(name, STEERING[name].format(folder=folder))
    assert name not in surroundings.for_uv()
    assert resolve() == NEWEST
    assert resolve(Lane.AS_RELEASED) == ("fake-dep==1.0", "fake-engine==0.9")


def test_everything_at_once_steers_nothing(
    fresh: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.parent / "pyproject.toml").write_text(
        f"[project]\nname = 'x'\nversion = '1'\n[tool.uv]\n{CONFIGURATION}", encoding="utf-8"
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    user = tmp_path / "home" / ".config" / "uv"
    user.mkdir(parents=True)
    (user / "uv.toml").write_text(CONFIGURATION, encoding="utf-8")
    for name, value in STEERING.items():
        monkeypatch.setenv(name, value.format(folder=folder))
    project.run(fresh, Choice(engine="fake-engine", release="0.9"))
    found = evidence(fresh, "0.9").environment
    assert found is not None
    assert found.pins == NEWEST
    (installed,) = (fresh / ".adk-probe" / "envs").glob("fake-engine-0.9-*-today/lib/*/site-packages/fake_dep")
    assert not (installed / "__init__.py").is_symlink()
    assert (installed / "__init__.py").stat().st_nlink == 1


@pytest.mark.parametrize("where", ["uv.toml", "pyproject.toml", "above", "user", "XDG_CONFIG_HOME"])
def test_configuration_steers_nothing(
    offline: Index, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (folder / "uv.toml").unlink()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = {
        "uv.toml": folder / "uv.toml",
        "pyproject.toml": folder / "pyproject.toml",
        "above": folder.parent / "pyproject.toml",
        "user": tmp_path / "home" / ".config" / "uv" / "uv.toml",
        "XDG_CONFIG_HOME": tmp_path / "config" / "uv" / "uv.toml",
    }[where]
    if where == "XDG_CONFIG_HOME":
        monkeypatch.setenv(where, str(tmp_path / "config"))
    path.parent.mkdir(parents=True, exist_ok=True)
    head = "[project]\nname = 'x'\nversion = '1'\n[tool.uv]\n" if path.name == "pyproject.toml" else ""
    path.write_text(head + CONFIGURATION, encoding="utf-8")
    assert resolve() == NEWEST


def test_way_to_the_index_reaches_uv() -> None:
    names = (
        *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "NETRC"),
        *("HTTPS_PROXY", "https_proxy", "http_proxy", "ALL_PROXY", "no_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "SSL_CLIENT_CERT", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS"),
        *("UV_INSECURE_HOST", "UV_KEYRING_PROVIDER", "UV_CREDENTIALS_DIR", "UV_CACHE_DIR", "UV_OFFLINE"),
        *("UV_INDEX_OUR_OWN_USERNAME", "UV_INDEX_OUR_OWN_PASSWORD", "GOOGLE_APPLICATION_CREDENTIALS"),
        *("UV_HTTP_TIMEOUT", "UV_PYTHON_INSTALL_DIR", "UV_PYTHON_INSTALL_MIRROR", "UV_DEFAULT_INDEX"),
    )
    caller = dict.fromkeys(names, "x")
    assert surroundings.for_uv(caller) == caller
    for name in ("FOO_PROXY_", "my_proxy", "GOOGLE_API_KEY", "PYTHONPATH", "LD_PRELOAD", "UV_INDEX_X_TOKEN", "lang"):
        assert surroundings.for_uv({name: "x"}) == {}


def test_index_of_uv_is_the_index_of_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in surroundings.INDEX_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert "UV_DEFAULT_INDEX" not in surroundings.for_uv()
    assert surroundings.index_address() == "https://pypi.org/simple"
    for name in reversed(surroundings.INDEX_VARIABLES):
        monkeypatch.setenv(name, f"https://{name.lower()}/simple")
        given = surroundings.for_uv()
        assert given["UV_DEFAULT_INDEX"] == surroundings.index_address() == f"https://{name.lower()}/simple"
        assert not {"UV_INDEX_URL", "PIP_INDEX_URL"} & given.keys()


@pytest.mark.parametrize("name", surroundings.INDEX_VARIABLES)
def test_each_variable_that_names_an_index(offline: Index, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delenv("UV_DEFAULT_INDEX")
    monkeypatch.setenv(name, offline.address)
    assert resolve() == NEWEST
    assert index.ask("fake-dep")


@pytest.fixture
def locked(offline: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Index]:
    """Serve the fake engine to those alone who know the word."""
    with Index(engine.dists()) as found:
        found.password = ("me", "a word")
        monkeypatch.setenv("UV_DEFAULT_INDEX", found.address)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("UV_HTTP_RETRIES", "0")
        yield found


def test_locked_index_without_the_word(locked: Index) -> None:
    with pytest.raises(env.Failed) as caught:
        resolve()
    assert caught.value.fault.kind is Kind.INFRASTRUCTURE


@pytest.mark.parametrize("how", ["address", "netrc", "home", "named"])
def test_locked_index_with_the_word(locked: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str) -> None:
    plain = locked.address
    netrc = "machine 127.0.0.1 login me password a%20word\n".replace("a%20word", '"a word"')
    match how:
        case "address":
            monkeypatch.setenv("UV_DEFAULT_INDEX", plain.replace("//", "//me:a%20word@"))
        case "netrc" | "home":
            monkeypatch.setenv("HOME", str(tmp_path))
            path = tmp_path / (".netrc" if how == "home" else "other")
            path.write_text(netrc, encoding="ascii")
            path.chmod(stat.S_IRUSR | stat.S_IWUSR)
            if how == "netrc":
                monkeypatch.setenv("NETRC", str(path))
        case "named":
            monkeypatch.setenv("UV_DEFAULT_INDEX", f"our-own={plain}")
            monkeypatch.setenv("UV_INDEX_OUR_OWN_USERNAME", "me")
            monkeypatch.setenv("UV_INDEX_OUR_OWN_PASSWORD", "a word")
    assert resolve() == NEWEST
    assert index.ask("fake-dep")


def test_words_of_a_locked_index_are_not_told(locked: Index) -> None:
    assert base64.b64encode(b"me:a word").decode() in locked.authorization
    answer = uv.UvResult(2, "", "error: Failed to fetch: http://me:a%20word@127.0.0.1/simple/x/")
    assert "word" not in answer.last_words()


def test_cache_in_a_place_of_the_caller(offline: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "my cache"))
    resolve()
    assert any((tmp_path / "my cache").iterdir())


def test_nothing_is_resolved_offline(offline: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    # a cache of yesterday would give the pins of yesterday
    assert resolve() == NEWEST
    monkeypatch.setenv("UV_OFFLINE", "true")
    with pytest.raises(env.Failed, match="UV_OFFLINE is set") as caught:
        resolve()
    assert caught.value.fault.kind is Kind.INFRASTRUCTURE
