"""How things that are neither tensors nor numbers enter a key: by identity, by exact value, by what is inside them."""

import hashlib
from collections.abc import Hashable
from typing import Any

import numpy as np


class Same:
    """Equal when it holds the same object, which it keeps alive, so that its address is never another's."""

    __slots__ = ("it",)

    def __init__(self, it: object) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.it is other.it

    def __repr__(self) -> str:
        return getattr(self.it, "__name__", None) or type(self.it).__name__


class Exact:
    """A number by its exact value: tells ``1``, ``1.0`` and ``True``, ``0.0`` and ``-0.0`` apart; a nan equals itself."""

    __slots__ = ("kind", "text", "value")

    def __init__(self, value: Any) -> None:
        self.value, self.kind = value, value.__class__
        self.text = value.hex() if self.kind is float else repr(value)

    def __hash__(self) -> int:
        return hash((self.kind, self.text))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exact) and self.kind is other.kind and self.text == other.text

    def __repr__(self) -> str:
        return repr(self.value)


class Nested:
    """The mark of something that was looked into: what it is, and the marks of what it reads, by name."""

    __slots__ = ("key", "marks", "names")

    def __init__(self, key: Hashable, names: tuple[str, ...], marks: tuple[Hashable, ...]) -> None:
        self.key, self.names, self.marks = key, names, marks

    def __hash__(self) -> int:
        return hash((self.key, self.names, self.marks))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nested) and self.key == other.key and self.names == other.names and self.marks == other.marks

    def __repr__(self) -> str:
        return ", ".join(f"{n}={m!r}" for n, m in zip(self.names, self.marks, strict=True))


def content(x: np.ndarray) -> Hashable:
    """An array by its content."""
    data = repr(x.tolist()).encode() if x.dtype == object else np.ascontiguousarray(x).tobytes()
    return (np.ndarray, x.shape, x.dtype.str, hashlib.blake2b(data).digest())
