from factories import MAIN, OTHER, compiled, cut, executed, read
from x10_jupyter.records.kinds import Kinds, columns
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Compiled, Cut, Executed


def test_each_kind_in_order() -> None:
    first, second, other = read(3, 4), read(1, 2), cut(2, 9)
    found = Kinds([first, other, second])
    assert found.of(Read) == [first, second]
    assert found.of(Executed) == []


def test_several_kinds_by_their_start() -> None:
    events = [read(3, 4), cut(2, 9), compiled(5, 6), read(1, 2)]
    assert [event.start_ns for event in Kinds(events).among(Read, Cut)] == [1, 2, 3]
    assert [event.start_ns for event in Kinds(events).among(Compiled)] == [5]


def test_those_of_one_thread() -> None:
    mine, others = cut(0, 1), [cut(1, 2, thread=OTHER), read(2, 3, thread=OTHER)]
    found = Kinds([mine, *others])
    assert (found.on(MAIN).of(Cut), found.on(MAIN).of(Read), found.on(OTHER).of(Cut), found.on(OTHER).of(Read)) == ([mine], [], [others[0]], [others[1]])
    assert found.on(MAIN).spans(Cut).tolist() == [[0, 1]]


def test_those_of_the_others() -> None:
    mine, others = cut(0, 1), [cut(1, 2, thread=OTHER), cut(2, 3, thread=3)]
    found = Kinds([mine, *others])
    assert (found.beside(MAIN).of(Cut), found.beside(OTHER).of(Cut), found.beside(MAIN).spans(Cut).tolist()) == (others, [mine, others[1]], [[1, 2], [2, 3]])


def test_when_they_took_place() -> None:
    found = Kinds([read(3, 4), cut(2, 9), read(1, 2)])
    assert found.spans(Read, Executed, Cut).tolist() == [[3, 4], [1, 2], [2, 9]]


def test_columns_of_numbers() -> None:
    assert columns([executed(1, 2, 3), executed(4, 5, 6)], "launched_ns", "start_ns").tolist() == [[2, 1], [5, 4]]
    assert columns([], "start_ns", "end_ns").shape == (0, 2)
