from factories import compiled, cut, traced
from x10_jupyter.records.compile import from_event
from x10_jupyter.session.history import History


def test_it_keeps_compiles_and_nothing_else() -> None:
    history = History()
    events = [compiled(0, 5, program="p1"), compiled(7, 9, program="p2")]
    for event in (traced(0, 1), events[0], cut(1, 2), events[1]):
        history.emit(event)
    assert history.compiles == tuple(map(from_event, events))
    history.clear()
    assert history.compiles == ()


def test_it_keeps_only_the_last_ones() -> None:
    history = History(most=3)
    for i in range(5):
        history.emit(compiled(i, i + 1, program=f"p{i}"))
    assert [one.program for one in history.compiles] == ["p2", "p3", "p4"]
