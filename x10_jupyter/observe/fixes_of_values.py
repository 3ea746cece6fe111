"""What to write instead where a value that is a part of the program is another one: a static argument, or a field of a pytree that is no data."""

import re

from x10_jupyter.observe.arguments import Node, Static
from x10_jupyter.observe.difference import DEFINED_ANEW
from x10_jupyter.observe.fixes_of_arrays import AVAL
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.layers import LAMBDA
from x10_jupyter.observe.signature import Signature
from x10_jupyter.records.cause import Change

NUMBER = re.compile(r"(np\.\w+\()?(-?(\d+(\.\d*)?(e[-+]?\d+)?|inf)|nan)\)?")
WHOLE = re.compile(r"(np\.\w+\()?-?\d+\)?")
ANOTHER = "another "
SETTINGS = {"static_argnums", "static_argnames"}

DATA = {"step", "count", "counter", "epoch", "iteration", "iter", "i", "t", "seed", "lr", "rate", "learning_rate"}
"""Names of numbers that are computed with."""

STRUCTURE = re.compile(
    r"axis|axes|dims?|ndim|shape|size|length|width|height|depth|k|unroll|strides?|(\w+_)?features"
    r"|(num|n)_\w+|\w+_(axis|dim|size|shape|len|length|layers|heads)"
)
"""Names of numbers on which shapes, axes and loops depend."""


def for_static(change: Change, function: Function, _old: Signature | None, new: Signature) -> str:
    """Pass what is computed with as an array; make what is the same once."""
    where = change.where
    if where in SETTINGS:
        return f"Make one jit of the function with one `{where}`, and call that each time."
    if change.new.endswith(DEFINED_ANEW):
        return for_class(change)
    if change.new.startswith(ANOTHER):
        return for_identity(change, function, new)
    if is_same_number(change):
        return f"Pass `{where}` as a Python {'int' if WHOLE.fullmatch(change.new) else 'float'} each time: a number of NumPy's is another value."
    if is_array(change.old) != is_array(change.new):
        return f"Pass `{where}` as an array at each call."
    return for_number(change, f"Pass `{where}` as an array{' argument of its own' if '.' in where else ''}") or few(where)


def for_field(change: Change, function: Function, new: Signature) -> str:
    """The same for a field of a pytree that is no data."""
    where = change.where
    if change.new.startswith(ANOTHER):
        return for_identity(change, function, new)
    kept = f"Keep `{where}` the same: as a static field, each value of it is a program of its own."
    return for_number(change, f"Make `{where}` a data field of its class") or kept


def for_class(change: Change) -> str:
    """What to do about a class that was defined again."""
    return f"Run the cell that defines `{change.new.removesuffix(DEFINED_ANEW)}` once, or make its objects and programs anew with it."


def is_same_number(change: Change) -> bool:
    """Whether a number only is of another type: ``2`` and ``np.int64(2)``."""
    old, new = NUMBER.fullmatch(change.old), NUMBER.fullmatch(change.new)
    return old is not None and new is not None and old[1] != new[1] and float(old[2]) == float(new[2])


def for_number(change: Change, as_data: str) -> str:
    """What to do with a number; empty for what is none.

    Args:
        change: How it changed.
        as_data: The sentence that makes it an array, as it begins.
    """
    if not NUMBER.fullmatch(change.new):
        return ""
    name = re.split(r"[.\[]", change.where)[-1]
    if STRUCTURE.fullmatch(name):
        return few(change.where)
    if WHOLE.fullmatch(change.new) and name not in DATA:
        return f"{as_data} if it is only computed with; use few values if a shape, axis or loop depends on it."
    return f"{as_data}, so that one program serves all its values."


def few(where: str) -> str:
    """What can't be anything but static."""
    return f"Use few values of `{where}`, since each is a program of its own, compiled once."


def for_identity(change: Change, function: Function, new: Signature) -> str:
    """What reads as before and is another value."""
    where, kind = change.where, change.new.removeprefix(ANOTHER)
    if AVAL.fullmatch(kind):
        return f"Pass `{where}` as an array, so that one program serves all its values."
    static = static_at(where, new)
    if static is None or static.known_by == "value":
        return f"Pass the same `{where}` at each call: it does not equal the one before, though it reads the same."
    if static.known_by == "function":
        what = "Define the lambda" if static.made == LAMBDA else f"Make `{static.made}`"
        return f"{what} once, outside the loop, and pass the same one as `{where}` at each call."
    if static.known_by == "functions":
        return f"Make `{where}` once and pass the same one at each call, since its functions are made anew with it."
    what = f"one `{kind}`" if where == "self" else f"`{where}` once"
    return f"Make {what} and use it at each call of `{function.name}`, or give its class __eq__ and __hash__: it is known by identity."


def static_at(where: str, signature: Signature) -> Static | None:
    """The static value at a path: an argument, or a field of a pytree that is no data."""
    for row in signature.rows:
        if isinstance(row.what, Static) and row.path == where:
            return row.what
        if isinstance(row.what, Node) and where.startswith(row.path):
            for name, value in row.what.fields:
                if row.path + name == where:
                    return value
    return None


def is_array(text: str) -> bool:
    """Whether a text is that of an array."""
    return AVAL.fullmatch(text) is not None
