"""What a cell has the devices hold, in a real kernel: by the lines of cells, also of earlier ones, and nothing stays behind."""

from collections.abc import Iterator

import pytest

from kernel import Kernel, started

SETUP = """
import threading
import jax, jax.numpy as jnp, numpy as np
%load_ext x10_jupyter
def live():
    return sum(shard.data.nbytes for array in jax.live_arrays() for shard in array.addressable_shards)
def lines():
    found = [line for line in _x10.memory.lines if line.kind == "array" and line.site is not None]
    return [(line.site.cell, line.site.line, line.site.function, line.before.count, line.now.count, line.now.size_bytes) for line in found]
weights = jax.device_put(np.ones((1024, 1024), np.float32))
"""

CELL = """%%x10trace
def load(n):
    return [jax.device_put(np.ones((256, 1024), np.float32)) for _ in range(n)]
batches = load(8)
scratch = jax.device_put(np.ones((512, 1024), np.float32))
del scratch, batches[6:]
"""


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with started() as (_, client):
        made = Kernel(client)
        assert made.run(SETUP).status == "ok"
        yield made


def printed(kernel: Kernel, code: str) -> str:
    reply = kernel.run(f"print({code})")
    assert reply.status == "ok", reply
    return reply.outputs[-1][1].strip()


def test_arrays_belong_to_lines_of_cells(kernel: Kernel) -> None:
    traced = kernel.run(CELL)
    assert traced.status == "ok"
    (memory,) = [line for line in traced.outputs[-1][1].splitlines() if line.startswith("memory")]
    assert "10.0 MiB on CPU:0 at the end" in memory
    assert f"+6.00 MiB since the beginning, +6.00 MiB by 6 arrays at cell [{traced.number}] line 3" in memory
    mib = 1 << 20
    found = eval(printed(kernel, "lines()"))
    assert (1, 9, "<module>", 1, 1, 4 * mib) in found, "those of an earlier cell, too"
    assert (traced.number, 3, "load", 0, 6, 6 * mib) in found
    assert not [line for line in found if line[1] == 5], "what was let go"
    assert printed(kernel, "sum(size for *_, size in lines()) == live() == sum(device.array_bytes for device in _x10.memory.last.devices)") == "True"


def test_an_error_and_a_thread_are_no_reason_not_to_look(kernel: Kernel) -> None:
    failed = kernel.run("%%x10trace\nmore = jax.device_put(np.ones((512, 1024), np.float32))\n1 / 0\n")
    assert failed.status == "error"
    assert f"+2.00 MiB by 1 array at cell [{failed.number}] line 2" in next(text for _, text in failed.outputs if "memory" in text)
    other = kernel.run("%%x10trace\nt = threading.Thread(target=load, args=(1,))\nt.start(); t.join()\ndel more\n")
    assert "−2.00 MiB since the beginning" in other.outputs[-1][1]


def test_one_may_ask_for_none_of_it_and_nothing_stays(kernel: Kernel) -> None:
    none = kernel.run("%%x10trace --no-memory\npass\n")
    assert none.status == "ok"
    assert "memory" not in none.outputs[-1][1]
    assert printed(kernel, "_x10.memory") == "None"
    kernel.run("%unload_ext x10_jupyter")
    assert printed(kernel, "[one.name for one in threading.enumerate() if 'x10' in one.name]") == "[]"
