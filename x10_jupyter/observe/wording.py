"""A cause in words: what has changed first, the nearest call that was known before, and users' names for things."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from x10_jupyter.observe.arguments import Node, Row, Static
from x10_jupyter.observe.difference import NONE, text_of
from x10_jupyter.observe.fixes import fix
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.signature import Signature
from x10_jupyter.observe.values import short
from x10_jupyter.records.cause import Cause, Change

MOST_CHANGES = 8
"""Changes that a cause tells."""

MOST_ROWS = 6
"""Arguments of an earlier call that are told."""

WEAK = re.compile(r"(?<=\])~")
"""How a weak type is written in short."""


def caused(changes: Sequence[Change], function: Function, old: Signature, now: Signature, known: Sequence[Signature] = ()) -> Cause:
    """A cause of what differs.

    Args:
        changes: It.
        function: What is compiled.
        old: The nearest earlier signature.
        now: That of now.
        known: All earlier ones, in order.
    """
    if not changes:
        return Cause(kind="unknown", nearest=described(function, old))
    main = changes[0]
    return Cause(
        kind=main.kind, where=main.where, old=main.old, new=main.new, fix=fix(main, function, old, now, known), nearest=described(function, old),
        also=tuple(changes[1 : MOST_CHANGES + 1]),
    )  # fmt: skip


def named(cause: Cause, names: Mapping[str, str]) -> Cause:
    """A cause in the words that users know: their names, and a weak type in full."""
    nearest_one = spelt(cause.nearest)
    advice = cause.fix
    names = {**{path.partition("[")[0]: name.partition("[")[0] for path, name in names.items() if path.startswith("args[")}, **names}
    for path, name in names.items():
        if path.startswith("args["):
            nearest_one = nearest_one.replace(f"{path}: ", f"{name}: ")
        advice = advice.replace(f"`{path}`", f"`{name}`")

    def change(one: Change) -> Change:
        return Change(kind=one.kind, where=names.get(one.where, one.where), old=spelt(one.old), new=spelt(one.new))

    return replace(
        cause, where=names.get(cause.where, cause.where), old=spelt(cause.old), new=spelt(cause.new), fix=advice, nearest=nearest_one,
        also=tuple(map(change, cause.also)),
    )  # fmt: skip


def spelt(text: str) -> str:
    """A text with weak types in full: ``f32[] (weak)`` for ``f32[]~``."""
    return WEAK.sub(" (weak)", text)


def is_internal(row: Row) -> bool:
    """Whether a row is of no interest to users, unless nothing else differs."""
    return isinstance(row.what, Static) and row.what.is_internal


def described(function: Function, signature: Signature) -> str:
    """An earlier call in a line: ``step(batch: f32[32,8]) at cell [3] line 9``."""
    rows = [row for row in signature.rows if (not isinstance(row.what, Node) or row.what.text == NONE) and not is_internal(row)]
    told = ", ".join(f"{row.path}: {text_of(row)}" for row in rows[:MOST_ROWS])
    more = ", …" if len(rows) > MOST_ROWS else ""
    place = f" at {signature.site}" if signature.site else ""
    around = f" under {signature.transform}" if signature.transform else ""
    return f"{short(f'{function.name}({told}{more})')}{around}{place}"
