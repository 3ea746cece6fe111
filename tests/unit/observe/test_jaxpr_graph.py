from collections import Counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxprs_in_params

import looked_at
from looked_at import Compiled, compiled, line, two_that_call_relu
from x10_jupyter.observe.jaxpr_graph import is_made_by_user, is_told, jaxpr_graph
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node


def graph_of(found: Compiled) -> Graph:
    assert found.made.jaxpr is not None
    return jaxpr_graph(found.made.jaxpr())


def drawn(function: Any = looked_at.step, *arguments: Any) -> Graph:
    return graph_of(compiled(function, *arguments))


def named(graph: Graph, op: str) -> list[Node]:
    return [node for node in graph.nodes if node.op == f"jaxpr::{op}"]


def test_every_operation_is_there_with_those_inside() -> None:
    """Counted by JAX's own walk; each inner program stands once."""
    found = jax.make_jaxpr(looked_at.step)(looked_at.W, looked_at.X)
    expected, waiting = Counter[str](), [found.jaxpr]
    while waiting:
        for equation in waiting.pop().eqns:
            expected[equation.primitive.name] += 1
            waiting += jaxprs_in_params(equation.params)
    assert Counter(node.op.removeprefix("jaxpr::") for node in jaxpr_graph(found).nodes if not node.is_operand) == expected
    assert jaxpr_graph(found).level == "jaxpr"


def test_nodes_have_line_scope_shape_and_what_they_run() -> None:
    graph = drawn()
    ((dot,), (tanh,), (scan,), (cond,)) = [named(graph, op) for op in ("dot_general", "tanh", "scan", "cond")]
    assert dot.site is not None
    assert (dot.site.file, dot.site.line, dot.scope, dot.results) == (looked_at.__file__, line("carry @ w"), "loss", ("f32[4,8]",))
    assert tanh.site is not None
    assert tanh.site.line == line("jnp.tanh")
    assert (scan.called, scan.scope) == (("scan.1.jaxpr",), "")
    assert dot.within == tanh.within == "scan.1.jaxpr"
    assert ("length", "3") in scan.tags
    assert cond.called == ("cond.1.branches[0]", "cond.1.branches[1]")
    assert [dict(node.tags).get("name") for node in named(graph, "input") if not node.within] == ["w", "x"]
    assert [dict(node.tags)["value"] for node in named(graph, "literal")] == ["0.0", "2.0", "1.0", "0.0"]


def test_what_jax_traced_for_another_has_the_line_of_who_calls_it_here() -> None:
    """JAX traces its own functions, such as `relu`, once for all; the lines in them are those of whoever was the first."""
    first, second, start = two_that_call_relu()
    lines = [{node.site.line for node in named(graph_of(each), "max") if node.site} for each in (first, second)]
    assert lines == [{start - 2}, {start + 2}]


def test_a_function_of_the_users_within_keeps_its_own_lines() -> None:
    def plain(x: Any) -> Any:
        return jnp.sin(x)

    inner = jax.jit(plain)

    def outer(x: Any) -> Any:
        return inner(x) + inner(x * 2)

    graph = drawn(outer, np.ones(5, np.float32))
    (sin,) = named(graph, "sin")
    assert sin.site is not None
    assert sin.site.line == plain.__code__.co_firstlineno + 1
    calls = [node for node in graph.nodes if node.called]
    assert len(calls) == 2
    assert {node.called for node in calls} == {(sin.within,)}, "one program, run twice"


def test_each_comes_after_what_it_takes_and_after_what_it_runs() -> None:
    graph = drawn()
    last = {node.within: number for number, node in enumerate(graph.nodes)}
    for number, node in enumerate(graph.nodes):
        assert all(source < number and graph.nodes[source].within == node.within for source, _ in node.inputs)
        assert all(result < len(graph.nodes[source].results) for source, result in node.inputs)
        assert all(last[called] < number for called in node.called)


def test_inputs_that_nothing_takes_and_constants_are_there() -> None:
    held = np.arange(6, dtype=np.float32)

    def function(used: Any, unused: Any) -> Any:
        return used + jnp.asarray(held)

    closed = jax.make_jaxpr(function)(np.ones(6, np.float32), np.ones(2, np.int32))
    graph = jaxpr_graph(closed)
    assert [node.results for node in named(graph, "input")] == [("f32[6]",), ("i32[2]",)]
    assert len([node for node in graph.nodes if node.op == "jaxpr::constant"]) == len(closed.consts)


def test_ids_tell_programs_apart_and_not_functions() -> None:
    assert drawn().id == drawn().id
    assert drawn().id != drawn(looked_at.step, looked_at.W, looked_at.X[:2]).id


def test_what_says_nothing_is_no_tag() -> None:
    assert not is_told(None)
    assert not is_told((None, None))
    assert not is_told(len)
    assert is_told(np.float32)
    assert is_told(0)
    assert is_told((1, None))


def test_of_what_jax_does_not_tell_the_function_nothing_is_taken_for_the_users() -> None:
    assert not is_made_by_user(object())
