"""The graph that a cut tells is that of the program: beside one that is worked out from the program itself, by recursion."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import x10_jupyter as x10
from dotted import drawn
from runtime import forget
from x10_jupyter.lazy.producer import EVENTS
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.runtime_events import Graphed
from x10_jupyter.records.sink import ListSink

BINARY: dict[str, Callable[[Any, Any], Any]] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
UNARY: dict[str, Callable[[Any], Any]] = {"neg": operator.neg, "tanh": lambda t: x10.numpy.tanh(t)}
LEAVES = 3
Plan = list[tuple[str, tuple[int, ...]]]
"""Operations by name, each with what it takes: below the number of leaves one of these, from there on the result of an operation before it."""


@st.composite
def plans(draw: st.DrawFn) -> tuple[Plan, list[int]]:
    """A program, and which of its results somebody holds at the end."""
    plan: Plan = []
    for _ in range(draw(st.integers(1, 10))):
        earlier = st.integers(0, LEAVES + len(plan) - 1)
        name = draw(st.sampled_from([*BINARY, *UNARY]))
        plan.append((name, tuple(draw(earlier) for _ in range(2 if name in BINARY else 1))))
    held = draw(st.sets(st.integers(LEAVES, LEAVES + len(plan) - 1), min_size=1))
    return plan, sorted(held)


def run(plan: Plan, held: list[int]) -> Graph:
    """The graph of the cut after a program."""
    forget()
    sink = ListSink()
    EVENTS.add(sink, ["graphs"])
    try:
        values = [x10.tensor(np.full(2, 0.25 * (i + 1), np.float32)) for i in range(LEAVES)]
        for name, inputs in plan:
            values.append((BINARY.get(name) or UNARY[name])(*[values[i] for i in inputs]))
        kept = [values[i] for i in held]
        del values
        x10.barrier()
        del kept
    finally:
        EVENTS.remove(sink)
    before, after = [event for event in sink.events if isinstance(event, Graphed)]
    assert before.graph == after.graph
    return after.graph


def expected(plan: Plan, held: list[int]) -> str:
    """The graph's text, worked out by going from each result that is held to what it takes."""
    numbers: dict[int, int] = {}
    lines: list[str] = []

    def visit(value: int) -> int:
        if value not in numbers:
            if value < LEAVES:
                text = "xla::device_data(), device=CPU:0"
            else:
                name, inputs = plan[value - LEAVES]
                text = f"x10::{name}({', '.join([f'%{visit(i)}' for i in inputs])})"
                if value in held:
                    text += f", ROOT={held.index(value)}"
            numbers[value] = len(numbers)
            lines.append(f"  %{numbers[value]} = f32[2]{{0}} {text}\n")
        return numbers[value]

    for value in held:
        visit(value)
    return f"IR {{\n{''.join(lines)}}}\n"


def tree(plan: Plan, value: int) -> Any:
    """How a value is computed, whichever inputs it comes from."""
    return "input" if value < LEAVES else (plan[value - LEAVES][0], *[tree(plan, i) for i in plan[value - LEAVES][1]])


@given(plans())
def test_the_graph_of_a_cut_is_that_of_the_program(case: tuple[Plan, list[int]]) -> None:
    plan, held = case
    graph = run(plan, held)
    assert graph.to_text() == expected(plan, held)
    nodes, edges = drawn(graph.to_dot())
    assert (len(nodes), len(edges)) == (len(graph.nodes), len(graph.edges))
    again = run(plan, held)
    assert (again.id, again.hashes) == (graph.id, graph.hashes)


@given(plans(), plans())
def test_ids_are_equal_where_graphs_are_and_hashes_where_computations_are(one: tuple[Plan, list[int]], other: tuple[Plan, list[int]]) -> None:
    a, b = run(*one), run(*other)
    assert (a.id == b.id) == (expected(*one) == expected(*other))
    told = {digest: tree(plan, value) for graph, (plan, held) in ((a, one), (b, other)) for digest, value in zip(graph.hashes, held, strict=True)}
    trees = {tree(plan, value) for plan, held in (one, other) for value in held}
    assert len(told) == len(trees)
    assert set(told.values()) == trees
