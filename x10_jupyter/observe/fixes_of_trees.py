"""What to write instead where an argument is built of other parts."""

import re

from x10_jupyter.observe.arguments import Node
from x10_jupyter.observe.difference import DEFINED_ANEW, NONE
from x10_jupyter.observe.fixes_of_arrays import AVAL
from x10_jupyter.observe.fixes_of_values import ANOTHER, NUMBER, for_class, for_field, static_at
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.signature import Signature
from x10_jupyter.records.cause import Change

SEQUENCE = re.compile(r"(list|tuple) of (\d+)")
PARTS = re.compile(r"(\w+) of .+")
NOT_GIVEN = "not given"
GIVEN = re.compile(r"\d+ given")
PARTIAL = "Partial"
FROZEN = "FrozenDict"


def for_pytree(change: Change, function: Function, _old: Signature | None, new: Signature) -> str:
    """Build it of the same parts."""
    where, texts = change.where, (change.old, change.new)
    if change.new.endswith(DEFINED_ANEW):
        return for_class(change)
    if static_at(where, new) is not None or change.new.startswith(ANOTHER):
        return for_field(change, function, new)
    if NONE in texts:
        one = "an array" if any(map(AVAL.fullmatch, texts)) else "a value"
        return f"Pass {one} for `{where}` at each call, neutral where it was None, or accept the two programs."
    if NOT_GIVEN in texts:
        return f"Pass `{where}` at each call, or at none."
    if GIVEN.fullmatch(change.new):
        how = (
            f"Pass `{where}` as one array, preallocated or padded to one of a few lengths"
            if function.is_jax
            else f"Give `{where}` the same number of items at each call"
        )
        return f"{how}: each number of them is a program of its own."
    return partials(change, new) or sequences(change) or dictionaries(change) or types(change)


def partials(change: Change, new: Signature) -> str:
    """Of JAX's partial functions; empty for others."""
    is_one = any(row.path == change.where and isinstance(row.what, Node) and row.what.text == PARTIAL for row in new.rows)
    return f"Use few functions as `{change.where}`, each made once, since each makes a program of its own." if is_one else ""


def sequences(change: Change) -> str:
    """Of lists and tuples; empty for others."""
    before, after = SEQUENCE.fullmatch(change.old), SEQUENCE.fullmatch(change.new)
    if not before or not after:
        return ""
    if before[1] != after[1]:
        return f"Pass `{change.where}` as a {before[1]} at each call."
    if before[1] == "list":
        return f"Make `{change.where}` one array, preallocated or padded to one of a few lengths: each length of a list is a program of its own."
    return f"Give `{change.where}` the same number of items at each call."


def dictionaries(change: Change) -> str:
    """Of dictionaries; empty for others."""
    texts = (change.old, change.new)
    if any(text.startswith(FROZEN) for text in texts) and not all(text.startswith(FROZEN) for text in texts):
        return f"Pass `{change.where}` as a plain dict at each call, as flax.core.unfreeze makes it."
    before, after = (text[text.index("{") :] if "{" in text else "" for text in texts)
    if not before or not after:
        return ""
    return f"Pass `{change.where}` as one type at each call, such as a plain dict." if before == after else f"Give `{change.where}` the same keys at each call."


def types(change: Change) -> str:
    """Of classes: another one, one of other parts, or something else that the class puts beside the data."""
    before, after = PARTS.fullmatch(change.old), PARTS.fullmatch(change.new)
    if before and after and before[1] == after[1]:
        return f"Build `{change.where}` of the same parts at each call, unless it was meant to change."
    if NUMBER.fullmatch(change.new) or (change.old[:1] in "('" and change.new[:1] in "('"):
        return f"Keep what `{change.where}` holds beside its data the same, since each value of that is a program of its own."
    return f"Pass `{change.where}` as one type at each call, unless it was meant to change."
