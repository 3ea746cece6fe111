from hypothesis import given
from hypothesis import strategies as st

from factories import OTHER, capture, collected, compiled, executed, fell_back, graph, graphed, node, read, retraced, staged, stepped, traced
from x10_jupyter.records.accounting import TIME_NAMES
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.events import Event

spans = st.tuples(st.integers(-20, 120), st.integers(0, 60)).map(lambda pair: (pair[0], sum(pair)))
events = st.one_of(
    st.builds(lambda span, thread: traced(*span, thread=thread), spans, st.sampled_from([1, 2])),
    st.builds(lambda span, lower: compiled(*span, phases={"lower": lower}), spans, st.integers(0, 80)),
    st.builds(lambda span: executed(span[0], span[0], span[1]), spans),
    st.builds(lambda span: read(*span), spans),
    st.builds(lambda span: fell_back(*span), spans),
    st.builds(lambda span: stepped(*span), spans),
    st.builds(lambda span, cpu: collected(*span, cpu_ns=cpu), spans, st.integers(0, 60)),
    st.builds(lambda span, phase, cpu: staged(*span, phase=phase, cpu_ns=cpu), spans, st.sampled_from(["trace", "lower", "compile"]), st.integers(0, 60)),
)


@given(st.lists(events, max_size=8), st.integers(0, 100), st.integers(0, 100))
def test_times_sum_to_the_wall_and_parts_of_a_step_to_the_step(found: list[Event], body_end_ns: int, cpu_ns: int) -> None:
    made = capture(*found, end_ns=100, body_end_ns=body_end_ns, cpu_ns=cpu_ns)
    assert list(made.time) == list(TIME_NAMES)
    assert all(ns >= 0 for ns in made.time.values())
    assert sum(made.time.values()) == made.wall_ns
    assert all(sum(step.parts.values()) == step.wall_ns >= 0 for step in made.steps)


def test_a_step_that_began_before_the_capture_begins_with_it() -> None:
    (step,) = capture(stepped(-500, 30, index=7), traced(10, 20), end_ns=100).steps
    assert (step.index, step.start_ns, step.wall_ns) == (7, 0, 30)
    assert (step.parts["python"], step.parts["trace"]) == (20, 10)


def test_totals_count_overlaps_once_and_nothing_outside_the_window() -> None:
    made = capture(compiled(0, 10), compiled(5, 20, thread=OTHER), executed(-50, -40, 15), executed(10, 11, 30), end_ns=100)
    assert (made.compile_ns, made.device_ns) == (20, 30)


def test_a_compile_has_what_the_event_told_in_seconds() -> None:
    event = compiled(0, 2_000_000_000, phases={"lower": 500_000_000}, cache="miss", program="p9", ops=3)
    (found,) = capture(event).compiles
    assert (found.function, found.program, found.cache, found.ops) == ("train", "p9", "miss", 3)
    assert (found.seconds, dict(found.phases)) == (2.0, {"lower": 0.5})
    assert (found.call_site, found.definition_site, found.cause) == (event.site, event.definition_site, event.cause)


def test_reads_and_fallbacks_keep_their_order() -> None:
    made = capture(read(1, 2, aval="a"), fell_back(2, 3), read(4, 5, aval="b"))
    assert [one.aval for one in made.reads] == ["a", "b"]
    assert [one.op for one in made.fallbacks] == ["nonzero"]


def test_calls_traced_again_keep_their_order() -> None:
    made = capture(retraced(1), fell_back(2, 3), retraced(4, op="loss"))
    assert [one.op for one in made.retraced] == ["scores", "loss"]
    assert isinstance(made, Capture)


def test_each_graph_is_there_once() -> None:
    other = graph(node("x10::exp"), id="2f")
    made = capture(graphed(), graphed(graph=other), graphed(found="hit"), end_ns=100)
    assert made.graphs == (graph(), other)
    assert capture(end_ns=100).graphs == ()


def test_a_thread_that_slept_beside_a_compile_did_not_run_python_meanwhile() -> None:
    """Its CPU time went into the compile; so there is none left for what no event tells of."""
    made = capture(compiled(0, 40, cpu_ns=40), end_ns=100, cpu_ns=45)
    assert (made.time["compile"], made.time["python"], made.time["unexplained"]) == (40, 5, 55)


def test_a_thread_that_was_ready_to_run_was_kept_by_others() -> None:
    """What it waited for a core while it compiled or read belongs to that."""
    events = [compiled(0, 40, cpu_ns=10, queued_ns=25), read(50, 60, is_jax=True, ready_ns=59, queued_ns=5)]
    made = capture(*events, end_ns=100, cpu_ns=30, queued_ns=50)
    assert (made.time["python"], made.time["contention"], made.time["unexplained"]) == (20, 20, 10)
    assert sum(made.time.values()) == made.wall_ns
    assert capture(*events, end_ns=100, cpu_ns=30).time["contention"] == 0


def test_what_jax_compiles_counts_as_compiling_without_its_trace() -> None:
    made = capture(staged(0, 10, "trace"), staged(10, 15, "lower"), staged(15, 30), staged(40, 50, is_own=True), end_ns=100)
    assert (made.compile_ns, made.trace_ns, len(made.compiles)) == (20, 10, 1)


def test_what_was_traced_for_a_compile_is_known_once_and_for_its_thread() -> None:
    """What is traced within a trace is a part of it; what is traced and not compiled, or elsewhere, is not for a compile here."""
    within = [staged(0, 20, "trace"), staged(5, 10, "trace", function="inner"), staged(20, 30), staged(30, 32, function="inner")]
    others = [staged(40, 50, "trace", function="shapes"), staged(40, 60, "trace", thread=OTHER), staged(60, 70, thread=OTHER), traced(60, 70)]
    made = capture(*within, *others, compiled(80, 90, phases={"trace": 4}), end_ns=100)
    assert (made.time["trace"], made.trace_to_compile_ns) == (44, 24)


def test_the_code_is_kept_if_it_is_given() -> None:
    assert capture().source is None
    assert capture(source="x + 1").source == "x + 1"
