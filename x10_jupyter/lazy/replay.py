"""A gradient on a known path: what the tape would hold is known by place, and so is the way back.

The first time, the tape is written (`autodiff`), and each place of the trie notes where an operation led to from there. The next time the operations
are followed from place to place, nothing is written, and the whole way back is one look-up. Where the known path is left, the tape is written
after all, from the path, and the gradient goes on as it does the first time.
"""

from collections.abc import Sequence
from typing import Any

from x10_jupyter.lazy.autodiff import LEVELS, UNKNOWN, Entry, Tape
from x10_jupyter.lazy.core import Trace, leaf, make, note_numbers
from x10_jupyter.lazy.op import LEAF, Op
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.value import Value

MOST_WAYS = 16
"""Ways back kept at one place."""


class Known:
    """Where an operation leads to from a place, under a gradient."""

    __slots__ = ("aval", "avals", "empty", "is_simple", "node", "nodes", "op", "state")

    def __init__(self, state: State, op: Op, nodes: list[int], empty: int) -> None:
        self.state = state
        self.op = op
        """As the user called it; the state's own may be its forward with residuals."""
        self.avals, self.nodes = op.outs, nodes
        """For each result its shape and dtype, and what makes its node when the gradient's base is added; 0 if it has none."""
        self.aval: Any
        self.aval, self.node = (op.outs[0], nodes[0]) if nodes else (None, 0)
        self.is_simple = op.tree is LEAF and not op.fixed
        """Whether it returns one tensor."""
        self.empty = [None] * empty
        """What stands for the residuals that follow."""


def advance(trace: Trace, base: Any, known: Known) -> Value:
    """Go on to where an operation of one result is known to lead under a gradient; returns the result.

    Args:
        trace: The thread's trace.
        base: What makes a node of what the place knows of it.
        known: Where the operation leads to.
    """
    state: State = known.state
    t: Value = trace.kind()
    t.aval = known.aval
    t.held = None
    t.node = known.node and known.node + base
    t.ref = state.ref
    t.serial = trace.serial
    if known.empty:
        made = [t, *known.empty]
        trace.state = state
        trace.tensors.extend(made)
    else:
        trace.state = state
        trace.tensors.append(t)
    return t


class Jump:
    """The whole way back from a loss."""

    __slots__ = ("empty", "end", "gradients", "places")

    def __init__(self, end: State, first: int, empty: int, gradients: Sequence[Value]) -> None:
        self.end = end
        self.empty = [None] * empty
        """What stands for the values that are made on the way."""
        distinct = list({t.ref: t for t in gradients}.values())
        self.gradients = [(t.ref - first, t.aval, t.ref) for t in distinct]
        """Of each gradient where it stands among them, its shape and dtype, and its ref."""
        refs = [t.ref for t in distinct]
        self.places = [refs.index(t.ref) for t in gradients]
        """For each input, which of these is its gradient."""


class Replay:
    """One gradient that is followed, or learned, from place to place: neither inside another nor around one, and within one trace."""

    def __init__(self, trace: Trace, tape: Tape, marked: Sequence[Value]) -> None:
        """Begin to follow.

        Args:
            trace: The thread's trace.
            tape: Its tape, on which the inputs have their nodes.
            marked: The inputs as the function gets them.
        """
        self.tape = tape
        self.marked = marked
        self.start = trace.state
        self.serial = trace.serial
        self.base = (tape.next + 1) << LEVELS | 1
        """A value made here has this, and its ref, as its node."""
        self.bound = (tape.floor + 1) << LEVELS
        """Nodes below, and from `end` on, are of other tapes."""
        self.end = tape.end << LEVELS
        self.bit = 1
        trace.replay = self

    def follow(self, trace: Trace, call: Any, tensors: Sequence[Value], numbers: Sequence[Any]) -> Any:
        """Record a call on the known path; returns the function's result, or ``UNKNOWN`` when the path ends here and the tape was written."""
        if (trace.stale or not trace.watched) and not self.looked(trace):
            return UNKNOWN
        known = self.found(trace, call, tensors)
        if known is None:
            return self.leave(trace)
        state = known.state
        if numbers:
            note_numbers(trace, numbers, state.slot)
        if known.is_simple:
            return advance(trace, self.base, known)
        ref, base = state.ref, self.base
        made: list[Any] = []
        for aval, node in zip(known.avals, known.nodes, strict=True):
            t: Value = make(trace, aval, ref)
            t.node = node and node + base
            made.append(t)
            ref += 1
        result = known.op.result(made)
        made += known.empty
        trace.state = state
        trace.tensors.extend(made)
        return result

    def found(self, trace: Trace, call: Any, tensors: Sequence[Value]) -> Known | None:
        """Where the call leads to, if that is known."""
        if not trace.start_ns:
            trace.begin()
        serial, bound, end = self.serial, self.bound, self.end
        try:
            # each ref before its serial, since another thread may take the tensor over
            refs = [ref if t.serial == serial else leaf(trace, t) for t in tensors for ref in [t.ref]]
        except Exception:  # noqa: BLE001 - it is met again when the call is recorded
            return None
        taped = trace.state.taped
        return None if taped is None else taped.get((call, *refs, *[bound <= t.node < end for t in tensors]))

    def looked(self, trace: Trace) -> bool:
        """Look whether JAX's configuration has changed; returns whether the path is still followed."""
        trace.look()
        if trace.state.parent is None:
            self.start = trace.state
        return trace.replay is self

    def learn(self, trace: Trace, call: Any, levels: Sequence[int], op: Op) -> None:
        """Note where an operation that was just recorded has led to."""
        state = trace.state
        if trace.serial != self.serial or state.parent is None or self.tape.replay is not self or state.op.is_special:
            return
        made: list[Value] = trace.tensors[state.ref :]
        # one more than the ref, so that it is never 0
        nodes = [(state.ref + i + 1) << LEVELS if made[i].node else 0 for i in range(len(op.outs))]
        taped: Any = state.parent.taped
        if taped is None:  # another thread may take it away, so it is not read again
            taped = state.parent.taped = {}
        taped[call, *state.key[1:], *map(bool, levels)] = Known(state, op, nodes, len(made) - len(op.outs))

    def leave(self, trace: Trace) -> Any:
        """Follow no more: write the tape from the path."""
        trace.replay = None
        inputs = {self.ref_of(trace, m): m.node >> LEVELS for m in self.marked if self.is_own(m)}
        path, state = [], trace.state
        while state is not self.start and state.parent is not None:
            path.append(state)
            state = state.parent
        for state in reversed(path):
            rule = state.op and state.op.call.rule
            if rule:
                self.tape.entries.append(self.entry(trace, state, inputs))
        self.tape.next = self.node_of(len(trace.tensors))
        return UNKNOWN

    def is_own(self, t: Value) -> bool:
        """Whether a value depends on what is differentiated here."""
        return self.bound <= t.node < self.end

    def entry(self, trace: Trace, state: State, inputs: dict[Any, int]) -> Entry:
        """What the tape holds of an operation."""
        rule, active = state.op.call.rule
        refs = state.key[1:]
        outs = state.op.outs
        args = [inputs[ref] if ref in inputs else self.node_of(ref) for ref, is_active in zip(refs, active, strict=False) if is_active]
        residuals = [self.value(trace, state.ref + i, outs[i]) if i >= 0 else self.value(trace, refs[-1 - i], state.op.ins[-1 - i]) for i in rule.residuals]
        return Entry(self.bit, rule.backward, args, residuals, [self.node_of(state.ref + i) for i in rule.smooth], [outs[i] for i in rule.smooth])

    def node_of(self, ref: int) -> int:
        """The node, without its level, of a value made here."""
        return (self.base >> LEVELS) + ref + 1

    def value(self, trace: Trace, ref: int, aval: Any) -> Value:
        """The tensor with this ref."""
        if ref < 0:
            t = make(trace, aval, ref)
            t.held = trace.leaves[-1 - ref]
            return t
        t = trace.tensors[ref]
        if t is None:
            t = trace.tensors[ref] = make(trace, aval, ref)
        return t

    def ref_of(self, trace: Trace, t: Value) -> Any:
        """An input's ref; its shape and dtype if it has none, or no gradient."""
        if not self.is_own(t):
            return t.aval
        ref = t.ref if t.held is None else trace.leaf_refs.get(id(t.held))
        return t.aval if ref is None else ref

    def way(self, trace: Trace, loss: Value) -> Any:
        """What the way back from a loss depends on besides the place; None if the tape is needed in any case."""
        if trace.stale:
            trace.look()
        if not loss.serial == trace.serial == self.serial or not self.is_own(loss):
            self.tape.write(trace)
            return None
        return (self.start.depth, loss.ref, *[self.ref_of(trace, t) for t in self.marked])

    def jump(self, trace: Trace, way: Any) -> list[Value] | None:
        """The gradients, if the way back is known from here; else the tape is written."""
        if trace.replay is None:
            return None
        jumps = trace.state.jumps
        known = None if jumps is None else jumps.get(way)
        if known is None or known.end.depth > trace.limit:
            self.leave(trace)
            return None
        made, distinct = known.empty.copy(), []
        for place, aval, ref in known.gradients:
            t: Value = make(trace, aval, ref)
            made[place] = t
            distinct.append(t)
        trace.state = known.end
        trace.tensors.extend(made)
        return [distinct[i] for i in known.places]

    def learn_way(self, trace: Trace, place: State, way: Any, gradients: Sequence[Value]) -> None:
        """Note the way back that was just gone from a place."""
        end: Any = trace.state
        first = place.ref + (len(place.op.outs) if place.op is not None else 0)
        is_whole = trace.serial == self.serial and all(t.held is None and t.ref >= first for t in gradients)
        state: Any = end
        while is_whole and state is not place:
            is_whole = state.op is not None and not state.op.call.numbers and not state.op.is_special
            state = state.parent
        if is_whole:
            jumps = place.jumps
            if jumps is None or len(jumps) >= MOST_WAYS:
                jumps = place.jumps = {}
            jumps[way] = Jump(end, first, len(trace.tensors) - first, gradients)
