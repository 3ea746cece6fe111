"""The graph of a path: in X10's order and words."""

from typing import Any

import jax
import numpy as np

import x10_jupyter as x10
from runtime import forget
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.drawn import draw, word
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.places import grouped, places_of
from x10_jupyter.records.graph import Graph


def ones(*shape: int) -> Any:
    return x10.tensor(np.ones(shape, np.float32))


def drawn(trace: Trace, *roots: Any) -> Graph:
    steps = path_to(trace.state)
    return draw(steps, [t.ref for t in roots], trace.numbers, grouped(places_of(steps), trace.numbers))


def lines(graph: Graph) -> list[str]:
    return [line.strip() for line in graph.to_text().splitlines()[1:-1]]


def test_operands_come_in_the_order_in_which_they_are_written(trace: Trace) -> None:
    x, lr = ones(2), 0.25
    y = (1.5 - x) * lr
    assert lines(drawn(trace, y)) == [
        "%0 = f32[] prim::Constant(), value=1.5",
        "%1 = f32[2]{0} xla::device_data(), device=CPU:0",
        "%2 = f32[2]{0} x10::sub(%0, %1)",
        "%3 = f32[] xla::device_data(), device=CPU:0",
        "%4 = f32[2]{0} x10::mul(%2, %3), ROOT=0",
    ]


def test_numbers_that_share_a_parameter_are_one_input(trace: Trace) -> None:
    x, lr = ones(2), 0.25
    for _ in range(2):
        x = x * lr
    assert [node.op for node in drawn(trace, x).nodes] == ["xla::device_data", "xla::device_data", "x10::mul", "x10::mul"]
    assert drawn(trace, x).nodes[3].inputs == ((2, 0), (1, 0))


def test_what_no_root_needs_is_left_out_unless_it_has_an_effect(trace: Trace) -> None:
    x = ones(2)
    dead, y = x + 1.0, x * 2.0
    assert [node.op for node in drawn(trace, y).nodes] == ["xla::device_data", "prim::Constant", "x10::mul"]

    def show(a: Any) -> Any:
        jax.debug.print("{}", a.sum())
        return a

    told = x10.lazy(show)(x)
    assert drawn(trace, y).nodes[-1].op == "x10::show"
    del dead, told


def test_static_arguments_and_lines_are_told(trace: Trace) -> None:
    y = ones(4, 3).sum(axis=1)
    node = drawn(trace, y).nodes[-1]
    assert node.tags == (("axis", "1"),)
    assert node.site is not None
    assert node.site.function == "test_static_arguments_and_lines_are_told"
    assert len(node.hash) == 32


def test_what_the_users_function_reads_is_told(trace: Trace) -> None:
    power = (2, "f")
    y = x10.lazy(lambda a: a ** power[0])(ones(2))
    assert drawn(trace, y).nodes[-1].tags == (("power_1", "'f'"),)


def test_where_data_lies(trace: Trace) -> None:
    device = jax.devices()[0]
    x = x10.tensor(jax.device_put(np.ones(2, np.float32), device))
    assert drawn(trace, x * 2.0).nodes[0].tags == (("device", "CPU:0"), ("committed", "1"))
    forget()
    mesh = jax.make_mesh((2,), ("rows",))
    spread = x10.tensor(np.ones((4, 2), np.float32), device=jax.NamedSharding(mesh, jax.P("rows")))
    assert drawn(trace, spread * 2.0).nodes[0].tags == (("device", "CPU:0+CPU:1"), ("sharding", "P('rows',)"))


def test_reduced_precision_is_what_the_device_holds(trace: Trace) -> None:
    y = x10.to_reduced_precision(ones(2)) * 2.0
    assert lines(drawn(trace, y))[-1] == "%3 = bf16[2]{0} x10::mul(%1, %2), ROOT=0"


def test_equal_graphs_have_equal_ids_and_hashes_and_others_have_not(trace: Trace) -> None:
    made: dict[str, Graph] = {}
    for name, build in {
        "sum": lambda x, y: x + y,
        "swapped": lambda x, y: y + x,
        "twice": lambda x, y: x + x,
        "product": lambda x, y: x * y,
        "chain": lambda x, y: (x + y) + y,
        "literal": lambda x, y: x + 1.0,
        "other literal": lambda x, y: x + 2.0,
    }.items():
        for again in (False, True):
            forget()
            x, y = ones(3), ones(3)
            graph = drawn(trace, build(x, y))
            if again:
                assert graph == made[name]
            made[name] = graph
    # which input is which only tells in the graph's own id, as in X10; both sums read two inputs in the order of first use
    assert made["sum"].id == made["swapped"].id
    assert made["sum"].hashes == made["twice"].hashes
    assert len({graph.id for graph in made.values()}) == len(made) - 1
    assert len({graph.hashes for graph in made.values()}) == len(made) - 2


def test_roots_are_told_in_the_order_in_which_they_were_made(trace: Trace) -> None:
    x = ones(3)
    first, second = x + 1.0, x * 2.0
    graph = drawn(trace, second, first)
    assert [graph.nodes[node].op for node, _ in graph.roots] == ["x10::add", "x10::mul"]
    assert len(graph.hashes) == 2


def test_a_name_is_one_word() -> None:
    assert word("a name (of two), really=") == "a_name_of_two_really_"
    assert word("<lambda>") == "<lambda>"
