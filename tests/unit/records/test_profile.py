from dataclasses import replace
from types import MappingProxyType

from factories import MS, operation, profiled, site, stepped
from factories import capture as made
from x10_jupyter.records.profile import by_line, by_scope, operations, slowdown


def test_an_instruction_of_several_windows_is_one() -> None:
    first, again, other = operation(10, times=2), operation(30, times=4), operation(20, instruction="dot")
    found = operations([profiled(0, 1, first, other), profiled(2, 3, again)])
    assert [(one.instruction, one.own_ns, one.times, one.total_ns) for one in found] == [("fusion", 40, 6, 40), ("dot", 20, 1, 20)]


def test_lines_and_scopes_add_up_and_the_longest_comes_first() -> None:
    found = operations(
        [profiled(0, 1, operation(10), operation(20, instruction="a", site=site(9), scope="block"), operation(15, instruction="b", is_backward=True))]
    )
    assert [(line, part.own_ns) for line, part in by_line(found).items()] == [(site(7), 25), (site(9), 20)]
    assert [(key, part.own_ns) for key, part in by_scope(found).items()] == [(("block", False), 20), (("", True), 15), (("", False), 10)]


def test_how_much_slower_steps_were_is_known_from_those_inside_and_outside() -> None:
    steps = [stepped(at * 10 * MS, at * 10 * MS + (6 if at < 4 else 5) * MS, at) for at in range(8)]
    capture = made(profiled(0, 40 * MS), *steps)
    found = slowdown([profiled(0, 40 * MS)], capture.steps)
    assert found is not None
    assert (found.inside_ns, found.outside_ns, found.factor) == (6 * MS, 5 * MS, 1.2)


def test_it_is_not_known_from_too_few_steps_or_those_that_compiled() -> None:
    steps = [stepped(at * 10 * MS, at * 10 * MS + 5 * MS, at) for at in range(8)]
    assert slowdown([profiled(0, 80 * MS)], made(*steps).steps) is None
    assert slowdown([profiled(0, 15 * MS)], made(*steps).steps) is None
    compiling = list(made(*steps).steps)
    slow = [replace(each, parts=MappingProxyType({**each.parts, "compile": MS})) for each in compiling]
    assert slowdown([profiled(0, 40 * MS)], slow) is None
