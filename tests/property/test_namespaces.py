"""Every public function of JAX's array namespaces, and everything that an array has by name, gives lazily what it gives."""

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from hypothesis import settings

import x10_jupyter as x10
from property.recipes import INDEX, RECIPES, B, C, M, V
from property.sameness import difference, outcome, refusal_difference
from x10_jupyter.jax_gate.array_surface import array_methods, array_properties

NAMESPACES = {"numpy": jnp, "nn": jax.nn, "lax": jax.lax, "linalg": jnp.linalg, "fft": jnp.fft, "random": jax.random}
EXCEPTIONS = {
    "lax.shape_as_value": "a shape as an array, which JAX leaves to NumPy, is a tensor",
    "lax.infeed": "waits for a host that feeds it",
    "lax.outfeed": "waits for a host that it feeds",
    "lax.create_token": "no two tokens are equal",
    "numpy.int1": "XLA cannot convert to it; JAX does so on the host",
    "numpy.uint1": "XLA cannot convert to it; JAX does so on the host",
    "numpy.save": "writes a file",
    "numpy.savez": "writes a file",
    "numpy.set_printoptions": "keeps what it is given",
    "numpy.printoptions": "keeps what it is given",
}
LEAST_CALLED = 630
"""So many functions the recipes reach, on the versions of JAX that this was written for."""


pytestmark = pytest.mark.usefixtures("compiles_fast")


def lifted(x: Any) -> Any:
    return jax.tree.map(lambda y: x10.tensor(y) if isinstance(y, jax.Array) else y, x)


def public(module: Any) -> list[str]:
    """The functions and dtypes of a module, each by one of its names; its other classes are themselves."""
    found = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
    wanted = {id(it): name for name, it in found.items() if callable(it) and (not isinstance(it, type) or isinstance(it, type(jnp.float32)))}
    return sorted(wanted.values())


def compared(lazy: Callable[..., Any], eager: Callable[..., Any], args: tuple[Any, ...]) -> Callable[[], str] | None:
    """Says how a call differs, when asked; None if JAX refuses it."""
    expected, refusal = outcome(eager, *args)
    if refusal is not None:
        return None
    ours, error = outcome(lazy, *lifted(args))

    def told() -> str:
        found, lost = outcome(lambda: refusal_difference(error, None) or difference(ours, expected, exact=False))
        if lost is None:
            return found
        return "" if outcome(jax.jit(lambda: eager(*args)))[1] else repr(lost)  # jit may refuse what eager JAX lets pass, such as a fraction for a size

    return told


@functools.cache
def swept(space: str, most: int) -> tuple[set[str], list[str]]:
    """The names of a namespace that were called, and where we differ; ``most`` recipes for each. Many calls are one program."""
    ours, theirs = getattr(x10, space), NAMESPACES[space]
    asked: list[tuple[str, Callable[[], str]]] = []
    found: list[str] = []
    called = set()
    for name in public(theirs):
        if f"{space}.{name}" in EXCEPTIONS:
            continue
        count = 0
        for args in RECIPES:
            told = compared(getattr(ours, name), getattr(theirs, name), args)
            if told is not None:
                called.add(f"{space}.{name}")
                asked.append((f"{space}.{name}{args}", told))
                count += 1
            if count == most:
                break
        if len(asked) >= TOGETHER:
            found += told_by(asked)
    return called, found + told_by(asked)


TOGETHER = 24
"""So many calls are computed at once."""


def told_by(asked: list[tuple[str, Callable[[], str]]]) -> list[str]:
    """The differences among the calls asked for; then forgets them."""
    found = [f"{call}: {difference}" for call, difference in ((call, told()) for call, told in asked) if difference]
    asked.clear()
    return found


def most_recipes() -> int:
    return 1 if settings().derandomize else 4


@pytest.mark.parametrize("space", NAMESPACES)
@pytest.mark.filterwarnings("ignore")  # JAX's own, about what a recipe gives it
def test_every_function_agrees_with_jax(space):
    called, found = swept(space, most_recipes())
    assert not found, "\n".join(found)
    assert called


@pytest.mark.filterwarnings("ignore")
def test_hardly_any_function_is_left_out(capsys):
    called = set().union(*[swept(space, most_recipes())[0] for space in NAMESPACES])
    with capsys.disabled():
        sys.stdout.write(f"{len(called)} functions called ")
    assert len(called) >= LEAST_CALLED


def test_dtypes_are_those_of_jax_and_record_when_called():
    assert x10.numpy.float32 == jnp.float32 and jnp.float32 == x10.numpy.float32 and hash(x10.numpy.float32) == hash(jnp.float32)
    assert jnp.issubdtype(jnp.float32, x10.numpy.float32) and jnp.zeros(1, x10.numpy.int8).dtype == jnp.int8
    assert "pending" in repr(x10.numpy.int8(x10.tensor(V)))


ARGUMENTS: list[tuple[Any, ...]] = [(), (0,), (1,), (M,), (0, 1), (2, 0), ((9,),), (jnp.int32,), (0.0, 1.0), (INDEX,), ((1, 0),), (jax.devices()[0],)]
UNSETTLED = {
    # What they return says where the data lies in memory, or who made it.
    "unsafe_buffer_pointer", "traceback", "delete", "on_device_size_in_bytes",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted({*array_methods(), *array_properties()} - UNSETTLED))
@pytest.mark.filterwarnings("ignore")
def test_a_tensor_has_what_an_array_has(name):
    agreed, asked = 0, []
    for array in (M, V, INDEX, B, C):
        if name in array_properties():
            expected, refusal = outcome(getattr, array, name)
            ours, error = outcome(getattr, x10.tensor(array), name)
            assert not refusal_difference(error, refusal)
            assert refusal is not None or name in {"at", "aval", "addressable_shards", "global_shards"} or not difference(ours, expected, exact=False)
            agreed += 1
            continue
        for args in ARGUMENTS:
            told = compared(lambda t, *rest: getattr(t, name)(*rest), lambda t, *rest: getattr(t, name)(*rest), (array, *args))
            if told is not None:
                asked.append((f"{name}{args} of {array}", told))
    agreed += len(asked)
    assert not told_by(asked) and agreed


def test_a_warning_of_jax_is_given_once_and_not_swallowed():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        jnp.asarray(V, dtype="float64")
        expected = len(seen)
        x10.numpy.asarray(x10.tensor(V), dtype="float64")
    assert expected and len(seen) > expected
