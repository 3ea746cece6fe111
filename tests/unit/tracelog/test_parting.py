"""Where two graphs part; the sampled cases are in the property tests."""

from dataclasses import replace

import pytest

from factories import graph, node, site
from x10_jupyter.base.errors import UsageError
from x10_jupyter.records.difference import Difference
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.tracelog.parting import diff_graphs, tally

BASE = (
    node("xla::device_data", results=("f32[4,8]",), tags=(("device", "CPU:0"),)),
    node("prim::Constant", results=("f32[]~",), tags=(("value", "0.5"),)),
    node("x10::mul", (0, 0), (1, 0), results=("f32[4,8]",), hash="1f"),
    node("x10::sum", (2, 0), results=("f32[8]",), tags=(("axis", "0"),)),
)


def changed(which: int, **fields: object) -> Graph:
    nodes: list[Node] = list(BASE)
    nodes[which] = replace(nodes[which], site=site(9), **fields)
    return graph(*nodes)


@pytest.mark.parametrize(
    ("other", "kind", "number", "old", "new"),
    [
        (changed(0, results=("f32[3,8]",)), "shape", 0, "f32[4,8]", "f32[3,8]"),
        (changed(0, results=("i32[4,8]",)), "dtype", 0, "f32[4,8]", "i32[4,8]"),
        (changed(0, results=("f32[4,8] as bf16",)), "dtype", 0, "f32[4,8]", "f32[4,8] as bf16"),
        (changed(0, results=("f32[4@x,8]",)), "placement", 0, "f32[4,8]", "f32[4@x,8]"),
        (changed(0, tags=(("device", "CPU:1"),)), "placement", 0, "device=CPU:0", "device=CPU:1"),
        (changed(0, tags=(("device", "CPU:0"), ("committed", "1"))), "placement", 0, "", "committed=1"),
        (changed(1, results=("f32[]",)), "weak_type", 1, "f32[]~", "f32[]"),
        (changed(1, tags=(("value", "0.25"),)), "constant", 1, "value=0.5", "value=0.25"),
        (changed(2, op="x10::add"), "structure", 2, "f32[4,8]{1,0} x10::mul(%0, %1)", "f32[4,8]{1,0} x10::add(%0, %1)"),
        (changed(2, inputs=((1, 0), (0, 0))), "structure", 2, "f32[4,8]{1,0} x10::mul(%0, %1)", "f32[4,8]{1,0} x10::mul(%1, %0)"),
        (changed(2, hash="2f"), "function_rebuilt", 2, "x10::mul (1f)", "x10::mul (2f)"),
        (changed(2, results=("f32[4,8]", "f32[]")), "structure", 2, "f32[4,8]{1,0}", "(f32[4,8]{1,0}, f32[])"),
        (changed(3, tags=(("axis", "1"),)), "static_argument", 3, "axis=0", "axis=1"),
        (changed(3, tags=(("axis", "0"), ("axis", "0"))), "static_argument", 3, "(('axis', '0'),)", "(('axis', '0'), ('axis', '0'))"),
        (graph(*BASE[:3]), "structure", 3, "f32[8]{0} x10::sum(%2), axis=0", ""),
        (graph(*BASE, roots=((3, 0), (2, 0))), "live_outputs", 2, "", "ROOT=1 is %2.0"),
    ],
)
def test_each_kind(other: Graph, kind: str, number: int, old: str, new: str) -> None:
    found = diff_graphs(graph(*BASE), other)
    assert found is not None
    assert (found.kind, found.node, found.old, found.new) == (kind, number, old, new)
    back = diff_graphs(other, graph(*BASE))
    assert back is not None
    assert (back.kind, back.node, back.old, back.new) == (kind, number, new, old)


def test_another_root_is_told_by_its_node_in_the_first_graph() -> None:
    a, b = graph(*BASE), graph(*BASE, roots=((2, 0),))
    found = [diff_graphs(a, b), diff_graphs(b, a)]
    assert [each and (each.kind, each.node, each.old, each.new) for each in found] == [
        ("live_outputs", 3, "ROOT=0 is %3.0", "ROOT=0 is %2.0"),
        ("live_outputs", 2, "ROOT=0 is %2.0", "ROOT=0 is %3.0"),
    ]


def test_both_lines_are_told() -> None:
    found = diff_graphs(graph(*BASE), changed(2, op="x10::add"))
    assert found is not None
    assert (found.old_site, found.new_site) == (site(5), site(9))


def test_lines_alone_are_no_difference() -> None:
    assert diff_graphs(graph(*BASE), changed(2)) is None


def test_graphs_as_text() -> None:
    old, new = graph(*BASE), changed(0, results=("f32[3,8]",))
    assert diff_graphs(old.to_text(), old.to_text()) is None
    expected = Difference(kind="shape", node=0, old="f32[4,8]", new="f32[3,8]", old_site=None, new_site=None)
    assert diff_graphs(old.to_text(), new.to_text()) == expected
    with pytest.raises(UsageError, match=r"^A graph as text"):
        diff_graphs(old, "nothing")


def test_how_much_differs_is_counted() -> None:
    one = graph(node("hlo::parameter"), node("hlo::add", (0, 0), (0, 0)), node("hlo::sine", (1, 0)))
    wider = graph(*[replace(each, results=("f32[9]",)) for each in one.nodes[:2]], replace(one.nodes[2], results=("bf16[4]",)))
    assert tally(one, wider) == "3 of 3 nodes differ: 2 in shape, 1 in dtype"
    assert tally(one, one) == ""
    hashed = [graph(*[replace(each, hash=f"{which}{number}") for number, each in enumerate(made.nodes)]) for which, made in enumerate((one, wider))]
    assert tally(*hashed) == tally(one, wider), "hashes differ wherever something before does"
    assert tally(one, graph(*one.nodes[:2], replace(one.nodes[2], results=("f32[9]",)))) == ""


def test_of_other_structures_it_is_told_what_one_has_more_of() -> None:
    one = graph(node("hlo::parameter"), node("hlo::sine", (0, 0)))
    more = graph(*one.nodes, node("hlo::sine", (1, 0)), node("hlo::add", (0, 0), (2, 0)))
    assert tally(one, more) == "The second has hlo::sine, hlo::add more"
    assert tally(more, one) == "The first has hlo::sine, hlo::add more"
    assert tally(one, graph(node("hlo::cosine"), node("hlo::parameter"))) == "The first has hlo::sine more; the second has hlo::cosine more"
    assert (
        tally(more, graph(*one.nodes, node("hlo::sine", (0, 0)), node("hlo::add", (0, 0), (2, 0))))
        == "They have the same operations, put together in another way"
    )


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("(s32[], f32[4,8])", "(s32[], f32[2,8])", ("shape", "f32[4,8]", "f32[2,8]")),
        ("(s32[], f32[4,8])", "(s32[], bf16[4,8])", ("dtype", "f32[4,8]", "bf16[4,8]")),
        ("(s32[])", "(s32[], f32[2])", ("structure", "(s32[])", "(s32[], f32[2])")),
        ("(token)", "(other)", ("structure", "(token)", "(other)")),
    ],
)
def test_in_a_tuple_of_xlas_what_differs_is_told(old: str, new: str, kind: tuple[str, str, str]) -> None:
    part = diff_graphs(graph(node("hlo::while", results=(old,))), graph(node("hlo::while", results=(new,))))
    assert part is not None
    assert (part.kind, part.old, part.new) == kind
