"""Cells under `%%x10trace` in a real kernel: they behave as without it, show what goes on, and leave nothing behind."""

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kernel import Kernel, Reply, started
from x10_jupyter.session.result import load_capture

COLOUR = re.compile(r"\x1b\[[\d;]*m")
SETUP = """
%load_ext x10_jupyter
import asyncio, threading
import numpy as np
import x10_jupyter as x10
from IPython.display import clear_output
from x10_jupyter.lazy.producer import EVENTS

pub = get_ipython().display_pub
shown = threading.Event()

def published(*args, _publish=pub.publish, **more):
    _publish(*args, **more)
    if more.get("transient"):
        shown.set()

pub.publish = published

def until_shown():
    "Returns when something was shown under the cell while it runs."
    shown.clear()
    assert shown.wait(60)

def state():
    "What a cell could leave behind."
    return EVENTS.sinks, EVENTS.wanted, len(pub._hooks), [one.name for one in threading.enumerate() if "x10" in one.name and "live" in one.name]

def names():
    return {name for name in get_ipython().user_ns if not name.startswith("_i")}

def recompile(*sizes):
    for size in sizes:
        float(x10.tensor(np.ones(size, np.float32)).sum())

clean = state()
"""


@pytest.fixture(scope="module")
def notebook() -> Iterator[tuple[Kernel, Any]]:
    with started() as (manager, client):
        made = Kernel(client)
        assert made.run(SETUP) == Reply("ok", 1)
        yield made, manager


@pytest.fixture
def kernel(notebook: tuple[Kernel, Any]) -> Iterator[Kernel]:
    """Names are those of the set-up before each test, and after it nothing listens that did not before."""
    made, _ = notebook
    made.run("known = None\nknown = names()")
    yield made
    assert value(made, "state() == clean") == "True"
    made.run("for one in names() - known: del get_ipython().user_ns[one]")


def value(kernel: Kernel, expression: str) -> str:
    """What an expression shows."""
    reply = kernel.run(f"print({expression})")
    assert reply.status == "ok", reply.outputs
    return reply.outputs[0][1].strip()


def test_future_imports(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace --quiet\nfrom __future__ import annotations\ndef f(x: undefined): pass\nf.__annotations__")
    assert reply.outputs == [("execute_result", "{'x': 'undefined'}")]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%%x10trace --quiet\n%%capture said\nprint('hi')\nx = 3", [("stdout", "hi 3\n")]),
        ("%%capture said\n%%x10trace\nprint('hi')\nx = 3", [("stdout", "hi 3\n")]),
    ],
)
def test_capture_beneath_and_above(kernel: Kernel, cell: str, expected: list[tuple[str, str]]) -> None:
    assert kernel.run(cell) == Reply("ok", kernel.run("pass").number - 1)
    assert kernel.run("print(said.stdout.strip(), x)").outputs == expected


def test_capture_above_keeps_the_view_and_nothing_of_what_went_on(kernel: Kernel) -> None:
    kernel.run("%%capture said\n%%x10trace\nx = 3")
    assert value(kernel, "len(said.outputs), said.outputs[0].data['text/plain'] == str(_x10)") == "1 True"


@pytest.mark.parametrize("cell", ["%%time\n%%x10trace --quiet\nx = 3", "%%x10trace --quiet\n%%time\nx = 3"])
def test_time_above_and_beneath(kernel: Kernel, cell: str) -> None:
    reply = kernel.run(cell)
    assert reply.status == "ok"
    assert "Wall time" in "".join(text for _, text in reply.outputs)
    assert value(kernel, "x, _x10.error") == "3 None"


def test_help_runs_nothing(kernel: Kernel) -> None:
    kernel.run("_x10 = None")
    reply = kernel.run("%%x10trace -h\nx = 3")
    assert reply.outputs[0][1].startswith("usage: %%x10trace")
    assert value(kernel, "'x' in names(), _x10") == "False None"


def test_an_error_leaves_no_name(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace --no-live\ny = 1 / 0")
    assert [kind for kind, _ in reply.outputs] == ["display_data", "error"]
    assert value(kernel, "sorted(names() - known - {'_x10'})") == "[]"
    assert value(kernel, "sorted(one for one in get_ipython().user_ns_hidden if 'x10' in one)") == "[]"


def test_a_syntax_error_is_told_once_with_its_line(kernel: Kernel) -> None:
    kernel.run("_x10 = None")
    reply = kernel.run("%%x10trace\nx = 1\ny = = 2")
    assert reply.status == "error"
    ((kind, text),) = reply.outputs
    assert kind == "error"
    text = COLOUR.sub("", text)
    assert ", line 3\n" in text
    assert text.count("SyntaxError") == 1
    assert value(kernel, "_x10") == "None"


def test_a_semicolon_hides_the_value(kernel: Kernel) -> None:
    assert kernel.run("%%x10trace --quiet\n42;").outputs == []


def test_a_capture_inside_a_capture(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace -o outer\nrecompile(2)\nfor size in (3, 4):\n    %x10trace -o inner recompile(size)")
    assert reply.status == "ok"
    assert [kind for kind, _ in reply.outputs] == ["display_data"] * 3
    assert value(kernel, "len(inner.compiles), len(outer.compiles) >= 2, _x10 is outer") in {"1 True True", "0 True True"}
    reply = kernel.run("%%x10trace -o outer --quiet\n%%x10trace -o inner --quiet\nrecompile(5)\n1 / 0")
    assert reply.status == "error"
    assert value(kernel, "inner.error == outer.error, len(inner.events) <= len(outer.events)") == "True True"


def test_several_cells_in_flight(kernel: Kernel) -> None:
    """Each waits for the other: they begin and end by turns, and each has its own capture."""
    kernel.run("""
def cell(text):
    shell = get_ipython()
    return shell.run_cell_async(text, transformed_cell=shell.transform_cell(text))

first, second = asyncio.Event(), asyncio.Event()
a = "%%x10trace a --quiet -o a\\nawait first.wait()\\nrecompile(11)\\nsecond.set()"
b = "%%x10trace b --quiet -o b\\nfirst.set()\\nawait second.wait()\\n1 / 0"
""")
    reply = kernel.run("results = await asyncio.gather(cell(a), cell(b))\nprint([one.success for one in results], a.error, b.error)")
    assert ("stdout", "[True, False] None ZeroDivisionError: division by zero\n") in reply.outputs
    assert value(kernel, "a.name, b.name, a.start_ns < b.start_ns < a.body_end_ns < b.body_end_ns") == "a b True"


def test_what_goes_on_is_replaced_by_what_happened(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace\nuntil_shown()\nuntil_shown()\n6 * 7")
    assert [kind for kind, _ in reply.outputs] == ["display_data", "execute_result"]
    assert reply.outputs[0][1].splitlines() == value(kernel, "_x10").splitlines()
    live = [message for message in reply.displays if message["msg_type"] != "execute_result"]
    assert [message["msg_type"] for message in live] == ["display_data", *["update_display_data"] * (len(live) - 1)]
    assert len({message["content"]["transient"]["display_id"] for message in live}) == 1
    assert all(message["content"]["data"]["text/plain"].startswith("Running for") for message in live[:-1])
    assert all(sum(len(text.encode()) for text in message["content"]["data"].values()) <= 10_000 for message in live[:-1])


def test_a_compile_is_shown_while_it_runs(kernel: Kernel) -> None:
    code = "y = x10.tensor(np.ones((50, 50), np.float32))\nfor i in range(600): y = x10.numpy.tanh(y @ y) + float(i)\nx10.barrier()"
    reply = kernel.run(f"%%x10trace\n{code}")
    said = [message["content"]["data"]["text/plain"] for message in reply.displays]
    assert any("compiling program 1 (cell [" in text.splitlines()[0] and text.splitlines()[0].endswith("for the first time") for text in said[:-1])


def test_cleared_output_brings_the_view_anew(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace\nuntil_shown()\nclear_output()\nprint('after')")
    assert [kind for kind, _ in reply.outputs] == ["stdout", "display_data"]
    assert [message["msg_type"] for message in reply.displays][-1] == "display_data"


def test_without_live_nothing_comes_before_the_end(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace --no-live\nprint(state()[2:] == clean[2:])")
    assert reply.outputs[0] == ("stdout", "True\n")
    assert [message["content"]["transient"] for message in reply.displays] == [{}]
    reply = kernel.run("%%x10trace\nprint(state()[2:] == clean[2:])")
    assert reply.outputs[0] == ("stdout", "False\n")


def test_a_cell_that_raises_or_is_interrupted_shows_its_view_and_then_the_traceback(kernel: Kernel, notebook: tuple[Kernel, Any]) -> None:
    reply = kernel.run("%%x10trace\nuntil_shown()\n1 / 0")
    assert (reply.status, [kind for kind, _ in reply.outputs]) == ("error", ["display_data", "error"])
    assert reply.outputs[0][1].startswith("Stopped by ZeroDivisionError")
    get = kernel.client.get_iopub_msg
    shown = count()

    def listen(timeout: float) -> Any:
        message = get(timeout=timeout)
        # Python drops an interrupt that falls into a callback of the collector, as JAX has one; then the user presses again.
        if message["msg_type"] in {"display_data", "update_display_data"} and next(shown) % 50 == 0:
            notebook[1].interrupt_kernel()
        return message

    kernel.client.get_iopub_msg = listen
    try:
        reply = kernel.run("%%x10trace\nwhile True:\n    x = x10.tensor(np.ones(3)) + 1")
    finally:
        kernel.client.get_iopub_msg = get
    dropped = "".join(text for kind, text in reply.outputs if kind == "stderr")
    assert not dropped or dropped.startswith("Exception ignored in")
    outputs = [(kind, text) for kind, text in reply.outputs if kind != "stderr"]
    assert (reply.status, [kind for kind, _ in outputs]) == ("error", ["display_data", "error"])
    assert outputs[0][1].startswith("Stopped by KeyboardInterrupt")
    assert "KeyboardInterrupt" in outputs[1][1]


def test_a_capture_is_saved(kernel: Kernel, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    kernel.run(f"%%x10trace saved --quiet --save '{path}' -o mine\nrecompile(21, 22)")
    loaded = load_capture(path)
    assert (loaded.name, len(loaded.events)) == ("saved", int(value(kernel, "len(mine.events)")))
    reply = kernel.run(f"%%x10trace --save '{tmp_path}/no/one.json'\nnever = 1")
    assert reply.status == "error"
    assert "Make" in reply.outputs[0][1]
    assert value(kernel, "'never' in names()") == "False"


def test_graphs_and_where_two_part(kernel: Kernel) -> None:
    kernel.run("%%x10trace --quiet --graph-format hlo\nrecompile(31, 32)")
    reply = kernel.run("%x10graph --diff 1 2")
    assert reply.outputs[0][1].splitlines()[1:] == ["was f32[31], at cell [1] line 32", "is  f32[32], at cell [1] line 32"]
    assert "HloModule" in kernel.run("%x10graph 2 --format hlo").outputs[0][1]


def test_recompiles_over_the_limit_are_an_error_after_the_view(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace --no-live --max-recompiles 0\nrecompile(41, 42)")
    assert (reply.status, [kind for kind, _ in reply.outputs]) == ("error", ["display_data", "error"])
    assert f"At most 0 recompiles of functions and lazy traces may happen in cell [{reply.number}]; got " in reply.outputs[1][1]
    assert kernel.run("%%x10trace --quiet --max-recompiles 9\nrecompile(43, 44)").status == "ok"


def test_an_unknown_option_runs_nothing(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace --no-life\nx = 1")
    assert (reply.status, reply.outputs) == ("error", [("stderr", "UsageError: unrecognized arguments: --no-life. Did you mean --no-live?\n")])
    assert value(kernel, "'x' in names()") == "False"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("%%x10trace --q", ["%%x10trace --quiet"]),
        ("%%x10trace warm --max", ["%%x10trace warm --max-recompiles"]),
        ("%x10trace --no", ["%x10trace --no-live"]),
        ("x = %x10trace --no", ["x = %x10trace --no-live"]),
        ("%x10metrics --since l", ["%x10metrics --since load"]),
        ("%x10metrics TransferTo", ["%x10metrics TransferToDeviceTime"]),
        ("%x10config XLA_SAVE_TENSORS_FI", ["%x10config XLA_SAVE_TENSORS_FILE="]),
        ("%x10explain --a", ["%x10explain --all"]),
        ("%x10graph --format=sta", ["%x10graph --format=stablehlo"]),
    ],
)
def test_options_are_completed(kernel: Kernel, code: str, expected: list[str]) -> None:
    found = kernel.completed(code)
    assert set(expected) <= set(found)
    assert all(one.startswith(code) for one in found)


def test_unloading_leaves_nothing(kernel: Kernel) -> None:
    kernel.run("%unload_ext x10_jupyter")
    assert "%%x10trace --quiet" not in kernel.completed("%%x10trace --q")
    assert value(kernel, "get_ipython().Completer.custom_matchers, len(pub._hooks)") == "[] 0"
    assert kernel.run("%%x10trace\nx = 1").status == "error"
    assert kernel.run("%load_ext x10_jupyter").status == "ok"


def test_under_magics_that_time_code_the_lines_are_those_of_the_cell(kernel: Kernel) -> None:
    """Not `<timed exec>:2`."""
    for magic in ("%%time", "%%timeit -n1 -r1", "%%prun -q", "%%capture"):
        reply = kernel.run(f"%%x10trace --quiet\n{magic}\nimport jax, numpy as np\njax.jit(lambda x: x + 1)(np.ones(3))")
        assert value(kernel, "[str(one.call_site) for one in _x10.compiles]") == f"['cell [{reply.number}] line 4']", magic
