"""A cell, another one that changes something it reads, and what a call gives and costs before and after.

The cells are in `cells/`: a title, the first cell, `--`, the second. `(unseen)` says that not everything can be seen that the function reads.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import x10_jupyter as x10
from runtime import listening, run_cell
from x10_jupyter.records.runtime_events import Compiled, Retraced

BEFORE, AFTER = [2.0, 4.0], [5.0, 10.0]


@dataclass(frozen=True)
class Edit:
    """`f` gives 2 * x after `cell` has run, and 5 * x after `edit` has."""

    name: str
    cell: str
    edit: str
    is_seen: bool = True
    """Whether everything that `f` reads can be seen; otherwise it is traced at each call."""


def edits(file: str) -> list[Edit]:
    """The edits in a file of `cells/`."""
    found = []
    for part in (Path(__file__).parent / "cells" / f"{file}.txt").read_text(encoding="utf-8").split("## ")[1:]:
        title, _, cells = part.partition("\n")
        cell, edit = cells.split("\n--\n")
        found.append(Edit(title.removesuffix(" (unseen)"), cell, edit, is_seen=not title.endswith(" (unseen)")))
    return found


def cell_names(**more: Any) -> dict[str, Any]:
    """The namespace of a notebook."""
    return {"__name__": "__main__", "x10": x10, "np": np, **more}


def judge(edit: Edit, names: dict[str, Any]) -> None:
    """Call `f` twice before the edit and twice after it: never stale, and nothing compiled in vain."""
    run_cell(edit.cell, names)
    assert value_and_compiles(names, edit) == (BEFORE, 1)
    assert value_and_compiles(names, edit) == (BEFORE, 0)
    run_cell(edit.edit, names)
    now, compiles = value_and_compiles(names, edit)
    assert now == AFTER
    assert compiles <= 1
    assert value_and_compiles(names, edit) == (AFTER, 0)


def value_and_compiles(names: dict[str, Any], edit: Edit) -> tuple[Sequence[float], int]:
    """What `f` gives now, and how many programs that took."""
    with listening() as events:
        now = np.asarray(names["f"](x10.tensor(np.array([1, 2], np.float32)))).tolist()
    assert any(isinstance(e, Retraced) for e in events) is not edit.is_seen
    return now, sum(isinstance(e, Compiled) for e in events)


def value_of(function: Callable[..., Any]) -> Any:
    """What a function gives for [1, 2]."""
    return np.asarray(function(x10.tensor(np.array([1, 2], np.float32)))).tolist()
