import linecache
import queue
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from multiprocessing.pool import ThreadPool
from typing import Any

import pytest

from x10_jupyter.observe.awaiting import awaiting
from x10_jupyter.observe.standing import Place


def place(waits: Callable[[], object], go_on: Callable[[], object], wanted: str = "") -> Place | None:
    """Where a thread stands that waits.

    Args:
        waits: What it does.
        go_on: Lets it go on.
        wanted: What it waits by in the end, if it may wait by something else before.
    """
    thread = threading.Thread(target=waits)
    thread.start()
    assert thread.ident is not None
    found, last = None, None
    for _ in range(2_000):  # until it stands still
        time.sleep(0.005)
        frame = sys._current_frames().get(thread.ident)
        at = None if frame is None else (frame.f_code, frame.f_lasti)
        if frame is not None and at == last:
            found = awaiting(frame)
            if not wanted or (found is not None and found.how == wanted):
                break
        last = at
    go_on()
    thread.join()
    return found


def test_a_result_that_another_thread_makes() -> None:
    promise = Future[int]()

    def waits() -> None:
        promise.result()

    found = place(waits, lambda: promise.set_result(1))
    assert found is not None
    assert (found.how, found.kind, found.site.file) == (".result()", "thread", __file__)
    assert linecache.getline(found.site.file, found.site.line).strip() == "promise.result()"


def waiting(kind: str) -> tuple[Callable[[], object], Callable[[], object]]:
    """A way to wait, and what ends it."""
    done, items, promise, pool = threading.Event(), queue.Queue[int](), Future[int](), ThreadPoolExecutor(1)
    other = threading.Thread(target=done.wait)
    other.start()

    def leaves() -> None:
        with pool:
            pool.submit(done.wait)

    def maps() -> None:
        with ThreadPool(1) as several:
            several.map(lambda _: done.wait(), [1])

    ways: dict[str, Callable[[], Any]] = {
        ".join()": lambda: other.join(),
        ".wait()": lambda: done.wait(),
        ".get()": lambda: items.get(),
        "wait()": lambda: wait([promise]),
        "leaving its `with` block": leaves,
        ".map()": maps,
    }

    def end() -> None:
        done.set()
        items.put(1)
        promise.set_result(1)

    return ways[kind], end


@pytest.mark.parametrize("kind", [".join()", ".wait()", ".get()", "wait()", "leaving its `with` block", ".map()"])
def test_it_is_told_as_the_user_calls_it(kind: str) -> None:
    wanted = ".wait()" if kind == "wait()" else kind
    found = place(*waiting(kind), wanted)
    assert found is not None
    assert (found.how, found.site.file) == (wanted, __file__)


def test_what_may_wait_for_anything_is_not_told() -> None:
    end = threading.Event()
    lock = threading.Lock()
    lock.acquire()
    assert place(lambda: time.sleep(0.5), lambda: None) is None
    assert place(lambda: lock.acquire(), lock.release) is None
    end.set()


def test_code_that_is_nobodys_is_not_told() -> None:
    done = threading.Event()
    assert place(done.wait, done.set) is None, "Python's own, from end to end"
