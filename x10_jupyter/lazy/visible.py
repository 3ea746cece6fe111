"""The arrays that someone outside the runtime may see."""

import weakref
from typing import Any


class Visible:
    """Arrays that someone outside the runtime may see: given by the user, or handed to them. Their buffers are never overwritten.

    Two of JAX's arrays can share a buffer, and donating one would take it from the other, so it does not help that nobody refers to this one.
    """

    def __init__(self) -> None:
        self.known: dict[int, weakref.ref[Any]] = {}
        """By address."""

    def add(self, array: Any) -> None:
        """Note an array; it is forgotten when it is gone."""
        address = id(array)

        def forget(_: object, known: dict[int, weakref.ref[Any]] = self.known) -> None:
            known.pop(address, None)

        self.known[address] = weakref.ref(array, forget)

    def __contains__(self, array: object) -> bool:
        return id(array) in self.known


VISIBLE = Visible()
