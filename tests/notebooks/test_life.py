"""Lazy tensors in a real kernel: interrupts, errors, what a notebook keeps alive; and the next cell works."""

from collections.abc import Iterator

import pytest

from kernel import Interruptible, started

SETUP = """
%load_ext x10_jupyter
import sys
import numpy as np
import jax
import x10_jupyter as x10
xnp = x10.numpy

def compiled():
    return [one.cause.kind for one in _x10.compiles]

def told(fn):
    try:
        fn()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

keep = x10.tensor(np.full((128, 128), 2, np.float32)) * 1
w = x10.tensor(np.full((128, 128), 4, np.float32)) * 1
x10.barrier(wait=True)

def step(w):
    slope = w * 0.5
    return w - slope

def train(steps):
    global w
    for _ in range(steps):
        w = step(w)
        x10.barrier()

@x10.lazy
def busy(a):
    return jax.lax.fori_loop(0, 150, lambda i, x: x @ a, a)

class Box:
    pass

def update(m):
    m.loss = m.w * 3.0
    m.w = m.w - m.loss * 0.25
    return m

def keep_in(box, keep_it):
    y = w * 7.0
    z = y + 1.0
    box.y = y if keep_it else None
    del y, box
    x10.barrier()

def cyclic():
    global w
    node = Box()
    node.me, node.slope = node, w * 0.5
    w = w - node.slope
    x10.barrier()
"""


@pytest.fixture(scope="module")
def notebook() -> Iterator[Interruptible]:
    with started() as (manager, client):
        made = Interruptible(client, manager.interrupt_kernel)
        reply = made.run(SETUP)
        assert reply.status == "ok", reply.outputs
        yield made


@pytest.fixture
def kernel(notebook: Interruptible) -> Iterator[Interruptible]:
    """Parameters are as in the beginning, and their step is known; after the test what was computed earlier is intact."""
    reply = notebook.run("w = keep * 2.0\nx10.barrier(wait=True)\ntrain(2)")
    assert reply.status == "ok", reply.outputs
    yield notebook
    assert notebook.value("float(keep[0, 0])") == "2.0"


def test_stopped_while_operations_are_recorded(kernel: Interruptible) -> None:
    reply = kernel.stopped("print('go', flush=True)\nwhile True:\n    y = step(w)")
    assert reply.status == "error"
    assert "KeyboardInterrupt" in reply.outputs[-1][1]
    kernel.run("%%x10trace --quiet\ntrain(2)")
    assert kernel.value("float(w[0, 0])") == "0.25"


def test_stopped_in_a_training_loop_no_parameter_is_lost(kernel: Interruptible) -> None:
    for _ in range(3):
        kernel.run("w = keep * 2.0 + 0.0\nx10.barrier(wait=True)")
        reply = kernel.stopped("print('go', flush=True)\nwhile True:\n    w = w + 1.0\n    x10.barrier()")
        assert reply.status == "error"
        value = float(kernel.value("float(w[0, 0])"))
        assert value >= 4
        assert value == int(value)
        assert kernel.run("w = w + 1.0\nx10.barrier()").status == "ok"
        assert float(kernel.value("float(w[0, 0])")) == value + 1


def test_stopped_while_xla_compiles(kernel: Interruptible) -> None:
    reply = kernel.stopped("y = w\nfor i in range(1500):\n    y = xnp.tanh(y @ w) + float(i)\nprint('go', flush=True)\nx10.barrier()")
    assert reply.status == "error"
    assert "KeyboardInterrupt" in reply.outputs[-1][1]
    kernel.run("%%x10trace --quiet\nx10.barrier(wait=True)")
    assert kernel.value("y.shape, bool(xnp.isfinite(y).all())") == "(128, 128) True"
    assert kernel.value("float(w[0, 0])") == "1.0"


def test_stopped_while_a_program_runs(kernel: Interruptible) -> None:
    kernel.run("a = xnp.full((700, 700), 1e-3)\nb = busy(a)\nx10.barrier(wait=True)")
    reply = kernel.stopped("b = busy(a)\nx10.barrier()\nprint('go', flush=True)\nfor _ in range(100):\n    float(b[0, 0])\n    b = busy(a)\n    x10.barrier()")
    assert reply.status == "error"
    assert "KeyboardInterrupt" in reply.outputs[-1][1]
    assert kernel.value("b.shape, float(b[0, 0]) < 1") == "(700, 700) True"
    assert kernel.value("float(w[0, 0])") == "1.0"


def test_out_of_memory(kernel: Interruptible) -> None:
    reply = kernel.run("y = xnp.broadcast_to(w[0, 0], (1 << 25, 1 << 25)) + 1.0\nx10.barrier(wait=True)")
    assert reply.status == "error"
    assert "Out of memory" in reply.outputs[-1][1]
    assert "Out of memory" in kernel.value("told(lambda: y.sum())") + kernel.value("told(lambda: np.asarray(y))")
    kernel.run("%%x10trace --quiet\ntrain(1)")
    assert kernel.value("compiled(), float(w[0, 0])") == "[] 0.5"


def test_an_exception_in_the_middle_of_a_step(kernel: Interruptible) -> None:
    reply = kernel.run("def broken(w):\n    slope = w * 0.5\n    parts = [slope * 3.0]\n    raise ValueError(slope.shape)\nw = broken(w)")
    assert reply.status == "error"
    kernel.run("%%x10trace --quiet\ntrain(2)")
    assert kernel.value("compiled(), float(w[0, 0])") == "[] 0.25"


def test_what_the_notebook_keeps_costs_no_compile_each_time(kernel: Interruptible) -> None:
    """An object without a display of its values stays pending in ``Out`` and ``_``."""
    kernel.run("m = Box()\nm.w = keep * 2.0\nx10.barrier()")
    counts = []
    for _ in range(8):
        kernel.run("%%x10trace --quiet\nold = Box()\nold.w, old.loss = m.w * 1.5, m.w * 2.5\nupdate(m)\nx10.barrier()\nold")
        counts.append(len(kernel.value("compiled()").strip("[]").split()))
    assert sum(counts[4:]) == 0
    assert sum(counts) <= 4


def test_who_holds_a_value_is_named_by_ipythons_names(kernel: Interruptible) -> None:
    number = kernel.run("Box()").number
    for keep_it in (False, False, True):
        reply = kernel.run(f"%x10trace --quiet keep_in(Out[{number}], {keep_it})")
        assert reply.status == "ok", reply.outputs
    assert f"held by `Out[{number}].y`" in kernel.value("[one.cause.where for one in _x10.compiles]")


def test_cycles_that_keep_values_cost_no_compile_each_time(kernel: Interruptible) -> None:
    counts = []
    for _ in range(6):
        kernel.run("%%x10trace --quiet\nfor _ in range(30):\n    cyclic()")
        counts.append(len(kernel.value("compiled()").strip("[]").split()))
    assert counts[1:] == [0] * 5
