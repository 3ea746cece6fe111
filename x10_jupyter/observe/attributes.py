"""The attributes of the user's objects, read without running the user's code, and what they tell of an object that says nothing of itself."""

import types
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

MOST_ATTRIBUTES = 64
MOST_ITEMS = 8
SIMPLE = {type(None), bool, int, float, complex, str, bytes}
UNNAMED = "[<flat index "
"""How JAX begins to call what a class passes on without names."""


def attributes_of(value: object) -> dict[str, Any]:
    """What an object keeps in its ``__dict__`` and in slots."""
    found: dict[str, Any] = {}
    for cls in type(value).__mro__:
        for name, member in cls.__dict__.items():
            if name == "__dict__" and isinstance(member, types.GetSetDescriptorType | types.MemberDescriptorType):
                found.update(member.__get__(value))
            elif isinstance(member, types.MemberDescriptorType):
                try:
                    found[name] = member.__get__(value)
                except AttributeError:  # it is not set
                    continue
    return found


def compared(value: object) -> Iterator[tuple[str, Any]]:
    """The simple attributes by which a class compares its objects, if these have no text of their own.

    They are those that its comparison names; all if it names none, as it may compare ``__dict__``.
    """
    kind = type(value)
    if kind.__eq__ is object.__eq__ or kind.__repr__ is not object.__repr__:
        return
    held = {name: one for name, one in attributes_of(value).items() if is_simple(one)}
    meant = held.keys() & named_in(kind)
    for name in list(held)[:MOST_ATTRIBUTES]:
        if name in meant or not meant:
            yield name, held[name]


def named_in(kind: type) -> set[str]:
    """The names in the code by which a class compares its objects, and in the methods that it calls for that."""
    found: set[str] = set()
    left = ["__eq__", "__hash__"]
    while left:
        member = next((cls.__dict__[name] for cls in kind.__mro__ if (name := left[-1]) in cls.__dict__), None)
        left.pop()
        function = member.fget if isinstance(member, property) else member
        if isinstance(function, types.FunctionType):
            new = set(names_in(function.__code__)) - found
            found |= new
            left += new
    return found


def names_in(code: types.CodeType) -> Iterator[str]:
    """The names of attributes and globals in some code, and in the functions within."""
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from names_in(one)


def is_simple(value: object) -> bool:
    """Whether a value's text tells all of it, and is none of the user's code."""
    if type(value) is tuple:
        return len(value) <= MOST_ITEMS and all(map(is_simple, value))
    return type(value) in SIMPLE or isinstance(value, np.generic | np.dtype)


class Names:
    """Names for what a class of the user's passes to JAX without any: those of the attributes that hold it.

    They are the same for all objects of a class, as long as its attributes hold what it passes on, so that calls can be compared.
    """

    def __init__(self) -> None:
        self._known = weakref.WeakKeyDictionary[type, dict[int, tuple[str, ...]]]()

    def named(self, value: object, children: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """The parts of a node of a pytree, each with the way to it: ``.w``, or ``[leaf 0 of Model]`` where no attribute is known to hold it.

        Args:
            value: The node.
            children: Its parts, as JAX calls them.
        """
        if not children or not all(name.startswith(UNNAMED) for name, _ in children):
            return list(children)
        kind, parts, held = type(value), [child for _, child in children], attributes_of(value)
        known = self._known.setdefault(kind, {})
        names = known.get(len(parts))
        if names is None or not all(name[0] == "[" or (name[1:] in held and held[name[1:]] is part) for name, part in zip(names, parts, strict=True)):
            names = tuple(way(kind, index, part, parts, held) for index, part in enumerate(parts))
            known.setdefault(len(parts), names)
        return list(zip(names, parts, strict=True))


def way(kind: type, index: int, part: object, parts: Sequence[object], held: dict[str, Any]) -> str:
    """The way to one part: its attribute, if one alone holds it, and holds nothing but it."""
    names = [name for name, one in held.items() if one is part]
    is_known = len(names) == 1 and sum(one is part for one in parts) == 1
    return f".{names[0]}" if is_known else f"[leaf {index} of {kind.__name__}]"


NAMES = Names()
