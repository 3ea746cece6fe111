import pytest

from x10_jupyter.records.avals import aval_text, dtype_text


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
