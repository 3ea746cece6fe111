import operator
from collections.abc import Callable
from queue import SimpleQueue
from random import Random
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import x10_jupyter as x10
from x10_jupyter.lazy.graph import Graph, Key, bits, canonical, path_to
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.places import grouped, places_of

xnp = x10.numpy
SHAPES = [(1,), (2,), (2, 1), (3, 1, 1)]
BINARY = [operator.add, operator.mul, operator.sub, xnp.maximum]
UNARY = [xnp.exp, operator.neg, lambda t: t * 2.0, lambda t: t * 3.0, lambda t: xnp.stack([t, t])[1], lambda t: xnp.roll(t, 1)]
Step = tuple[int, int, int]
"""Which operation, and which of the leaves and earlier values are its operands."""
programs = st.lists(st.tuples(st.integers(0, len(BINARY + UNARY) - 1), st.integers(0, 100), st.integers(0, 100)), min_size=1, max_size=12)


def graph_of(live: list[Any]) -> Graph:
    """The canonical graph of this thread's trace for some of its values; the trace is forgotten."""
    trace = LOCAL.trace
    steps = path_to(trace.state)
    graph = canonical(steps, sorted({t.ref for t in live}), trace.numbers, grouped(places_of(steps), trace.numbers))
    trace.restart()
    return graph


def run(steps: list[Step], order: list[int], leaves: list[Any]) -> dict[int, Any]:
    """Record the steps in an order; operands that come later in the list are taken from before."""
    values: dict[int, Any] = dict(enumerate(leaves))
    for i in order:
        op, a, b = steps[i]
        place = len(leaves) + i
        x = values[a % place]
        values[place] = BINARY[op](x, values[b % place]) if op < len(BINARY) else UNARY[op - len(BINARY)](x)
    return values


def needed(steps: list[Step], i: int) -> set[int]:
    """The steps that step `i` needs, with itself."""
    op, a, b = steps[i]
    found = {i}
    for operand in (a, b)[: 2 if op < len(BINARY) else 1]:
        place = operand % (len(SHAPES) + i) - len(SHAPES)
        if place >= 0:
            found |= needed(steps, place)
    return found


def shuffled(steps: list[Step], random: Random) -> list[int]:
    """Another order in which each step still comes after what it needs."""
    left, order = set(range(len(steps))), []
    while left:
        ready = [i for i in sorted(left) if not (needed(steps, i) - {i}) & left]
        order.append(random.choice(ready))
        left.remove(order[-1])
    return order


def meaning(steps: list[Step], i: int) -> Any:
    """What a value is, as an expression of leaves."""
    if i < len(SHAPES):
        return i
    op, a, b = steps[i - len(SHAPES)]
    operands = [meaning(steps, a % i)] + ([meaning(steps, b % i)] if op < len(BINARY) else [])
    return (op, *operands)


def fresh_leaves() -> list[Any]:
    return [x10.tensor(np.ones(shape, np.float32)) for shape in SHAPES]


@settings(deadline=None)  # the first example traces operations
@given(programs, st.randoms(use_true_random=False))
def test_neither_order_nor_dead_code_changes_the_key(steps: list[Step], random: Random) -> None:
    last = len(steps) - 1
    wanted = sorted(needed(steps, last))
    values = run(steps, list(range(len(steps))), fresh_leaves())
    plain = graph_of([values[len(SHAPES) + last]])
    values = run(steps, shuffled(steps, random), fresh_leaves())
    other = graph_of([values[len(SHAPES) + last]])
    values = run(steps, wanted, fresh_leaves())
    without = graph_of([values[len(SHAPES) + last]])
    assert plain.key == other.key == without.key
    assert hash(plain.key) == hash(other.key)
    assert len(plain.nodes) == len(without.nodes)


@settings(deadline=None)
@given(programs, programs)
def test_different_programs_have_different_keys(one: list[Step], two: list[Step]) -> None:
    graphs = []
    for steps in (one, two):
        values = run(steps, list(range(len(steps))), fresh_leaves())
        graphs.append(graph_of([values[max(values)]]))
    if graphs[0].key == graphs[1].key:
        assert meaning(one, len(SHAPES) + len(one) - 1) == meaning(two, len(SHAPES) + len(two) - 1)


@settings(deadline=None)
@given(programs, st.data())
def test_a_program_of_other_outputs_has_another_key(steps: list[Step], data: st.DataObject) -> None:
    some = st.sets(st.integers(0, len(steps) - 1), min_size=1)
    one, two = data.draw(some), data.draw(some)
    graphs = []
    for live in (one, two):
        values = run(steps, list(range(len(steps))), fresh_leaves())
        graphs.append(graph_of([values[len(SHAPES) + i] for i in live]))
    if graphs[0].key == graphs[1].key:
        means = [sorted(map(repr, (meaning(steps, len(SHAPES) + i) for i in live))) for live in (one, two)]
        assert means[0] == means[1]


def ones(*shape: int, dtype: Any = np.float32) -> x10.Tensor:
    return x10.tensor(np.ones(shape, dtype))


def lazily(v: Any, by: tuple[Any, ...]) -> Any:
    return v + len(by)


DIFFERENT: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
    ("shape", lambda: ones(2) + 1, lambda: ones(3) + 1),
    ("dtype", lambda: ones(2) + 1, lambda: ones(2, dtype=np.int32) + 1),
    ("weak type", lambda: ones(2) * ones(), lambda: ones(2) * x10.tensor(jax.numpy.asarray(1.0))),
    ("operation", lambda: ones(2) + 1, lambda: ones(2) - 1),
    ("reflected operation", lambda: ones(2) - 1, lambda: 1 - ones(2)),
    ("kind of number", lambda: ones(2) + 1, lambda: ones(2) + 1.0),
    ("static", lambda: xnp.sum(ones(2, 2), axis=0), lambda: xnp.sum(ones(2, 2), axis=1)),
    ("static kind", lambda: x10.lazy(lazily)(ones(2), (True,)), lambda: x10.lazy(lazily)(ones(2), ("x",))),
    ("literal", lambda: ones(2) + 1.5, lambda: ones(2) + 2.5),
    ("sign of zero", lambda: ones(2) * 0.0, lambda: ones(2) * -0.0),
    ("result used", lambda: xnp.divmod(ones(2), ones(2))[0], lambda: xnp.divmod(ones(2), ones(2))[1]),
    ("sharing of inputs", lambda: (lambda x: x + x)(ones(2)), lambda: ones(2) + ones(2)),
    ("order of operands", lambda: ones(2) - ones(2, 1), lambda: ones(2, 1) - ones(2)),
]


@pytest.mark.parametrize(("make", "other"), [pytest.param(a, b, id=name) for name, a, b in DIFFERENT])
def test_what_differs_has_another_key(make: Callable[[], Any], other: Callable[[], Any]) -> None:
    keys = [graph_of([f()]).key for f in (make, make, other, other)]
    assert keys[0] == keys[1]
    assert keys[2] == keys[3]
    assert keys[0] != keys[2]


def test_another_configuration_has_another_key() -> None:
    plain = graph_of([ones(2, 2) @ ones(2, 2)]).key
    with jax.default_matmul_precision("float32"):
        other = graph_of([ones(2, 2) @ ones(2, 2)]).key
    assert plain != other


def test_a_graph_says_how_a_trace_maps_to_it() -> None:
    unused, x, y = ones(4), ones(2), ones(2)
    rate = 0.5
    a = unused + 1
    b = x * 3.0  # not needed, either
    b = (y - x) * rate
    graph = graph_of([b])
    assert a.shape == (4,)
    assert graph.leaves == (2, 1)  # y, then x; the trace's leaves are unused, x, y
    assert graph.wanted == (3,)
    assert graph.outputs == (1,)
    assert [n.op.call.name for n in graph.nodes] == ["sub", "mul"]
    assert [n.inputs for n in graph.nodes] == [(-1, -2), (0,)]
    assert [n.numbers for n in graph.nodes] == [(), (("param", 0),)]
    assert graph.params == ((2,),)


def test_an_effect_is_kept_although_nothing_needs_it() -> None:
    said: SimpleQueue[Any] = SimpleQueue()
    put = said.put

    @x10.lazy
    def say(v: Any) -> Any:
        jax.debug.callback(put, v)
        return v + 1

    say(x10.tensor(np.float32(5)))
    x10.barrier()
    jax.effects_barrier()
    assert said.get(timeout=10) == 5
    assert said.empty()


def test_numbers_are_told_apart_by_their_bits() -> None:
    numbers = {0: 0.0, 1: -0.0, 2: float("nan"), 3: float("nan"), 4: 1, 5: 1.0, 6: 1 + 0j, 7: np.float32(1), 8: np.float16(1), 9: 1}
    told = {i: bits(numbers, (i,)) for i in numbers}
    assert told[2] == told[3]
    assert told[4] == told[9]
    assert len(set(told.values())) == 8
    assert bits({0: 1, 1: 23}, (0, 1)) != bits({0: 12, 1: 3}, (0, 1))


def test_keys_compare_by_all_their_parts() -> None:
    assert Key("a", 1) == Key("a", 1)
    assert Key("a", 1) != Key("a", 2)
    assert Key(-1) != Key(-2)  # their hashes are the same
    assert Key("a") != "a"


def test_a_chain_of_many_operations_needs_no_deep_stack() -> None:
    x = y = ones(1)
    for _ in range(3000):
        y = y + x
    graph = graph_of([y])
    assert len(graph.nodes) == 3000
