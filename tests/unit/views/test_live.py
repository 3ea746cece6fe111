from collections.abc import Callable

import pytest

from factories import MS, collected, compiled, compiling, cut, executed, fell_back, read, site, sized, staged, stepped, transferred
from pages import assert_survives
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.progress import Progress, Tally
from x10_jupyter.views.live import doing, live_html, live_text

SHAPE = Cause(kind="shape", where="x", old="f32[32,784]", new="f32[17,784]", fix="Pad `x`.", site=site(7))


def training() -> Tally:
    """A loop whose fourth program takes long to compile."""
    tally = Tally(0)
    for index in range(3):
        tally.add([transferred(0, 1 * MS), compiled(index * 100 * MS, (index * 100 + 80) * MS, cause=SHAPE if index else Cause(kind="first"))])
    for index in range(124):
        start = (300 + index * 5) * MS
        tally.add([executed(start, start + 1, start + 4 * MS), stepped(start, start + 5 * MS, index)])
    tally.add([fell_back(919 * MS, 920 * MS), read(920 * MS, 921 * MS)])
    return tally


def during_a_compile() -> Progress:
    tally = training()
    for turn in range(6):
        tally.progress((400 + turn * 100) * MS)
    tally.add([compiling(1_000 * MS, cause=SHAPE)])
    return tally.progress(13_000 * MS)


def jitting() -> Progress:
    """Ordinary JAX, of which only the ends of its phases are known."""
    tally = Tally(0)
    tally.add([staged(0, 80 * MS), staged(0, 9 * MS, is_own=True), staged(90 * MS, 95 * MS, "lower"), collected(200 * MS, 210 * MS)])
    return tally.progress(4_095 * MS)


def large() -> Progress:
    """A loop that JAX compiles written out."""
    tally = Tally(0)
    tally.add([staged(0, 900 * MS, "trace", function="step"), sized(1_000 * MS, function="step"), staged(1_000 * MS, 3_000 * MS, "lower", function="step")])
    return tally.progress(13_000 * MS)


def silent() -> Progress:
    return training().progress(5_000 * MS)


def beginning() -> Progress:
    return Tally(0).progress(300 * MS)


def hostile() -> Progress:
    bad = "<script>alert('x')</script>&\"" + "y" * 30_000
    cause = Cause(kind="constant", where=bad, old=bad, new=bad, fix=bad, site=site(1, cell=None, function=bad))
    tally = Tally(0, bad)
    tally.add([compiled(0, 1, cause=cause, function=bad), compiling(5, cause=cause, function=bad), read(2, 3, how=bad, aval=bad)])
    return tally.progress(1_000 * MS)


@pytest.mark.parametrize("make", [during_a_compile, jitting, large, silent, beginning], ids=lambda make: make.__name__)
def test_it_looks_as_it_did(make: Callable[[], Progress], golden: Callable[[str, str], None]) -> None:
    golden(f"live_{make.__name__}.txt", live_text(make()))
    golden(f"live_{make.__name__}.html", live_html(make()))


@pytest.mark.parametrize("make", [during_a_compile, jitting, large, silent, beginning, hostile], ids=lambda make: make.__name__)
def test_it_is_small_and_survives_sanitizers(make: Callable[[], Progress]) -> None:
    text, html = live_text(make()), live_html(make())
    assert len(text.encode()) + len(html.encode()) <= 10_000
    assert len(text.splitlines()) <= 5
    assert "".join(assert_survives(html).words.split()) == "".join(text.split())


def test_the_first_line_says_what_is_compiled_and_why() -> None:
    expected = "Running for 13.0 s: compiling program 4 (`train`, 10 operations): 12.0 s, because `x` shape f32[32,784] → f32[17,784] at cell [4] line 7"
    assert live_text(during_a_compile()).splitlines()[0] == expected


def test_a_large_program_of_jax_is_told_with_its_size() -> None:
    told = "compiling `step`: 12.0 s, 2,007 operations, 2,000 of them from a loop written out 1,000 times at cell [4] line 5"
    assert live_text(large()).splitlines()[0] == f"Running for 13.0 s: {told}"


def test_a_large_program_of_the_runtime_is_told_with_its_size_and_cause() -> None:
    tally = Tally(0)
    tally.add([compiling(1_000 * MS, cause=SHAPE, ops=2_010), sized(1_000 * MS, maker="runtime")])
    what = "program 1 (`train`, 2,010 operations, 2,000 of them from a loop written out 1,000 times at cell [4] line 5)"
    assert doing(tally.progress(13_000 * MS)) == f"compiling {what}: 12.0 s, because `x` shape f32[32,784] → f32[17,784] at cell [4] line 7"
    tally.add([compiling(2_000 * MS, ops=1_500), sized(2_000 * MS, maker="runtime")])  # most of what was recorded is not in the program
    assert doing(tally.progress(13_000 * MS)) == "compiling program 1 (`train`, 1,500 operations): 11.0 s, for the first time"


def test_of_training_steps_the_line_that_takes_the_gradient_is_told() -> None:
    tally = Tally(0)
    tally.add([sized(0, maker="runtime", gradients=20, gradient_site=site(6))])
    told = "compiling `train`: 2.00 s, 2,007 operations, 2,000 of them from a loop written out 20 times at cell [4] line 6"
    assert doing(tally.progress(2_000 * MS)) == told


def test_a_program_that_is_not_that_large_has_its_size_alone() -> None:
    tally = Tally(0)
    tally.add([sized(0, ops=300, lines=())])
    assert doing(tally.progress(2_000 * MS)) == "compiling `train`: 2.00 s, 300 operations"


def test_or_since_when_nothing_was_recorded() -> None:
    assert live_text(silent()).splitlines()[0] == "Running for 5.00 s: nothing recorded for 4.08 s, since float() f32[] at cell [4] line 9"
    tally = Tally(0)
    tally.add([cut(0, 1, site=None)])
    assert live_text(tally.progress(2_000 * MS)).splitlines()[0] == "Running for 2.00 s: nothing recorded for 2.00 s"


@pytest.mark.parametrize(("steps", "said"), [(1, "0.5"), (15, "7.5"), (2480, "1,240")])
def test_rates(steps: int, said: str) -> None:
    tally = Tally(0)
    tally.add([stepped(0, index, index) for index in range(steps)])
    assert live_text(tally.progress(2_000 * MS)).splitlines()[1] == f"steps       {steps:,}, {said} a second"
