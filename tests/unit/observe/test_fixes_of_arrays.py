"""What to write instead for arrays."""

from collections.abc import Sequence
from typing import Any

import pytest

from signatures import function, signature
from x10_jupyter.observe.arguments import Aval, Row
from x10_jupyter.observe.fixes_of_arrays import for_dtype, for_placement, for_shape, for_weak_type, lengths, long_dtype, subject, wider_of
from x10_jupyter.observe.signature import Signature
from x10_jupyter.records.cause import Change, Kind

ADVICE: dict[str, Any] = {"dtype": for_dtype, "weak_type": for_weak_type, "placement": for_placement}
WEIGHTS = "Nothing, if the model was meant to change: weights of other shapes make a program of their own."


def advice(kind: Kind, old: str, new: str, where: str = "a") -> str:
    return ADVICE[kind](Change(kind=kind, where=where, old=old, new=new), function(), None, signature())


def of_shapes(old: str, new: str, where: str = "a", known: Sequence[tuple[int, ...]] = ()) -> str:
    return for_shape(Change(kind="shape", where=where, old=old, new=new), known)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("f32[32,8]", "f32[17,8]", "Drop the last batch if it is not full (drop_remainder or drop_last), or pad it to 32."),
        ("f32[32]", "f32[17]", "Pad `a` to one of a few lengths, or drop the last batch if it is not full."),
        ("f32[17,8]", "f32[32,8]", "Pad axis 0 of `a` to one size, or drop the last batch if it is not full."),
        ("f32[32,8]", "f32[32,6]", "Pad axis 1 of `a` to one of a few lengths, such as powers of two."),
        ("i32[1,8]", "i32[1,9]", "Pad axis 1 of `a` to one of a few lengths, such as powers of two."),
        ("f32[8]", "f32[9]", "Pad `a` to one size, or drop the last batch if it is not full."),
        ("f32[8,8]", "f32[9,7]", "Pad `a` to one shape, or to one of a few."),
        ("f32[32]", "f32[8,4]", "Give `a` the same number of dimensions at each call."),
        ("key<fry>[]", "?", "Give `a` the same shape at each call."),
    ],
)
def test_shapes(old: str, new: str, expected: str) -> None:
    assert of_shapes(old, new) == expected


@pytest.mark.parametrize(
    ("known", "is_growing"),
    [
        ([(7,), (8,)], True), ([(20,), (7,), (8,)], True), ([(7,), (8,), (8,)], True),
        ([(8,)], False), ([], False), ([(20,), (8,)], False), ([(7,), (8,), (7,)], False), ([(7, 2), (8,)], False), ([(7,), (9,)], False),
    ],
)  # fmt: skip
def test_it_grows_if_three_sizes_one_after_another_do(known: list[tuple[int, ...]], *, is_growing: bool) -> None:
    told = of_shapes("f32[8]", "f32[9]", known=known)
    assert told.startswith("Preallocate `a` at its longest and fill it in") == is_growing
    assert ("drop the last batch" in told) == (len({8, 9, *[shape[0] for shape in known if len(shape) == 1]}) == 2)


def test_only_shapes_that_are_alike_along_the_other_axes_are_sizes_of_one_axis() -> None:
    assert lengths(1, (2, 9), [(2, 7), (3, 8), (2, 7), (2, 8), (9,)]) == [7, 8]


def test_what_is_no_argument_is_not_to_be_padded() -> None:
    assert of_shapes("f32[4]", "f32[5]", "input 1 of the backward pass").startswith("Nothing of its own: ")


@pytest.mark.parametrize(
    ("where", "is_model"),
    [
        ("params['w']", True), ("state.params['dense']['kernel']", True), ("self.weight", True), ("opt_state[0].mu", True), ("weights['w1']", True),
        ("params", False), ("weights", False), ("batch['weight']", False), ("state.cache", False), ("m.nu", False), ("scale", False),
    ],
)  # fmt: skip
def test_weights_are_not_told_to_be_padded(where: str, is_model: bool) -> None:
    assert (of_shapes("f32[8,4]", "f32[6,4]", where) == WEIGHTS) == is_model


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("u8[4]", "f32[4]", "Make `a` float32 at each call, where it is made: uint8 becomes that without loss."),
        ("f32[4]", "u8[4]", "Make `a` float32 at each call, where it is made: uint8 becomes that without loss."),
        ("f32[4]", "bf16[4]", "Make `a` float32 at each call, where it is made: bfloat16 becomes that without loss."),
        ("f32[4]", "i32[4]", "Make `a` the same dtype at each call, where it is made."),
        ("i32[4]", "f32[4]", "Make `a` the same dtype at each call, where it is made."),
        ("f16[4]", "bf16[4]", "Make `a` the same dtype at each call, where it is made."),
        ("bool[4]", "f32[4]", "Make `a` the same dtype at each call, where it is made."),
        ("u32[4]", "i32[4]", "Make `a` the same dtype at each call, where it is made."),
        ("f32[4]", "f64[4]", "Make `a` float32 at each call, where it is made: NumPy's default is float64."),
        ("i32[4]", "i64[4]", "Make `a` int64 at each call, where it is made: int32 becomes that without loss."),
        ("i32[]~", "f32[]~", "Pass `a` as a float at each call, such as 1.0 instead of 1."),
        ("f32[]", "i32[]~", "Make `a` the same dtype at each call, where it is made."),
        ("u32[2]", "key<fry>[]", "Make `a` by jax.random.key everywhere, or by jax.random.PRNGKey everywhere."),
        ("key<fry>[]", "key<rbg>[]", "Make `a` with the same `impl` at each call."),
        ("float0", "f32[4]", "Make `a` the same dtype at each call."),
    ],
)
def test_dtypes(old: str, new: str, expected: str) -> None:
    assert advice("dtype", old, new) == expected


def test_the_wider_dtype_holds_each_value_of_the_other() -> None:
    assert wider_of("int8", "float16") == "float16"
    assert wider_of("complex64", "float32") == "complex64"
    assert wider_of("float32", "float32") == wider_of("what", "float32") == wider_of("int32", "float32") == ""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("f32[]~", "f32[]", "Pass `a` as jnp.float32(…) from the first call on, since a Python number has a weak type."),
        ("i32[]", "i32[]~", "Pass `a` as jnp.int32(…) here, too, since a Python number has a weak type."),
        ("f32[4]~", "f32[4]", "Give `a` its dtype where it is made, such as by jnp.asarray(a, jnp.float32): its weak type is another program."),
    ],
)
def test_weak_types_say_what_came_first(old: str, new: str, expected: str) -> None:
    assert advice("weak_type", old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("not committed", "CPU:0", "Put `a` on CPU:0 before the first call, with jax.device_put(a, device)."),
        ("CPU:0", "not committed", "Put `a` on CPU:0 here, too, with jax.device_put(a, device)."),
        ("not committed", "P('x',) over CPU:0, CPU:1", "Give `a` its sharding before the first call, with jax.device_put(a, sharding)."),
        ("P('x',) over CPU:0, CPU:1", "not committed", "Give `a` its sharding here, too, with jax.device_put(a, sharding)."),
        ("CPU:0", "CPU:1", "Keep `a` on one device: each device has a program of its own."),
        (
            "P() over CPU:0, CPU:1", "P('x',) over CPU:0, CPU:1",
            "Lay out `a` the same at each call: with jax.device_put(a, sharding), or by `out_shardings` of the jit that it comes from.",
        ),
        (
            "f32[4]", "f32[4] spread P('x',)",
            "Lay out `a` the same at each call: with jax.device_put(a, sharding), or by `out_shardings` of the jit that it comes from.",
        ),
    ],
)  # fmt: skip
def test_places_say_what_came_first(old: str, new: str, expected: str) -> None:
    assert advice("placement", old, new) == expected


@pytest.mark.parametrize("where", ["in_shardings", "out_shardings", "device", "backend"])
def test_options_of_places(where: str) -> None:
    assert advice("placement", "not given", "x", where) == f"Make one jit of the function with one `{where}`, and call that each time."


def arrays(**dtypes: str) -> Signature:
    return signature(rows=tuple(Row(f"p.{name}", Aval((2,), dtype, weak=False)) for name, dtype in dtypes.items()))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"v": "int8", "w": "int8"}, {"v": "int16", "w": "int16"}, "all of `p`"),
        ({"v": "int8", "w": "int8"}, {"v": "int16", "w": "int8"}, "`p.v`"),
        ({"v": "int8", "w": "int32"}, {"v": "int16", "w": "int16"}, "`p.v`"),
        ({"v": "int8"}, {"v": "int16"}, "`p.v`"),
        ({"v": "int8"}, {"v": "int16", "w": "int16"}, "`p.v`"),
    ],
)
def test_the_whole_argument_is_named_only_if_all_of_it_has_changed_alike(old: dict[str, str], new: dict[str, str], expected: str) -> None:
    def of(row: Row) -> str:
        return row.what.dtype if isinstance(row.what, Aval) else ""

    assert subject("p.v", arrays(**old), arrays(**new), of) == expected
    assert subject("p.v", None, arrays(**new), of) == "`p.v`"


def test_dtypes_have_their_long_names() -> None:
    assert [long_dtype(short) for short in ("f32", "bf16", "i8", "u32", "c64", "bool")] == ["float32", "bfloat16", "int8", "uint32", "complex64", "bool"]
