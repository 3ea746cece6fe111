"""Hooks that never fail: what goes wrong in them stays here."""

from collections import deque
from collections.abc import Callable
from traceback import format_exception
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

ERRORS = deque[str](maxlen=16)
"""What went wrong last, for whoever looks for it. As text, since an exception would keep what the user's call holds."""


def guarded(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """What a call returns; None if it fails, since nothing of it may reach the user."""
    try:
        return call(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - as it says
        ERRORS.append("".join(format_exception(error)))
        return None
