from hypothesis import given
from hypothesis import strategies as st

from factories import MAIN, OTHER, compiled, held, read, sampled, staged, waited
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Held, Sampled, Waited
from x10_jupyter.records.windows import Window, Windows, mine

THIRD = 3


def test_what_a_thread_does_under_a_capture_of_its_own_is_no_part_of_another_one() -> None:
    own, beside, before = compiled(0, 10), compiled(5, 15, thread=OTHER), compiled(0, 4, thread=OTHER)
    after, third = read(30, 31, thread=OTHER), staged(6, 7, thread=THIRD)
    events: list[Event] = [own, beside, before, after, third]
    assert mine(events, [Window(OTHER, 5, 20)], MAIN) == [own, before, after, third]
    assert mine(events, [Window(OTHER, 5)], MAIN) == [own, before, third], "it is still open"
    assert mine(events, [], MAIN) == events


def test_what_this_thread_waits_for_is_a_part_of_its_capture_all_the_same() -> None:
    wait, seen, unseen = waited(10, 20), staged(15, 40, thread=OTHER), staged(21, 40, thread=OTHER)
    theirs = waited(12, 14, thread=OTHER)
    assert mine([wait, seen, unseen, theirs], [Window(OTHER, 0)], MAIN) == [wait, seen]


def test_what_is_told_of_the_whole_process_belongs_to_all() -> None:
    events: list[Event] = [sampled(5), held(6, "between")]
    assert mine(events, [Window(OTHER, 0)], MAIN) == events


def test_captures_that_were_open_at_the_same_time_are_known_until_the_last_of_them_ends() -> None:
    windows = Windows()
    long, short, later = windows.open(MAIN, 0), windows.open(OTHER, 10), windows.open(THIRD, 50)
    windows.close(short, 20)
    assert windows.beside(long, 100) == [short, later]
    assert windows.beside(short, 20) == [long]
    assert windows.beside(later, 60) == [long], "the other had ended"
    windows.close(long, 100)
    assert {one.thread for one in windows.known} == {MAIN, THIRD}
    windows.close(later, 110)
    assert windows.known == []


def test_a_capture_in_another_one_of_the_same_thread_is_a_part_of_it() -> None:
    windows = Windows()
    outer, inner = windows.open(MAIN, 0), windows.open(MAIN, 5)
    assert (windows.beside(outer, 10), windows.beside(inner, 8)) == ([], [])


def happened(kind: str, start_ns: int, length_ns: int, thread: int) -> Event:
    if kind == "held":
        return held(start_ns, "between", thread=thread)
    return (read if kind == "read" else waited)(start_ns, start_ns + length_ns, thread=thread)


some_threads = st.sampled_from([MAIN, OTHER, THIRD])
some_events = st.lists(st.builds(happened, st.sampled_from(["read", "waited", "held"]), st.integers(0, 40), st.integers(0, 10), some_threads), max_size=8)
some_windows = st.lists(
    st.builds(lambda thread, start, took: Window(thread, start, start + took), st.sampled_from([OTHER, THIRD]), st.integers(0, 40), st.integers(0, 20))
)


@given(some_events, some_windows)
def test_an_event_belongs_to_a_capture_or_to_that_of_its_thread(events: list[Event], others: list[Window]) -> None:
    waits = [event for event in events if isinstance(event, Waited) and event.thread == MAIN]
    for event in events:
        is_told_there = any(event.thread == one.thread and event.end_ns >= one.start_ns and event.start_ns <= (one.end_ns or 0) for one in others)
        is_waited_for = any(wait.start_ns < wait.end_ns and wait.start_ns <= event.end_ns and event.start_ns < wait.end_ns for wait in waits)
        expected = isinstance(event, Held | Sampled) or not is_told_there or (is_waited_for and not isinstance(event, Waited))
        assert (event in mine(events, others, MAIN)) is expected or events.count(event) > 1
