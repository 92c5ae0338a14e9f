"""Every mechanism keeps the same promises: one parametrised test for all of them."""

from __future__ import annotations

import ast
import builtins
import importlib
from pathlib import Path

import pytest
from codegen_samples import (
    FILES,
    MATRIX,
    MECHANISMS,
    ON_ADK,
    STEMS,
    able,
    agent,
    can,
    corpus,
    critic_loop,
    graph_file,
    graph_of,
    graphs,
    on_adk,
    one_node,
    project,
)
from codegen_samples import text as segment

from adk_probe.codegen import CANNOT_EXPRESS, MARK, mechanism, mechanisms
from adk_probe.codegen.google_adk.workflow import WorkflowMechanism
from adk_probe.codegen.source.symbols import RESERVED
from adk_probe.errors import InputError

LAYOUT = {
    ".env.example",
    "README.md",
    "__init__.py",
    "agent.py",
    "agents.py",
    "functions.py",
    "instructions.py",
    "pyproject.toml",
    "schemas.py",
    "test_smoke.py",
    "support/__init__.py",
}
STEP = {"inputType": "str", "outputType": "str", "body": "return str(node_input)"}
ASKING = [name for name in ON_ADK if on_adk(name).asks != "never"]


def test_mechanisms_are_found_in_the_packages_of_their_engines() -> None:
    assert list(mechanisms()) == sorted(mechanisms())
    for name, way in mechanisms().items():
        assert way.name == name
        package = importlib.import_module(type(way).__module__.rpartition(".")[0])
        assert way.engine == package.ENGINE
        # each is declared, for its engine, or nobody could be told what it needs
        assert MATRIX.mechanisms[name].engine == way.engine
    assert {way.engine for way in mechanisms().values()} <= set(MATRIX.engines)


@pytest.mark.parametrize("name", ON_ADK)
def test_a_module_is_called_as_its_mechanism(name: str) -> None:
    module = importlib.import_module(f"adk_probe.codegen.google_adk.{name.replace('-', '_')}")
    assert module.MECHANISM is mechanism(name)


def test_an_unknown_mechanism_is_a_clear_error() -> None:
    with pytest.raises(InputError, match="no mechanism 'nonsense'"):
        mechanism("nonsense")


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("path", FILES, ids=STEMS)
def test_a_graph_is_generated_or_refused_with_reasons(path: Path, name: str) -> None:
    graph = graph_file(path)
    way = mechanism(name)
    findings = way.cannot_express(graph, None)
    if findings:
        assert {finding.code for finding in findings} == {CANNOT_EXPRESS}
        assert all(finding.message.startswith(f"{name} cannot express") for finding in findings)
        with pytest.raises(InputError) as refused:
            project(graph, name)
        assert len(refused.value.faults) == len(findings)
        return
    files = corpus()[path.name.removesuffix(".ir.json"), name]
    assert set(files) >= LAYOUT
    assert list(files) == sorted(files)
    assert files == project(graph_file(path), name)
    for file, text in files.items():
        assert MARK in text.splitlines()[0]
        assert (name in text.splitlines()[0]) != file.startswith("support/")
        assert "\r" not in text
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        if file.endswith(".py"):
            ast.parse(text, file, feature_version=(3, 9))
            assert _free_names(text) <= _known(text), f"{file} uses names that nothing defines"


def _free_names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def _known(text: str) -> set[str]:
    known = set(dir(builtins)) | {"__file__", "__path__"}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.alias):
            known.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            known.add(node.name)
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            known.add(node.name)
    return known


def test_every_graph_can_be_expressed_on_every_engine_that_is_generated_for() -> None:
    engines = {mechanism(name).engine for name in MECHANISMS}
    for stem, graph in graphs().items():
        assert {way.engine for way in mechanisms().values() if can(way, graph)} == engines, stem


@pytest.mark.parametrize("name", mechanisms())
def test_every_mechanism_can_express_a_graph(name: str) -> None:
    refused = {stem: mechanism(name).cannot_express(graph, None) for stem, graph in graphs().items()}
    assert name in MECHANISMS, refused


HOLDING = ("agents.py", "functions.py", "graph.py", "instructions.py", "schemas.py", "tools.py", "workflow.py")
"""Modules in which symbols stand for names of an IR."""


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_a_template_needs_is_reserved(name: str) -> None:
    known = RESERVED | mechanism(name).reserved
    found = [files for (_, way), files in corpus().items() if way == name]
    assert found
    for files in found:
        for file in files.keys() & set(HOLDING):
            imported = {
                (alias.asname or alias.name).partition(".")[0]
                for node in ast.parse(files[file]).body
                if isinstance(node, ast.Import | ast.ImportFrom)
                # these are names of the IR
                and not (isinstance(node, ast.ImportFrom) and node.module == "schemas")
                for alias in node.names
            }
            assert imported <= known, file


@pytest.mark.parametrize("name", able(one_node("function", STEP)))
@pytest.mark.parametrize(
    "word", ["Any", "agents", "schemas", "str", "Workflow", "given", "root", "print", "loops", "tools"]
)
def test_names_that_the_code_needs_itself_stay_apart(name: str, word: str) -> None:
    value = one_node("function", STEP, word)
    files = project(graph_of(value), name)
    assert f"def {word}_(" in files["functions.py"]
    assert repr(word).replace("'", '"') in files["workflow.py"]


@pytest.mark.parametrize(
    "name", [name for name in able(critic_loop()) if "google.adk.workflow:Workflow" in MATRIX.mechanisms[name].needs]
)
def test_a_workflow_needs_a_release_that_has_one(name: str) -> None:
    graph = graph_of(critic_loop())
    assert mechanism(name).cannot_express(graph, "2.0.0") == []
    [finding] = mechanism(name).cannot_express(graph, "1.39.1")
    assert finding.code == CANNOT_EXPRESS
    assert "1.39.1" in finding.message
    assert mechanism(name).cannot_express(graph, "nonsense")


@pytest.mark.parametrize("name", able(critic_loop()))
def test_a_tool_that_must_be_confirmed_is_an_agent_s_and_no_step(name: str) -> None:
    config = {"inputType": "str", "outputType": "str", "guard": {"confirm": True}}
    value = critic_loop()
    value["nodes"].append({"id": "t", "type": "tool", "name": "wipe", "config": config})
    value["nodes"][0]["config"]["generator"]["tools"] = ["wipe"]
    assert mechanism(name).cannot_express(graph_of(value), None) == []
    value["edges"].append({"from": "p", "to": "t"})
    [finding] = mechanism(name).cannot_express(graph_of(value), None)
    assert (finding.code, finding.path) == (CANNOT_EXPRESS, "wipe")
    assert "confirmation" in finding.message
    assert finding.message.startswith(f"{name} cannot express")
    config["guard"] = {"role": "admin", "destructive": True}
    assert mechanism(name).cannot_express(graph_of(value), None) == []


@pytest.mark.parametrize("name", ASKING)
def test_agents_that_may_wait_at_the_same_time_are_refused(name: str) -> None:
    asked = {"model": "m", "instruction": {"segments": []}, "outputSchemaRef": "str", "tools": ["wipe"]}
    wipe = {"name": "wipe", "description": "", "parameters": [], "returns": "str", "guard": {"confirm": True}}
    value = one_node("agent", asked)
    value["tools"] = [wipe]
    nodes = [{"id": each, "type": "agent", "name": each, "config": asked} for each in ("one", "two")]
    value["nodes"] = [*nodes, {"id": "both", "type": "join", "name": "both", "config": {}}]
    ways = ["START one", "START two", "one both", "two both"]
    value["edges"] = [dict(zip(("from", "to"), way.split(), strict=True)) for way in ways]
    [finding] = mechanism(name).cannot_express(graph_of(value), None)
    assert (finding.code, finding.path) == (CANNOT_EXPRESS, "two")
    assert "at the same time" in finding.message
    never = [mechanism(each) for each in ON_ADK if each not in ASKING]
    assert not any("at the same time" in str(each.cannot_express(graph_of(value), None)) for each in never)
    value["edges"] = [dict(zip(("from", "to"), way.split(), strict=True)) for way in ("START one", "one two")]
    del value["nodes"][2]
    assert mechanism(name).cannot_express(graph_of(value), None) == []


@pytest.mark.parametrize("name", able(critic_loop()))
def test_names_that_the_engine_keeps_are_refused(name: str) -> None:
    config = {"inputType": "str", "outputType": "Thing"}
    thing = {"name": "Thing", "fields": [{"name": "model_dump", "type": "str"}]}
    [finding] = mechanism(name).cannot_express(graph_of(one_node("function", config, schemas=[thing])), None)
    assert "model_dump" in finding.message
    asked = {"model": "m", "instruction": {"segments": []}, "outputSchemaRef": "str"}
    [finding] = mechanism(name).cannot_express(graph_of(one_node("agent", asked, "user")), None)
    assert finding.path == "user"


@pytest.mark.parametrize("name", able(critic_loop()))
def test_an_agent_of_mode_task_is_refused(name: str) -> None:
    asked = {"model": "m", "instruction": {"segments": []}, "outputSchemaRef": "str", "mode": "task"}
    [finding] = mechanism(name).cannot_express(graph_of(one_node("agent", asked)), None)
    assert (finding.code, finding.path) == (CANNOT_EXPRESS, "only")
    assert name in finding.message


def test_branches_that_cross_are_no_sequence() -> None:
    config = {"inputType": "str", "outputType": "str", "body": "return node_input"}
    names = ["a", "b", "c", "one", "two"]
    kinds = {name: ("join", {}) if name in ("one", "two") else ("function", config) for name in names}
    value = one_node("function", config)
    value["nodes"] = [{"id": name, "type": kinds[name][0], "name": name, "config": kinds[name][1]} for name in names]
    ways = ["START a", "START b", "START c", "a one", "b one", "b two", "c two"]
    value["edges"] = [dict(zip(("from", "to"), way.split(), strict=True)) for way in ways]
    [finding] = mechanism("loop-agent").cannot_express(graph_of(value), None)
    assert finding.code == CANNOT_EXPRESS
    assert mechanism("custom-agent").cannot_express(graph_of(value), None) == []
    assert project(graph_of(value), "cyclic-workflow")


@pytest.mark.parametrize(
    "name", [name for name in able(critic_loop()) if isinstance(mechanism(name), WorkflowMechanism)]
)
def test_a_workflow_keeps_the_output_of_a_loop_that_is_read_later(name: str) -> None:
    note = {"name": "Note", "fields": [{"name": "words", "type": "str"}]}
    read = {"type": "var", "schema": "Note", "field": "words", "source": "draft", "via": "state"}
    value = critic_loop() | {"schemas": [note]}
    value["nodes"][0]["config"]["generator"]["outputSchemaRef"] = "Note"
    value["nodes"][1] = {"id": "p", "type": "agent", "name": "publish", "config": agent([segment("Say.")])}
    assert "kept=True" not in project(graph_of(value), name)["workflow.py"]
    value["nodes"][1]["config"] = agent([read])
    assert "kept=True" in project(graph_of(value), name)["workflow.py"]


def test_a_guard_is_carried_to_the_code() -> None:
    guard = {"role": 'it\'s "admin"', "confirm": True, "destructive": True}
    tool = {"name": "wipe", "description": "Wipes.", "parameters": [], "returns": "str", "guard": guard}
    value = critic_loop()
    value["tools"] = [tool]
    value["nodes"][0]["config"]["generator"]["tools"] = ["wipe"]
    text = project(graph_of(value), "dynamic-workflow")["tools.py"]
    literals = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
    assert 'it\'s "admin"' in literals
    assert "confirm=True" in text
    assert "destructive=True" in text
    # the guard decides, in an order that the engine's own confirmation would come before
    assert "require_confirmation" not in text


@pytest.mark.parametrize("word", ["guard", "tools", "name", "args"])
def test_a_parameter_does_not_hide_what_a_tool_needs(word: str) -> None:
    tool = {"name": "look", "description": "Looks.", "parameters": [{"name": word, "type": "str"}], "returns": "str"}
    value = critic_loop()
    value["tools"] = [tool]
    value["nodes"][0]["config"]["generator"]["tools"] = ["look"]
    tree = ast.parse(project(graph_of(value), "cyclic-workflow")["tools.py"])
    [function] = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and node.id.startswith("_")}
    assert used == {"_guard"}
    assert word in {argument.arg for argument in function.args.args}


def test_a_parameter_that_may_be_null_is_optional() -> None:
    parameters = [{"name": "a", "type": "date", "default": None}, {"name": "b", "type": "str", "default": "x"}]
    tool = {"name": "look", "description": "Looks.", "parameters": parameters, "returns": "str"}
    value = one_node(
        "agent", {"model": "m", "instruction": {"segments": []}, "outputSchemaRef": "str", "tools": ["look"]}
    )
    value["tools"] = [tool]
    files = project(graph_of(value), "custom-agent")
    for file in ("functions.py", "tools.py"):
        assert "Optional[datetime.date]" in files[file]
        assert _free_names(files[file]) <= _known(files[file])


def test_several_ends_that_run_together_are_joined() -> None:
    config = {"inputType": "str", "outputType": "str", "body": "return node_input"}
    value = one_node("function", config, "one")
    value["nodes"].append({"id": "m", "type": "function", "name": "two", "config": config})
    value["edges"].append({"from": "START", "to": "m"})
    for name in ON_ADK:
        if not can(mechanism(name), graph_of(value)):
            continue
        text = project(graph_of(value), name)["workflow.py"]
        assert text.count('"one"') >= 1
        assert "several=True" in text or "Join" in text


def test_model_parameters_become_the_engine_s_own() -> None:
    params = {"temperature": 0.5, "topP": 0.9, "topK": 3, "maxOutputTokens": 100}
    value = one_node(
        "agent", {"model": "m", "instruction": {"segments": []}, "outputSchemaRef": "str", "modelParams": params}
    )
    text = project(graph_of(value), "custom-agent")["agents.py"]
    assert "temperature=0.5" in text
    assert "top_p=0.9" in text
    assert "top_k=3" in text
    assert "max_output_tokens=100" in text


def test_a_stub_returns_a_value_of_its_type_and_says_todo() -> None:
    value = one_node("function", {"inputType": "str", "outputType": "int"})
    text = project(graph_of(value), "custom-agent")["functions.py"]
    assert "return 0  # TODO" in text


@pytest.mark.parametrize("name", able(critic_loop()))
def test_the_project_says_where_it_is_proven(name: str) -> None:
    files = project(graph_of(critic_loop()), name)
    assert 'dependencies = ["google-adk>=2.0,<3"]' in files["pyproject.toml"]
    assert 'requires-python = ">=3.10"' in files["pyproject.toml"]
