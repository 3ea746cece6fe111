"""One gradient while it is taken: its inputs are marked, the function is recorded, and the tape is gone back through."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from x10_jupyter.base.errors import UsageError
from x10_jupyter.lazy.autodiff import LEVELS, Tape, apply, filled, go_back
from x10_jupyter.lazy.avals import Aval, converted
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.replay import Replay
from x10_jupyter.lazy.value import OURS, Value

SAME = Call("identity", lambda x: x, key="identity", base="identity")


class Level:
    """Gradients of gradients have one inside the other, on one tape."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.outer: Tape | None = trace.tape
        self.tape = self.outer or Tape()
        self.around = self.tape.open
        """The levels around this one."""
        self.depth = self.tape.level
        if self.depth == LEVELS:
            raise UsageError(f"Gradients can be nested {LEVELS} deep", got=LEVELS + 1)
        self.bit = 1 << self.depth
        self.inputs: Sequence[Value] = ()
        self.marked: list[Value] = []
        self.first = 0

    def begin(self) -> None:
        """Open the tape; whoever asks for it closes it again."""
        if self.outer is not None:
            self.outer.write(self.trace)
        self.tape.level = self.depth + 1
        self.trace.special = True
        self.trace.tape = self.tape

    def mark(self, inputs: Sequence[Value]) -> list[Value]:
        """The same values as inputs of this level: only uses of them count, not those of the user's own tensors."""
        self.inputs = inputs
        kind, bit, tape = self.trace.kind, self.bit, self.tape
        self.marked = marked = []
        t: Value
        made: Value
        for t in inputs:
            made = t
            if t.aval.is_smooth:
                held = t.held
                if held is None or (t.node and tape.levels(t)):
                    made = self.mark_pending(t)
                else:
                    made = kind()
                    made.aval = t.aval
                    made.held = held
                    made.serial = OURS if t.serial == OURS else 0
                    made.ref = 0
                    tape.next = node = tape.next + 1
                    made.node = node << LEVELS | bit
            marked.append(made)
        self.first = len(self.tape.entries)
        if self.trace.stale or not self.trace.watched:
            self.trace.look()
        if self.outer is None and not self.trace.relearn and are_distinct(self.marked):
            self.tape.replay = Replay(self.trace, self.tape, self.marked)
        return self.marked

    def mark_pending(self, t: Value) -> Value:
        """A value that is pending, or that an outer level depends on, as an input of this level."""
        made: Value = apply(self.trace, SAME, (t,), ())
        made.node = made.node | self.bit if self.tape.levels(made) else self.tape.node(self.bit)
        return made

    def record(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Call the function with what depends on this level's inputs on the tape."""
        self.tape.open |= self.bit
        try:
            return fn(*args, **kwargs)
        finally:
            self.tape.open = self.around

    def gradients(self, loss: Value) -> list[Value]:
        """The gradients of a scalar with respect to the inputs; recorded for the levels around this one, not for itself."""
        replay, place = self.tape.replay, self.trace.state
        way = replay and replay.way(self.trace, loss)
        known = way and replay.jump(self.trace, way)
        if known:
            return known
        found = self.gone_back(loss)
        if way:
            replay.learn_way(self.trace, place, way, found)
        return found

    def gone_back(self, loss: Value) -> list[Value]:
        """The gradients, by the tape."""
        grads = go_back(self.trace, self.tape, self.first, loss, self.bit)
        found = []
        for m, t in zip(self.marked, self.inputs, strict=True):
            gradient = grads.get(m.node >> LEVELS) if m is not t else None
            found.append(filled(self.trace, t.aval, 0) if gradient is None else fitted(self.trace, gradient, t.aval))
        return found


def are_distinct(tensors: Sequence[Value]) -> bool:
    """Whether no two of them are the same array."""
    arrays = [id(t.held) for t in tensors if t.held is not None]
    return len(set(arrays)) == len(arrays)


def fitted(trace: Trace, gradient: Value, aval: Aval) -> Value:
    """A gradient with its argument's dtype and weak type."""
    if gradient.aval is aval:
        return gradient
    made: Value = apply(trace, cast_to(aval.held_as, aval.weak_type, aval.dtype), (gradient,), ())
    return made


@lru_cache(maxsize=256)
def cast_to(dtype: Any, weak_type: bool, said: Any = None) -> Call:  # noqa: FBT001 - as of a type
    """Converts to a dtype, which may say that it is another."""
    key = ("gradient as", str(dtype), weak_type)
    return Call("convert_element_type", lambda g: converted(g, dtype, weak_type=weak_type), key=key, base="cast", dtypes=(said,))
