"""`%%x10trace` in a real kernel: what it costs an empty cell, and what showing a running cell costs that cell."""

import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

sys.path.append(str(Path(__file__).parents[1]))  # where the tests' own modules lie

from factories import compiled, cut, executed, stepped, traced
from kernel import Kernel, started
from x10_jupyter.base.clock import ThreadCpuClock
from x10_jupyter.lazy.producer import CLOCK
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.progress import Tally
from x10_jupyter.views.live import live_html, live_text

PAIRS = 9
SETUP = """
%load_ext x10_jupyter
import threading
import time
import numpy as np
import x10_jupyter as x10

w = x10.tensor(np.ones((8, 8), np.float32))

def cpu_of_others():
    "Seconds of CPU time that Python's threads but this one have used so far."
    others = [thread.native_id for thread in threading.enumerate() if thread is not threading.current_thread()]
    return sum(int(open(f"/proc/self/task/{each}/schedstat").read().split()[0]) for each in others) / 1e9

def work(rounds):
    "Seconds of wall time that a fixed amount of work takes, in steps of about a millisecond, and of CPU time of Python's other threads meanwhile."
    global w
    start, others = time.perf_counter(), cpu_of_others()
    for _ in range(rounds):
        for _ in range(12):
            w = w * 0.5 + 1.0
        x10.barrier()
        sum(range(40_000))
    x10.barrier(wait=True)
    return time.perf_counter() - start, cpu_of_others() - others

work(50)
get_ipython().run_line_magic("x10trace", "--quiet pass")
"""


class Timed(Kernel):
    """A kernel whose cells tell numbers."""

    def number(self, expression: str) -> float:
        """What an expression is in the kernel."""
        reply = self.run(f"print({expression})")
        assert reply.status == "ok", reply.outputs
        return float(reply.outputs[0][1])


def work_ms(kernel: Timed, options: str, rounds: int) -> tuple[float, float]:
    """Milliseconds of wall time that a fixed amount of work takes under the magic, and of CPU time of other threads meanwhile."""
    reply = kernel.run(f"%%x10trace {options}\nwall, others = work({rounds})")
    assert reply.status == "ok", reply.outputs
    return kernel.number("wall") * 1e3, kernel.number("others") * 1e3


def empty_ms(kernel: Timed) -> tuple[float, float]:
    """Milliseconds of an empty cell: under the magic without a view, and what the view takes beside that."""
    cell = "t = time.perf_counter(); get_ipython().run_cell('{}'); took = (time.perf_counter() - t) * 1e3"
    found = []
    for _ in range(PAIRS):
        times = []
        for text in ("pass", "%%x10trace --quiet\\npass", "%%x10trace\\npass"):
            kernel.run(cell.format(text))
            times.append(kernel.number("took"))
        found.append(times)
    plain, quiet, shown = [min(column) for column in zip(*found, strict=True)]
    return quiet - plain, shown - quiet


def summary() -> tuple[float, float, int]:
    """CPU microseconds that the thread takes for one summary of 200 steps without sending it: for an event, and for the text and HTML; and bytes of those."""
    step = [traced(0, 1), cut(1, 2), executed(2, 3, 4), stepped(0, 4)]
    tally, clock = Tally(0), ThreadCpuClock()
    tally.add([compiled(0, 1, cause=Cause(kind="shape", where="x", old="f32[32,64]", new="f32[17,64]"))])
    adding, writing, sent = [], [], 0
    for _ in range(50):
        before = clock.now_ns()
        tally.add(step * 200)
        between = clock.now_ns()
        progress = tally.progress(CLOCK.now_ns())
        told = live_text(progress), live_html(progress)
        adding.append((between - before) / len(step) / 200e3)
        writing.append((clock.now_ns() - between) / 1e3)
        sent = sum(len(text.encode()) for text in told)
    return min(adding), median(writing), sent


def rows() -> Iterator[str]:
    """The table."""
    with started() as (_, client):
        kernel = Timed(client)
        reply = kernel.run(SETUP)
        assert reply.status == "ok", reply.outputs
        quiet, view = empty_ms(kernel)
        yield "| `%%x10trace` | | aim |"
        yield "| --- | ---: | ---: |"
        yield f"| around an empty cell, without showing it | {quiet:.2f} ms | 5 ms |"
        yield f"| its view, built and sent | {view:.2f} ms | |"
        rounds = round(3000 / work_ms(kernel, "--no-live", 200)[0] * 200)
        pairs = [(work_ms(kernel, "", rounds), work_ms(kernel, "--no-live", rounds)) for _ in range(PAIRS)]
        shown, still = [min(each[0] for each in column) for column in zip(*pairs, strict=True)]
        step_ms = still / rounds
        yield f"| a cell of {rounds:,} steps of {step_ms:.2f} ms, shown while it runs: more wall time, least of {PAIRS} | {shown / still - 1:+.2%} | 1 % |"
        yield f"| CPU time of the threads that show it, of its wall time, middle of {PAIRS} | {median(a[1] / a[0] - b[1] / b[0] for a, b in pairs):.2%} | 1 % |"
    event, text, sent = summary()
    yield f"| one summary of 200 steps: an event; text and HTML | {event:.2f} µs; {text:.0f} µs | 1 ms |"
    yield f"| what is sent each time | {sent / 1e3:.1f} kB | 10 kB |"
