"""Whether everything is still where it was found, so that nobody has to look at it again."""

import types
from typing import Any

ABSENT = object()
"""Stands where nothing is."""


def contents_of(cell: types.CellType) -> Any:
    """What is in a closure cell; ``ABSENT`` if it has no value yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def is_current(checks: Any) -> Any:
    """Whether everything is still where a walk found it."""
    for how, where, name, it in checks:
        if how == "item":
            now = where.get(name, ABSENT)
        elif how == "cell":
            now = contents_of(where)
        elif how == "attribute":
            now = getattr(where, name, ABSENT)
        elif how == "size":
            now = it if len(vars(where)) == it else ABSENT
        else:
            now = vars(where).get(name, ABSENT)
        if now is not it:
            return False
    return True
