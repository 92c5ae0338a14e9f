"""Bodies: the Python statements of a drawn node, read as the body of a function."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

MAX_BODY = 100_000
"""Largest length of a body, in characters."""

_TOO_MUCH = (RecursionError, MemoryError, OverflowError)


def body_fault(body: str, parameters: tuple[str, ...] = ("node_input",)) -> str | None:
    """Return what is wrong with a body as Python, or None.

    Args:
        body: statements as they stand inside a function, not indented; they may contain ``return``.
        parameters: names of the function's parameters.
    """
    try:
        function = body_function(body, "body", parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape, for example, is a matter for the body's author
            compile(ast.Module(body=[function], type_ignores=[]), "<body>", "exec")
            body_source(body)
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno})" if error.lineno else str(error.msg)
    except ValueError as error:
        return str(error)
    except _TOO_MUCH:
        return "it is nested too deeply"
    return None


def body_function(body: str, name: str, parameters: tuple[str, ...] = ("node_input",)) -> ast.FunctionDef:
    """Return a function that has the statements as its body.

    The syntax tree is assembled, and text is never inserted into text. Therefore a body cannot end its function and
    continue outside of it.

    Raises:
        SyntaxError: the body is not Python, is empty, or would make the function a generator.
        ValueError: the body contains a null byte (older Pythons).
    """
    if len(body) > MAX_BODY:
        raise SyntaxError(f"it is longer than {MAX_BODY} characters")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        statements = ast.parse(body, "<body>").body
        function = ast.parse(f"def {name}({', '.join(parameters)}): pass").body[0]
    if not statements:
        raise SyntaxError("it has no statement")
    assert isinstance(function, ast.FunctionDef)
    function.body = statements
    if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in _own(function)):
        raise SyntaxError("a body cannot contain yield or await")
    return ast.fix_missing_locations(function)


def body_source(body: str, indent: str = "    ") -> str:
    """Return the body's text, with its comments, indented as the body of a function, with the same meaning.

    Lines that begin inside a multi-line string stay as they are, because indenting them would change the string.

    Raises:
        SyntaxError: the body is not Python, or indenting it would change its meaning.
    """
    inside = _lines_inside_strings(body)
    lines = body.split("\n")
    moved = [
        line if number in inside or not line.strip() else indent + line for number, line in enumerate(lines, start=1)
    ]
    text = "\n".join(moved).strip("\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = ast.parse(body).body
        outer = ast.parse(f"if True:\n{text}\n").body if indent else plain
    inner = outer[0].body if indent and len(outer) == 1 and isinstance(outer[0], ast.If) else outer
    if _dump(inner) != _dump(plain):
        raise SyntaxError("indenting it would change its meaning, because of its line ends or indents")
    return text


def _lines_inside_strings(body: str) -> set[int]:
    """Return the numbers, from 1, of the lines that begin inside a string."""
    found: set[int] = set()
    opened: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(body).readline):
            kind = tokenize.tok_name[token.type]
            if kind == "STRING":
                found.update(range(token.start[0] + 1, token.end[0] + 1))
            elif kind.endswith("STRING_START"):  # from Python 3.12 on, an f-string is several tokens
                opened.append(token.start[0])
            elif kind.endswith("STRING_END"):
                found.update(range(opened.pop() + 1, token.end[0] + 1))
    except tokenize.TokenError as error:
        raise SyntaxError(str(error)) from None
    return found


def _dump(statements: list[ast.stmt]) -> list[str]:
    return [ast.dump(statement) for statement in statements]


def _own(function: ast.FunctionDef) -> list[ast.AST]:
    """Return every node of the function that is not inside a function or class within it."""
    found: list[ast.AST] = []
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo.extend(ast.iter_child_nodes(node))
    return found
