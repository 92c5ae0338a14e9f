"""Text from an engine, a probe or a file is data: made harmless for the place it is put in; pure."""

from __future__ import annotations

import re
import unicodedata

# Everything that Markdown, or the HTML inside of it, could take for markup in the middle of a line.
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")
# What XML 1.0 cannot hold, not even as a character reference.
_NOT_XML = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INSTALLED = re.compile(r"(?:[A-Za-z]:)?[/\\][^\s'\"()<>]*?[/\\](?:site|dist)-packages[/\\]")
_HOMES = "Users|build|builds|github|home|mnt|nix|opt|private|root|srv|tmp|usr|var|work|workspace"
_ABSOLUTE = re.compile(rf"(?<![\w.:/\\])(?:[A-Za-z]:[/\\]|/(?:{_HOMES})/)(?:[^\s'\"()<>:,;]*[/\\])?")


def visible(text: str) -> str:
    """Return text without control, format and unpaired surrogate characters; line ends and tabs stay.

    An escape sequence could repaint a terminal, and a sign that turns the direction of writing could
    make a reader see another text than is there.
    """
    if all(line.isprintable() for line in text.split("\n")):
        # nearly always so, and much faster to find out
        return text
    return "".join(
        sign if sign in "\n\t" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs") else "\N{REPLACEMENT CHARACTER}"
        for sign in text.replace("\r\n", "\n")
    )


def one_line(text: str, limit: int = 0) -> str:
    """Return text on one line, cut to ``limit`` characters where that is not 0."""
    line = " ".join(visible(text).split())
    return f"{line[: limit - 1].rstrip()}…" if 0 < limit < len(line) else line


def markdown(text: str, limit: int = 0) -> str:
    """Return text for a line or table cell of Markdown, in which nothing of it is markup."""
    line = _MARKUP.sub(lambda found: _escaped(found[1]), one_line(text, limit))
    # a name after an @ would notify somebody, wherever the Markdown is pasted
    return line.replace("@", "@<!-- -->")


def _escaped(sign: str) -> str:
    return {"&": "&amp;", "<": "&lt;", ">": "&gt;"}.get(sign, f"\\{sign}")


def code(text: str, in_table: bool = True) -> str:
    """Return text as a code span of Markdown, with as many backticks as it takes.

    Args:
        in_table: whether it stands in a table, where a pipe ends the cell even in a code span.
    """
    line = one_line(text) or " "
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}".replace("|", "\\|" if in_table else "|")


def fence(text: str, language: str = "") -> str:
    """Return text as a fenced block of Markdown that nothing in it can close."""
    body = visible(text).strip("\n")
    ticks = "`" * max(3, _longest_run(body) + 1)
    return f"{ticks}{language}\n{body}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def xml(text: str) -> str:
    """Return text without what XML cannot hold; quoting is the writer's business."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def placeless(text: str) -> str:
    """Return text without the absolute paths of the machine it was made on."""
    return _ABSOLUTE.sub("…/", _INSTALLED.sub("site-packages/", text))
