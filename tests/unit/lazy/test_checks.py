"""A walk holds as long as everything is where it was found."""

from collections.abc import Callable
from types import CellType
from typing import Any

import pytest

from x10_jupyter.lazy.checks import ABSENT, contents_of, is_current


class Thing:
    k = 1


def cell_of(*values: Any) -> Any:
    return CellType(*values)


def clear(cell: Any) -> None:
    del cell.cell_contents


CASES: dict[str, Callable[[], tuple[tuple[str, Any, Any, Any], Callable[[], Any]]]] = {
    "an item changes": lambda: (lambda d: (("item", d, "k", d["k"]), lambda: d.update(k=[])))({"k": []}),
    "an item goes": lambda: (lambda d: (("item", d, "k", d["k"]), d.clear))({"k": []}),
    "an item comes": lambda: (lambda d: (("item", d, "k", ABSENT), lambda: d.update(k=1)))({}),
    "a cell changes": lambda: (lambda c: (("cell", c, "x", c.cell_contents), lambda: setattr(c, "cell_contents", 2)))(cell_of(1)),
    "a cell is cleared": lambda: (lambda c: (("cell", c, "x", c.cell_contents), lambda: clear(c)))(cell_of(1)),
    "a cell is filled": lambda: (lambda c: (("cell", c, "x", ABSENT), lambda: setattr(c, "cell_contents", 1)))(cell_of()),
    "an attribute changes": lambda: (lambda t: (("attribute", t, "k", 1), lambda: setattr(t, "k", 2)))(Thing()),
    "a part of a class changes": lambda: (lambda c: (("attribute of class", c, "k", 1), lambda: setattr(c, "k", 2)))(type("New", (), {"k": 1})),
    "a class grows": lambda: (lambda c: (("size", c, "", len(vars(c))), lambda: setattr(c, "new", 2)))(type("New", (), {"k": 1})),
}


@pytest.mark.parametrize("make", CASES.values(), ids=CASES.keys())
def test_a_change_is_seen(make: Callable[[], Any]) -> None:
    check, change = make()
    assert is_current([check])
    change()
    assert not is_current([check])


def test_an_empty_cell_has_no_contents() -> None:
    assert contents_of(cell_of()) is ABSENT
    assert contents_of(cell_of(None)) is None
