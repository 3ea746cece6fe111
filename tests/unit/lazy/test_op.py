from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from x10_jupyter.lazy import op
from x10_jupyter.lazy.avals import Aval, aval_of
from x10_jupyter.lazy.context import current
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.op import Call, note, specialise


def f32(*shape: int, weak: bool = False) -> Aval:
    return aval_of(shape, np.dtype(np.float32), weak)


def call(fn: Any, *, numbers: tuple[type, ...] = ()) -> Call:
    return Call("fn", fn, key="fn", numbers=numbers)


def test_an_operation_is_traced_once_for_each_kind_of_input() -> None:
    traced: list[Any] = []
    add = call(lambda x, y: traced.append(x.shape) or x + y)
    one = specialise(add, (f32(2), f32(2)), current())
    assert specialise(add, (f32(2), f32(2)), current()) is one
    other = specialise(add, (f32(3), f32(1)), current())
    assert traced == [(2,), (3,)]
    assert (one.outs, other.outs) == ((f32(2),), (f32(3),))
    assert one.key != other.key


def test_another_configuration_is_another_operation() -> None:
    make = call(lambda: jnp.arange(3) * 1.0)
    narrow = specialise(make, (), current())
    with jax.enable_x64(True):
        wide = specialise(make, (), current())
    assert (str(narrow.outs[0].dtype), str(wide.outs[0].dtype)) == ("float32", "float64")


def test_only_so_many_kinds_of_input_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(op, "MOST_OPS", 3)
    double = call(lambda x: x * 2)
    for i in range(10):
        specialise(double, (f32(i + 1),), current())
    assert len(double.ops) == 3
    assert {ins[0].shape for _, ins in double.ops} == {(8,), (9,), (10,)}


def test_a_function_that_refuses_is_not_remembered() -> None:
    add = call(lambda x, y: x + y)
    with pytest.raises(TypeError, match="incompatible shapes"):
        specialise(add, (f32(2), f32(3)), current())
    assert add.ops == {}


def test_numbers_are_weak_and_avals_keep_their_weak_type() -> None:
    scale = call(lambda x, n: (x * n, n * 2, x + 1), numbers=(float,))
    half = aval_of((2,), np.dtype(np.float16), False)
    assert specialise(scale, (half,), current()).outs == (half, f32(weak=True), half)


def test_results_that_are_no_arrays_are_put_back_in_their_places() -> None:
    mixed = call(lambda x: {"a": x + 1, "shape": x.shape, "kind": x.dtype, "b": (x, "text", None)})
    made = specialise(mixed, (f32(2),), current())
    assert made.outs == (f32(2), f32(2))
    assert made.result(["A", "B"]) == {"a": "A", "shape": (2,), "kind": np.dtype(np.float32), "b": ("B", "text", None)}


def test_a_single_array_is_the_result_itself() -> None:
    assert specialise(call(lambda x: -x), (f32(2),), current()).result(["A"]) == "A"
    assert specialise(call(lambda x: [-x]), (f32(2),), current()).result(["A"]) == ["A"]


def test_an_operation_knows_whether_it_has_effects() -> None:
    def say(x: Any) -> Any:
        jax.debug.print("{}", x)
        return x

    assert specialise(call(say), (f32(),), current()).has_effects
    assert not specialise(call(lambda x: x), (f32(),), current()).has_effects


def test_places_are_noted_once() -> None:
    known: dict[tuple[int, Line], None] = {}
    for _ in range(3):
        note(known, (0, Line("file", 1, "f")))
    assert known == {(0, Line("file", 1, "f")): None}
