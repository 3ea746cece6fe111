"""Reads: a tensor's value is wanted now, so the trace is cut if it is pending there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import NoneType
from typing import Any, TypeVar, cast

import jax
import numpy as np

from x10_jupyter.base.errors import LostValueError, UsageError, gist
from x10_jupyter.lazy.avals import converted
from x10_jupyter.lazy.core import Trace, deleted, pending_elsewhere
from x10_jupyter.lazy.culprit import lost_message
from x10_jupyter.lazy.execute import Why, cut
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.producer import CLOCK, EVENTS, WATCHER, happened
from x10_jupyter.lazy.value import Failure, Value
from x10_jupyter.lazy.visible import VISIBLE
from x10_jupyter.records.process_events import Read

Taken = TypeVar("Taken")


def computed(trace: Trace, t: Value, why: Why, how: str) -> jax.Array:
    """The tensor's array, which may not be ready yet; cuts the trace if the tensor is pending.

    Raises:
        LostValueError: Its program could not be compiled or run.
        UsageError: It is pending in another thread.
    """
    if t.held is None:
        if t.serial != trace.serial:
            raise pending_elsewhere(t)
        try:
            cut(trace, why, how)
        except LostValueError as error:
            if cast(object, t.held).__class__ in {NoneType, Failure}:  # else only others depend on what could not be compiled
                raise lost(t, error) from error.__cause__
    held: Any = t.held
    if held.__class__ is Failure:
        raise LostValueError(held.message)
    if held.is_deleted():
        raise deleted(t)
    return held


def lost(t: Value, error: LostValueError) -> LostValueError:
    """The error of this very tensor, the same at each read."""
    return LostValueError(t.held.message) if t.held.__class__ is Failure else error


def array(t: Value, how: str) -> jax.Array:
    """The tensor's array, of the dtype that the tensor says, handed out to ordinary JAX or to the user and recorded as a read."""
    if not t.aval.is_narrow:
        return buffer(t, how)
    with jax.ensure_compile_time_eval():  # JAX may be tracing
        return converted(looked_at(t, how), t.aval.dtype, weak_type=t.aval.weak_type)


def buffer(t: Value, how: str) -> jax.Array:
    """The array that the device holds, handed out and recorded as a read; its buffer is no longer the runtime's alone."""
    held = looked_at(t, how)
    VISIBLE.add(held)
    return held


def looked_at(t: Value, how: str) -> jax.Array:
    """The tensor's array, recorded as a read; for those who do not keep it."""
    trace = LOCAL.trace
    if not EVENTS:
        return computed(trace, t, "read", how)
    start_ns, pending = CLOCK.now_ns(), trace.state.depth - len(trace.leaves) if t.held is None else 0
    held = computed(trace, t, "read", how)
    noted(t, how, start_ns, pending)
    return held


def for_jax(t: Value, how: str) -> jax.Array:
    """The tensor's array for a function of JAX's, recorded as a read; refused where a gradient would be lost."""
    refuse_taped(t, how)
    return array(t, how)


def refuse_taped(t: Value, how: str) -> None:
    """Raise if something of JAX's that returns arrays again is given a tensor on the tape.

    Raises:
        UsageError: A gradient is being taken through the tensor, and would be lost without a word.
    """
    tape = LOCAL.trace.tape
    if tape is not None and tape.levels(t):
        fix = "Use x10_jupyter.numpy, wrap the function with x10.lazy, or pass x10.lax.stop_gradient(t) if no gradient is meant to go through it."
        raise UsageError(  # no TypeError, which JAX would take for its own
            "A tensor that a gradient is taken through was given to JAX itself, which would lose the gradient", got=f"{t.aval!r}, {how}", fix=fix
        )


def host(t: Value, how: str) -> np.ndarray:
    """The tensor's value on the host, of the dtype that the tensor says, recorded as a read by the host; waits until it is ready."""
    value = brought(t, how, np.asarray)
    return value.astype(t.aval.dtype) if t.aval.is_narrow else value


def on_both(t: Value, how: str) -> jax.Array:
    """The array that the device holds, for somebody who takes its value from the host, as `pickle` does: JAX has brought it there. Recorded as such a read."""

    def take(held: jax.Array) -> jax.Array:
        np.asarray(held)
        VISIBLE.add(held)
        return held

    return brought(t, how, take)


def shared(t: Value, how: str, share: Callable[[jax.Array], Taken], is_host: Callable[[jax.Array], bool]) -> Taken:
    """What somebody makes of the tensor's array who goes on looking at its memory.

    Args:
        t: The tensor.
        how: In the user's words.
        share: Makes it, from the array of the dtype that the tensor says.
        is_host: Whether that memory, of this array, is the host's: then this is a read by the host.
    """

    def take(held: jax.Array) -> Taken:
        if not t.aval.is_narrow:
            VISIBLE.add(held)
            return share(held)
        return share(converted(held, t.aval.dtype, weak_type=t.aval.weak_type))

    return brought(t, how, take, is_host)


def brought(t: Value, how: str, take: Callable[[jax.Array], Taken], is_host: Callable[[jax.Array], bool] = lambda _: True) -> Taken:
    """What is taken of the tensor's array, recorded as a read that ends when it is taken.

    Args:
        t: The tensor.
        how: In the user's words.
        take: Takes it from the array that the device holds.
        is_host: Whether it is the host's then; if so, it is waited for.
    """
    trace = LOCAL.trace
    start_ns, pending = CLOCK.now_ns() if EVENTS else 0, trace.state.depth - len(trace.leaves) if t.held is None else 0
    held = computed(trace, t, "read", how)
    ready_ns = None
    with told(t):
        if EVENTS and is_host(held):
            held.block_until_ready()
            ready_ns = CLOCK.now_ns()
            WATCHER.look()
        value = take(held)
    if EVENTS:
        noted(t, how, start_ns, pending, ready_ns)
    return value


@contextmanager
def told(t: Value) -> Iterator[None]:
    """While the tensor's array is waited for: if its program failed while it ran, the error says which operation and line it belongs to."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        what = f"failed while it ran ({type(error).__name__}: {gist(error)})"
        origin = getattr(t, "origin", None)
        raise LostValueError(f"The program of this tensor {what}" if origin is None else lost_message(what, origin)) from error


def noted(t: Value, how: str, start_ns: int, pending: int, ready_ns: int | None = None) -> None:
    """Report a read."""
    common = happened(user_line(), start_ns)
    EVENTS.emit(Read(how=how, aval=repr(t.aval), size_bytes=t.aval.size_bytes, pending_ops=pending, ready_ns=ready_ns, **common))
