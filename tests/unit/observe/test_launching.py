"""A thread stands at a launch where a compiled function was called before, and nowhere else."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import jax.numpy as jnp
import pytest

from x10_jupyter.base.frames import PACKAGE
from x10_jupyter.observe import launching
from x10_jupyter.observe.launching import Launching
from x10_jupyter.observe.standing import Place


class Step:
    """In place of a compiled function: at each call somebody looks where the thread stands, and then JAX tells of the call, if it is asked to."""

    __name__ = "step"

    def __init__(self) -> None:
        self.launching = Launching()
        self.places: list[Place | None] = []

    def __call__(self) -> None:
        frame: FrameType | None = sys._getframe(1)
        assert frame is not None
        self.places.append(self.launching.standing(frame))
        if self.launching.left:
            self.launching.launched(self, frame, None)


def test_a_call_is_known_from_the_second_time_on_with_its_line() -> None:
    step = Step()
    for _ in range(3):
        step()
    first, *others = step.places
    assert first is None
    assert {(place.how, place.kind, place.site.file) for place in others if place is not None} == {("step", "launch", __file__)}
    line = test_a_call_is_known_from_the_second_time_on_with_its_line.__code__.co_firstlineno + 3
    assert [place.site.line for place in others if place is not None] == [line, line]
    assert not step.launching.left, "what is known is not asked for"


def test_another_call_on_the_same_line_is_another_one() -> None:
    step = Step()
    for _ in range(2):
        assert (step(), step()) == (None, None)
    assert [place is None for place in step.places] == [True, True, False, False]


def run_in(file: str) -> Callable[[Step], None]:
    """A function of a file that calls what it is given."""
    found = dict[str, Any]()
    exec(compile("def run(f):\n    f()", file, "exec"), found)
    return found["run"]


def test_what_a_library_launches_is_at_the_users_line() -> None:
    step, run = Step(), run_in("/lib/site-packages/trainer.py")
    for _ in range(2):
        run(step)
    place = step.places[1]
    assert place is not None
    line = test_what_a_library_launches_is_at_the_users_line.__code__.co_firstlineno + 3
    assert (place.site.file, place.site.line) == (__file__, line)


def test_what_the_runtime_launches_is_told_by_itself() -> None:
    step, run = Step(), run_in(f"{PACKAGE}lazy/execute.py")
    for _ in range(2):
        run(step)
    assert step.places == [None, None]


def test_there_are_never_many_and_none_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launching, "MOST", 1)
    step = Step()
    for _ in range(3):
        step()
        step()
    assert [place is not None for place in step.places] == [False, False, True, False, True, False]
    step.launching.forget()
    assert (step.launching.functions, step.launching.results, step.launching.left) == ({}, [], 0)


def test_a_launch_is_under_way_if_it_was_given_what_the_last_one_gave() -> None:
    made, here = Launching(), sys._getframe()
    first, second = jnp.ones(3), jnp.ones(3)
    assert not made.is_under_way()
    made.launched(Step(), here, {"params": first, "loss": second})
    assert not made.is_under_way(), "all of it is there"
    second.delete()
    assert made.is_under_way()
    made.launched(Step(), here, [first])
    assert not made.is_under_way(), "and that was the last but one"
    made.launched(Step(), here, [jnp.ones(3)])
    assert not made.is_under_way(), "nothing is kept alive"


def test_what_is_no_longer_followed_says_nothing() -> None:
    made, here, array = Launching(), sys._getframe(), jnp.ones(3)
    made.is_under_way()
    for _ in range(launching.FOLLOWED):
        made.launched(Step(), here, [array])
    assert not made.left
    array.delete()
    assert not made.is_under_way()
