"""What to write instead for pytrees."""

import pytest

from signatures import function, signature
from x10_jupyter.observe.arguments import Node, Row, Static
from x10_jupyter.observe.fixes_of_trees import for_pytree
from x10_jupyter.records.cause import Change


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("None", "f32[4]", "Pass an array for `a` at each call, neutral where it was None, or accept the two programs."),
        ("{'w'}", "None", "Pass a value for `a` at each call, neutral where it was None, or accept the two programs."),
        ("list of 2", "list of 3", "Make `a` one array, preallocated or padded to one of a few lengths: each length of a list is a program of its own."),
        ("tuple of 2", "tuple of 3", "Give `a` the same number of items at each call."),
        ("tuple of 2", "list of 2", "Pass `a` as a tuple at each call."),
        ("not given", "f32[4]", "Pass `a` at each call, or at none."),
        ("{'w'}", "{'b', 'w'}", "Give `a` the same keys at each call."),
        ("{'w'}", "OrderedDict {'w'}", "Pass `a` as one type at each call, such as a plain dict."),
        ("{'w'}", "FrozenDict", "Pass `a` as a plain dict at each call, as flax.core.unfreeze makes it."),
        ("EmptyState", "ScaleByAdamState", "Pass `a` as one type at each call, unless it was meant to change."),
        ("List of 1", "List of 2", "Build `a` of the same parts at each call, unless it was meant to change."),
        ("Linear of kernel", "Conv of kernel", "Pass `a` as one type at each call, unless it was meant to change."),
        ("('x',)", "('y',)", "Keep what `a` holds beside its data the same, since each value of that is a program of its own."),
        ("S", "another S", "Pass the same `a` at each call: it does not equal the one before, though it reads the same."),
    ],
)
def test_what_is_built_of_other_parts(old: str, new: str, expected: str) -> None:
    assert for_pytree(Change(kind="pytree", where="a", old=old, new=new), function(), None, signature()) == expected


def test_a_static_field_of_a_pytree_is_told_as_one() -> None:
    change = Change(kind="pytree", where="state.act", old="'relu'", new="'tanh'")
    new = signature(rows=(Row("state", Node("S", 1, fields=((".act", Static("'tanh'", 1)),))),))
    assert for_pytree(change, function(), None, new).startswith("Keep `state.act` the same: as a static field")
