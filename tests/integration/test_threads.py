"""Captures of code that compiles on other threads, and several captures at once."""

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.records.process_events import Collected, Read, Staged, Waited
from x10_jupyter.session.result import Capture

MAKING = ("trace", "lower", "compile", "cache_read")


def slow_to_compile() -> Any:
    """A function that takes some tenths of a second to compile for each shape, and nothing to run."""

    def step(x: jax.Array) -> jax.Array:
        for number in range(30):
            x = jnp.sin(x @ x.T @ x) + number
        return x

    return jax.jit(step)


def of_a_pool(step: Any, sizes: range) -> None:
    def work(size: int) -> Any:
        return step(np.ones((size, 4), np.float32))

    with ThreadPoolExecutor(2) as pool:
        for result in [pool.submit(work, size) for size in sizes]:
            result.result()


def of_a_thread(step: Any, sizes: range) -> None:
    def work() -> None:
        for size in sizes:
            step(np.ones((size, 4), np.float32))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def of_a_loader(step: Any, sizes: range) -> None:
    batches = queue.Queue[Any](1)

    def load() -> None:
        for size in sizes:
            batches.put(step(np.ones((size, 4), np.float32)))

    threading.Thread(target=load).start()
    for _ in sizes:
        batches.get()


def written_down_anew(made: Capture) -> int:
    """How long the capturing thread waited while another one made programs, and did nothing that counts more, piece by piece, in nanoseconds."""
    waits = [event for event in made.events if isinstance(event, Waited) and event.thread == made.thread]
    makes = [event for event in made.events if isinstance(event, Staged) and event.thread != made.thread]
    more = [event for event in made.events if isinstance(event, Collected | Read) and event.thread == made.thread]
    bounds = sorted({at for event in (*waits, *makes, *more) for at in (event.start_ns, event.end_ns) if made.start_ns <= at <= made.body_end_ns})

    def any_covers(events: list[Any], start_ns: int) -> bool:
        return any(event.start_ns <= start_ns < event.end_ns for event in events)

    pieces = [(start, end) for start, end in pairwise(bounds) if any_covers(waits, start) and any_covers(makes, start) and not any_covers(more, start)]
    return sum(end - start for start, end in pieces)


@pytest.mark.parametrize(
    ("run", "how"), [(of_a_pool, ".result()"), (of_a_thread, ".join()"), (of_a_loader, ".get()")], ids=["a pool", "a thread", "a thread that loads data"]
)
def test_a_wait_for_threads_that_compile_is_told_as_that_with_cause_and_line(run: Callable[[Any, range], None], how: str) -> None:
    step = slow_to_compile()
    with x10.capture() as capturing:
        run(step, range(3, 7))
    made = capturing.capture
    assert sum(made.time.values()) == made.wall_ns
    assert sum(made.time[name] for name in MAKING) == written_down_anew(made)
    assert sum(made.time[name] for name in MAKING) > 0.5 * made.wall_ns
    found = next(one for one in made.findings if "`x` shape" in one.title)
    assert (found.kind, made.findings[0].kind, found.share > 0.1) == ("recompile", "recompile", True)
    assert found.title.startswith("compiling `step` again, ")
    assert ": `x` shape f32[" in found.title
    assert " at test_threads.py:" in found.title
    assert f"made on another thread, while this one waited by {how} at test_threads.py:" in found.evidence_against[-1]
    assert sum(one.share for one in made.findings) <= 1
    assert "on another thread: `x` shape" in str(made) or "on other threads: `x` shape" in str(made)


def test_a_function_that_is_handed_to_a_pool_is_told_where_it_is_defined() -> None:
    step = slow_to_compile()
    with x10.capture() as capturing, ThreadPoolExecutor(1) as pool:
        for size in (3, 4):
            pool.submit(step, np.ones((size, 4), np.float32)).result()
    (found,) = [one for one in capturing.capture.findings if "`x` shape" in one.title]
    assert found.site is not None
    assert found.advice.startswith(f"In `step`, at test_threads.py:{found.site.line}: ")
    assert found.site.line == slow_to_compile.__code__.co_firstlineno + 3


def test_what_compiles_beside_this_thread_costs_it_nothing_and_is_told_as_that() -> None:
    step = slow_to_compile()
    step(np.ones((2, 4), np.float32))
    thread = threading.Thread(target=lambda: step(np.ones((3, 4), np.float32)))
    with x10.capture() as capturing:
        thread.start()
        while thread.is_alive():
            time.sleep(0.01)  # nobody knows that this waits for the thread
    made = capturing.capture
    assert [one.function for one in made.compiles] == ["step"]
    assert sum(made.time[name] for name in MAKING) < 0.05 * made.wall_ns, "at most until it had begun"
    assert not {"recompile", "warm_up", "compile"} & {one.kind for one in made.findings}
    assert "on another thread" in str(made)
    assert "on another thread" in made.bundle()["text/html"]


def test_two_captures_at_once_tell_of_their_own_threads() -> None:
    step, made = slow_to_compile(), dict[int, Capture]()
    gate = threading.Barrier(2)

    def run(size: int) -> None:
        gate.wait()
        with x10.capture(str(size)) as capturing:
            for rows in (size, size + 1):
                step(np.ones((rows, 4), np.float32))
        made[size] = capturing.capture

    threads = [threading.Thread(target=run, args=(size,)) for size in (3, 30)]
    with x10.capture() as capturing:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for one in made.values():
        assert [(each.function, each.thread) for each in one.compiles] == [("step", one.thread)] * 2
        assert {event.thread for event in one.events if isinstance(event, Staged | Waited)} == {one.thread}
        assert sum(one.time.values()) == one.wall_ns
        assert one.beside == 2
        assert "2 other captures were open on other threads" in str(one)
    outer = capturing.capture
    assert len(outer.compiles) == 4, "it waited for both"
    assert sum(outer.time[name] for name in MAKING) > 0.5 * outer.wall_ns
