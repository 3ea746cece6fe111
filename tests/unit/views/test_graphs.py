from collections.abc import Callable

from factories import MS, graph, graphed, node, site
from x10_jupyter.records.cuts import Cuts, by_graph
from x10_jupyter.records.difference import Difference
from x10_jupyter.views.graphs import LINES, ROWS, excerpt, head, listed, operations, parted

OTHER = graph(node("x10::iota"), node("x10::sum", (0, 0)), id="2e0123456789abcdef", roots=((0, 0), (1, 0)))


def cuts() -> tuple[Cuts, ...]:
    """A step that was compiled and cut often, and one that is cut by a read, of no name."""
    step = [
        graphed(0, program="train_0", found="miss", compile_ns=173 * MS),
        *[graphed(index, program="train_0", found="hit", compile_ns=0) for index in range(1, 124)],
    ]
    return by_graph([*step, graphed(200, graph=OTHER, how="float()", program="", compile_ns=0, site=site(9))])


def test_the_list_of_graphs(golden: Callable[[str, str], None]) -> None:
    golden("graphs.txt", listed(cuts()))


def test_a_graph_in_a_line() -> None:
    step, other = cuts()
    assert head(step) == "graph 1f, 1 operation, 1 result, program `train_0`, cut 124 times, by barrier() at cell [4] line 7, compiled in 173 ms"
    assert head(other) == "graph 2e012345, 2 operations, 2 results, cut 1 time, by float() at cell [4] line 9"
    assert head(Cuts(graph=OTHER)) == "graph 2e012345, 2 operations, 2 results"


def test_what_the_device_has_and_numbers_are_no_operations() -> None:
    assert operations(graph()) == 1


def test_a_long_list_is_counted() -> None:
    found = [Cuts(graph=graph(id=f"{index:x}")) for index in range(ROWS + 3)]
    lines = listed(found).splitlines()
    assert len(lines) == ROWS + 2
    assert lines[-1] == "and 3 other graphs"


def test_a_long_text_is_cut_and_says_where_the_rest_is() -> None:
    text = "".join(f"line {index}\n" for index in range(LINES + 5))
    shown = excerpt(text, "in the file").splitlines()
    assert shown[LINES - 1 :] == [f"line {LINES - 1}", "… and 5 other lines; all of it is in the file"]
    assert excerpt("a\nb\n", "") == "a\nb"


def test_what_is_long_or_odd_is_one_short_line() -> None:
    ((one,),) = (by_graph([graphed(program="p\n" * 500, how="h\n" * 500)]),)
    assert len(head(one)) < 300
    assert "\n" not in head(one)
    assert len(listed([one]).splitlines()) == 2


def test_where_two_part() -> None:
    assert parted(None) == "The graphs are equal."
    shape = Difference(kind="shape", node=4, old="f32[32,64]", new="f32[17,64]", old_site=site(3), new_site=None)
    assert parted(shape) == "The graphs part at node %4: shape\nwas f32[32,64], at cell [4] line 3\nis  f32[17,64]"
    longer = Difference(kind="structure", node=2, old="", new="x10::sum", old_site=None, new_site=site(3))
    assert parted(longer).splitlines()[1:] == ["was nothing", "is  x10::sum, at cell [4] line 3"]
