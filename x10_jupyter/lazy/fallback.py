"""Operations that static shapes cannot express: the trace is cut, the operation runs on its own, and a record says so."""

import threading
from collections.abc import Sequence
from typing import Any

import jax
from jax.tree_util import tree_flatten, tree_unflatten

from x10_jupyter.lazy.autodiff import Entry, Tape, apply, is_smooth
from x10_jupyter.lazy.core import Trace, Value
from x10_jupyter.lazy.explain import explained
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import tensor_of
from x10_jupyter.lazy.op import Call, is_array
from x10_jupyter.lazy.producer import CLOCK, EVENTS, site_of
from x10_jupyter.lazy.read import computed
from x10_jupyter.records.events import FellBack


def fall_back(trace: Trace, call: Call, tensors: Sequence[Value], numbers: Sequence[Any]) -> Any:  # noqa: ANN401 - whatever the function returns
    """Run a call at once on concrete arrays, under the tape if it depends on what is differentiated."""
    arrays = [computed(trace, t, "fallback", call.name) for t in tensors]
    start_ns = CLOCK.now_ns()
    tape = trace.tape
    levels = [tape.levels(t) if tape is not None and is_smooth(t.aval) else 0 for t in tensors]
    try:
        if any(levels):
            result = taped(trace, tape, call, tensors, arrays, numbers, levels)
        else:
            result = jax.tree.map(as_tensor, call.flat(*arrays, *numbers))
    except Exception as error:
        raise explained(error, call, tensors) from error
    if EVENTS:
        reason = "The shape of its result, or what it does, depends on values"
        EVENTS.emit(FellBack(start_ns=start_ns, end_ns=CLOCK.now_ns(), thread=threading.get_ident(), site=site_of(user_line()), op=call.name, reason=reason))
    return result


def as_tensor(x: Any) -> Any:  # noqa: ANN401
    """A result with a tensor in place of an array."""
    return tensor_of(x) if is_array(x) else x


def taped(trace: Trace, tape: Tape, call: Call, tensors: Sequence[Value], arrays: list[Any], numbers: Sequence[Any], levels: list[int]) -> Any:  # noqa: ANN401, PLR0913, PLR0917
    """Run a call at once, and note how to go back through it."""
    moving = [i for i, level in enumerate(levels) if level]
    trees: list[Any] = []

    def moved(*ys: Any) -> tuple[list[Any], list[Any]]:  # noqa: ANN401
        full = list(arrays)
        for i, y in zip(moving, ys, strict=True):
            full[i] = y
        leaves, tree = tree_flatten(call.flat(*full, *numbers))
        trees.append(tree)
        return [x for x in leaves if is_array(x) and is_smooth(x)], leaves

    _, vjp, leaves = jax.vjp(moved, *[arrays[i] for i in moving], has_aux=True)
    outs = [as_tensor(x) for x in leaves]
    reached = 0
    for level in levels:
        reached |= level
    smooth = [t for t in outs if isinstance(t, Value) and is_smooth(t.aval)]
    for t in smooth:
        t.node = tape.node(reached)
    residuals, tree = tree_flatten(vjp)
    kept = [tensor_of(x) for x in residuals]

    def backward(cotangents: list[Value]) -> list[Value]:
        if tape.open:  # differentiated again: going back has to be recorded
            count = len(kept)
            again = Call(f"{call.name}.backward", lambda *xs: list(tree_unflatten(tree, xs[:count])(list(xs[count:]))), key=("fallback", id(vjp), vjp), base=call.base)
            return apply(trace, again, (*kept, *cotangents), ())
        given = [computed(trace, t, "fallback", f"{call.name}.backward") for t in cotangents]
        return [tensor_of(x) for x in vjp(given)]

    tape.entries.append(Entry(backward, tuple([tensors[i].node for i in moving]), [], tuple([t.node for t in smooth]), tuple([t.aval for t in smooth])))
    return tree_unflatten(trees[-1], outs)
