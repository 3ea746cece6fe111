import re
from collections import Counter
from typing import Any

import looked_at
from looked_at import compiled, line
from x10_jupyter.observe.executables import Executable
from x10_jupyter.observe.hlo_graph import hlo_graph
from x10_jupyter.observe.hlo_text import module
from x10_jupyter.records.graph import Graph


def drawn(x: Any = looked_at.X) -> tuple[Graph, Executable]:
    made = compiled(looked_at.step, looked_at.W, x)
    found = made.made.executable()
    assert found is not None
    return hlo_graph(found.module), found


def test_every_instruction_is_there_once() -> None:
    """Counted in the computations of XLA's own object, and in its text."""
    graph, executable = drawn()
    counts = sorted(len(list(one.instructions())) for one in executable.hlo.computations())
    assert sorted(Counter(node.within for node in graph.nodes).values()) == counts
    opcodes = Counter(re.findall(r"^ +(?:ROOT )?%[\w.-]+ = (?:\([^=]*\)|\S+) ([\w-]+)\(", executable.text, re.MULTILINE))
    assert Counter(node.op.removeprefix("hlo::") for node in graph.nodes) == opcodes
    assert graph.level == "hlo"


def test_nodes_have_line_scope_shape_and_what_they_run() -> None:
    graph, _ = drawn()
    (dot,) = [node for node in graph.nodes if node.op == "hlo::dot"]
    assert dot.site is not None
    assert (dot.site.file, dot.site.line, dot.scope) == (looked_at.__file__, line("carry @ w"), "loss")
    assert dot.results == ("f32[4,8]",)
    assert ("lhs_contracting_dims", "{1}") in dot.tags
    (loop,) = [node for node in graph.nodes if node.op == "hlo::while"]
    assert len(loop.called) == 2
    assert {node.within for node in graph.nodes} >= set(loop.called)
    names = [dict(node.tags).get("name") for node in graph.nodes if node.op == "hlo::parameter" and not node.within]
    assert sorted(filter(None, names)) == ["w", "x"]


def test_each_comes_after_what_it_takes_and_after_what_it_runs() -> None:
    graph, _ = drawn()
    last = {node.within: number for number, node in enumerate(graph.nodes)}
    for number, node in enumerate(graph.nodes):
        assert all(source < number and graph.nodes[source].within == node.within for source, _ in node.inputs)
        assert all(last[called] < number for called in node.called)
    assert [graph.nodes[number].within for number, _ in graph.roots] == [""]


def test_equal_programs_have_equal_ids_and_others_do_not() -> None:
    assert drawn()[0].id == drawn()[0].id
    assert drawn(looked_at.X[:2])[0].id != drawn()[0].id


CROSSED = """\
HloModule crossed

ENTRY %main (x: f32[4]) -> (f32[4]) {
  %later = f32[4]{0} negate(%x)
  %x = f32[4]{0:T(128)} parameter(0)
  %none = f32[4]{0} custom-call(%x, %gone), custom_call_target="a, b=(c", backend_config={"n":[1,2]}
  ROOT %t = (f32[4]{0}) tuple(%later)
}
"""


def test_whatever_the_order_of_the_text_and_what_is_not_known_is_left_out() -> None:
    graph = hlo_graph(module(CROSSED))
    assert graph.to_text() == (
        "IR {\n"
        "  %0 = f32[4]{0} hlo::parameter(), number=0, layout=0:T(128)\n"
        "  %1 = f32[4]{0} hlo::negate(%0)\n"
        '  %2 = f32[4]{0} hlo::custom-call(%0), custom_call_target="a, b=(c"\n'
        "  %3 = (f32[4]{0}) hlo::tuple(%1), ROOT=0\n"
        "}\n"
    )


def test_text_that_is_no_program_is_an_empty_graph() -> None:
    assert hlo_graph(module("")).nodes == ()
