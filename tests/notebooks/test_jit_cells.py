"""Cells of ordinary JAX in a real kernel: causes reach back to cells that were not traced, whatever happens to a cell, and nothing stays behind."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernel import Interruptible, Kernel, started

SETUP = """
import jax
import numpy as np
from jax._src import monitoring, pjit
def hooks():
    counts = [len(get()) for get in (monitoring.get_event_listeners, monitoring.get_event_duration_listeners, monitoring.get_scalar_listeners)]
    return [*counts, pjit._trace_for_jit.__name__]
before = hooks()
%load_ext x10_jupyter
x4, x5, x6 = (np.ones(n, np.float32) for n in (4, 5, 6))
def told():
    found = [(one, one.cause) for one in _x10.compiles]
    return [(one.function, why.kind, why.old, why.new, one.call_site.cell, one.definition_site and one.definition_site.cell) for one, why in found]
"""

STEP = """
@jax.jit
def step(a):
    return a * 2
step(x4)
"""


@pytest.fixture(scope="module")
def kernel() -> Iterator[Interruptible]:
    with started() as (manager, client):
        made = Interruptible(client, manager.interrupt_kernel)
        assert made.run(SETUP).status == "ok"
        yield made


def printed(kernel: Kernel, code: str) -> str:
    reply = kernel.run(f"print({code})")
    assert reply.status == "ok"
    return reply.outputs[-1][1].strip()


def test_a_cell_is_compared_with_cells_that_were_not_traced(kernel: Kernel) -> None:
    first = kernel.run(STEP)
    traced = kernel.run("%%x10trace\nstep(x5)\n")
    untraced = kernel.run("step(np.ones(9, np.float32))\n%x10explain step --all")
    assert untraced.outputs[-1][1].startswith("`step` was compiled again: `a` shape f32[5] → f32[9] at cell ")
    expected = [("step", "shape", "f32[4]", "f32[5]", traced.number, first.number)]
    assert printed(kernel, "told()") == str(expected)
    again = kernel.run(f"%%x10trace\n{STEP}")
    assert again.status == "ok"
    assert f"`step` as it was at cell [{first.number}] line 1 → defined anew with the same code" in again.outputs[-1][1]
    kernel.run(STEP)
    edited = kernel.run(f"%%x10trace\n{STEP.replace('* 2', '* 3')}")
    assert "→ edited" in edited.outputs[-1][1]


def test_a_cell_that_is_run_again_for_a_global_is_told_by_that(kernel: Kernel) -> None:
    cell = "@jax.jit\ndef scaled(a):\n    return a * K\nscaled(x4)\n"
    kernel.run("K = 3")
    kernel.run(cell)
    kernel.run("K = 4")
    again = kernel.run(f"%%x10trace\n{cell}")
    assert "compiling `scaled` again: `K` 3 → 4" in again.outputs[-1][1]


def test_a_cell_that_fails_or_uses_threads_and_loops_of_its_own_is_told(kernel: Kernel) -> None:
    failed = kernel.run("%%x10trace\n@jax.jit\ndef bad(a):\n    raise ValueError('on purpose')\nbad(x4)\n")
    assert failed.status == "error"
    code = """%%x10trace
import asyncio, threading
thread = threading.Thread(target=lambda: step(x6))
thread.start()
thread.join()
async def work():
    return step(np.ones(7, np.float32))
await work()
"""
    assert kernel.run(code).status == "ok"
    assert printed(kernel, "[one[1:4] for one in told()]") == "[('shape', 'f32[4]', 'f32[6]'), ('shape', 'f32[6]', 'f32[7]')]"
    kernel.run("%%x10trace\njax.clear_caches()\nstep(x6)\n")
    assert printed(kernel, "[one[1] for one in told()]") == "['evicted']"


def test_a_program_is_shown_at_all_levels_with_the_cells_own_lines(kernel: Kernel) -> None:
    made = kernel.run("%%x10trace\nimport jax.numpy as jnp\n@jax.jit\ndef wave(a):\n    b = jnp.sin(a)\n    return b * 0.328125\nwave(x4)\nwave(x5)\n")
    assert "temporaries" not in made.outputs[-1][1], "the text has room for the answer alone"
    listed = kernel.run("%x10graph").outputs[-1][1].splitlines()
    assert [line.split()[:3] for line in listed[1:]] == [["1", "wave", "jit(wave)"], ["2", "wave.2", "jit(wave).2"]]
    shown = kernel.run("%x10graph wave --out graph").outputs[-1][1]
    assert shown.startswith("program jit(wave) as jaxpr, 2 operations, compiled in ")
    assert f"f32[4]{{0}} jaxpr::sin(%0), location=wave@cell [{made.number}]:5" in shown
    assert printed(kernel, "graph.level, [node.site and node.site.line for node in graph.nodes if not node.is_operand]") == "jaxpr [5, 6]"
    assert kernel.run("%x10graph 2 --format hlo").outputs[-1][1].count("HloModule jit_wave") == 1
    assert "stablehlo.sine" in kernel.run("%x10graph wave.2 --level stablehlo --format text").outputs[-1][1]
    assert kernel.run("%x10graph --diff wave wave.2").outputs[-1][1].splitlines()[:4] == [
        "jit(wave) and jit(wave).2 as jaxpr",
        "The graphs part at node %0: shape",
        "was f32[4]",
        "is  f32[5]",
    ]
    gone = kernel.run("del wave\njax.clear_caches()\n%x10graph wave.2 --format stablehlo")
    assert gone.status == "ok", "it was looked at while it was there"
    gone = kernel.run("%x10graph wave --format stablehlo")
    assert gone.status == "error"
    assert "It is gone: JAX keeps a program" in str(gone.outputs)


def test_an_interrupted_trace_leaves_the_next_cell_right(kernel: Interruptible) -> None:
    code = "%%x10trace\nimport time\n@jax.jit\ndef slow(a):\n    print('go', flush=True)\n    time.sleep(30)\n    return a\nslow(x4)\n"
    start = time.monotonic()
    assert kernel.stopped(code).status == "error"
    assert time.monotonic() - start < 20
    kernel.run("%%x10trace\nstep(np.ones(8, np.float32))\n")
    assert printed(kernel, "[one[1] for one in told()]") == "['shape']"


OPERATIONS = """%%x10trace --ops --no-live
@jax.jit
def model(a):
    with jax.named_scope("block"):
        a = jax.numpy.tanh(a @ a)
    return a / jax.numpy.abs(a).sum()
a = np.ones((300, 300), np.float32)
for _ in range(20):
    a = model(a)
_ = a.block_until_ready()
"""


def test_operations_are_told_with_their_lines(kernel: Kernel) -> None:
    told = kernel.run(OPERATIONS)
    line = next(each for each in told.outputs[-1][1].splitlines() if each.startswith("operations"))
    assert f"dot_general at cell [{told.number}] line 5" in line
    found = "[(one.op, one.scope, one.times, one.site.cell, one.site.line) for one in _x10.operations if one.op == 'dot_general']"
    assert printed(kernel, found) == str([("dot_general", "block", 20, told.number, 5)])


def test_operations_step_aside_for_a_session_of_the_users(kernel: Kernel, tmp_path: Path) -> None:
    cell = "get_ipython().run_cell_magic('x10trace', '--ops --no-live', 'model(a).block_until_ready();')"
    told = kernel.run(f"jax.profiler.start_trace({str(tmp_path)!r})\n{cell}\njax.profiler.stop_trace()")
    assert told.status == "ok"
    assert "Stop it with `jax.profiler.stop_trace()`" in "".join(text for _, text in told.outputs)
    assert list(tmp_path.rglob("*.xplane.pb"))


def test_nothing_stays_behind(kernel: Kernel) -> None:
    kernel.run("%load_ext x10_jupyter\n%reload_ext x10_jupyter")
    assert printed(kernel, "[now - then for now, then in zip(hooks()[:3], before[:3])]") == "[1, 1, 1]"
    assert printed(kernel, "len(__import__('x10_jupyter.observe.guard', fromlist=['ERRORS']).ERRORS)") == "0"
    kernel.run("%unload_ext x10_jupyter")
    assert printed(kernel, "hooks() == before") == "True"
