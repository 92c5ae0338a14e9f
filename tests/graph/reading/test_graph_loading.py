"""Hostile and odd files: findings, never a traceback."""

from __future__ import annotations

import time

import pytest
from graph_samples import dump, old, rich

from adk_probe.graph import ir
from adk_probe.graph.reading.jsontext import MAX_BYTES, MAX_DEPTH, depth_exceeds
from adk_probe.graph.reading.loading import load
from adk_probe.graph.rules.validate import check

BAD: list[tuple[str, bytes]] = [
    ("NOT_JSON", b""),
    ("NOT_JSON", b"irVersion: 0.2"),
    ("NOT_JSON", b'{"irVersion": "0.2.0",}'),
    ("NOT_JSON", b'{"irVersion": NaN}'),
    ("NOT_JSON", b'{"irVersion": -Infinity}'),
    ("NOT_JSON", b'{"a": "\x01"}'),
    ("NOT_JSON", b"{} {}"),
    ("NOT_UTF8", b'{"irVersion": "\xff"}'),
    ("NOT_UTF8", "{}".encode("utf-16")),
    ("FILE_TOO_LARGE", b" " * (MAX_BYTES + 1)),
    ("TOO_DEEP", b"[" * 200_000),
    ("TOO_DEEP", b'{"a":' * 100_000),
    ("TOO_DEEP", b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1)),
    ("NUMBER_OUT_OF_RANGE", b'{"a": 1e999}'),
    ("NUMBER_OUT_OF_RANGE", b'{"a": ' + b"9" * 100_000 + b"}"),
    ("WRONG_TYPE", b"null"),
    ("WRONG_TYPE", b"[]"),
    ("WRONG_TYPE", b'"text"'),
    ("WRONG_TYPE", b"3"),
]


@pytest.mark.parametrize(("code", "data"), BAD, ids=[f"{code}-{index}" for index, (code, _) in enumerate(BAD)])
def test_what_is_no_graph_gives_one_finding(code: str, data: bytes) -> None:
    for read in (load, check):
        graph, findings = read(data, "f.json")
        assert graph is None
        assert [(each.path, each.code) for each in findings] == [("", code)]


def test_doubled_keys_are_found_wherever_they_stand() -> None:
    text = dump(rich()).decode()
    spoiled = text.replace('"name": "g"', '"name": "h", "name": "g"', 1)
    spoiled = spoiled.replace('"maxIterations": 3', '"maxIterations": 2, "maxIterations": 3', 1)
    spoiled = spoiled.replace('"city"', '"city", "type": "int"', 1)
    _, findings = check(spoiled.encode(), "f")
    assert [(each.path, each.code) for each in findings] == [
        ("", "DUPLICATE_KEY"),
        ("", "DUPLICATE_KEY"),
        ("sub/inner_loop", "DUPLICATE_KEY"),
    ]


def test_doubled_keys_inside_a_default() -> None:
    text = dump(rich()).decode().replace('"type": "str"}]}', '"type": "str", "default": {"a": 1, "a": 2}}]}', 1)
    assert "DUPLICATE_KEY" in [each.code for each in load(text.encode(), "f")[1]]


def test_a_byte_order_mark_does_no_harm() -> None:
    assert load(b"\xef\xbb\xbf" + dump(rich()), "f")[1] == []


def test_brackets_in_strings_are_no_depth() -> None:
    assert not depth_exceeds('["' + "[" * 500 + '\\"' + "[" * 500 + '"]', 1)


def test_a_hostile_file_of_full_size_is_read_in_seconds() -> None:
    nodes = b",".join([b'{"id":1}'] * 500_000)
    data = b'{"irVersion":"0.2.0","name":"g","schemas":[],"edges":[],"nodes":[' + nodes + b"]}"
    start = time.monotonic()
    graph, findings = check(data, "f")
    assert graph is None
    assert findings
    assert time.monotonic() - start < 60


def test_both_shapes_of_a_loop_become_one() -> None:
    first, _ = load(dump(old()), "f")
    second, _ = load(dump(rich()), "f")
    assert first is not None
    assert second is not None
    loop = first.nodes[0]
    assert isinstance(loop, ir.LoopNode)
    assert loop.config.reviser is not None
    assert loop.config.approval_phrase == "OK"
    assert loop.config.on_exhausted == "pass"
    assert [field.name for field in loop.evaluation.fields] == ["status", "feedback"]
    assert [role for role, _ in loop.members] == ["generator", "critic", "reviser"]
    assert loop.config.generator.instruction.segments == (ir.TextSegment(value="Do."),)
    other = next(node for node in second.nodes if node.name == "polish")
    assert isinstance(other, ir.LoopNode)
    assert other.config.reviser is None
    assert other.config.approval_phrase is None
    assert other.config.timeout_seconds == 5
    assert [field.name for field in other.evaluation.fields] == ["is_valid", "feedback"]
    assert other.member("critic") == "polish_critic"


def test_messages_are_short_and_on_one_line() -> None:
    value = rich()
    value["nodes"][0]["config"]["model"] = ["x"] * 1000
    value["nodes"][1]["type"] = "\n\x1b[31m" * 1000
    _, findings = check(dump(value), "f")
    assert len(findings) == 2
    for finding in findings:
        assert finding.message.isascii()
        assert finding.message.isprintable()
        assert len(finding.message) < 300
