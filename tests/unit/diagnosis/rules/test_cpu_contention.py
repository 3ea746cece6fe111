from dataclasses import replace

from factories import ENVIRONMENT, MS, capture, read
from x10_jupyter.diagnosis.engine import found
from x10_jupyter.diagnosis.rules.cpu_contention import claims


def test_a_thread_without_a_core() -> None:
    made = capture(read(0, 40 * MS, is_jax=True, ready_ns=40 * MS, queued_ns=10 * MS), cpu_ns=35 * MS, queued_ns=30 * MS)
    (one,) = found(made, (claims,))
    assert (one.kind, one.share, one.seconds) == ("cpu_contention", 0.2, 0.02)
    assert one.evidence_for[0] == "By the system's count the thread was ready to run and had no core for 30.0 ms of 100 ms."
    assert one.evidence_for[1] == "In 20.0 ms of it, it did nothing that any event tells of but Python."
    assert one.evidence_against[0] == "There are 2 cores; whose threads had them is not known."
    assert len(one.evidence_against) == 2
    other = replace(made, environment=replace(ENVIRONMENT, platform="gpu"))
    assert len(found(other, (claims,))[0].evidence_against) == 1


def test_nobody_waited_or_nobody_tells() -> None:
    assert claims(capture(cpu_ns=35 * MS)) == []
    assert claims(capture(queued_ns=30 * MS)) == []
