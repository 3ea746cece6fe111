from factories import MS, OTHER, capture, compiled, sized
from x10_jupyter.diagnosis.sizes import per_thousand
from x10_jupyter.diagnosis.sizes import sized as pairs


def test_a_compile_goes_with_what_was_told_when_it_began() -> None:
    made = capture(
        compiled(0, 10 * MS), sized(20 * MS, ops=300), compiled(20 * MS, 30 * MS), sized(45 * MS, ops=400), compiled(40 * MS, 50 * MS), sized(60 * MS),
    )  # fmt: skip
    assert [(one.start_ns, event.ops) for one, event in pairs(made)] == [(20 * MS, 300), (40 * MS, 400)]


def test_another_function_or_thread_is_another_thing() -> None:
    assert pairs(capture(sized(0, function="test"), sized(0, thread=OTHER), compiled(0, 10 * MS))) == []


def test_what_compiling_costs_by_size() -> None:
    made = capture(
        sized(0, ops=500), compiled(0, 10 * MS), sized(20 * MS, ops=1_500), compiled(20 * MS, 50 * MS), sized(60 * MS), compiled(60 * MS, 61 * MS, cache="hit")
    )
    assert per_thousand(pairs(made)) == 0.04 / 2
    assert per_thousand([]) is None
