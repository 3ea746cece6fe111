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
from x10_jupyter.lazy.precision import PrecisionsDifferError


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


def test_an_operation_means_what_its_configuration_says_whatever_is_in_force() -> None:
    make, here = call(lambda: jnp.arange(3) * 1.0), current()
    with jax.enable_x64(True):
        there = current()
        assert str(specialise(make, (), here).outs[0].dtype) == "float32"
    assert str(specialise(make, (), there).outs[0].dtype) == "float64"


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


BF16 = np.dtype(jnp.bfloat16)


def low(*shape: int, weak: bool = False) -> Aval:
    return aval_of(shape, np.dtype(np.float32), weak, BF16)


@pytest.mark.parametrize(
    ("fn", "said", "held"),
    [
        (lambda x, y: x + y, "float32", "bfloat16"),
        (lambda x, y: (x + y).astype(jnp.bfloat16), "bfloat16", "bfloat16"),
        (lambda x, y: (x + y).astype(jnp.float32), "float32", "float32"),
        (lambda x, y: x > y, "bool", "bool"),
        (lambda x, y: jnp.zeros(2, jnp.bfloat16), "bfloat16", "bfloat16"),
    ],
    ids=["kept", "to bfloat16", "to float32", "bool", "made"],
)
def test_a_result_says_what_it_would_be_in_full_precision(fn: Any, said: str, held: str) -> None:
    made = specialise(call(fn), (low(2), low(2)), current())
    assert [(str(a.dtype), str(a.held_as)) for a in made.outs] == [(said, held)]
    full = specialise(call(fn), (f32(2), f32(2)), current())
    assert [str(a.dtype) for a in full.outs] == [said]
    assert made.key != full.key


def test_a_function_that_takes_nothing_but_what_is_held() -> None:
    def only(x: Any) -> Any:
        assert x.dtype == BF16
        return x * 2

    assert specialise(call(only), (low(3),), current()).outs == (low(3),)


def test_what_is_full_is_only_traced_once() -> None:
    traced: list[Any] = []
    fn = call(lambda x: traced.append(x.dtype) or x * 2)
    specialise(fn, (f32(2),), current())
    specialise(fn, (aval_of((2,), BF16),), current())
    assert traced == [np.float32, BF16]


def test_a_twin_casts_what_is_full() -> None:
    plain = call(lambda x, y, n: (x * y + n, y), numbers=(np.float32,))
    twin = plain.reduced()
    assert plain.reduced() is twin
    assert (twin.base, twin.places is plain.places) == (plain.base, True)
    op = specialise(twin, (f32(2), low(2)), current())
    assert (op.ins, op.outs) == ((f32(2), low(2)), (low(2), low(2)))
    assert op.key != specialise(plain, (f32(2), f32(2)), current()).key
    assert specialise(twin, (aval_of((2,), np.dtype("int32")), f32(2)), current()).outs == (low(2), low(2))


def test_a_twin_of_what_has_no_floats_is_as_it_was() -> None:
    whole = aval_of((2,), np.dtype("int32"))
    assert specialise(call(lambda x, n: x * n, numbers=(np.float32,)).reduced(), (whole,), current()).outs == (f32(2),)


def test_precisions_are_not_mixed() -> None:
    add = call(lambda x, y: x + y)
    for _ in range(2):
        with pytest.raises(PrecisionsDifferError, match="same precision"):
            specialise(add, (low(2), f32(2)), current())
    assert specialise(add, (low(2), f32(2, weak=True)), current()).outs == (low(2),)
    derived = Call("fn.backward", lambda x, y: (x + y, x), key="d", dtypes=(np.dtype(np.float32), None))
    assert specialise(derived, (low(2), f32(2)), current()).outs == (f32(2), aval_of((2,), BF16))


def test_linear_algebra_is_refused_before_it_is_recorded() -> None:
    with pytest.raises(TypeError, match=r"bfloat16 has no `cholesky`|cholesky does not accept dtype bfloat16"):
        specialise(call(jnp.linalg.cholesky), (low(2, 2),), current())
    assert specialise(call(jnp.linalg.cholesky), (f32(2, 2),), current()).outs == (f32(2, 2),)
