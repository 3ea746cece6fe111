"""`mixed_precision`: operations are recorded in reduced precision while it is on, and weights stay as they are."""

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.hiding import without_ours
from x10_jupyter.jax_gate.tracing import trace_state_clean
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.producer import site_of


def mixed_precision(dtype: Any) -> "MixedPrecision":
    """Record operations in reduced precision: a context manager, and a decorator for functions.

    While it is on, each operation recorded on this thread casts its ``float32`` and ``float64`` operands to bfloat16 as they enter, and computes in that. So
    weights stay full, and inputs and activations become reduced. Gradients by weights are full, as they are; going back, summing gradients and whatever is
    recorded outside, such as the optimizer's update, is not touched. What a function of ``x10.lazy`` computes in ``float32`` on its own account stays so.

    Args:
        dtype: ``"bf16"``, or that dtype itself; or None, which switches it off inside, for what needs full precision.

    Raises:
        UsageError: Another dtype; or it is entered where nothing is recorded.
    """
    return MixedPrecision(reduces=known(dtype))


def known(dtype: object) -> bool:
    """Whether something asks for reduced precision.

    Raises:
        UsageError: It is none of what can be asked for.
    """
    if dtype is None:
        return False
    name = dtype if isinstance(dtype, str) else name_of(dtype)
    if name in NAMES:
        return True
    why = " float16 is not offered: its range is so small that losses have to be scaled." if name in HALF else ""
    raise UsageError('Mixed precision knows "bf16", and None to switch it off inside', got=dtype, fix=f'Write x10.mixed_precision("bf16").{why}')


def name_of(dtype: Any) -> str:
    """The name of a dtype; of anything else what it looks like."""
    try:
        return np.dtype(dtype).name
    except TypeError:
        return repr(dtype)


NAMES = {"bf16", "bfloat16"}
HALF = {"f16", "fp16", "float16", "half"}


class Before(threading.local):
    """What was on, in each thread, when a mode was entered."""

    def __init__(self) -> None:
        self.stack: list[bool] = []


class MixedPrecision:
    """What ``mixed_precision`` returns; can be entered again and again, and by several threads."""

    def __init__(self, *, reduces: bool) -> None:
        self._reduces = reduces
        self._before = Before()

    def __enter__(self) -> None:
        if not trace_state_clean():
            fix = "Enter it around the call that traces, or call the function with tensors."
            raise UsageError("Inside a function that JAX traces nothing is recorded, so there is nothing to reduce", got=f"at {site_of(user_line())}", fix=fix)
        self._before.stack.append(LOCAL.trace.reduces)
        switch(reduces=self._reduces)

    def __exit__(self, *_: object) -> None:
        switch(reduces=self._before.stack.pop())

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """The function with the mode on while it runs."""
        if any(kind(fn) for kind in (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)):
            raise UsageError(
                "A coroutine or a generator runs after its call has returned, so it cannot be decorated", got=fn.__name__, fix="Write `with` inside it."
            )

        @functools.wraps(fn)
        def reducing(*args: Any, **kwargs: Any) -> Any:
            try:
                with MixedPrecision(reduces=self._reduces):
                    return fn(*args, **kwargs)
            except BaseException as error:
                without_ours(error)
                raise

        return reducing


def switch(*, reduces: bool) -> None:
    """Switch the mode of this thread's trace."""
    trace = LOCAL.trace
    trace.reduces = reduces
    trace.choose_way()
