import contextvars
import threading

from stage import Turns
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.session.watch import EACH_S, LEAST_REST, Watch


def test_it_looks_whenever_it_is_time_in_the_context_it_was_made_in() -> None:
    turns, place, seen = Turns(), contextvars.ContextVar[str]("place", default="elsewhere"), []
    token = place.set("here")
    watch = Watch(lambda: seen.append((place.get(), threading.current_thread().name)), ticker=turns, cpu_clock=ManualClock())
    place.reset(token)
    for _ in range(3):
        turns.turn()
    assert seen == [("here", "x10_jupyter watch")] * 3
    assert watch.is_on
    watch.stop()
    assert not watch.is_on
    assert len(seen) == 3
    assert watch.error is None


def test_a_look_that_costs_much_is_taken_less_often() -> None:
    turns, clock = Turns(), ManualClock()
    costs = iter([1_000_000, 100_000_000])
    watch = Watch(lambda: clock.advance(next(costs)), ticker=turns, cpu_clock=clock)
    turns.turn()
    turns.turn()
    watch.stop()
    assert turns.waits == [EACH_S, EACH_S, LEAST_REST * 0.1]


def test_what_goes_wrong_ends_it_and_nothing_else() -> None:
    turns = Turns()
    watch = Watch(lambda: 1 // 0, ticker=turns, cpu_clock=ManualClock())
    turns.last_turn("x10_jupyter watch")
    assert not watch.is_on
    assert isinstance(watch.error, ZeroDivisionError)
    watch.stop()
