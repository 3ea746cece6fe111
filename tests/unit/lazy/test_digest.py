"""Hashes that are the same in each process, and different for different operations."""

import subprocess
import sys
from typing import Any

import jax.numpy as jnp
import numpy as np

import x10_jupyter as x10
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.digest import combined, digits, of_constant, of_operation, of_texts, without_addresses
from x10_jupyter.lazy.op import Op

PROGRAM = """
import numpy as np
import x10_jupyter as x10
from x10_jupyter.lazy.digest import digits, of_operation
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.local import LOCAL
x = x10.tensor(np.ones((4, 3), np.float32))
y = x10.nn.relu(x * 0.5).sum(axis=0)
z = x10.lazy(lambda a: a * np.arange(3, dtype=np.float32))(y)
print([digits(of_operation(s.op)) for s in path_to(LOCAL.trace.state) if s.op is not None])
"""


def op_of(trace: Trace) -> Op:
    return trace.state.op


def test_pieces_do_not_run_together() -> None:
    assert combined(b"ab", b"c") != combined(b"a", b"bc")
    assert combined(b"ab") == combined(b"ab")
    assert of_texts(["1:a"]) != of_texts(["1", "a"])


def test_addresses_are_left_out() -> None:
    assert without_addresses("<function f at 0x7f9e91dc0840> of <A at 0x1>") == "<function f> of <A>"


def test_digits_as_in_x10() -> None:
    assert digits(bytes(15) + b"\x1f") == "1f"
    assert digits(b"\x98" + bytes(15)) == "98" + 30 * "0"


def test_an_operation_is_told_by_what_it_does(trace: Trace) -> None:
    x = x10.tensor(np.ones((4, 3), np.float32))
    found: dict[str, bytes] = {}
    made: list[Any] = []
    for name, call in {
        "axis 0": lambda: x.sum(axis=0),
        "axis 1": lambda: x.sum(axis=1),
        "mean": lambda: x.mean(axis=0),
        "half": lambda: x10.lazy(lambda a: a + np.float32(1))(x),
        "one": lambda: x10.lazy(lambda a: a + np.float32(2))(x),
        "array": lambda: x10.lazy(lambda a: a + jnp.asarray(np.arange(3.0)))(x),
        "other array": lambda: x10.lazy(lambda a: a + jnp.asarray(np.arange(3.0) + 1))(x),
    }.items():
        made.append(call())
        found[name] = of_operation(op_of(trace))
        assert of_operation(op_of(trace)) is found[name], "it is computed once"
    assert len(set(found.values())) == len(found)


def test_constants_by_their_bytes_and_what_has_none_by_its_text() -> None:
    class Key:
        def __array__(self, *args: object, **kwargs: object) -> None:
            raise TypeError("no bytes")

        def __repr__(self) -> str:
            return "key"

    assert of_constant(np.float32(1)) == np.float32(1).tobytes()
    assert of_constant(Key()) == b"key"


def test_they_are_the_same_in_each_process() -> None:
    runs = [subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True) for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stdout.count("'") == 8
