"""Ctrl-C waits while something must not be torn apart."""

import signal
import threading
from collections.abc import Iterator
from types import FrameType

import pytest

from x10_jupyter.lazy.interrupts import HeldBack


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_comes_when_the_block_has_ended() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt):
        with HeldBack():
            signal.raise_signal(signal.SIGINT)
            done.append("inside")
        done.append("after")
    assert done == ["inside"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_one_nothing_happens_and_the_next_comes_at_once() -> None:
    with HeldBack():
        pass
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_handler_of_the_users_is_called_once_with_a_frame() -> None:
    heard: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: heard.append((number, frame)))
    with HeldBack():
        signal.raise_signal(signal.SIGINT)
        assert heard == []
    [(number, frame)] = heard
    assert number == signal.SIGINT
    assert frame is not None


@pytest.mark.parametrize("before", [signal.SIG_IGN, signal.SIG_DFL])
def test_what_is_no_python_stays(before: signal.Handlers) -> None:
    signal.signal(signal.SIGINT, before)
    with HeldBack():
        assert signal.getsignal(signal.SIGINT) is before
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_leave_it_alone() -> None:
    found: list[object] = []

    def run() -> None:
        with HeldBack():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]


def test_blocks_nest() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), HeldBack():
        with HeldBack():
            signal.raise_signal(signal.SIGINT)
        done.append("outer")
    assert done == ["outer"]
