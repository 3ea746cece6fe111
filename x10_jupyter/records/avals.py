"""Shapes and dtypes as text: ``f32[8,128]``."""

from collections.abc import Sequence

SHORT = {"float": "f", "bfloat": "bf", "uint": "u", "int": "i", "complex": "c"}


def dtype_text(name: str) -> str:
    """The short name of a dtype: ``f32`` for ``float32``, ``i8`` for ``int8``; others stay as they are."""
    letters = name.rstrip("0123456789")
    return SHORT[letters] + name[len(letters) :] if letters in SHORT else name


def aval_text(shape: Sequence[object], dtype_name: str, *, weak: bool = False, held_as: str = "") -> str:
    """Shape and dtype as text, e.g. ``f32[8,128]``.

    A length may be text, such as ``16@x`` for one that is spread over the axis ``x`` of a mesh. A weak type, as of a Python number, ends in ``~``.
    What the device holds in another dtype says so: ``f32[8,128] as bf16``.
    """
    held = f" as {dtype_text(held_as)}" if held_as else ""
    return f"{dtype_text(dtype_name)}[{','.join(map(str, shape))}]{'~' if weak else ''}{held}"
