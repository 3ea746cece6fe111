"""Whose line is it."""

import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

from x10_jupyter import base
from x10_jupyter.base.frames import Cells, is_library, is_ours_or_library, no_cell, user_frame, user_frames


@pytest.mark.parametrize(
    ("filename", "library", "ours"),
    [
        (__file__, False, False),
        (np.__file__, True, True),
        (json.__file__, True, True),
        (base.__file__, False, True),
        ("<frozen importlib._bootstrap>", True, True),
        ("<ipython-input-1>", False, False),
        ("/tmp/ipykernel_1/123.py", False, False),
    ],
)
def test_whose_code_it_is(filename: str, library: bool, ours: bool) -> None:
    assert (is_library(filename), is_ours_or_library(filename)) == (library, ours)


def called_from(filename: str, call: Callable[[], Any]) -> Any:
    """What a function returns that is called by code of a file."""
    names: dict[str, Any] = {"call": call}
    exec(compile("def through():\n    return call()\n", filename, "exec"), names)
    return names["through"]()


def test_the_innermost_frame_of_the_user() -> None:
    def here() -> FrameType:
        return user_frame()

    assert here().f_code is here.__code__
    library = called_from(json.__file__, sys._getframe)
    assert library.f_code.co_filename == json.__file__
    assert user_frame(library).f_code is called_from.__code__


def test_without_a_frame_of_the_user_it_is_the_outermost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("x10_jupyter.base.frames.is_ours_or_library", lambda _: True)
    outermost = user_frame()
    assert outermost.f_back is None


def test_all_frames_of_the_user_the_innermost_first() -> None:
    def outer() -> list[FrameType]:
        return called_from(json.__file__, inner)

    def inner() -> list[FrameType]:
        return user_frames()

    names = [frame.f_code.co_name for frame in outer()]
    assert names[:4] == ["inner", "called_from", "outer", "test_all_frames_of_the_user_the_innermost_first"]
    library = called_from(json.__file__, sys._getframe)
    assert user_frames(library)[0].f_code is called_from.__code__


def test_without_any_it_is_the_outermost_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("x10_jupyter.base.frames.is_ours_or_library", lambda _: True)
    assert [frame.f_back for frame in user_frames()] == [None]


def test_outside_a_notebook_no_file_is_a_cell() -> None:
    assert no_cell("anything") is None
    assert Cells.number("anything") is None
