"""Threads each have their trace, and share tensors and programs."""

import logging
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, forget

THREADS = 5
ROUNDS = 30


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns as often as Python allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_values_and_causes_are_right_in_every_thread(restless: None, caplog: pytest.LogCaptureFixture) -> None:
    """Each thread chains shared tensors in its own random order, so that each looks up leaves that another has just looked up in its own trace.

    The store of programs once failed under a thread that explained a compile while another one added a program.
    """
    forget()
    caplog.set_level(logging.WARNING, logger="x10_jupyter")
    shared = [x10.tensor(np.full(4, i, np.float32)) for i in range(12)]
    wrong: list[object] = []

    def chain(seed: int) -> None:
        random = np.random.default_rng(seed)
        try:
            for _ in range(ROUNDS):
                order = random.integers(0, len(shared), random.integers(2, 8))
                ours, numpys = shared[order[0]], np.full(4, order[0], np.float32)
                for i in order[1:]:
                    ours, numpys = ours * 0.5 + shared[i], numpys * np.float32(0.5) + np.float32(i)
                if not np.array_equal(np.asarray(ours), numpys):
                    wrong.append((seed, order))
        except Exception as error:  # noqa: BLE001 - a thread's error would be lost
            wrong.append(error)

    threads = [threading.Thread(target=chain, args=(seed,)) for seed in range(THREADS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []
    assert caplog.records == []


def test_a_program_of_another_thread_is_found_and_a_change_is_named() -> None:
    forget()

    def step(rows: int) -> x10.Tensor:
        y = x10.tensor(np.ones((rows, 3), np.float32)) * 2.0 + 1.0
        x10.barrier()
        return y

    def in_a_thread(rows: int) -> None:
        thread = threading.Thread(target=step, args=(rows,))
        thread.start()
        thread.join()

    step(4)
    assert causes(lambda: in_a_thread(4)) == []
    [cause] = causes(lambda: in_a_thread(5))
    assert (cause.kind, cause.old, cause.new) == ("shape", "f32[4,3]", "f32[5,3]")
