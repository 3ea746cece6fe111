"""Operations that static shapes cannot express: the trace is cut, the operation runs on its own, and a record says so."""

import threading
from collections.abc import Sequence
from typing import Any

import jax
from jax.tree_util import tree_flatten, tree_unflatten

from x10_jupyter.base.errors import OperandError
from x10_jupyter.lazy.autodiff import LEVELS, Entry, Tape, is_smooth, levels_of
from x10_jupyter.lazy.core import Trace, Value
from x10_jupyter.lazy.explain import explained
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import tensor_of
from x10_jupyter.lazy.op import Call, is_array
from x10_jupyter.lazy.producer import CLOCK, EVENTS, site_of
from x10_jupyter.lazy.read import computed
from x10_jupyter.records.events import FellBack


def fall_back(trace: Trace, call: Call, tensors: Sequence[Value], numbers: Sequence[Any]) -> Any:
    """Run a call at once on concrete arrays, under the tape if it depends on what is differentiated."""
    arrays = [computed(trace, t, "fallback", call.name) for t in tensors]
    start_ns = CLOCK.now_ns()
    tape = trace.tape
    levels = [] if tape is None else levels_of(tape, tensors)
    try:
        if tape is not None and any(levels):
            result = taped(trace, tape, call, tensors, arrays, numbers, levels)
        else:
            result = jax.tree.map(as_tensor, call.flat(*arrays, *numbers))
    except Exception as error:
        raise explained(error, call, tensors) from error
    if EVENTS:
        reason = "The shape of its result, or what it does, depends on values"
        EVENTS.emit(FellBack(start_ns=start_ns, end_ns=CLOCK.now_ns(), thread=threading.get_ident(), site=site_of(user_line()), op=call.name, reason=reason))
    return result


def as_tensor(x: Any) -> Any:
    """A result with a tensor in place of an array."""
    return tensor_of(x) if is_array(x) else x


def taped(trace: Trace, tape: Tape, call: Call, tensors: Sequence[Value], arrays: list[Any], numbers: Sequence[Any], levels: list[int]) -> Any:
    """Run a call at once, and note how to go back through it."""
    if any(level & (level - 1) for level in levels) or len({level for level in levels if level}) > 1:
        fix = "Take the values it needs outside of the gradient, or give the function a static size."
        raise OperandError(
            f"`{call.name}` needs concrete values, so that it has no second derivative", got=site_of(user_line()) and str(site_of(user_line())), fix=fix
        )
    moving = [i for i, level in enumerate(levels) if level]
    trees: list[Any] = []

    def moved(*ys: Any) -> tuple[list[Any], list[Any]]:
        full = list(arrays)
        for i, y in zip(moving, ys, strict=True):
            full[i] = y
        leaves, tree = tree_flatten(call.flat(*full, *numbers))
        trees.append(tree)
        return [x for x in leaves if is_array(x) and is_smooth(x)], leaves

    _, vjp, leaves = jax.vjp(moved, *[arrays[i] for i in moving], has_aux=True)
    outs = [as_tensor(x) for x in leaves]
    smooth = [t for t in outs if isinstance(t, Value) and is_smooth(t.aval)]
    level = max(levels)
    for t in smooth:
        t.node = tape.node(level)

    def backward(cotangents: list[Value]) -> list[Value]:
        return [tensor_of(x) for x in vjp([computed(trace, t, "fallback", f"{call.name}.backward") for t in cotangents])]

    args = [tensors[i].node >> LEVELS for i in moving]
    tape.entries.append(Entry(level, backward, args, [], [t.node >> LEVELS for t in smooth], [t.aval for t in smooth]))
    return tree_unflatten(trees[-1], outs)
