import threading
from collections.abc import Mapping
from contextvars import ContextVar

from factories import MS, compiled, compiling, stepped
from stage import Stage
from x10_jupyter.session.live import EACH_S, FIRST_S, LEAST_REST, Live, SleepingTicker
from x10_jupyter.session.root import running

CELL = ContextVar("cell", default=0)


class Wall:
    """Where bundles are shown."""

    def __init__(self, stage: Stage, *, accepts: int = 99, costs_ns: int = 0) -> None:
        self.stage = stage
        self.accepts = accepts
        self.costs_ns = costs_ns
        self.bundles: list[Mapping[str, str]] = []
        self.cells: list[int] = []
        self.threads: set[int] = set()

    def show(self, bundle: Mapping[str, str]) -> bool:
        self.bundles.append(bundle)
        self.cells.append(CELL.get())
        self.threads.add(threading.get_ident())
        self.stage.cpu_clock.advance(self.costs_ns)
        return len(self.bundles) < self.accepts


def test_what_happened_since_is_shown_again_and_again(stage: Stage) -> None:
    wall = Wall(stage)
    stage.clock.advance(1_000 * MS)
    with stage.live(wall.show):
        stage.clock.advance(300 * MS)
        stage.events.emit(compiling(1_010 * MS))
        stage.turns.turn()
        stage.events.emit(compiled(1_010 * MS, 1_400 * MS))
        stage.events.emit(stepped(1_000 * MS, 1_450 * MS))
        stage.clock.advance(200 * MS)
        stage.turns.turn()
    first, second = [bundle["text/plain"] for bundle in wall.bundles]
    assert first.startswith("Running for 300 ms: compiling program 1 (`train`, 10 operations): 290 ms, for the first time")
    assert second.startswith("Running for 500 ms: last seen at cell [4] line 8\nsteps       1, 2 a second\ncompiled    1 program in 390 ms;")
    assert "compiling program 1" in wall.bundles[0]["text/html"]
    assert wall.threads & {threading.get_ident()} == set()


def test_it_is_shown_under_its_name(stage: Stage) -> None:
    wall = Wall(stage)
    with stage.live(wall.show, "warm up"):
        stage.turns.turn()
    assert wall.bundles[0]["text/plain"].startswith("warm up: Running for 0 ns: ")


def test_a_cell_that_ends_at_once_shows_nothing(stage: Stage) -> None:
    wall = Wall(stage)
    with stage.live(wall.show):
        pass
    assert wall.bundles == []
    assert stage.turns.waits == [FIRST_S]


def test_nothing_is_shown_after_the_block_and_nobody_listens(stage: Stage) -> None:
    wall = Wall(stage)
    with stage.live(wall.show) as running:
        stage.turns.turn()
    assert not running.tell()
    assert len(wall.bundles) == 1
    assert not stage.events
    assert "x10_jupyter live" not in {thread.name for thread in threading.enumerate()}


def test_it_is_shown_in_the_cell_that_began_it(stage: Stage) -> None:
    wall = Wall(stage)
    token = CELL.set(7)
    try:
        with stage.live(wall.show):
            CELL.set(8)
            stage.turns.turn()
    finally:
        CELL.reset(token)
    assert wall.cells == [7]


def test_the_more_it_costs_the_longer_it_rests(stage: Stage) -> None:
    wall = Wall(stage)
    with stage.live(wall.show):
        stage.turns.turn()
        wall.costs_ns = 4 * MS
        stage.turns.turn()
    assert stage.turns.waits == [FIRST_S, EACH_S, LEAST_REST * 4e-3]
    assert LEAST_REST > 100
    assert EACH_S >= 0.1


def test_it_ends_when_no_more_is_wanted(stage: Stage) -> None:
    wall = Wall(stage, accepts=1)
    with stage.live(wall.show) as running:
        stage.turns.last_turn()
        assert not stage.events
    assert (len(wall.bundles), running.has_failed) == (1, False)


def test_what_cannot_be_shown_ends_it_in_silence(stage: Stage) -> None:
    def show(_: Mapping[str, str]) -> bool:
        raise OSError("the front end is gone")

    with stage.live(show) as running:
        stage.turns.last_turn()
        assert not stage.events
        stage.events.emit(stepped(0, 1))
    assert running.has_failed


def test_it_hears_of_compiles_that_begin_though_a_capture_does_not(stage: Stage) -> None:
    with stage.capture() as capturing, stage.live(Wall(stage).show):
        assert "begun" in stage.events.wanted
        stage.events.emit(compiling(0))
    assert capturing.capture.events == ()
    with stage.capture():
        assert "begun" not in stage.events.wanted


def test_one_for_the_runtime() -> None:
    wall: list[Mapping[str, str]] = []

    def show(bundle: Mapping[str, str]) -> bool:
        wall.append(bundle)
        return False

    with running(show) as one:
        assert one.tell() is False
    assert isinstance(one, Live)
    assert "nothing recorded so far" in wall[0]["text/plain"]


def test_a_ticker_that_sleeps_until_it_is_stopped() -> None:
    ticker = SleepingTicker()
    assert ticker.wait(0)
    ticker.stop()
    assert not ticker.wait(3600)
