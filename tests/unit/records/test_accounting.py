from factories import OTHER, chained, compiled, cut, executed, fell_back, read, traced, transferred
from x10_jupyter.records.accounting import TIME_NAMES, split, timeline, with_unexplained
from x10_jupyter.records.events import Event


def times(*events: Event, body_end_ns: int = 100, end_ns: int = 100) -> dict[str, int]:
    found = timeline(events, thread=1, start_ns=0, body_end_ns=body_end_ns, end_ns=end_ns)
    return found.totals(0, end_ns)


def test_a_window_without_events_is_python() -> None:
    assert times() == {"python": 100}


def test_a_trace_ends_where_its_compile_begins_and_the_rest_is_python() -> None:
    events = [traced(10, 30), cut(30, 70), compiled(32, 60, phases={"trace": 3, "lower": 5, "compile": 20})]
    assert times(*events) == {"python": 40, "trace": 20 + 12 + 3, "lower": 5, "compile": 20}


def test_what_a_compile_spends_outside_its_phases_belongs_to_the_compile() -> None:
    assert times(compiled(0, 100, phases={"lower": 10, "compile": 20})) == {"lower": 10, "compile": 90}


def test_phases_never_reach_beyond_their_compile() -> None:
    assert times(compiled(0, 20, phases={"trace": 15, "lower": 15})) == {"trace": 15, "lower": 5, "python": 80}


def test_a_program_from_the_persistent_cache_was_read_and_not_compiled() -> None:
    assert times(compiled(0, 100, phases={"lower": 10}, cache="hit")) == {"lower": 10, "cache_read": 90}


def test_a_thread_executes_while_it_launches_and_while_a_read_waits_for_a_running_program() -> None:
    events = [executed(10, 15, 60), read(40, 70)]
    assert times(*events) == {"python": 10 + 25 + 30, "execute": 5 + 20, "read": 10}


def test_a_program_of_another_thread_keeps_a_read_waiting_but_is_not_launched_by_this_one() -> None:
    events = [executed(0, 30, 60, thread=OTHER), read(40, 70)]
    assert times(*events) == {"python": 70, "execute": 20, "read": 10}


def test_other_threads_take_no_time_of_this_one() -> None:
    assert times(compiled(0, 50, thread=OTHER), traced(0, 50, thread=OTHER), read(0, 50, thread=OTHER)) == {"python": 100}


def test_a_fallback_executes_except_while_it_reads_or_transfers() -> None:
    assert times(fell_back(0, 50), read(10, 20), transferred(20, 25)) == {"execute": 35, "read": 10, "transfer": 5, "python": 50}


def test_waiting_for_the_device_at_the_end_is_drain_whatever_else_happens() -> None:
    assert times(executed(50, 60, 90), body_end_ns=70) == {"python": 60, "execute": 10, "drain": 30}


def test_split_names_everything_in_one_order() -> None:
    assert list(split({"gc": 3})) == list(TIME_NAMES)
    assert split({"gc": 3})["gc"] == 3


def test_python_takes_no_more_than_the_thread_can_have_run() -> None:
    time = with_unexplained(split({"python": 80, "trace": 20}), cpu_ns=50)
    assert (time["python"], time["unexplained"], time["trace"]) == (50, 30, 20)


def test_a_thread_that_always_ran_leaves_nothing_unexplained() -> None:
    time = with_unexplained(split({"python": 80}), cpu_ns=100)
    assert (time["python"], time["unexplained"]) == (80, 0)


def test_a_chain_executes_where_it_does_not_compile() -> None:
    assert times(cut(0, 60), chained(10, 50, compiling=((15, 25),))) == {"trace": 20, "execute": 30, "compile": 10, "python": 40}
