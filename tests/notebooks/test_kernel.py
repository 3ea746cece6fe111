"""The magic in a real kernel, as a notebook's front end sees it."""

from collections.abc import Iterator
from queue import Empty

import pytest

from kernel import Kernel, Page, Reply, started


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with started() as (_, client):
        made = Kernel(client)
        assert made.run("%load_ext x10_jupyter\nfrom x10_jupyter.base.frames import Cells, user_frame") == Reply("ok", 1)
        yield made


def test_the_value_and_under_it_the_view(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace\n6 * 7")
    assert reply.status == "ok"
    assert [kind for kind, _ in reply.outputs] == ["execute_result", "display_data"]
    assert reply.outputs[0][1] == "42"
    assert reply.outputs[1][1].partition("\n")[0].endswith("; nothing compiled")


def test_a_failing_cell_shows_its_view_then_the_traceback_and_is_an_error(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace\nx = 1\nx / 0")
    assert reply.status == "error"
    assert [kind for kind, _ in reply.outputs] == ["display_data", "error"]
    assert reply.outputs[0][1].startswith("Stopped by ZeroDivisionError: division by zero. ")
    traceback = reply.outputs[1][1]
    assert "line 3" in traceback or "3\x1b" in traceback
    assert "x10_jupyter" not in traceback


def test_await_at_top_level(kernel: Kernel) -> None:
    reply = kernel.run("%%x10trace --quiet\nimport asyncio\nawait asyncio.sleep(0, 'done')")
    assert (reply.status, reply.outputs) == ("ok", [("execute_result", "'done'")])


def test_a_line_is_told_by_the_number_of_its_cell(kernel: Kernel) -> None:
    where = "f = user_frame(); print(Cells.number(f.f_code.co_filename), f.f_lineno)"
    first = kernel.run(f"%%x10trace --quiet\n\n{where}")
    assert first.outputs == [("stdout", f"{first.number} 3\n")]
    second = kernel.run(f"x = 1\n%x10trace --quiet {where}")
    assert second.outputs == [("stdout", f"{second.number} 2\n")]
    assert second.number == first.number + 1


def test_the_metrics_report_appears_in_the_cell(kernel: Kernel) -> None:
    setup = "import numpy as np; import x10_jupyter as x10; y = x10.tensor(np.ones(3)) + 1; x10.barrier()"
    reply = kernel.run(f"{setup}\nx10.PrintX10Metrics()")
    ((stream, text),) = reply.outputs
    assert stream == "stdout"  # the other one stands on red
    assert text.startswith("Metrics:\nMetric: CompileTime\n  TotalSamples: ")
    assert text.count("Counter: MarkStep\n  Value: ") == 1
    reply = kernel.run("x10.barrier()\n%x10metrics --since cell MarkStep")
    assert reply.outputs == [("stdout", f"Since cell [{reply.number}] began:\nCounter: MarkStep\n  Value: 1\n")]


def test_no_message_is_left_over(kernel: Kernel) -> None:
    kernel.run("pass")
    with pytest.raises(Empty):
        kernel.client.get_shell_msg(timeout=0)


def test_what_one_print_sends_in_two_messages_is_one_output() -> None:
    page = Page()
    for name, text in (("stdout", "0"), ("stdout", "\n"), ("stderr", "no"), ("stdout", "1")):
        page.take({"msg_type": "stream", "content": {"name": name, "text": text}})
    assert page.outputs == [("stdout", "0\n"), ("stderr", "no"), ("stdout", "1")]
