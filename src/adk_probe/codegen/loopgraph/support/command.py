"""A turn of a conversation from the command line."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, Callable, Optional

from .running import Conversation, Reply
from .sessions import SessionError
from .values import StepError, show


def main(
    program: str, conversation: Callable[[str], Conversation], settings: Path, arguments: Optional[list[str]] = None
) -> int:
    """Run a turn, answer a question or go on with a run that was cut off; return 0 when that went well.

    Args:
        program: how it is called.
        conversation: makes the conversation whose sessions are in a folder.
        settings: a file of lines ``KEY=VALUE``, which need not be there.
        arguments: of the command line; None takes those of the process.
    """
    options = _parser(program).parse_args(arguments)
    _environment(settings)
    try:
        reply = asyncio.run(_reply(conversation(options.folder), options))
    except (StepError, SessionError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for text in reply.said:
        print(text)
    for question in reply.questions:
        print(f"{question.node} asks: {question.message} {show(question.payload)}")
    if reply.done:
        print(show(reply.output))
    return 0


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("text", nargs="?", help="what you say: it begins a turn")
    what.add_argument("--answer", action="append", metavar="NODE=JSON", help="answer a question; text does as well")
    what.add_argument("--resume", action="store_true", help="go on with a run that was cut off")
    parser.add_argument("--session", default="default", help="whose turn it is")
    parser.add_argument("--folder", default=".sessions", help="where sessions are kept")
    parser.add_argument("--role", action="append", help="a role that you have, for tools that need one")
    way = argparse.BooleanOptionalAction
    parser.add_argument("--dry-run", action=way, help="whether destructive tools are planned and not run")
    return parser


async def _reply(agent: Conversation, options: argparse.Namespace) -> Reply:
    if options.resume:
        return await agent.resume(options.session)
    if options.answer:
        return await agent.answer(options.session, dict(map(_answer, options.answer)))
    return await agent.turn(options.session, options.text, options.role, dry_run=options.dry_run)


def _answer(text: str) -> tuple[str, Any]:
    node, _, value = text.partition("=")
    try:
        return node, json.loads(value)
    except ValueError:
        return node, value


def _environment(file: Path) -> None:
    """Read lines ``KEY=VALUE`` into the environment, which goes first."""
    if file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            key, sign, value = line.partition("=")
            if sign and not key.strip().startswith("#") and value.strip():
                os.environ.setdefault(key.strip(), value.strip())
