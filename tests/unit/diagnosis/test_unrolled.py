from dataclasses import replace

import pytest

from factories import site, sized
from x10_jupyter.diagnosis.unrolled import HUGE, HUGE_LOOP, PASSES, SEVERAL, Unrolled, described, in_hindsight, instead, unrolled
from x10_jupyter.records.size import TOLD_RECORDED, LineSize


def line(number: int, ops: int, passes: int) -> LineSize:
    return LineSize(site=site(number), ops=ops, passes=passes)


def test_a_loop_that_is_written_out() -> None:
    found = unrolled(sized(0, ops=2_050, lines=(line(5, 1_500, 500), line(6, 500, 500), line(7, 50, 10))))
    assert found == Unrolled(ops=2_050, repeated=2_000, passes=500, site=site(5), owned=1_500)
    assert found is not None
    assert found.avoidable == 1_996
    assert described("`step`", found) == "`step` of 2,050 operations, 2,000 of them from a loop written out 500 times at cell [4] line 5"


def test_a_loop_that_is_all_there_is() -> None:
    found = unrolled(sized(0, ops=2_000, lines=(line(5, 2_000, 500),)))
    assert found is not None
    assert described("`step`", found) == "`step` of 2,000 operations, all of them from a loop written out 500 times at cell [4] line 5"


def test_a_program_that_is_large_without_a_loop() -> None:
    found = unrolled(sized(0, ops=HUGE, lines=(line(5, 900, 15), line(6, 500, 2))))
    assert found == Unrolled(ops=HUGE, repeated=0, passes=0, site=site(5), owned=900)
    assert found is not None
    assert found.avoidable == HUGE
    assert described("`step`", found) == "`step` of 5,000 operations, 900 of them at cell [4] line 5"


@pytest.mark.parametrize(
    ("ops", "lines"),
    [
        (HUGE_LOOP - 1, (line(5, HUGE_LOOP - 1, 400),)),
        (HUGE - 1, (line(5, HUGE - 1, PASSES - 1),)),
        (2_753, (line(5, 600, 50), line(6, 700, 12))),
        (HUGE, ()),
    ],
    ids=["a short loop", "many different operations", "a model of fifty layers with little in each", "nothing known of its lines"],
)
def test_what_is_not_large(ops: int, lines: tuple[LineSize, ...]) -> None:
    assert unrolled(sized(0, ops=ops, lines=lines)) is None


def test_a_loop_of_lazy_tensors_is_large_sooner_once_it_is_compiled() -> None:
    lines = (line(5, TOLD_RECORDED, PASSES),)
    assert in_hindsight(sized(0, ops=TOLD_RECORDED, lines=lines, maker="runtime")) is not None
    assert in_hindsight(sized(0, ops=TOLD_RECORDED, lines=lines)) is None, "under `jax.jit` a loop is no matter of a barrier"
    assert in_hindsight(sized(0, ops=TOLD_RECORDED - 1, lines=lines, maker="runtime")) is None
    assert in_hindsight(sized(0, ops=TOLD_RECORDED, lines=(line(5, TOLD_RECORDED, PASSES - 1),), maker="runtime")) is None, "layers of a model"
    assert unrolled(sized(0, ops=TOLD_RECORDED, lines=lines, maker="runtime")) is None, "nobody is warned of it"


@pytest.mark.parametrize(("gradients", "is_large"), [(0, True), (1, False), (PASSES - 1, False), (PASSES, True), (500, True)])
def test_of_few_gradients_a_small_loop_is_within_them_and_is_layers_of_a_model(gradients: int, *, is_large: bool) -> None:
    lines = (line(5, HUGE_LOOP - 1, 500),)
    assert (in_hindsight(sized(0, ops=HUGE_LOOP - 1, lines=lines, maker="runtime", gradients=gradients)) is not None) is is_large


def test_of_few_gradients_the_loop_is_the_one_in_each_of_them() -> None:
    event = sized(0, ops=2_000, lines=(line(5, 1_000, 240), line(6, 900, 4 * PASSES - 1)), maker="runtime", gradients=4)
    assert unrolled(event) == Unrolled(ops=2_000, repeated=1_000, passes=60, site=site(5), owned=1_000)


def test_of_many_gradients_the_loop_is_that_of_the_steps_and_is_told_where_the_gradient_is_taken() -> None:
    lines = (line(5, 1_900, 800), line(6, 100, 20))
    event = sized(0, ops=2_000, lines=lines, maker="runtime", gradients=20, gradient_site=site(6))
    assert unrolled(event) == Unrolled(ops=2_000, repeated=2_000, passes=20, site=site(6), owned=1_900)
    assert unrolled(replace(event, gradient_site=None)) == Unrolled(ops=2_000, repeated=2_000, passes=20, site=site(5), owned=1_900)
    assert unrolled(replace(event, gradients=1)) == Unrolled(ops=2_000, repeated=2_000, passes=800, site=site(5), owned=1_900)


def test_a_few_gradients_of_one_line_are_steps_of_a_short_loop() -> None:
    lines = (line(5, 1_800, 600), line(6, 100, 10), line(7, 100, 1))
    event = sized(0, ops=2_000, lines=lines, maker="runtime", gradients=10, gradient_site=site(6), gradients_there=10)
    found = unrolled(event)
    assert found is not None
    assert found == Unrolled(ops=2_000, repeated=1_900, passes=10, site=site(6), owned=1_800)
    assert in_hindsight(event) == found
    assert "put `x10.barrier()` at the end of the loop's body" in instead(event, found)
    apart = replace(event, gradients_there=SEVERAL - 1)
    within = unrolled(apart)
    assert within is not None and (within.site, within.passes) == (site(5), 60), "several lines take them: the loop is within each"
    assert "barrier" not in instead(apart, within)
    assert in_hindsight(sized(0, ops=HUGE_LOOP - 1, lines=lines, maker="runtime", gradients=10, gradients_there=10)) is None, "as nobody is warned of it"


def test_a_line_that_is_known_is_told_before_one_that_is_not() -> None:
    unknown = LineSize(site=None, ops=1_500, passes=500)
    assert unrolled(sized(0, ops=2_000, lines=(unknown, line(5, 500, 500)))) == Unrolled(ops=2_000, repeated=2_000, passes=500, site=site(5), owned=500)
    found = unrolled(sized(0, ops=2_000, lines=(unknown, line(5, 500, 3))))
    assert found is not None and found.site is None, "else a loop would be told where none is"


def test_what_to_write_instead() -> None:
    said: dict[tuple[str, int], tuple[str, str]] = {}
    for maker, gradients in (("runtime", 0), ("runtime", 1), ("runtime", PASSES - 1), ("runtime", PASSES), ("jax", 0)):
        events = [sized(0, maker=maker, gradients=gradients), sized(0, ops=HUGE, lines=(line(5, 900, 1),), maker=maker, gradients=gradients)]
        found = [unrolled(event) for event in events]
        of_loop, other = [instead(event, one) for event, one in zip(events, found, strict=True) if one is not None]
        said[maker, gradients] = of_loop, other
    assert said["runtime", 0] == said["runtime", PASSES]
    assert said["runtime", 0] == (
        "put `x10.barrier()` at the end of the loop's body, or write the loop as `x10.lax.scan`",
        "put `x10.barrier()` between its parts",
    )
    assert said["runtime", 1] == said["runtime", PASSES - 1]
    assert said["runtime", 1] == (
        "write the loop as `x10.lax.scan`; if it is one over layers, stack their parameters for it",
        "stack what repeats and use `x10.lax.scan`",
    )
    assert all("jax.lax.scan" in one for one in said["jax", 0])
