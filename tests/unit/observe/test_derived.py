"""Programs that JAX derives of a function."""

from collections.abc import Sequence
from typing import Any

import pytest

from signatures import function, signature
from x10_jupyter.observe.derived import cause_of_derived, forward_of
from x10_jupyter.observe.history import Family, History
from x10_jupyter.observe.making import Making
from x10_jupyter.observe.signature import Signature
from x10_jupyter.records.cause import Cause

STEP = function()


def call(size: int, **fields: Any) -> Signature:
    return signature((size,), transform="grad", program=(f"f32[{size}]",), results=("f32[]",), **fields)


def back(forward: Signature | None, *needed: str, **fields: Any) -> Signature:
    return signature(transform="backward pass", program=needed, is_derived=True, forward=forward, **fields)


def known(*signatures: Signature) -> tuple[Family, History]:
    history = History()
    for one in signatures:
        history.put(STEP, one)
    return history.family(STEP.family), history


def cause(now: Signature, before: Sequence[Signature]) -> Cause | None:
    family, history = known(*before)
    return cause_of_derived(Making((1,), STEP, now, "", is_traced=False, is_ahead=False), family, history)


def test_it_is_of_the_newest_call_that_has_none_and_gives_what_it_needs() -> None:
    three, four, plain = call(3), call(4), signature((4,))
    assert forward_of(known(three, four, plain)[0], ("f32[3]",)) is three
    assert forward_of(known(three, four, plain)[0], ("f32[]",)) is four
    assert forward_of(known(three, four, plain)[0], ("f32[7]",)) is None
    assert forward_of(known(three, four)[0], ("f32[7]",)) is four, "nothing was made since"
    assert forward_of(known(three, back(three))[0], ("f32[3]",)) is None


def test_the_first_is_made_for_what_its_call_was() -> None:
    why = Cause(kind="dtype", where="x0")
    assert cause(back(call(3, cause=why)), ()) is why
    assert cause(back(None), ()) is None
    told = cause(back(None, "f32[3]"), [signature((3,))])
    assert told is not None
    assert (told.kind, told.old, told.new) == ("transform", "called as it is", "backward pass")


@pytest.mark.parametrize("is_known", [True, False])
def test_a_later_one_is_made_as_its_call_is_another_or_as_it_has_other_inputs(*, is_known: bool) -> None:
    three, four = call(3), call(4)
    told = cause(back(four if is_known else None, "f32[4]"), [three, back(three, "f32[3]"), four])
    assert told is not None
    where = "x0" if is_known else "input 0 of the backward pass"
    assert (told.kind, told.where, told.old, told.new) == ("shape", where, "f32[3]", "f32[4]")


def test_what_was_forgotten_is_told_if_nothing_differs() -> None:
    told = cause(back(None, "f32[3]", forgotten=1), [back(None, "f32[3]")])
    assert told is not None
    assert (told.kind, told.where) == ("evicted", "jax.clear_caches()")
