"""Under what a function is compiled, alone and beside what it is called with."""

from typing import Any

import pytest

from signatures import signature
from x10_jupyter.jax_gate.context import trace_context
from x10_jupyter.observe.arguments import Aval, Row
from x10_jupyter.observe.circumstances import is_other_learnt, options, transformed, unheard_transform
from x10_jupyter.observe.difference import differences
from x10_jupyter.observe.signature import Signature
from x10_jupyter.observe.values import short

F4, F5 = (Row("a", Aval((size,), "float32", weak=False)) for size in (4, 5))


def of(*rows: Row, **fields: Any) -> Signature:
    return signature(rows=rows, **fields)


def told(old: Signature, new: Signature) -> list[tuple[str, str, str, str]]:
    return [(one.kind, one.where, one.old, one.new) for one in differences(old, new)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (of(transform="grad"), of(), [("transform", "grad", "grad", "called as it is")]),
        (of(options=(("inline", "True"),)), of(), [("calling_convention", "inline", "True", "not given")]),
        (
            of(options=(("in_shardings", "P() " * 90),)),
            of(options=(("in_shardings", "P() " * 91),)),
            [("placement", "in_shardings", short("P() " * 90), f"another {short('P() ' * 90)}")],
        ),
        (of(transform="vmap", by=("0",)), of(transform="vmap", by=("1",)), [("transform", "vmap", "by 0", "by 1")]),
    ],
)
def test_one_thing_differs(old: Signature, new: Signature, expected: object) -> None:
    assert told(old, new) == expected


def test_settings_that_an_import_has_added_come_last() -> None:
    now = trace_context()
    before = now[:-1]  # in which the last one is, of whatever name
    (added,) = told(of(F4, context=before), of(F4, context=now))
    assert (added[0], added[2]) == ("config", "not set")
    assert told(of(F4, context=before), of(F5, context=now)) == [("shape", "a", "f32[4]", "f32[5]"), added]


def test_of_a_program_that_is_only_known_from_jaxs_caches_options_are_not_compared() -> None:
    learnt = of(F4, is_whole=False, transform="vmap", options=(("inline", "True"),))
    assert list(options(learnt, of(F4))) == []
    assert is_other_learnt(learnt, of(F4, transform="grad"))
    assert not is_other_learnt(learnt, of(F4, transform="grad of vmap"))


def test_what_is_under_no_transformation_was_not_put_under_another() -> None:
    assert list(unheard_transform(of(F4))) == []
    assert list(transformed(of(F4, by=("a",)), of(F4, transform="grad", by=("b",)))) == []
