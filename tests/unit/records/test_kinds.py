from factories import compiled, cut, read
from x10_jupyter.records.events import Compiled, Cut, Executed, Read
from x10_jupyter.records.kinds import Kinds


def test_each_kind_in_order() -> None:
    first, second, other = read(3, 4), read(1, 2), cut(2, 9)
    found = Kinds([first, other, second])
    assert found.of(Read) == [first, second]
    assert found.of(Executed) == []


def test_several_kinds_by_their_start() -> None:
    events = [read(3, 4), cut(2, 9), compiled(5, 6), read(1, 2)]
    assert [event.start_ns for event in Kinds(events).among(Read, Cut)] == [1, 2, 3]
    assert [event.start_ns for event in Kinds(events).among(Compiled)] == [5]
