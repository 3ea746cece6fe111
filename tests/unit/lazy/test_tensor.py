"""The tensor as the user sees it: showing it never computes, reading it does, and everything else is as with a jax.Array."""

import copy
import operator
import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import listening
from x10_jupyter.base.errors import OperandError, UsageError
from x10_jupyter.lazy.value import Failure
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Cut


def two(*, dtype: Any = np.float32) -> x10.Tensor:
    return x10.tensor(np.array([2, 3], dtype))


class Printer:
    """As IPython's, as far as tensors use it."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def text(self, part: str) -> None:
        self.parts.append(part)


def shown(t: x10.Tensor) -> str:
    printer = Printer()
    t._repr_pretty_(printer, False)
    return "".join(printer.parts)


def test_repr_never_computes() -> None:
    t = two()
    with listening() as events:
        assert repr(t) == "Tensor(f32[2])"
        t = t * 2.0
        assert repr(t) == "Tensor(f32[2], pending, 1 op)"
        u = t + t
        assert repr(u) == "Tensor(f32[2], pending, 2 ops)"
        assert [repr([u]), f"{[u]}"] == ["[Tensor(f32[2], pending, 2 ops)]"] * 2
        assert (t.shape, t.ndim, t.size, t.nbytes, t.itemsize, str(t.dtype), t.weak_type, len(t)) == ((2,), 1, 2, 8, 4, "float32", False, 2)
        assert t.device == jax.devices()[0]
        assert not [e for e in events if isinstance(e, Cut)]
    t.held = Failure("it went wrong")
    assert repr(t) == "Tensor(f32[2], lost)"


READS: dict[str, tuple[Callable[[Any], Any], Any, str]] = {
    "print": (str, "[4. 6.]", "print"),
    "the last expression": (shown, "Tensor([4., 6.], dtype=float32)", "display"),
    "many lines": (lambda t: shown(x10.numpy.stack([t, t])), "Tensor([[4., 6.],\n        [4., 6.]], dtype=float32)", "display"),
    "format": (lambda t: f"{t.sum():.1f}", "10.0", "format"),
    "float": (lambda t: float(t[0]), 4.0, "float()"),
    "int": (lambda t: int(t[0]), 4, "int()"),
    "bool": (lambda t: bool(t[0]), True, "bool()"),
    "complex": (lambda t: complex(t[0]), 4 + 0j, "complex()"),
    "index": (lambda t: operator.index(t[0].astype("int32")), 4, "index"),
    "NumPy": (lambda t: np.asarray(t).tolist(), [4, 6], "numpy"),
    "in": (lambda t: 4.0 in t, True, "in"),
    "item": (lambda t: t[1].item(), 6.0, ".item()"),
    "tolist": (lambda t: t.tolist(), [4, 6], ".tolist()"),
    "data": (lambda t: t.data.tolist(), [4, 6], ".data"),
    "pickle": (lambda t: pickle.loads(pickle.dumps(t)).tolist(), [4, 6], "pickle"),
    "DLPack": (lambda t: np.from_dlpack(t).tolist(), [4, 6], "dlpack"),
    "waiting": (lambda t: t.block_until_ready() is t, True, "block_until_ready"),
    "jnp": (lambda t: jnp.sum(t).item(), 10.0, "jax"),
}


@pytest.mark.parametrize(("read", "expected", "how"), READS.values(), ids=READS.keys())
def test_reading_computes_and_says_how(read: Callable[[Any], Any], expected: Any, how: str) -> None:
    t = two() * 2.0
    with listening() as events:
        assert read(t) == expected
    assert [e.why for e in events if isinstance(e, Cut)] == ["read"]
    reads = [e for e in events if isinstance(e, Read)]
    assert reads[0].how == how
    assert reads[0].site is not None
    assert reads[0].site.file == __file__


def test_a_tensor_never_changes() -> None:
    t = two()
    with pytest.raises(OperandError, match=r"Tensors never change; got an assignment to a part of one\. Write t = t\.at\[index\]\.set\(value\)\."):
        t[0] = 1
    assert copy.copy(t) is t
    assert copy.deepcopy({"t": t})["t"] is t


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda: two() + "a", TypeError, r"unsupported operand type\(s\) for \+: 'Tensor' and 'str'"),
        (lambda: {two()}, TypeError, "unhashable type: 'Tensor'"),
        (lambda: two().nothing, AttributeError, "'Tensor' object has no attribute 'nothing'"),
        (lambda: len(two().sum()), OperandError, r"A scalar has no length; got f32\[\]"),
        (lambda: list(two().sum()), OperandError, r"A scalar has no elements to iterate over; got f32\[\]"),
        (lambda: bool(two()), ValueError, "The truth value of an array with more than one element is ambiguous"),
        (lambda: float(two()), TypeError, "only 0-dimensional arrays can be converted|only length-1 arrays can be converted"),
        (lambda: [1][two().sum()], TypeError, "only integer scalar arrays can be converted to a scalar index"),
        (lambda: two().__array_namespace__(api_version="2021.12"), ValueError, r"one version of the array API standard; got '2021\.12'\. Ask for '20"),
        (lambda: two() + x10.tensor(np.ones(3, np.float32)), OperandError, r"`add` refuses these operands: .*; got add\(f32\[2\], f32\[3\]\) at test_"),
    ],
)  # fmt: skip
def test_misuse_is_refused(use: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        use()


def test_it_has_no_subclasses_which_operations_would_not_make() -> None:
    with pytest.raises(UsageError, match=r"it has no subclasses; got class Named\. Keep the tensor in an attribute of your class"):

        class Named(x10.Tensor):
            pass


def test_a_class_of_the_users_that_holds_a_tensor_goes_through_functions_and_gradients() -> None:
    @jax.tree_util.register_dataclass
    @dataclass
    class Named:
        data: x10.Tensor

        def twice(self) -> "Named":
            return Named(self.data * 2)

    named = Named(x10.tensor([1.0, 2.0]))
    _, slope = x10.value_and_grad(lambda each: (each.twice().data ** 2).sum())(named)
    assert np.asarray(x10.lazy(lambda each: each.twice())(named).data).tolist() == [2, 4]
    assert np.asarray(slope.data).tolist() == [8, 16]


def test_iteration_gives_tensors() -> None:
    assert [float(v) for v in two() * 2.0] == [4, 6]
    a, b = two()
    assert isinstance(a, x10.Tensor)
    assert float(a * b) == 6
    assert [float(v) for v in reversed(two())] == [3, 2]


def test_conversion_to_numpy_follows_its_protocol() -> None:
    t = two()
    assert np.asarray(t, np.int64).tolist() == [2, 3]
    made = np.array(t)
    made[0] = 9
    assert np.asarray(t).tolist() == [2, 3], "a copy was asked for"
    assert t.__array_namespace__() is t.__array_namespace__(api_version=x10.numpy.__array_api_version__) is x10.numpy


def test_a_dlpack_capsule_is_made_as_asked_for() -> None:
    t = two() * 1.0
    assert np.from_dlpack(t, copy=True).tolist() == [2, 3]
    assert "dltensor" in repr(t.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=True))


def test_a_tensor_is_a_leaf_of_a_tree() -> None:
    t = two()
    assert jax.tree.leaves({"a": [t]}) == [t] or jax.tree.leaves({"a": [t]})[0] is t
    assert jax.tree.map(lambda x: x.shape, {"a": t}) == {"a": (2,)}


def test_another_threads_tensor_is_refused_until_it_is_computed() -> None:
    made: list[x10.Tensor] = []
    cut = threading.Event()
    done = threading.Event()

    def work() -> None:
        made.append(two() * 3.0)
        done.set()
        cut.wait(10)
        x10.barrier()

    thread = threading.Thread(target=work)
    thread.start()
    done.wait(10)
    [t] = made
    assert repr(t) == "Tensor(f32[2], pending in another thread)"
    for use in (lambda: t + 1.0, lambda: x10.numpy.sin(t), lambda: np.asarray(t), lambda: float(t[0])):
        with pytest.raises(UsageError, match=r"pending in another thread's trace: f32\[2\]\. Call x10\.barrier\(\) in the thread that made it"):
            use()
    cut.set()
    thread.join()
    assert np.asarray(t + 1.0).tolist() == [7, 10]


def test_a_random_key_is_shown_and_refused_as_a_number() -> None:
    key = x10.random.key(0)
    assert "key<fry>" in repr(key)
    assert "key" in str(key)
