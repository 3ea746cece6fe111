"""What to write instead, in one imperative sentence; it begins with ``Nothing`` where there is nothing to do, and says why."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from x10_jupyter.jax_gate.context import NO_SETTING
from x10_jupyter.observe.arguments import Aval, Static
from x10_jupyter.observe.circumstances import AXES
from x10_jupyter.observe.fixes_of_arrays import for_dtype, for_placement, for_shape, for_weak_type
from x10_jupyter.observe.fixes_of_functions import for_rebuilt
from x10_jupyter.observe.fixes_of_trees import for_pytree
from x10_jupyter.observe.fixes_of_values import for_static
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.signature import Signature
from x10_jupyter.records.cause import Change, Kind

NUMBER = re.compile(r"\d+")
MOST_SHAPES = 16
"""Earlier shapes of an array that are looked at."""


def fix(change: Change, function: Function, old: Signature | None, new: Signature, known: Sequence[Signature] = ()) -> str:
    """What to do about a change.

    Args:
        change: It.
        function: What was compiled.
        old: The nearest earlier signature.
        new: That of now.
        known: All earlier ones, in order.

    Returns:
        One sentence, or nothing if nothing is wrong.
    """
    if function.is_jax and (growth := for_growth(change, sizes(change.where, known, new))):
        return growth
    if function.is_jax and change.kind in {"shape", "dtype", "weak_type", "static_argument"}:
        one = "one program for each shape" if change.kind == "shape" else "one program"
        return f"Put the operations of this line into a function under jax.jit, so that they become {one}."
    if function.operation and change.kind == "shape":
        return f"Give `{function.operation}` one of a few shapes, in a function under jax.jit."
    if change.kind == "shape":
        return for_shape(change, shapes(change.where, known, new))
    advise = ADVICE.get(change.kind)
    return advise(change, function, old, new) if advise is not None else ""


def shapes(path: str, known: Sequence[Signature], new: Signature) -> list[tuple[int, ...]]:
    """The shapes that an array had before under the same transformations, in order, the newest few.

    Args:
        path: The way to it.
        known: The earlier signatures, in order.
        new: That of now.
    """
    alike = [one for one in known if one.transform == new.transform][-MOST_SHAPES:]
    return [row.what.shape for one in alike for row in one.rows if row.path == path and isinstance(row.what, Aval)]


def sizes(path: str, known: Sequence[Signature], new: Signature) -> list[tuple[int, ...]]:
    """The same at one line, up to now; also of what one of JAX's operations is told by a number or a tuple of them, such as the length of a slice."""
    alike = [one for one in known if (one.transform, one.site) == (new.transform, new.site)][-MOST_SHAPES:]
    rows = [row for one in (*alike, new) for row in one.rows if row.path == path]
    return [
        row.what.shape if isinstance(row.what, Aval) else tuple(map(int, NUMBER.findall(row.what.text)))
        for row in rows if isinstance(row.what, Aval | Static)
    ]  # fmt: skip


def for_growth(change: Change, known: Sequence[tuple[int, ...]]) -> str:
    """What to do about what one of JAX's operations takes, and has grown from call to call; empty if it has not."""
    if len(known) < 3 or change.kind not in {"shape", "static_argument"}:
        return ""
    steps = [[b - a for a, b in zip(one, other, strict=False) if a != b] for one, other in pairwise(known[-3:])]
    if len({*map(len, known[-3:])}) > 1 or any(len(step) != 1 or step[0] <= 0 for step in steps):
        return ""
    why = "each length is a program of its own, under jax.jit, too"
    if change.kind == "static_argument" or "[" not in change.new:
        return f"Take one length at each call, and mask what is beyond the one that is meant: {why}."
    return f"Preallocate `{change.where}` at its longest and fill it in, or pad it to one of a few lengths: {why}."


def for_convention(change: Change, *_: object) -> str:
    """Always pass it the same way."""
    if change.old in {"by position", "by name"}:
        return f"Pass `{change.where}` {change.old} at each call."
    if "given as" in change.old + change.new:
        return f"Pass `{change.where}` at each call, since a default is written into the program."
    if "default" in change.old + change.new:
        return f"Pass `{change.where}` at each call, or at none."
    return f"Make one jit of the function with one `{change.where}`, and call that each time."


def for_config(change: Change, function: Function, *_: object) -> str:
    """Set it once."""
    name = change.where
    if "mesh" in name:
        return "Enter the same mesh around each call."
    if name == "compiler_options":
        return f"Make one jit of the function with one `{name}`, and call that each time."
    if change.old == NO_SETTING:
        return f"Import all libraries before the first call: one that was imported since added `{name}` to JAX's settings."
    if function.is_jax:
        return f"Set `{name}` once, before the first call, unless it is JAX's own functions that set it here."
    if name == "jax_enable_x64":
        return f"Set `{name}` once, at the start, before any array is made."
    return f"Set `{name}` once, before the first call, or enter the same context around each call."


def for_transform(change: Change, *_: object) -> str:
    """Each is a program of its own."""
    if change.where == AXES:
        return "Use the same axis names and sizes at each call, since they are a part of the program."
    if change.old.startswith("by "):
        return f"Nothing: `{change.where}` by other arguments is a program of its own, compiled once."
    return "Nothing: each transformation of a function is a program of its own, compiled once."


def for_eviction(change: Change, *_: object) -> str:
    """Don't clear."""
    if change.where == "jax.clear_caches()":
        return "Do not call jax.clear_caches() between calls."
    return "Clear neither JAX's caches nor those of the function (clear_cache) between calls."


ADVICE: dict[Kind, Callable[[Change, Function, Signature | None, Signature], str]] = {
    "dtype": for_dtype,
    "weak_type": for_weak_type,
    "pytree": for_pytree,
    "static_argument": for_static,
    "function_rebuilt": for_rebuilt,
    "calling_convention": for_convention,
    "placement": for_placement,
    "config": for_config,
    "transform": for_transform,
    "evicted": for_eviction,
}
