"""What to write instead where an array has another shape, dtype, weak type or place."""

import re
from collections.abc import Callable, Sequence

import jax.numpy as jnp
import numpy as np

from x10_jupyter.observe.arguments import Aval, Row
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.signature import Signature
from x10_jupyter.records.cause import Change

AVAL = re.compile(r"(?P<dtype>[a-z]+\w*)\[(?P<shape>[\d,]*)\](?P<weak>~?)")
LONG_DTYPE = {"f": "float", "bf": "bfloat", "i": "int", "u": "uint", "c": "complex"}
INPUT = "input "
"""How an input is called that is none of the user's arguments."""
KEY = "key<"
UNCOMMITTED = "not committed"
SPREAD = " spread "
MODEL = re.compile(r"(params|variables|weights|model|self|state|train_state|opt_state)[.\[].*")
SHORT = re.compile(r"(p|params|weights|theta)(\[[^\]]+\])*\['[wWbk]\d*'\]")
"""Weights by the short names that they have in examples: ``p['b']``."""
WEIGHTS = re.compile(r"\b(params|weights?|kernel|bias|scale|embedding|opt_state|mu|nu)\b")
"""Names of what a model consists of, which is no other one for another batch."""


def for_shape(change: Change, known: Sequence[tuple[int, ...]]) -> str:
    """Pad what comes in many sizes.

    Args:
        change: What has changed.
        known: The shapes that it had before, in order, one after another.
    """
    where = change.where
    if where.startswith(INPUT):
        return "Nothing of its own: what a transformation makes has the shapes of the call that it belongs to."
    before, after = AVAL.match(change.old), AVAL.match(change.new)
    if before is None or after is None:
        return f"Give `{where}` the same shape at each call."
    a, b = ([int(length) for length in found["shape"].split(",") if length] for found in (before, after))
    if (MODEL.fullmatch(where) and WEIGHTS.search(where)) or SHORT.fullmatch(where):
        return "Nothing, if the model was meant to change: weights of other shapes make a program of their own."
    if len(a) != len(b):
        return f"Give `{where}` the same number of dimensions at each call."
    return for_lengths(where, a, b, known)


def for_lengths(where: str, old: Sequence[int], new: Sequence[int], known: Sequence[tuple[int, ...]]) -> str:
    """What to do about an array with other lengths along its axes."""
    axes = [axis for axis, (x, y) in enumerate(zip(old, new, strict=True)) if x != y]
    if len(axes) != 1:
        return f"Pad `{where}` to one shape, or to one of a few."
    (axis,) = axes
    along = f"`{where}`" if len(old) == 1 else f"axis {axis} of `{where}`"
    before = lengths(axis, new, known)
    if len(before) > 1 and before[-2] < before[-1] < new[axis]:
        return f"Preallocate {along} at its longest and fill it in, or pad it to one of a few lengths."
    if axis == 0 and new[0] < old[0] and len(old) == 1:
        return f"Pad {along} to one of a few lengths, or drop the last batch if it is not full."
    if axis == 0 and new[0] < old[0]:
        return f"Drop the last batch if it is not full (drop_remainder or drop_last), or pad it to {old[0]}."
    if axis == 0 and len({*before, old[0], new[0]}) == 2:
        return f"Pad {along} to one size, or drop the last batch if it is not full."
    return f"Pad {along} to one of a few lengths, such as powers of two."


def lengths(axis: int, new: Sequence[int], known: Sequence[tuple[int, ...]]) -> list[int]:
    """The lengths that an array has had along an axis, in order, while it was as long as it is now along the others.

    Args:
        axis: The axis.
        new: The shape of now.
        known: The shapes before.
    """
    alike = [shape for shape in known if len(shape) == len(new) and all(a == b for at, (a, b) in enumerate(zip(shape, new, strict=True)) if at != axis)]
    return [shape[axis] for at, shape in enumerate(alike) if not at or shape[axis] != alike[at - 1][axis]]


def for_dtype(change: Change, _function: Function, old: Signature | None, new: Signature) -> str:
    """One dtype, which holds both without loss."""
    where = subject(change.where, old, new, lambda one: one.what.dtype if isinstance(one.what, Aval) else "")
    before, after = AVAL.match(change.old), AVAL.match(change.new)
    if before and after:
        return for_dtypes(where, before, after)
    if KEY not in change.old + change.new:
        return f"Make {where} the same dtype at each call."
    if before or after:
        return f"Make {where} by jax.random.key everywhere, or by jax.random.PRNGKey everywhere."
    return f"Make {where} with the same `impl` at each call."


def for_dtypes(where: str, before: re.Match[str], after: re.Match[str]) -> str:
    """What to do about an array of another dtype."""
    dtypes = long_dtype(before["dtype"]), long_dtype(after["dtype"])
    if all(one["weak"] and not one["shape"] for one in (before, after)) and "bool" not in dtypes:
        return f"Pass {where} as a float at each call, such as 1.0 instead of 1."
    if set(dtypes) == {"float32", "float64"}:
        return f"Make {where} float32 at each call, where it is made: NumPy's default is float64."
    wider = wider_of(*dtypes)
    why = f": {next(one for one in dtypes if one != wider)} becomes that without loss" if wider else ""
    return f"Make {where} {wider or 'the same dtype'} at each call, where it is made{why}."


def wider_of(one: str, other: str) -> str:
    """The dtype that holds all values of both; empty if neither does, or if they mean other things, as truth values and numbers do."""
    if one == other or "bool" in (one, other):
        return ""
    try:
        a, b = jnp.dtype(one), jnp.dtype(other)
    except TypeError:
        return ""
    return other if np.can_cast(a, b, "safe") else one if np.can_cast(b, a, "safe") else ""


def for_weak_type(change: Change, *_: object) -> str:
    """A number of Python's is not an array of its dtype."""
    where = change.where
    dtype = AVAL.match(change.new)
    name = f"jnp.{long_dtype(dtype['dtype'])}" if dtype else "jnp.float32"
    if dtype and dtype["shape"]:
        return f"Give `{where}` its dtype where it is made, such as by jnp.asarray({where}, {name}): its weak type is another program."
    if change.old.endswith("~"):
        return f"Pass `{where}` as {name}(…) from the first call on, since a Python number has a weak type."
    return f"Pass `{where}` as {name}(…) here, too, since a Python number has a weak type."


def long_dtype(short: str) -> str:
    """The name of a dtype in `jax.numpy`: ``float32`` for ``f32``."""
    letters = short.rstrip("0123456789")
    return LONG_DTYPE[letters] + short[len(letters) :] if letters in LONG_DTYPE else short


def for_placement(change: Change, _function: Function, old: Signature | None, new: Signature) -> str:
    """Put it somewhere once."""
    if change.where.endswith("shardings") or change.where in {"device", "backend"}:
        return f"Make one jit of the function with one `{change.where}`, and call that each time."
    where = subject(change.where, old, new, lambda one: one.place)
    target = "sharding" if any(word in change.old + change.new for word in (" over ", SPREAD)) else "device"
    put = f"with jax.device_put({where.rpartition(' ')[2].strip('`')}, {target})"
    if change.old == UNCOMMITTED:
        there = "its sharding" if target == "sharding" else change.new
        return f"Give {where} {there} before the first call, {put}." if target == "sharding" else f"Put {where} on {there} before the first call, {put}."
    if change.new == UNCOMMITTED:
        return f"Give {where} its sharding here, too, {put}." if target == "sharding" else f"Put {where} on {change.old} here, too, {put}."
    if target == "device":
        return f"Keep {where} on one device: each device has a program of its own."
    return f"Lay out {where} the same at each call: {put}, or by `out_shardings` of the jit that it comes from."


def subject(where: str, old: Signature | None, new: Signature, of: Callable[[Row], str]) -> str:
    """What to change: ```p['w']```, or ``all of `p` `` if all arrays of that argument have changed alike.

    Args:
        where: The path of the array.
        old: The signature before.
        new: That of now.
        of: What has changed of an array.
    """
    root = re.split(r"[.\[]", where, maxsplit=1)[0]
    if old is None or root == where:
        return f"`{where}`"
    before = {row.path: row for row in old.rows}
    parts = [row for row in new.rows if isinstance(row.what, Aval) and re.match(rf"{re.escape(root)}[.\[]", row.path)]
    changed = {(of(before[row.path]), of(row)) for row in parts if row.path in before}
    is_all = len(parts) > 1 and len(changed) == 1 and all(row.path in before for row in parts) and len(set(*changed)) > 1
    return f"all of `{root}`" if is_all else f"`{where}`"
