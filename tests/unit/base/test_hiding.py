"""Code of ours is played by code that is compiled under a name in the package."""

import traceback
from collections.abc import Callable
from typing import Any

import pytest

from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.frames import PACKAGE
from x10_jupyter.base.hiding import HIDDEN, frames_of, hide_ours, without_ours

OURS = """
def wrapper(function, **kwargs):
    try:
        return helper(function)
    except BaseException as error:
        without_ours(error, **kwargs)
        raise

def helper(function):
    return function()

def broken():
    return [][0]

def refusing():
    raise UsageError("No")
"""


@pytest.fixture
def ours() -> Any:
    names: dict[str, Any] = {"without_ours": without_ours, "UsageError": UsageError}
    exec(compile(OURS, f"{PACKAGE}made_up.py", "exec"), names)
    return type("Ours", (), {name: staticmethod(value) for name, value in names.items() if callable(value)})


def users() -> None:
    raise ZeroDivisionError


def raised_by(call: Callable[[], object]) -> BaseException:
    with pytest.raises(BaseException) as caught:
        call()
    return caught.value


def names(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)][2:]  # without the two of this file that call


def test_frames_of_ours_above_the_users_are_taken_out(ours: Any) -> None:
    assert names(raised_by(lambda: ours.wrapper(users))) == ["users"]
    assert names(raised_by(lambda: ours.wrapper(lambda: ours.wrapper(users)))) == ["<lambda>", "users"]


def test_so_are_those_between_lines_of_the_users(ours: Any) -> None:
    def between() -> None:
        ours.helper(users)

    assert names(raised_by(lambda: ours.wrapper(lambda: ours.helper(between)))) == ["<lambda>", "between", "users"]


def test_what_ours_raises_by_mistake_keeps_the_frames_that_lead_there(ours: Any) -> None:
    def between() -> None:
        ours.helper(ours.broken)

    assert names(raised_by(lambda: ours.wrapper(between))) == ["between", "helper", "broken"]


def test_what_ours_raises_on_purpose_has_none(ours: Any) -> None:
    assert names(raised_by(lambda: ours.wrapper(ours.refusing))) == []


def test_what_ours_raises_keeps_its_frames_unless_that_cannot_be(ours: Any) -> None:
    assert names(raised_by(lambda: ours.wrapper(ours.broken))) == ["wrapper", "helper", "broken"]
    deleted: list[int] = []
    assert names(raised_by(lambda: ours.wrapper(deleted.pop, is_never_ours=True))) == []


def hidden(error: BaseException) -> list[str]:
    return [frame.f_code.co_name for frame in frames_of(error.__traceback__) if HIDDEN in frame.f_locals]


def test_frames_of_ours_are_marked_for_ipython_also_in_what_it_was_raised_from(ours: Any) -> None:
    def call() -> None:
        try:
            ours.helper(users)
        except ZeroDivisionError as error:
            raise KeyError from error

    error = raised_by(lambda: ours.helper(call))
    hide_ours(error)
    assert hidden(error) == ["helper"]
    assert error.__cause__ is not None
    assert hidden(error.__cause__) == ["helper"]


def test_of_an_error_on_purpose_too_but_not_of_a_mistake_of_ours(ours: Any) -> None:
    on_purpose, mistake = raised_by(lambda: ours.helper(ours.refusing)), raised_by(lambda: ours.helper(ours.broken))
    hide_ours(on_purpose)
    hide_ours(mistake)
    assert names(on_purpose) == [], "IPython shows the last frame, marked or not"
    assert (names(mistake), hidden(mistake)) == (["helper", "broken"], [])


def test_errors_that_are_each_others_context_come_to_an_end() -> None:
    first, second = ValueError(), KeyError()
    first.__context__, second.__context__ = second, first
    hide_ours(first)
