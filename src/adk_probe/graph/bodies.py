"""Bodies: Python statements that a drawn node brings along, read as those of a function."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

MAX_BODY = 100_000
"""Characters of a body."""

_TOO_MUCH = (RecursionError, MemoryError, OverflowError)


def body_fault(body: str, parameters: tuple[str, ...] = ("node_input",)) -> str | None:
    """What is wrong with a body as Python, or None.

    Args:
        body: statements as they stand inside a function, not indented, ``return`` among them.
        parameters: names of the function's parameters.
    """
    try:
        function = body_function(body, "body", parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a doubtful escape is its author's affair
            compile(ast.Module(body=[function], type_ignores=[]), "<body>", "exec")
            body_source(body)
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno})" if error.lineno else str(error.msg)
    except ValueError as error:
        return str(error)
    except _TOO_MUCH:
        return "too deeply nested"
    return None


def body_function(body: str, name: str, parameters: tuple[str, ...] = ("node_input",)) -> ast.FunctionDef:
    """The function whose body the statements are.

    The tree is built, never text put into text: a body cannot end its function and go on outside.

    Raises:
        SyntaxError: it is not Python, is empty, or would make the function a generator.
        ValueError: it holds a null byte (older Pythons).
    """
    if len(body) > MAX_BODY:
        raise SyntaxError(f"longer than {MAX_BODY} characters")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        statements = ast.parse(body, "<body>").body
        function = ast.parse(f"def {name}({', '.join(parameters)}): pass").body[0]
    if not statements:
        raise SyntaxError("there is no statement")
    assert isinstance(function, ast.FunctionDef)
    function.body = statements
    if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in _own(function)):
        raise SyntaxError("yield and await have no place in a body")
    return ast.fix_missing_locations(function)


def body_source(body: str, indent: str = "    ") -> str:
    """The body's text, comments and all, indented as a function's, with the same meaning.

    Lines inside a string that runs over lines stay where they are, since indenting would change the string.

    Raises:
        SyntaxError: it is not Python, or its meaning would not survive the indenting.
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
        raise SyntaxError("its line ends or indents are too unusual")
    return text


def _lines_inside_strings(body: str) -> set[int]:
    """Numbers, from 1, of the lines that begin inside a string."""
    found: set[int] = set()
    opened: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(body).readline):
            kind = tokenize.tok_name[token.type]
            if kind == "STRING":
                found.update(range(token.start[0] + 1, token.end[0] + 1))
            elif kind.endswith("STRING_START"):  # Python 3.12 cuts an f-string in pieces
                opened.append(token.start[0])
            elif kind.endswith("STRING_END"):
                found.update(range(opened.pop() + 1, token.end[0] + 1))
    except tokenize.TokenError as error:
        raise SyntaxError(str(error)) from None
    return found


def _dump(statements: list[ast.stmt]) -> list[str]:
    return [ast.dump(statement) for statement in statements]


def _own(function: ast.FunctionDef) -> list[ast.AST]:
    """Everything of the function that is not inside a function or class within it."""
    found: list[ast.AST] = []
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo.extend(ast.iter_child_nodes(node))
    return found
