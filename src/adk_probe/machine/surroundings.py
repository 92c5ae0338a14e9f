"""What of the caller's environment reaches uv: how to get at the index, never what to take from it.

Targets are resolved by what ``matrix.toml`` declares. uv is therefore given no configuration file (``uv.toml``,
``[tool.uv]``) and, of the environment, only what is named here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit, urlunsplit

DEFAULT_INDEX = "https://pypi.org/simple"
INDEX_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
"""The package index is the one that the first of these names; PyPI where none does."""

KEPT = frozenset(
    {
        # the machine
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH"),
        *("XDG_BIN_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"),
        # the way to the index, and who may go it
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NETRC", "DBUS_SESSION_BUS_ADDRESS"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "SSL_CLIENT_CERT", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_INSECURE_HOST"),
        *("UV_KEYRING_PROVIDER", "UV_CREDENTIALS_DIR", "UV_OFFLINE"),
        *("UV_HTTP_TIMEOUT", "UV_HTTP_CONNECT_TIMEOUT", "UV_REQUEST_TIMEOUT", "UV_HTTP_RETRIES"),
        *("UV_CONCURRENT_DOWNLOADS", "UV_CONCURRENT_INSTALLS"),
        # where things are put, and where Pythons come from
        *("UV_CACHE_DIR", "UV_NO_CACHE", "UV_PYTHON_CACHE_DIR", "UV_PYTHON_INSTALL_DIR", "UV_PYTHON_BIN_DIR"),
        *("UV_PYTHON_INSTALL_BIN", "UV_PYTHON_INSTALL_MIRROR", "UV_PYTHON_DOWNLOADS_JSON_URL"),
    }
)
KEPT_LIKE = re.compile(
    r"LC_[A-Z]+|"
    # credentials of a named index, and what the programs behind UV_KEYRING_PROVIDER ask for
    r"UV_INDEX_[A-Z0-9_]+_(?:USERNAME|PASSWORD)|(?:AWS|AZURE|ARTIFACTS|CLOUDSDK|KEYRING)_[A-Z0-9_]+|"
    r"GOOGLE_APPLICATION_CREDENTIALS|PYTHON_KEYRING_BACKEND"
)


def for_uv(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment that uv is given, out of the caller's."""
    caller = os.environ if environment is None else environment
    kept = {key: value for key, value in caller.items() if _kept(key)}
    if index := index_of(caller):
        kept["UV_DEFAULT_INDEX"] = index
    return kept


def _kept(name: str) -> bool:
    # proxies are named in capitals and in small letters
    return name in KEPT or (name.endswith("_proxy") and name.upper() in KEPT) or KEPT_LIKE.fullmatch(name) is not None


def index_of(environment: Mapping[str, str]) -> str:
    """Return the package index that the caller has set, as it is set; empty where none is."""
    return next((environment[name] for name in INDEX_VARIABLES if environment.get(name)), "")


def index_address() -> str:
    """Return the address of the package index, for a client of our own: credentials are in it, a name is not."""
    name, named, address = index_of(os.environ).partition("=")
    if not named or not re.fullmatch(r"[\w.-]+", name):
        return index_of(os.environ) or DEFAULT_INDEX
    prefix = f"UV_INDEX_{re.sub(r'[^A-Z0-9]', '_', name.upper())}"
    user, password = (os.environ.get(f"{prefix}_{part}", "") for part in ("USERNAME", "PASSWORD"))
    parts = urlsplit(address)
    if not (user or password) or "@" in parts.netloc:
        return address
    login = quote(user, safe="") + (f":{quote(password, safe='')}" if password else "")
    return urlunsplit(parts._replace(netloc=f"{login}@{parts.netloc}"))


def offline() -> bool:
    """Whether the caller forbids uv the network."""
    return os.environ.get("UV_OFFLINE", "").strip().lower() in ("1", "true", "t", "yes", "y", "on")
