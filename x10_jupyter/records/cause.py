"""Why a program had to be compiled."""

from dataclasses import dataclass
from typing import Literal

from x10_jupyter.records.site import Site

Kind = Literal[
    "first", "shape", "dtype", "weak_type", "pytree", "static_argument", "constant", "function_rebuilt", "calling_convention",
    "placement", "config", "transform", "structure", "cut_moved", "live_outputs", "donation", "evicted", "unknown",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that differs from the nearest known program."""

    kind: Kind
    """One of the closed list."""

    where: str = ""
    """What changed, in the user's words."""

    old: str = ""
    """What it was; empty when it was not there, or can't be told."""

    new: str = ""
    """What it is now; empty when it is gone, or can't be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why a program was not among the known ones."""

    kind: Kind
    """One of the closed list; ``first`` when nothing like it was compiled before, ``unknown`` when it can't be told."""

    where: str = ""
    """What changed, in the user's words: an argument (``batch['image']``), a number, an operation."""

    old: str = ""
    """What it was in the nearest known program; empty when there is none."""

    new: str = ""
    """What it is now."""

    fix: str = ""
    """One imperative sentence: what to write instead; empty when nothing needs to be done."""

    site: Site | None = None
    """The line at which the trace left the known path."""

    nearest: str = ""
    """Name of the nearest known program, which this one was compared with."""

    also: tuple[Change, ...] = ()
    """What else differs from the nearest known program: each alone would have been a cause, too. A bounded number."""
