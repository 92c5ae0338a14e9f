"""Whether evidence fits its target, and how old it is; pure."""

from __future__ import annotations

import datetime

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from adk_probe.model import Lane, Release, TargetResult, is_day
from adk_probe.project.config import Config


def mismatch(result: TargetResult, config: Config) -> str:
    """Return in what a target's evidence contradicts the target; empty where it fits.

    The release must be among the pins, and the Python that of the build. A target that never got that far has neither.
    """
    environment, target = result.environment, result.target
    if environment is None:
        return "" if result.fault is not None else "names no environment"
    if environment.python.split(".")[:2] != target.python.split("."):
        return f"was made on Python {environment.python}"
    if not environment.pins:
        return "" if result.fault is not None else "names no pins"
    distribution = config.engines[target.engine].distribution
    pinned = [version for pin in environment.pins if (version := _version(pin, distribution)) is not None]
    if Version(target.release) not in map(Version, pinned):
        return f"was made with {distribution} {' and '.join(pinned) or 'not installed'}"
    return ""


def ruled_out(result: TargetResult, release: Release | None) -> str:
    """Return how the interpreter of a target's evidence contradicts what the release requires; empty where it fits."""
    environment = result.environment
    if environment is None or release is None or not environment.pins:
        return ""
    if SpecifierSet(release.requires_python).contains(environment.python, prereleases=True):
        return ""
    return f"was made on Python {environment.python}, which the release rules out ({release.requires_python})"


def _version(pin: str, distribution: str) -> str | None:
    """Return the version that a pin (``name==version``) gives a distribution; None where it is of another one."""
    try:
        parsed = Requirement(pin)
    except InvalidRequirement:
        return None
    if canonicalize_name(parsed.name) != canonicalize_name(distribution):
        return None
    return next((each.version for each in parsed.specifier if each.operator == "=="), None)


def days_since(day: str, today: datetime.date) -> int | None:
    """Return how many days ago a day (ISO 8601) was; None where it is none."""
    return (today - datetime.date.fromisoformat(day)).days if is_day(day) else None


def old(result: TargetResult, today: datetime.date, max_age: int) -> str:
    """Return why evidence no longer counts as fresh; empty where it does.

    What is resolved as released does not age: its dependencies are those of one day for ever.
    """
    if result.target.lane is not Lane.TODAY:
        return ""
    days = days_since(result.resolved, today)
    if days is None:
        return "names no day on which it was made"
    # tomorrow's date is the same moment in another time zone; what lies beyond is a clock that was wrong
    if days < -1:
        return f"is of {result.resolved}, a day that is yet to come"
    return f"is of {result.resolved}, more than {max_age} days ago" if days > max_age else ""
