import re
from collections import Counter
from typing import Any

import pytest

import looked_at
from looked_at import compiled, line
from x10_jupyter.observe.stablehlo_graph import aval, site_of, stablehlo_graph
from x10_jupyter.records.site import Site


def module() -> Any:
    found = compiled()
    made = found.made.module()
    assert made is not None
    return made


def test_every_operation_is_there_with_those_inside() -> None:
    """Counted in the generic form that MLIR itself writes."""
    made = module()
    written = made.operation.get_asm(print_generic_op_form=True)
    expected = Counter(re.findall(r'"((?:stablehlo|func|chlo)\.\w+)"\(', written))
    for name in ("func.func", "func.return", "stablehlo.return"):  # what holds and ends functions and bodies computes nothing
        expected.pop(name, None)
    graph = stablehlo_graph(made)
    assert Counter(node.op for node in graph.nodes if node.op != "stablehlo.argument") == expected
    assert graph.level == "stablehlo"


def test_nodes_have_line_scope_shape_and_what_they_run() -> None:
    graph = stablehlo_graph(module())
    (dot,) = [node for node in graph.nodes if node.op == "stablehlo.dot_general"]
    assert dot.site is not None
    assert (dot.site.file, dot.site.line, dot.scope, dot.results) == (looked_at.__file__, line("carry @ w"), "loss", ("f32[4,8]",))
    (loop,) = [node for node in graph.nodes if node.op == "stablehlo.while"]
    assert loop.called == ("while.1[0]", "while.1[1]")
    calls = {node.called for node in graph.nodes if node.op == "func.call"}
    assert ("relu",) in calls
    assert ("relu",) not in {node.within for node in graph.nodes}


def test_each_comes_after_what_it_takes_and_after_what_it_runs() -> None:
    graph = stablehlo_graph(module())
    last = {node.within: number for number, node in enumerate(graph.nodes)}
    for number, node in enumerate(graph.nodes):
        assert all(source < number and result < len(graph.nodes[source].results) for source, result in node.inputs)
        assert all(last[called] < number for called in node.called)
    assert [graph.nodes[node].results for node, _ in graph.roots] == [("f32[4,8]",), ("f32[3]",)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("tensor<8x128xf32>", "f32[8,128]"),
        ("tensor<f32>", "f32[]"),
        ("tensor<3xi1>", "bool[3]"),
        ("tensor<3xui8>", "u8[3]"),
        ("tensor<2xcomplex<f32>>", "c64[2]"),
        ("tensor<2x!quant.uniform<i8:f32>>", "tensor<2x!quant.uniform<i8:f32>>"),
        ("tensor<?x4xbf16>", "bf16[?,4]"),
        ("tensor<8xf32, #sdy.sharding>", "f32[8]"),
        ("!stablehlo.token", "!stablehlo.token"),
    ],
)
def test_types(written: str, expected: str) -> None:
    assert aval(written) == expected


def test_the_innermost_line_that_is_the_users() -> None:
    inner = 'callsite("body"("/lib/site-packages/jax/a.py":1:2 to :3) at callsite("in \\"quotes\\""("/me/b.py":7:0)'
    where = f'loc("jit(step)/a"({inner} at "<module>"("/me/c.py":9:0)))))'
    assert site_of(where) == Site(file="/me/b.py", line=7, function='in "quotes"')
    assert site_of("loc(unknown)") is None
