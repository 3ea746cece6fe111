import threading
import warnings
from typing import Any

import pytest

from factories import ENVIRONMENT, compiled, executed, graph, graphed, program, read, sized, staged
from stage import Stage
from x10_jupyter.base.errors import UsageError
from x10_jupyter.records.events import Event
from x10_jupyter.session.alarms import CompileWarning
from x10_jupyter.session.bounded import BoundedSink


def test_records_what_happened_inside_in_the_order_of_its_start(stage: Stage) -> None:
    stage.events.emit(read(0, 1))
    with stage.capture("mine") as capturing:
        stage.clock.advance(50)
        stage.cpu_clock.advance(40)
        stage.queue_clock.advance(9)
        stage.events.emit(read(20, 30))
        stage.events.emit(compiled(5, 15))
    stage.events.emit(read(60, 70))
    found = capturing.capture
    assert [event.start_ns for event in found.events] == [5, 20]
    assert (found.name, found.wall_ns, found.cpu_ns, found.queued_ns, found.error) == ("mine", 50, 40, 9, None)
    assert (found.thread, found.environment) == (threading.get_ident(), ENVIRONMENT)


def test_waits_for_what_was_launched_and_calls_that_drain(stage: Stage) -> None:
    def drain() -> None:
        stage.clock.advance(30)
        stage.events.emit(executed(90, 100, 130))

    stage.drain = drain
    with stage.capture() as capturing:
        stage.clock.advance(100)
    assert capturing.capture.time["drain"] == 30
    assert capturing.capture.device_ns == 40


@pytest.mark.parametrize(("ended_ns", "drained_ns"), [(None, 0), (120, 20)])
def test_to_look_for_what_still_runs_is_no_part_of_the_window(stage: Stage, ended_ns: int | None, drained_ns: int) -> None:
    def drain() -> int | None:
        stage.clock.advance(30)
        stage.cpu_clock.advance(30)
        stage.queue_clock.advance(30)
        return ended_ns

    stage.drain = drain
    with stage.capture() as capturing:
        stage.clock.advance(100)
        stage.cpu_clock.advance(60)
    found = capturing.capture
    assert (found.wall_ns, found.time["drain"], found.cpu_ns, found.queued_ns) == (100 + drained_ns, drained_ns, 60, 0)
    assert sum(found.time.values()) == found.wall_ns


def test_what_could_not_be_recorded_breaks_nothing_and_the_record_says_that_it_is_incomplete(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(sink: BoundedSink, event: Event) -> None:
        if sink.events:
            raise MemoryError("no room")
        sink.events.append(event)

    monkeypatch.setattr(BoundedSink, "emit", full)
    with stage.capture() as capturing:
        for _ in range(3):
            stage.events.emit(read(0, 1))
        stage.clock.advance(10)
    found = capturing.capture
    assert (len(found.events), found.lost) == (1, "MemoryError: no room")
    told = "recording failed with MemoryError: no room, so what happened later is missing and times are not right"
    assert f"incomplete  {told}" in str(found)
    assert told in found.bundle()["text/html"]
    with stage.capture() as capturing:
        stage.events.emit(read(10, 11))
    assert (capturing.capture.lost, "incomplete" in str(capturing.capture)) == ("", False)


def test_an_exception_passes_and_is_named_and_nobody_listens_any_more(stage: Stage) -> None:
    with pytest.raises(ValueError, match="no such axis"), stage.capture() as capturing:
        raise ValueError("no such axis\nand more")
    assert capturing.capture.error == "ValueError: no such axis"
    assert not stage.events


def test_stops_listening_even_when_waiting_fails(stage: Stage) -> None:
    def drain() -> None:
        raise KeyboardInterrupt

    stage.drain = drain
    with pytest.raises(KeyboardInterrupt), stage.capture() as capturing:
        stage.clock.advance(10)
    assert capturing.capture.wall_ns == 10
    assert not stage.events


def test_it_shows_the_capture_once_that_has_ended(stage: Stage) -> None:
    with stage.capture("mine") as capturing:
        assert repr(capturing) == "Capturing('mine'), which has not ended"
        assert (capturing._repr_mimebundle_(), capturing._repr_html_()) == (None, None)
    made = capturing.capture
    assert (repr(capturing), capturing._repr_html_()) == (repr(made), made._repr_html_())
    assert capturing._repr_mimebundle_() == made._repr_mimebundle_()


def test_an_inner_capture_is_part_of_the_outer_one(stage: Stage) -> None:
    with stage.capture() as outer:
        stage.events.emit(read(0, 1))
        with stage.capture() as inner:
            stage.events.emit(read(2, 3))
        stage.events.emit(read(4, 5))
    assert [event.start_ns for event in inner.capture.events] == [2]
    assert [event.start_ns for event in outer.capture.events] == [0, 2, 4]


def test_captures_of_two_threads_tell_of_their_own(stage: Stage) -> None:
    inside, over = threading.Event(), threading.Event()
    other = stage.capture()
    numbers: list[int] = []

    def run() -> None:
        with other:
            numbers.append(threading.get_ident())
            inside.set()
            over.wait()

    thread = threading.Thread(target=run)
    with stage.capture() as capturing:
        thread.start()
        inside.wait()
        stage.events.emit(compiled(1, 2, thread=threading.get_ident()))
        stage.events.emit(compiled(3, 4, thread=numbers[0]))
        stage.clock.advance(10)
    over.set()
    thread.join()
    for made, started_ns in ((capturing.capture, 1), (other.capture, 3)):
        assert ([one.start_ns for one in made.compiles], made.beside) == ([started_ns], 1)
        assert {one.thread for one in made.compiles} == {made.thread}
    with stage.capture() as capturing:
        pass
    assert capturing.capture.beside == 0


def test_has_no_record_before_its_end(stage: Stage) -> None:
    with stage.capture() as capturing, pytest.raises(UsageError, match=r"only after its `with` block"):
        _ = capturing.capture


def test_may_be_used_again_and_forgets_the_first_time(stage: Stage) -> None:
    capturing = stage.capture()
    with capturing:
        stage.events.emit(read(0, 1))
    with capturing:
        stage.clock.advance(5)
    assert capturing.capture.events == ()
    assert capturing.capture.wall_ns == 5


def test_graphs_are_recorded_if_they_are_asked_for(stage: Stage) -> None:
    for asked in (False, True):
        with stage.capture(graphs=asked) as capturing:
            assert ("graphs" in stage.events.wanted) is asked
            stage.events.emit(graphed())
        assert capturing.capture.graphs == ((graph(),) if asked else ())
    assert not stage.events.wanted


def test_graphs_may_be_recorded_in_other_forms_too(stage: Stage) -> None:
    with stage.capture(graphs=["hlo", "jaxpr"]):
        assert stage.events.wanted == {"graphs", "hlo", "jaxpr"}
    wrongs: list[Any] = ["hlo", ["xml"]]
    for wrong in wrongs:
        with pytest.raises(UsageError, match=r"`graphs` is True, False or a list of forms out of hlo, stablehlo, jaxpr; got "):
            stage.capture(graphs=wrong)


def test_one_that_is_open_at_the_end_of_python_listens_no_more(stage: Stage) -> None:
    before = stage.events.sinks
    capturing = stage.capture()
    with capturing:
        assert stage.events.sinks != before
        capturing.abandon()
        assert stage.events.sinks == before


def test_the_code_is_kept(stage: Stage) -> None:
    with stage.capture(source="x = 1") as capturing:
        pass
    assert capturing.capture.source == "x = 1"


def test_it_warns_while_it_is_open_unless_it_is_not_to(stage: Stage) -> None:
    with stage.capture() as capturing, pytest.warns(CompileWarning, match="About to compile"):
        stage.events.emit(sized(0))
    assert len(capturing.capture.events) == 1
    quiet = stage.capture()
    quiet.warns = False
    with warnings.catch_warnings(record=True) as told, quiet:
        stage.events.emit(sized(0))
    assert told == []


@pytest.mark.parametrize(("graphs", "levels"), [(False, ()), (True, ("jaxpr",)), (["hlo", "jaxpr"], ("jaxpr", "hlo"))])
def test_what_programs_cost_is_seen_at_the_end_and_their_graphs_where_those_were_asked_for(stage: Stage, graphs: Any, levels: tuple[str, ...]) -> None:
    asked: list[Any] = []

    def look(name: str, levels: Any = ()) -> Any:
        asked.append((name, tuple(levels)))
        return program(name)

    stage.look = look
    with stage.capture(graphs=graphs) as capturing:
        stage.events.emit(staged(0, 5, program="jit(step)"))
    assert asked == [("jit(step)", levels)]
    assert capturing.capture.programs == (program(),)
    capturing.capture.program("jit(step)", "stablehlo")
    assert asked[1:] == [("jit(step)", ("stablehlo",))], "and more where somebody asks for it later"
