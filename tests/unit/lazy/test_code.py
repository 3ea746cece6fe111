"""What code is, and which names it reads."""

from types import CodeType
from typing import Any

import pytest

from x10_jupyter.lazy.code import essence, names_read


def code(source: str, name: str = "<cell 1>") -> CodeType:
    return next(c for c in compile(source, name, "exec").co_consts if isinstance(c, CodeType))


def test_where_code_stands_makes_no_difference() -> None:
    source = "def f(x):\n    def inner():\n        return x + 1\n    return inner()\n"
    moved = code("# a comment\n\n" + source, "<cell 2>")
    assert code(source) != moved
    assert essence(code(source)) == essence(moved)


@pytest.mark.parametrize("other", ["x + 2", "x - 1", "x + 1.0", "x + True", "y + 1", "(lambda: x + 1)()"])
def test_what_code_does_makes_one(other: str) -> None:
    assert essence(code("def f(x, y): return x + 1")) != essence(code(f"def f(x, y): return {other}"))


@pytest.mark.parametrize(("one", "other"), [("0.0", "-0.0"), ("(1,)", "(1.0,)"), ("(0.0,)", "(-0.0,)"), ("x in {1}", "x in {1.0}")])
def test_constants_that_are_equal_may_differ(one: str, other: str) -> None:
    assert essence(code(f"def f(x): return {one}")) != essence(code(f"def f(x): return {other}"))


NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "globals": ("def f(x): return a + b(x)", {"read": ("a", "b"), "bare": {"a", "b"}}),
    "attributes": ("def f(x): return tools.deep.h(x).T", {"read": ("tools",), "named": ("T", "deep", "h"), "bare": {"h", "T"}}),
    "nested": ("def f(x): return [lambda: a.b for _ in x]", {"read": ("a",), "named": ("b",), "bare": {"b"}}),
    "imports": ("def f(x):\n    import numpy as np\n    from os.path import join\n    return np, join", {"imported": ("numpy", "os.path")}),
    "locals": ("def f(x):\n    y = x\n    return y", {"read": ()}),
    "both ways": ("def f(x): return tools.h(tools)", {"read": ("tools",), "bare": {"h", "tools"}}),
}


@pytest.mark.parametrize(("source", "expected"), NAMES.values(), ids=NAMES.keys())
def test_names_read(source: str, expected: dict[str, Any]) -> None:
    found = names_read(code(source))
    assert {name: getattr(found, name) for name in expected} == expected


def test_a_module_whose_function_is_called_is_not_handed_on() -> None:
    assert "tools" not in names_read(code("def f(x): return tools.h(x)")).bare
