"""How floors above the runtime attach themselves to it."""

import subprocess
import sys

import pytest

from x10_jupyter.base.wiring import Wiring


def test_what_waits_is_called_once_when_the_runtime_is_ready() -> None:
    wiring, called = Wiring(), list[str]()
    wiring.when_ready(lambda: called.append("first"))
    wiring.when_ready(lambda: called.append("second"))
    assert called == []
    wiring.ready()
    wiring.ready()
    assert called == ["first", "second"]


def test_who_comes_later_is_called_at_once() -> None:
    wiring, called = Wiring(), list[str]()
    wiring.ready()
    wiring.when_ready(lambda: called.append("late"))
    assert called == ["late"]


@pytest.mark.parametrize(
    "how", ["import x10_jupyter.numpy", "import x10_jupyter as x10; x10.tensor", "import x10_jupyter.nn", "import x10_jupyter; x10_jupyter.capture"]
)
def test_registry_and_history_listen_as_soon_as_there_is_a_runtime(how: str) -> None:
    look = "from x10_jupyter.lazy.producer import EVENTS; print(len(EVENTS.sinks))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", f"{how}; {look}"], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"
