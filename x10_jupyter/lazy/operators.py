"""The methods of binary operators, and calls like one before: the hot path of the runtime, with what of `core` it calls."""

from collections.abc import Callable, Sequence
from typing import Any

from x10_jupyter.lazy.autodiff import apply
from x10_jupyter.lazy.avals import INT32
from x10_jupyter.lazy.core import EMPTY, leaf, make, take_back
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.placement import DevicesDifferError


def advance(trace: Any, replay: Any, known: Any) -> Any:
    """Go on to where an operation of one result is known to lead under a gradient; returns the result."""
    state = known.state
    t = trace.kind()
    t.aval = known.aval
    t.held = None
    node = known.node
    t.node = node and node + replay.base
    t.ref = state.ref
    t.serial = trace.serial
    if known.empty:
        made = [t, *[EMPTY() for _ in known.empty]]
        trace.state = state
        trace.tensors.extend(made)
    else:
        trace.state = state
        trace.tensors.append(t)
    return t


def operator(  # noqa: C901, PLR0915 - one piece, since a call more is a tenth of its time
    calls: dict[type, Call], general: Callable[[Any, Any], Any], local: Any
) -> Callable[[Any, Any], Any]:
    """A binary operator's method: the short way for tensors and numbers on a known path; `general` does everything else."""
    low, high = INT32.start, INT32.stop  # whole numbers beyond need a closer look

    def under_gradient(self: Any, other: Any, trace: Any, call: Call) -> Any:  # noqa: C901
        """The short way where a gradient is on a known path."""
        replay = trace.replay
        if replay is None or trace.stale or trace.reduces or not trace.watched:
            return general(self, other)
        kind = other.__class__
        serial = trace.serial
        bound, end = replay.bound, replay.end
        own = self.__class__
        ref = self.ref
        try:
            if self.serial != serial:
                ref = leaf(trace, self)
            if kind is own:
                second = other.ref
                if other.serial != serial:
                    second = leaf(trace, other)
                known = trace.state.taped.get((call, ref, second, bound <= self.node < end, bound <= other.node < end))
            elif kind is int and not low <= other < high:
                return general(self, other)
            else:
                known = trace.state.taped.get((call, ref, bound <= self.node < end))
        except Exception:  # noqa: BLE001 - it is met again, and told, the long way
            return general(self, other)
        if known is None:
            return general(self, other)
        if kind is not own:
            trace.numbers[known.state.slot] = other
        return advance(trace, replay, known)

    def method(self: Any, other: Any) -> Any:  # noqa: C901, PLR0911, PLR0912, PLR0915
        trace = local.trace
        kind = other.__class__
        call = calls.get(kind)
        if call is None:
            return general(self, other)
        if trace.special:
            return under_gradient(self, other, trace, call)
        serial = trace.serial
        own = self.__class__
        if kind is own:
            try:
                # each ref before its serial, since another thread may take the tensor over; the second after the first, since both may be one
                ref = self.ref
                if self.serial != serial:
                    ref = leaf(trace, self)
                second = other.ref
                if other.serial != serial:
                    second = leaf(trace, other)
            except BaseException as error:
                take_back(trace, (self, other))
                if error.__class__ is DevicesDifferError:
                    return general(self, other)
                raise
            state = trace.state.next.get((call, ref, second))
            if state is None:
                return general(self, other)
        else:
            if kind is int and not low <= other < high:
                return general(self, other)
            ref = self.ref
            if self.serial != serial:
                try:
                    ref = leaf(trace, self)
                except DevicesDifferError:
                    return general(self, other)
            state = trace.state.next.get((call, ref))
            if state is None:
                return general(self, other)
            trace.numbers[state.slot] = other
        t = own()
        t.aval = state.aval
        t.held = None
        t.node = 0
        t.ref = state.ref
        t.serial = serial
        trace.state = state
        trace.tensors.append(t)
        return t

    return method


def known_call(trace: Any, call: Call, tensors: Sequence[Any], numbers: Sequence[Any]) -> Any:  # noqa: C901, PLR0915 - one piece, as above
    """Record a call of a function; the short way if it returns one tensor and is on a known path, else as `apply` does.

    Returns:
        The function's result.
    """
    replay = trace.replay if trace.special else None
    if trace.special and (replay is None or trace.stale or trace.reduces or not trace.watched):
        return apply(trace, call, tensors, numbers)
    serial = trace.serial
    try:
        if len(tensors) == 1:  # a comprehension costs as much as all the rest
            (t,) = tensors
            ref = t.ref  # before its serial, as above
            key: Any = (call, ref if t.serial == serial else leaf(trace, t))
        else:
            key = (call, *[ref if t.serial == serial else leaf(trace, t) for t in tensors for ref in [t.ref]])
    except BaseException as error:
        if not isinstance(error, Exception):
            take_back(trace, tensors)
            raise
        return apply(trace, call, tensors, numbers)  # which meets it again
    if replay is not None:
        bound, end = replay.bound, replay.end
        if len(tensors) == 1:
            key += (bound <= tensors[0].node < end,)
        else:
            key += tuple([bound <= t.node < end for t in tensors])
        known = trace.state.taped.get(key)
        if known is None or not known.is_simple:
            return apply(trace, call, tensors, numbers)
        if numbers:
            trace.numbers.update(enumerate(numbers, known.state.slot))
        return advance(trace, replay, known)
    state = trace.state.next.get(key)
    if state is None or not state.op.is_simple:
        return apply(trace, call, tensors, numbers)
    if numbers:
        trace.numbers.update(enumerate(numbers, state.slot))
    made = make(trace, state.aval, state.ref)
    trace.state = state
    trace.tensors.append(made)
    return made
