from factories import compiled, cut, staged, traced
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


def test_it_says_when_there_were_more_than_it_keeps() -> None:
    history = History(most=2)
    for i in range(2):
        history.emit(compiled(i, i + 1))
    assert history.is_whole
    history.emit(compiled(5, 6))
    assert not history.is_whole
    history.clear()
    assert history.is_whole
    for i in range(7):
        history.emit(staged(i, i + 1, "trace"))
    assert not history.is_whole, "a compile may be among those"


def test_it_keeps_what_jax_compiles_for_the_user_and_not_for_the_runtime() -> None:
    history = History(most=2)
    for start in range(0, 30, 10):
        for offset, phase in enumerate(("trace", "lower", "compile")):
            history.emit(staged(start + offset, start + offset + 1, phase))
    history.emit(staged(40, 41, function="own", is_own=True))
    history.emit(compiled(50, 51, program="p9"))
    assert [one.program for one in history.compiles] == ["jit(step)", "p9"]
    assert set(history.compiles[0].phases) == {"trace", "lower", "compile"}
