"""What uv's refusals mean. One of a few known answers is the release's fault; all else is an infrastructure error."""

from __future__ import annotations

import re
from collections.abc import Iterable

from packaging.utils import canonicalize_name

from adk_probe.execution.uv import UvResult

FULL_DISK = "No space left on device"
# the resolver went through all that there is, and this is its conclusion
NO_SOLUTION = "No solution found when resolving dependencies"
CONCLUSION = "requirements are unsatisfiable"
# what it says beside that when the index did not really answer
UNANSWERED = re.compile(
    r"network was disabled|could not be queried|returned an? \d{3} |lack of valid authentication|"
    r"was not found in the cache|needs to be downloaded from a registry|is missing an upload date"
)
# a version that was passed over, since what the index served of it could not be read
UNREADABLE = re.compile(r"WARN `?([A-Za-z0-9._-]+)==([^\s`]+?)`? has (?:an )?in(?:valid|consistent) ")
# a file that arrived and is no wheel
REFUSED_FILE = re.compile(r"Failed to extract|Failed to install|is invalid|failed to open file|Failed to read")
# one that did not arrive
CUT_OFF = re.compile(r"timeout|timed out|body from connection|request or response body")
WHEEL = re.compile(r"[A-Za-z0-9_.+!-]+\.whl\b")
PIN = re.compile(r"([A-Za-z0-9._-]+)==([^\s`'\")]+)")


def words(answer: UvResult) -> str:
    """Return the gist of a refusal, for people."""
    return "no space left on the disk" if FULL_DISK in answer.err else answer.last_words()


def unreadable(answer: UvResult) -> list[tuple[str, str]]:
    """Return the versions, as name and version, that the resolver passed over for their unreadable metadata."""
    return sorted(set(UNREADABLE.findall(answer.err)))


def is_no_solution(answer: UvResult) -> bool:
    """Whether the index answered, and the resolver found that nothing fits."""
    said = " ".join(answer.err.split())
    concluded = answer.code == 1 and NO_SOLUTION in said and CONCLUSION in said
    return concluded and FULL_DISK not in said and UNANSWERED.search(said) is None


def lost(answer: UvResult, known: Iterable[str]) -> str:
    """Return which of the distributions that are known to be on the index it had none or not all of; else nothing.

    What was resolved once resolves for ever, but for what the index no longer shows: then the index is to blame.
    """
    said = " ".join(answer.err.split())
    for name in sorted({canonicalize_name(each) for each in known}):
        this = rf"(?<![\w.-]){re.escape(name)}"
        if re.search(
            rf"(?:no versions? of|only(?: the following versions of)?) {this}(?![\w-])|{this} was not found", said
        ):
            return name
    return ""


def refused_file(answer: UvResult) -> tuple[str, str, str] | None:
    """Return name, version and, where it is told, file name of a wheel that arrived and was refused; else None."""
    said = " ".join(answer.err.split())
    if FULL_DISK in said or CUT_OFF.search(said) or REFUSED_FILE.search(said) is None:
        return None
    if wheel := WHEEL.search(said):
        name, version = wheel[0].split("-")[:2]
        return canonicalize_name(name), version, wheel[0]
    pin = PIN.search(said)
    return (canonicalize_name(pin[1]), pin[2], "") if pin else None
