import pytest

from x10_jupyter.records.avals import aval_of_xla, aval_text, dtype_text, xla_shape


@pytest.mark.parametrize(
    ("name", "expected"),
    [("float32", "f32"), ("bfloat16", "bf16"), ("int8", "i8"), ("uint8", "u8"), ("complex64", "c64"), ("bool", "bool"), ("key<fry>", "key<fry>")],
)
def test_dtypes(name: str, expected: str) -> None:
    assert dtype_text(name) == expected


def test_shapes_and_weak_types() -> None:
    assert aval_text((8, 128), "float32") == "f32[8,128]"
    assert aval_text((), "int32", weak=True) == "i32[]~"
    assert aval_text((8, 128), "float32", held_as="bfloat16") == "f32[8,128] as bf16"


@pytest.mark.parametrize(
    ("aval", "shape", "back"),
    [
        ("f32[8,128]", "f32[8,128]{1,0}", "f32[8,128]"),
        ("i32[]~", "s32[]", "i32[]"),
        ("bool[4]", "pred[4]{0}", "bool[4]"),
        ("u8[2,3,4]", "u8[2,3,4]{2,1,0}", "u8[2,3,4]"),
        ("f32[8] as bf16", "bf16[8]{0}", "bf16[8]"),
        ("f32[16@x,8]", "f32[16,8]{1,0}", "f32[16,8]"),
        ("key<fry>[]", "key<fry>[]", "key<fry>[]"),
        ("token", "token", "token"),
    ],
)
def test_as_xla_writes_them(aval: str, shape: str, back: str) -> None:
    assert xla_shape(aval) == shape
    assert aval_of_xla(shape) == back
