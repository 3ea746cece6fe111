"""What a function reads is an argument of it: whatever is edited is seen at the next call, and nothing is compiled in vain."""

import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from edits import Edit, cell_names, edits, judge, value_of
from runtime import compiles, run_cell
from x10_jupyter.lazy.local import tensor_of
from x10_jupyter.lazy.reads import Met, Walk
from x10_jupyter.lazy.rebuild import Filling
from x10_jupyter.lazy.value import Value


@pytest.mark.parametrize("edit", edits("code") + edits("containers"), ids=lambda e: e.name)
def test_what_a_function_reads_is_never_stale(edit: Edit) -> None:
    judge(edit, cell_names())


SILENT = {
    "a helper made again, with a comment above": ("def h(x): return x * 2\nf = x10.lazy(lambda x: h(x))", "# why\ndef h(x): return x * 2"),
    "a lambda made again": ("f = x10.lazy(lambda x: x * 2)", "f = x10.lazy(lambda x: x * 2)"),
    "another value of a number": ("k = 2.0\nf = x10.lazy(lambda x: x * k)", "k = 3.0"),
    "another tensor of that shape": ("k = x10.tensor(2.0)\nf = x10.lazy(lambda x: x * k)", "k = x10.tensor(3.0)"),
    "another number in a list": ("k = [2.0]\nf = x10.lazy(lambda x: x * k[0])", "k[0] = 3.0"),
    "a jitted function made again": ("import jax\nh = jax.jit(lambda x: x * 2)\nf = x10.lazy(lambda x: h(x))", "h = jax.jit(lambda x: x * 2)"),
    "a global that it does not read": ("k = 'a'\nf = x10.lazy(lambda x: x * 2)", "k = 'b'"),
}


@pytest.mark.parametrize(("cell", "edit"), SILENT.values(), ids=SILENT.keys())
def test_what_means_the_same_is_not_compiled_again(cell: str, edit: str) -> None:
    names = cell_names()
    run_cell(cell, names)
    value_of(names["f"])
    run_cell(edit, names)
    assert compiles(lambda: value_of(names["f"])) == []


@pytest.fixture
def module(tmp_path: Path) -> Iterator[Callable[[str, str], types.ModuleType]]:
    """Makes a module of the user's own; it is gone after the test."""
    made = []

    def make(name: str, source: str) -> types.ModuleType:
        it = types.ModuleType(name)
        it.__file__ = str(tmp_path / f"{name}.py")
        sys.modules[name] = it
        made.append(name)
        exec(compile(source, it.__file__, "exec"), it.__dict__)
        return it

    yield make
    for name in made:
        del sys.modules[name]


@pytest.mark.parametrize("edit", edits("modules"), ids=lambda e: e.name)
def test_a_module_is_never_stale(edit: Edit, module: Callable[[str, str], types.ModuleType]) -> None:
    tools = module("tools", "k = 2.0\ndef h(x): return x * k\n")
    judge(edit, cell_names(tools=tools, package=module("package", "import tools")))


def test_a_module_is_left_as_it_is(module: Callable[[str, str], types.ModuleType]) -> None:
    tools = module("tools", "k = 2.0\n")
    names = cell_names(tools=tools)
    run_cell("f = x10.lazy(lambda x: x * tools.k)", names)
    assert value_of(names["f"]) == [2, 4]
    assert type(tools.k) is float


def test_an_empty_cell_is_looked_at_again() -> None:
    # A closure that was empty at the first call used to be taken for empty ever after.
    names = cell_names()
    run_cell(EMPTY, names)
    f, fill, clear = names["make"]()
    with pytest.raises(NameError, match="helper"):
        value_of(f)
    fill()
    assert value_of(f) == [3, 6]
    clear()
    with pytest.raises(NameError, match="helper"):
        value_of(f)


EMPTY = """
def make():
    def fill():
        nonlocal helper
        helper = lambda x: x * 3
    def clear():
        nonlocal helper
        del helper
    f = x10.lazy(lambda x: helper(x))
    helper = None
    del helper
    return f, fill, clear
"""


@pytest.mark.parametrize("value", [2.0, "x10.tensor(2.0)", "[2.0]", "{'a': 2.0}"], ids=str)
def test_what_is_both_read_and_passed(value: Any) -> None:
    # An object met in the function was left out among the arguments, so that every later number was another's.
    names = cell_names()
    run_cell(f"class O: pass\no = O()\no.k = {value}\no.s = 3.0\ng = x10.lazy(lambda p, x: (x * o.s - x) * p.s / o.s)\nf = lambda x: g(o, x)", names)
    assert value_of(names["f"]) == [2, 4]
    run_cell("o.s = 6.0", names)
    assert value_of(names["f"]) == [5, 10]


def test_a_state_that_moves_on_is_followed() -> None:
    names = cell_names(rng=np.random.default_rng(3))
    run_cell("f = x10.lazy(lambda x: x * 0 + rng.random())", names)
    first, second = value_of(names["f"])[0], value_of(names["f"])[0]
    assert first != second


def walked(x: Any, *, statics: frozenset[int] = frozenset()) -> tuple[Any, Any, Walk]:
    walk = Walk(tensor_of, statics)
    mark, template = walk.tree(x)
    return mark, template, walk


def test_a_walk_collects_tensors_and_numbers_in_order() -> None:
    t = x10.tensor(1.0)
    mark, template, walk = walked([t, {"b": 2, "a": (3.0, "text")}])
    assert [v is t for v in walk.tensors] == [True]
    assert walk.numbers == [2, 3.0]
    built = template(Filling(iter(["T"]), iter(["two", "three"])))
    assert built == ["T", {"b": "two", "a": ("three", "text")}]
    assert list(built[1]) == ["b", "a"], "the order of a dict is kept"
    assert mark == walked([x10.tensor(9.0), {"b": 7, "a": (8.0, "text")}])[0]


@pytest.mark.parametrize(
    "other", [[1.0, "a", (2,)], [1, "b", (2,)], [1, "a", [2]], [1, "a", (2, 3)], [True, "a", (2,)], (1, "a", (2,)), [None, "a", (2,)]], ids=repr
)
def test_marks_differ_where_meanings_do(other: Any) -> None:
    assert walked(other)[0] != walked([1, "a", (2,)])[0]


def test_a_static_number_is_part_of_the_mark() -> None:
    mark, _, walk = walked([1, 2.0], statics=frozenset([1]))
    assert walk.numbers == [1]
    assert mark == walked([5, 2.0], statics=frozenset([1]))[0]
    assert mark != walked([1, 3.0], statics=frozenset([1]))[0]


def test_a_tracer_ends_the_walk() -> None:
    def f(x: jax.Array) -> jax.Array:
        with pytest.raises(Met):
            walked([1, x])
        return x

    jax.jit(f)(1.0)


def test_arrays_are_lifted() -> None:
    _, _, walk = walked([np.ones(2, np.float32), jax.numpy.ones(3)])
    assert [(isinstance(t, Value), t.aval.shape) for t in walk.tensors] == [(True, (2,)), (True, (3,))]


def test_a_partial_is_built_anew() -> None:
    _, template, walk = walked(partial(round, 1, ndigits=2))
    assert walk.numbers == [1, 2]
    built = template(Filling(iter(()), iter((8, 9))))
    assert (built.func, built.args, built.keywords) == (round, (8,), {"ndigits": 9})
