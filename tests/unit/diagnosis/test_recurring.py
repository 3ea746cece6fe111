"""Recompiles that keep coming are told; a warm-up over a few shapes is not."""

from factories import FIRST, MS, capture, compiled, site, staged
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.diagnosis.recurring import MOST, MOST_OF_ALL, Recurring
from x10_jupyter.records.cause import Cause, Kind
from x10_jupyter.records.compile import Compile, from_event


class Loop:
    """Code that compiles and runs, by a clock of its own."""

    def __init__(self) -> None:
        self.clock, self.recurring = ManualClock(0), Recurring()
        self.told: list[str] = []

    def compile(self, *, ms: int = 100, why: Cause = FIRST, function: str = "train") -> None:
        start_ns = self.clock.now_ns()
        self.clock.advance(ms * MS)
        self.hear(from_event(compiled(start_ns, self.clock.now_ns(), cause=why, function=function)))

    def hear(self, one: Compile) -> None:
        text = self.recurring.hear(one)
        if text:
            self.told.append(text)

    def run(self, *, ms: int) -> None:
        self.clock.advance(ms * MS)


def shape(length: int, where: str = "x") -> Cause:
    return Cause(kind="shape", where=where, old=f"f32[{length - 8}]", new=f"f32[{length}]", fix="Pad it.", site=site(7))


def test_of_several_threads_it_is_told_that_they_compiled_side_by_side() -> None:
    loop = Loop()
    for at in range(MOST + 1):
        loop.hear(from_event(compiled(at * MS, (at + 90) * MS, cause=shape(16), thread=at % 2)))
    assert ": 6 times in 95.0 ms, which took 540 ms side by side on 2 threads. " in loop.told[0]


def test_a_warm_up_over_five_buckets_is_not_told_however_fast_they_come() -> None:
    loop = Loop()
    loop.compile()
    for length in (16, 32, 64, 128):
        loop.run(ms=1)
        loop.compile(why=shape(length))
    loop.run(ms=60_000)
    assert loop.told == []


def test_five_buckets_of_two_functions_are_not_told_either() -> None:
    loop = Loop()
    for function in ("train", "test"):
        loop.compile(function=function)
        for length in (16, 32, 64, 128):
            loop.compile(why=shape(length), function=function)
    assert loop.told == []


def test_recompiles_that_keep_coming_are_told_at_the_sixth_with_what_they_took_and_what_to_do() -> None:
    loop = Loop()
    loop.compile()
    for length in range(16, 16 + 8 * (MOST + 1), 8):
        assert loop.told == []
        loop.compile(why=shape(length))
        loop.run(ms=50)
    assert loop.told == [
        "`train` is compiled again and again: 6 times in 850 ms, which took 600 ms. "
        "The last cause: `x` shape f32[48] → f32[56] at cell [4] line 7. In `train`, at cell [4] line 7: pad it."
    ]


def test_those_between_which_known_programs_run_most_of_the_time_are_not_told() -> None:
    loop = Loop()
    for length in range(16, 200, 8):
        loop.compile(why=shape(length))
        loop.run(ms=1_200)
    assert loop.told == []


def test_many_causes_of_one_function_are_told_later() -> None:
    loop = Loop()
    kinds: list[Kind] = ["shape", "dtype", "pytree"]
    for number in range(MOST_OF_ALL + 1):
        assert loop.told == []
        loop.compile(why=Cause(kind=kinds[number % 3], where=f"x[{number}]"))
    assert len(loop.told) == 1


def test_first_times_eager_operations_and_what_nobody_knows_say_nothing() -> None:
    loop = Loop()
    for number in range(50):
        loop.compile(function=f"f{number}")
        events = [staged(number * MS, (number + 1) * MS, is_eager=True, cause=shape(8)), staged(number * MS, (number + 1) * MS, function="g")]
        for one in capture(*events).compiles:
            loop.hear(one)
    assert loop.told == []
