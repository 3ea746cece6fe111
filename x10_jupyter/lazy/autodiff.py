"""Gradients: a tape of operations, each with a forward and a backward made by `jax.vjp`, which are operations themselves.

So higher orders and custom rules work, and no gradient is written by hand. A node is a number, not an object: the tape keeps nothing alive but residuals.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import count
from typing import Any

import jax
import jax.numpy as jnp
from jax.tree_util import tree_flatten, tree_leaves, tree_unflatten

from x10_jupyter.base.errors import OperandError
from x10_jupyter.jax_gate.extended import jaxpr_as_fun
from x10_jupyter.jax_gate.tracing import is_tracer
from x10_jupyter.lazy.avals import Aval, number_aval, spec
from x10_jupyter.lazy.core import Trace, record
from x10_jupyter.lazy.op import Call, Op, is_array, specialise
from x10_jupyter.lazy.value import Value

NODES = 1 << 22
"""Nodes that one tape may have. With the levels there are 33 bits of 63 left for tapes: enough for ten days of gradients of 0.1 ms."""
UNKNOWN = object()
"""What following a known path gives where it ends."""
LEVELS = 8
"""Gradients of gradients, at most; a node's low bits say which of them it belongs to."""


class Entry:
    """A recorded operation, and how to go back through it."""

    __slots__ = ("args", "avals", "backward", "level", "outs", "residuals")

    def __init__(self, level: int, backward: Any, args: list[int], residuals: list[Value], outs: list[int], avals: list[Aval]) -> None:
        self.level = level
        """The one gradient it belongs to."""
        self.backward = backward
        """A call, or a function of the cotangents that runs at once."""
        self.args = args
        """Nodes, without their levels, of the inputs that gradients go to."""
        self.residuals, self.outs, self.avals = residuals, outs, avals


class Tape:
    """What was recorded since the outermost gradient began."""

    __slots__ = ("end", "entries", "floor", "level", "next", "open", "replay")

    numbers = count(1)
    """One for each tape. Threads share tensors, so no tape may take another's nodes for its own."""

    def __init__(self) -> None:
        self.entries: list[Entry | None] = []
        self.floor = self.next = next(Tape.numbers) * NODES
        self.end = self.floor + NODES
        self.level = 0
        self.open = 0
        """The levels that are being recorded, one bit each."""
        self.replay: Any = None
        """What follows or learns the path of the only gradient on this tape."""

    def write(self, trace: Trace) -> None:
        """Neither follow nor learn a path from here on: something happens that is not known by place."""
        self.replay = None
        trace.write_tape()

    def node(self, levels: int) -> int:
        """A new node that belongs to these levels."""
        self.next += 1
        return self.next << LEVELS | levels

    def levels(self, t: Value) -> int:
        """The open levels that a tensor belongs to; a node of another tape belongs to none."""
        node = t.node
        return node & self.open if self.floor < node >> LEVELS < self.end else 0


def apply(trace: Trace, call: Call, tensors: Sequence[Value], numbers: Sequence[Any]) -> Any:
    """Record a call, on the tape if it depends on what is differentiated; returns the function's result."""
    tape = trace.tape
    if tape is None or not tape.open:
        outs = record(trace, call, tensors, numbers)
        return trace.state.op.result(outs)
    if trace.replay is not None:
        result = trace.replay.follow(trace, call, tensors, numbers)
        if result is not UNKNOWN:
            return result
    if trace.stale or not trace.watched:
        trace.look()
    levels = levels_of(tape, tensors)
    if any(levels):
        op = specialise(call, tuple([t.aval for t in tensors]), trace.context)
        outs = taped(trace, tape, call, tensors, numbers, levels)[: len(op.outs)]
    else:
        outs = record(trace, call, tensors, numbers)
        op = trace.state.op
    if tape.replay is not None:
        tape.replay.learn(trace, call, levels, op)
    return op.result(outs)


def levels_of(tape: Tape, tensors: Sequence[Value]) -> list[int]:
    """For each tensor the open levels that it belongs to; only values that have gradients have a node."""
    return [tape.levels(t) if t.node else 0 for t in tensors]


def taped(trace: Trace, tape: Tape, call: Call, tensors: Sequence[Value], numbers: Sequence[Any], levels: list[int]) -> list[Value]:
    """Record a call, and how to go back at each level that its inputs belong to; returns its array results.

    The innermost level takes the forward with residuals in place of the call. For the levels around it that forward is the operation to
    differentiate, since the residuals depend on their inputs too.
    """
    if not any(levels):
        return record(trace, call, tensors, numbers)
    level = 1 << (max(levels).bit_length() - 1)
    active = tuple([mask & level != 0 for mask in levels])
    around = [mask & ~level for mask in levels]
    op = specialise(call, tuple([t.aval for t in tensors]), trace.context)
    rule = op.rules.get(active)
    if rule is None:
        rule = op.rules[active] = derive(op, active)
    if not rule.smooth:
        return taped(trace, tape, call, tensors, numbers, around)
    made = taped(trace, tape, rule.forward, tensors, numbers, around) if any(around) else record(trace, rule.forward, tensors, numbers)
    outs = [made[i] for i in rule.smooth]
    for t in outs:
        t.node = t.node | level if tape.levels(t) else tape.node(level)
    residuals = [made[i] if i >= 0 else tensors[-1 - i] for i in rule.residuals]
    args = [t.node >> LEVELS for t, a in zip(tensors, active, strict=True) if a]
    tape.entries.append(Entry(level, rule.backward, args, residuals, [t.node >> LEVELS for t in outs], [t.aval for t in outs]))
    return made


class Rule:
    """How to differentiate an operation."""

    __slots__ = ("backward", "forward", "residuals", "smooth")

    def __init__(self, forward: Call, backward: Call, residuals: list[int], smooth: list[int]) -> None:
        self.forward, self.backward = forward, backward
        self.residuals = residuals
        """Where each is: from 0 among the forward's results, below 0 among the inputs (-1 is the first)."""
        self.smooth = smooth
        """Which results have gradients."""


def derive(op: Op, active: tuple[bool, ...]) -> Rule:
    """Forward with residuals, and backward, both from `jax.vjp`; a residual that is an input or a result is not made twice."""
    rule = derived(op, active, jaxpr_as_fun(op.jaxpr)) or derived(op, active, partial(arrays_of, op.call.anew or op.flat))
    if rule is None:
        shapes = ", ".join(map(repr, op.ins))
        fix = "Differentiate by fewer of its arguments."
        raise OperandError(f"`{op.call.name}` has a custom gradient that JAX cannot trace", got=shapes, fix=fix)
    return rule


def arrays_of(flat: Callable[..., Any], *xs: Any) -> list[Any]:
    """The arrays among a call's results, from the function itself."""
    return [x for x in tree_leaves(flat(*xs)) if is_array(x)]


def derived(op: Op, active: tuple[bool, ...], fn: Callable[..., Any]) -> Rule | None:
    """The rule, from a function that does what the operation does; None if that holds on to what it was traced with.

    What was traced once does so where a custom rule takes arrays for arguments that are not to be differentiated by, such as the tolerance of
    ``linalg.pinv``: then the function itself has to be traced anew.
    """
    call, count = op.call, len(op.outs)
    moving = [i for i, a in enumerate(active) if a]
    smooth = [i for i, a in enumerate(op.outs) if a.is_smooth]
    found: list[Any] = []

    def forward(*xs: Any) -> list[Any]:
        def moved(*ys: Any) -> tuple[list[Any], list[Any]]:
            full = list(xs)
            for i, y in zip(moving, ys, strict=True):
                full[i] = y
            outs = fn(*full)
            return [outs[i] for i in smooth], outs

        _, vjp, outs = jax.vjp(moved, *[xs[i] for i in moving], has_aux=True)
        residuals, tree = tree_flatten(vjp)
        found.append(tree)
        return [*outs, *residuals]

    numbers = [spec(number_aval(kind)) for kind in call.numbers]
    closed = jax.make_jaxpr(forward)(*map(spec, op.ins), *numbers)
    if any(map(is_tracer, closed.consts)):
        return None
    tree = found[-1]
    where, kept = residual_places(closed.jaxpr, len(op.ins), count)

    def kept_of(linearized: Callable[..., list[Any]], *xs: Any) -> list[Any]:
        outs = linearized(*xs)
        return [outs[i] for i in kept]

    def backward(*xs: Any) -> list[Any]:
        return list(tree_unflatten(tree, xs[: len(where)])(list(xs[len(where) :])))

    said = (*[a.dtype for a in op.outs], *[None] * (len(kept) - count))
    # as it was traced: to make it once more takes three times as long
    first = variant(call, call.name, partial(kept_of, jaxpr_as_fun(closed)), (call.key, op.ins, active, "forward"), call.numbers, said)
    first.anew = partial(kept_of, forward)
    first.places, first.split = call.places, call.split
    said = tuple([op.ins[i].dtype for i in moving])
    rule = Rule(first, variant(call, f"{call.name}.backward", backward, (call.key, op.ins, active, "backward"), (), said), where, smooth)
    first.rule = (rule, active)
    return rule


def residual_places(jaxpr: Any, inputs: int, results: int) -> tuple[list[int], list[int]]:
    """Where each residual of a forward is to be had.

    Args:
        jaxpr: The forward; its outputs are the results, then the residuals.
        inputs: How many of its inputs are the operation's tensors.
        results: How many results there are.

    Returns:
        For each residual its place: from 0 among the outputs kept, below 0 among the inputs; and which outputs to keep.
    """
    known = {id(v): -1 - i for i, v in enumerate(jaxpr.invars[:inputs])}
    for i, v in enumerate(jaxpr.outvars[:results]):
        known.setdefault(id(v), i)
    where, kept = [], list(range(results))
    for i, v in enumerate(jaxpr.outvars[results:], results):
        if id(v) not in known:
            known[id(v)] = len(kept)
            kept.append(i)
        where.append(known[id(v)])
    return where, kept


def variant(call: Call, name: str, flat: Callable[..., Any], key: Any, numbers: tuple[type, ...], dtypes: tuple[Any, ...]) -> Call:
    """A call made from another."""
    return Call(
        name,
        flat,
        key=key,
        numbers=numbers,
        base=(call.base, name),
        tree=call.tree,
        marks=call.marks,
        paths=call.paths,
        is_operator=call.is_operator,
        is_users=call.is_users,
        dtypes=dtypes,
    )


def go_back(trace: Trace, tape: Tape, first: int, loss: Value, level: int) -> dict[int, Value]:
    """Gradients of a loss with respect to every node of a level, by the node's number without its levels, that nothing recorded since `first` made.

    Args:
        trace: The thread's trace.
        tape: Its tape; this level is closed already, so that going back is only recorded for the outer ones.
        first: The first entry that belongs to the level.
        loss: A scalar.
        level: The level's bit.
    """
    grads: dict[int, Value] = {loss.node >> LEVELS: filled(trace, loss.aval, 1)}
    for place in range(len(tape.entries) - 1, first - 1, -1):
        entry = tape.entries[place]
        if entry is None or entry.level != level:
            continue
        tape.entries[place] = None  # so that residuals die as they are used
        if not any(n in grads for n in entry.outs):
            continue
        cotangents = [grads.pop(n) if n in grads else filled(trace, a, 0) for n, a in zip(entry.outs, entry.avals, strict=True)]
        if isinstance(entry.backward, Call):
            parts = apply(trace, entry.backward, (*entry.residuals, *cotangents), ())
        else:
            parts = entry.backward(cotangents)
        del cotangents
        for node, part in zip(entry.args, parts, strict=True):
            grads[node] = apply(trace, ADD, (grads[node], part), ()) if node in grads else part
    return grads


ADD = Call("add", jax.lax.add, key="sum of gradients", base="sum of gradients")


@lru_cache(maxsize=4096)
def fill_call(shape: tuple[int, ...], dtype: Any, number: int, said: Any = None) -> Call:
    """Makes an array of one number, and of a dtype that may say it is another."""
    key = ("full", shape, str(dtype), number)
    return Call("ones" if number else "zeros", lambda: jnp.full(shape, number, dtype), key=key, base="full", dtypes=(said,))


def is_seed(call: Call) -> bool:
    """Whether a call is the one with which going back from a loss begins: each gradient records exactly one."""
    return call.base == "full" and call.name == "ones"


def is_backward(call: Call) -> bool:
    """Whether a call goes back through an operation."""
    return call.name.endswith(".backward")


def is_sum(call: Call) -> bool:
    """Whether a call adds up two gradients of one value; also as the forward of a gradient around them."""
    return call.base in (ADD.base, (ADD.base, ADD.name))


def filled(trace: Trace, aval: Aval, number: int) -> Value:
    """A pending array of one number."""
    return record(trace, fill_call(aval.shape, aval.held_as, number, aval.dtype), (), ())[0]
