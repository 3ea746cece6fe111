"""Operations that static shapes cannot express: the trace is cut, the operation runs on its own, and a record says so."""

import functools
import operator
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import jax
from jax.tree_util import tree_flatten, tree_unflatten

from x10_jupyter.lazy.autodiff import LEVELS, Entry, Tape, levels_of
from x10_jupyter.lazy.avals import Aval, is_inexact
from x10_jupyter.lazy.compiling import noting_compiles
from x10_jupyter.lazy.context import current
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.explain import raise_explained
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import made_of, tensor_of
from x10_jupyter.lazy.narrow import is_affected, widened
from x10_jupyter.lazy.op import Call, common_dtype, is_array, is_reduced
from x10_jupyter.lazy.precision import as_said
from x10_jupyter.lazy.producer import CLOCK, EVENTS, happened
from x10_jupyter.lazy.read import computed
from x10_jupyter.lazy.value import Value
from x10_jupyter.lazy.visible import VISIBLE
from x10_jupyter.records.runtime_events import FellBack


def fall_back(trace: Trace, call: Call, tensors: Sequence[Value], numbers: Sequence[Any]) -> Any:
    """Run a call at once on concrete arrays, under the tape if it depends on what is differentiated."""
    arrays = [computed(trace, t, "fallback", call.name) for t in tensors]
    for each in arrays:
        VISIBLE.add(each)  # a result may share its buffer, as that of `x[:]` does
    start_ns, spans = CLOCK.now_ns(), list[tuple[int, int]]()
    tape = trace.tape
    if tape is not None:
        tape.write(trace)
    levels = [] if tape is None else levels_of(tape, tensors)
    try:
        with noting_compiles(spans) if EVENTS else nullcontext():
            if tape is not None and any(levels):
                result = taped(trace, tape, call, tensors, arrays, numbers, levels)
            else:
                result = jax.tree.map(tensor_maker(call, tensors, arrays), run(call, tensors, arrays, numbers))
    except Exception as error:  # noqa: BLE001 - it is raised again
        raise_explained(error, call, tensors)
    if EVENTS:
        reason = "The shape of its result, or what it does, depends on values"
        EVENTS.emit(FellBack(op=call.name, reason=reason, compiling=tuple(spans), **happened(user_line(), start_ns)))
    return result


def run(call: Call, tensors: Sequence[Value], arrays: list[Any], numbers: Sequence[Any]) -> Any:
    """The call's result for what the device holds; where storage is narrow, in full, as the results will say that they are."""
    ins = [t.aval for t in tensors]
    if call.dtypes is None and is_affected(current(), ins):
        return call.flat(*widened(arrays, ins), *numbers)
    return call.on_device(ins)(*arrays, *numbers)


def tensor_maker(call: Call, tensors: Sequence[Value], arrays: list[Any]) -> Callable[[Any], Any]:
    """What makes tensors of the arrays among a call's results.

    An operand that comes back says what it said; another result that is held in reduced precision says what the operands would give together.
    """
    ins = [t.aval for t in tensors]
    holds = current().holds
    operands = {id(array): aval.dtype for array, aval in zip(arrays, ins, strict=True)}
    wide = common_dtype(ins) if is_reduced(call, ins) else None

    def as_tensor(x: Any) -> Any:
        if is_array(x) and x.dtype in holds and id(x) not in operands:
            return made_of(x)
        return tensor_of(x, operands.get(id(x)) or as_said(x.dtype, wide)) if is_array(x) else x

    return as_tensor


def taped(trace: Trace, tape: Tape, call: Call, tensors: Sequence[Value], arrays: list[Any], numbers: Sequence[Any], levels: list[int]) -> Any:
    """Run a call at once, and note how to go back through it at each level that its inputs belong to."""
    leaves, tree = tree_flatten(run(call, tensors, arrays, numbers))
    outs = list(map(tensor_maker(call, tensors, arrays), leaves))
    smooth = [t for t in outs if isinstance(t, Value) and t.aval.is_smooth]
    every = functools.reduce(operator.or_, levels)
    for t in smooth:
        t.node = tape.node(every)
    for level in [1 << i for i in range(every.bit_length()) if every >> i & 1]:
        moving = [i for i, its in enumerate(levels) if its & level]
        going_back = backward_of(call, [t.aval for t in tensors], moving)

        def backward(cotangents: list[Value], going_back: Call = going_back) -> list[Value]:
            return fall_back(trace, going_back, (*tensors, *cotangents), numbers)

        args = [tensors[i].node >> LEVELS for i in moving]
        tape.entries.append(Entry(level, backward, args, [], [t.node >> LEVELS for t in smooth], [t.aval for t in smooth]))
    return tree_unflatten(tree, outs)


def backward_of(call: Call, ins: Sequence[Aval], moving: list[int]) -> Call:
    """A call of the same tensors and then cotangents, which returns gradients; made anew from the values, so that it can be differentiated itself.

    Args:
        call: The operation.
        ins: The tensors it takes.
        moving: Which of them to differentiate by.
    """
    count, fn = len(ins), call.flat if is_affected(current(), ins) else call.on_device(ins)  # it is given what `run` gives it

    def flat(*xs: Any) -> list[Any]:
        numbers_at = len(xs) - len(call.numbers)

        def moved(*ys: Any) -> list[Any]:
            full = list(xs[:count])
            for i, y in zip(moving, ys, strict=True):
                full[i] = y
            return [x for x in jax.tree.leaves(fn(*full, *xs[numbers_at:])) if is_array(x) and is_inexact(x.dtype)]

        return list(jax.vjp(moved, *[xs[i] for i in moving])[1](list(xs[count:numbers_at])))

    return Call(f"{call.name}.backward", flat, key=(call.key, tuple(moving), "backward"), numbers=call.numbers, base=(call.base, "backward"))
