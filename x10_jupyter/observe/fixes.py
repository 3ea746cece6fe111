"""What to write instead, in one imperative sentence."""

import re
from collections.abc import Callable

from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.signature import Signature
from x10_jupyter.records.cause import Change, Kind

AVAL = re.compile(r"(?P<dtype>[a-z]+\d*)\[(?P<shape>[\d,]*)\]")
LIST = re.compile(r"(list|tuple) of (\d+)")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
ANOTHER = "another "
LONG_DTYPE = {"f": "float", "bf": "bfloat", "i": "int", "u": "uint", "c": "complex"}


def fix(change: Change, function: Function, old: Signature | None, new: Signature) -> str:
    """What to do about a change.

    Args:
        change: It.
        function: What was compiled.
        old: The nearest earlier signature.
        new: That of now.

    Returns:
        One sentence, or nothing if nothing is wrong.
    """
    if function.is_jax and change.kind == "config":
        return ""  # JAX's own functions set it around their operations
    if function.is_jax and change.kind in {"shape", "dtype", "weak_type", "static_argument"}:
        return f"Call `{function.name}` inside a function under jax.jit, so that many operations become one program."
    advise = ADVICE.get(change.kind)
    return advise(change, function, old, new) if advise is not None else ""


def for_shape(change: Change, _function: Function, _old: Signature | None, _new: Signature) -> str:
    """Pad what comes in many sizes."""
    before, after = AVAL.match(change.old), AVAL.match(change.new)
    if before is None or after is None:
        return f"Give `{change.where}` the same shape at each call."
    a, b = ([int(length) for length in found["shape"].split(",") if length] for found in (before, after))
    if len(a) != len(b):
        return f"Give `{change.where}` the same number of dimensions at each call."
    axes = [axis for axis, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    if axes == [0] and b[0] < a[0]:
        return f"Pad the last batch to {a[0]}, or drop it."
    where = f"axis {axes[0]} of `{change.where}`" if len(axes) == 1 and len(a) > 1 else f"`{change.where}`"
    return f"Pad {where} to one length, or to one of a few."


def for_dtype(change: Change, *_: object) -> str:
    """Convert before the call."""
    dtype = AVAL.match(change.old)
    return f"Convert `{change.where}` to {long_dtype(dtype['dtype'])} before the call." if dtype else f"Give `{change.where}` one dtype."


def for_weak_type(change: Change, *_: object) -> str:
    """A number of Python's is not an array of its dtype."""
    dtype = AVAL.match(change.new if change.old.endswith("~") else change.old)
    name = long_dtype(dtype["dtype"]) if dtype else "float32"
    return f"Make `{change.where}` an array before the first call, such as jnp.{name}(0), since a Python number is of a weak type."


def long_dtype(short: str) -> str:
    """The name of a dtype in `jax.numpy`: ``float32`` for ``f32``."""
    letters = short.rstrip("0123456789")
    return LONG_DTYPE[letters] + short[len(letters) :] if letters in LONG_DTYPE else short


def for_pytree(change: Change, *_: object) -> str:
    """Build it of the same parts."""
    if "None" in (change.old, change.new):
        return f"Pass an array for `{change.where}` at each call, such as zeros, instead of None at some."
    before, after = LIST.fullmatch(change.old), LIST.fullmatch(change.new)
    if before and after:
        one_length = f"Make `{change.where}` one array of a fixed length, since each length of a list is another program."
        return one_length if before[1] == after[1] else f"Pass `{change.where}` as a {before[1]} at each call."
    if "not given" in (change.old, change.new):
        return f"Pass `{change.where}` at each call."
    if change.new.startswith(ANOTHER):
        return for_identity(change)
    if NUMBER.fullmatch(change.new):
        return f"Make `{change.where}` a field of data of its class, so that it is passed as an array."
    return f"Build `{change.where}` of the same parts at each call."


def for_static(change: Change, _function: Function, _old: Signature | None, _new: Signature) -> str:
    """Pass what changes as an array; make what is the same once."""
    if change.new.startswith(ANOTHER):
        return for_identity(change)
    if NUMBER.fullmatch(change.new):
        return f"Pass `{change.where}` as an array instead of a static value, unless a shape depends on it."
    return f"Use few values of `{change.where}`, since each is compiled once."


def for_identity(change: Change) -> str:
    """Make it once."""
    return f"Make `{change.where}` once and pass it again, or give its class __eq__ and __hash__, since it is known by identity."


def for_rebuilt(change: Change, function: Function, old: Signature | None, new: Signature) -> str:
    """Make it once."""
    if change.new.startswith("edited"):
        return "Nothing: an edited function has to be compiled once."
    held = [name for name, text in new.held if old is not None and dict(old.held).get(name, text) != text]
    what = "the function" if function.name == "<lambda>" else f"`{function.name}`"
    if function.operation:
        return f"Define {what} once, outside the loop or function that makes it anew, since `{function.operation}` compiles each new one."
    if held:
        return f"Define {what} once, outside the loop, and pass `{held[0]}` as an argument."
    if function.is_local:
        return f"Define {what} and its jax.jit once, outside the loop or function that makes it anew."
    return f"Define {what} in a cell of its own, and run that once."


def for_convention(change: Change, *_: object) -> str:
    """Always pass it the same way."""
    if change.old in {"by position", "by name"}:
        return f"Pass `{change.where}` {change.old} at each call."
    if "default" in change.old + change.new:
        return f"Pass `{change.where}` at each call, or at none."
    return f"Call jax.jit with the same `{change.where}` each time, or only once."


def for_placement(change: Change, *_: object) -> str:
    """Put it somewhere once."""
    if change.where.endswith("shardings") or change.where in {"device", "backend"}:
        return f"Call jax.jit with the same `{change.where}` each time, or only once."
    if "not committed" in (change.old, change.new):
        return f"Put `{change.where}` on its device before the first call: jax.device_put({root(change.where)}, device)."
    return f"Keep `{change.where}` where it was, or give jax.jit its in_shardings."


def root(path: str) -> str:
    """The argument that a path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def for_config(change: Change, *_: object) -> str:
    """Set it once."""
    if "mesh" in change.where:
        return "Enter the same mesh around each call."
    return f"Set {change.where} once, before the first call."


def for_eviction(*_: object) -> str:
    """Don't clear."""
    return "Do not clear JAX's caches between calls."


ADVICE: dict[Kind, Callable[[Change, Function, Signature | None, Signature], str]] = {
    "shape": for_shape,
    "dtype": for_dtype,
    "weak_type": for_weak_type,
    "pytree": for_pytree,
    "static_argument": for_static,
    "function_rebuilt": for_rebuilt,
    "calling_convention": for_convention,
    "placement": for_placement,
    "config": for_config,
    "evicted": for_eviction,
}
