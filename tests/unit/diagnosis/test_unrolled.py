import pytest

from factories import site, sized
from x10_jupyter.diagnosis.unrolled import HUGE, HUGE_LOOP, PASSES, Unrolled, described, in_hindsight, instead, unrolled
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


def test_what_to_write_instead() -> None:
    said = {instead(is_lazy=is_lazy, is_loop=is_loop) for is_lazy in (True, False) for is_loop in (True, False)}
    assert len(said) == 4
    assert ["scan" in one for one in sorted(said)].count(True) == 3
