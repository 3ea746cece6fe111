"""By what JAX tells a static value from another one that reads the same."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Literal

from x10_jupyter.observe.layers import layers_of, made_of
from x10_jupyter.observe.values import is_function, name_of

KnownBy = Literal["value", "identity", "functions", "function"]
"""``value``: its class compares it. ``identity``: its class does not, so another object is another value. ``functions``: it holds functions, which are
another each time they are made. ``function``: it is one, or a class."""

MOST_ITEMS = 64
"""Items of a value that are looked at."""


def known_by(value: Any) -> KnownBy:  # noqa: ANN401 - the user's value
    """By what a value is known."""
    if is_function(value):
        return "function"
    if any(is_function(item) and not isinstance(item, type) for item in items_of(value)):
        return "functions"
    return "identity" if type(value).__eq__ is object.__eq__ else "value"


def items_of(value: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
    """What a tuple or a record holds, one level deep."""
    if isinstance(value, tuple):
        yield from value[:MOST_ITEMS]
    elif is_dataclass(value) and not isinstance(value, type):
        yield from (getattr(value, field.name, None) for field in fields(value)[:MOST_ITEMS])


def made(value: Any) -> str:  # noqa: ANN401 - as above
    """What made a function, as its author may have written it, or its name, as that of a class; empty for other values."""
    if known_by(value) != "function":
        return ""
    return made_of(list(layers_of(value))) or name_of(value)
