from factories import MS, OTHER, compiled, read, site, sized, staged
from x10_jupyter.diagnosis.alarm import HEARD, Alarm
from x10_jupyter.diagnosis.recurring import MOST
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event

AGAIN = Cause(kind="function_rebuilt", where="loss", fix="Define it outside the loop.", site=site(3))


def hear(*events: Event) -> list[str]:
    alarm = Alarm()
    return [alert.text for event in events for alert in alarm.hear(event)]


def test_a_large_program_is_told_before_it_is_compiled_and_once() -> None:
    alarm = Alarm()
    (alert,) = alarm.hear(sized(0))
    assert alert.site == site(5)
    assert alert.text == (
        "About to compile `train` of 2,007 operations, 2,000 of them from a loop written out 1,000 times at cell [4] line 5; "
        "XLA takes the longer the more there are, some 1 second for each thousand on a CPU. "
        "In `train`, at cell [4] line 5: write the loop as `jax.lax.scan` or `jax.lax.fori_loop`, so that its body is compiled once."
    )
    assert list(alarm.hear(sized(1))) == []
    assert "x10.barrier()" in hear(sized(0, maker="runtime"))[0]
    assert "x10.barrier()" in hear(sized(0, maker="runtime", gradients=20))[0]
    assert "x10.barrier()" in hear(sized(0, maker="runtime", gradients=10, gradients_there=10))[0]
    (within,) = hear(sized(0, maker="runtime", gradients=1))
    assert "x10.barrier()" not in within
    assert within.endswith("write the loop as `x10.lax.scan`; if it is one over layers, stack their parameters for it.")


def test_how_long_it_takes_is_told_by_what_was_compiled_before() -> None:
    told = hear(sized(0, function="small", ops=500, lines=()), compiled(0, 100 * MS, function="small"), sized(200 * MS))
    assert len(told) == 1
    assert "so far a thousand took 200 ms, so this may take 401 ms" in told[0]
    told = hear(sized(0, function="small", ops=500, lines=()), compiled(0, 100 * MS, function="small", cache="hit"), sized(200 * MS))
    assert "so far" not in told[0]


def test_recompiles_that_keep_coming_are_told_once() -> None:
    events = [compiled(at * 100 * MS, (at * 100 + 50) * MS, cause=AGAIN) for at in range(4 * MOST)]
    (text,) = hear(*events)
    assert text.startswith("`train` is compiled again and again: 6 times")
    assert text.endswith("define it outside the loop.")


def test_of_jax_all_phases_count() -> None:
    phases = [(0, 10, "trace"), (10, 20, "lower"), (20, 30, "compile")]
    events = [
        staged((at * 100 + start) * MS, (at * 100 + end) * MS, phase, **({"cause": AGAIN} if phase == "compile" else {}))
        for at in range(MOST + 1)
        for start, end, phase in phases
    ]
    (text,) = hear(*events)
    assert "which took 180 ms" in text
    assert hear(*[staged(at * MS, (at + 1) * MS, cause=AGAIN, is_own=True) for at in range(50)]) == []


def test_everything_else_says_nothing() -> None:
    assert hear(read(0, 1 * MS), sized(0, ops=300, lines=(), thread=OTHER)) == []
    assert len(HEARD) == 3
