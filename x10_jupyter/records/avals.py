"""Shapes and dtypes as text: ``f32[8,128]``."""

import re
from collections.abc import Sequence
from functools import lru_cache

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


XLA = {"bool": "pred", "i": "s"}
"""What XLA calls dtypes that have another short name here."""
PARTS = re.compile(r"(?P<dtype>[^\[]+)\[(?P<lengths>[^\]]*)\](?P<weak>~?)(?: as (?P<held>\S+))?")


@lru_cache(maxsize=4096)
def xla_shape(aval: str) -> str:
    """Shape and dtype as XLA writes them, with the layout that it gives to arrays: ``f32[8,128]{1,0}``; what the device holds, not what it stands for.

    Args:
        aval: Shape and dtype as text: ``f32[8,128]``. Other text comes back as it is.
    """
    parts = PARTS.fullmatch(aval)
    if parts is None:
        return aval
    dtype = parts["held"] or parts["dtype"]
    letters = dtype.rstrip("0123456789")
    lengths = [length.partition("@")[0] for length in parts["lengths"].split(",") if length]
    layout = f"{{{','.join(map(str, reversed(range(len(lengths)))))}}}" if lengths else ""
    return f"{XLA.get(letters, letters)}{dtype[len(letters) :]}[{','.join(lengths)}]{layout}"


@lru_cache(maxsize=4096)
def aval_of_xla(shape: str) -> str:
    """Shape and dtype as they are written here, of what XLA writes: ``i32[8,128]`` for ``s32[8,128]{1,0}``. Other text comes back as it is."""
    name, bracket, rest = shape.partition("[")
    if not bracket or "]" not in rest:
        return shape
    letters = name.rstrip("0123456789")
    known = {theirs: ours for ours, theirs in XLA.items()}.get(letters, letters)
    return f"{known}{name[len(letters) :]}[{rest.partition(']')[0]}]"
