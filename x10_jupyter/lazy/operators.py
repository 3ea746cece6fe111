"""The methods of binary operators, and calls like one before: the hot path of the runtime, with what of `core` it calls."""

from collections.abc import Callable
from typing import Any

from x10_jupyter.lazy.autodiff import apply
from x10_jupyter.lazy.avals import INT32
from x10_jupyter.lazy.core import Trace, leaf, make, note_numbers, take_back
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.placement import DevicesDifferError
from x10_jupyter.lazy.replay import Known, Replay, advance
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.value import Value


def operator(  # noqa: C901, PLR0915 - one piece, since a call more is a tenth of its time
    calls: dict[type, Call], general: Callable[[Any, Any], Any], local: Any
) -> Callable[[Any, Any], Any]:
    """A binary operator's method: the short way for tensors and numbers on a known path; `general` does everything else."""
    low, high = INT32.start, INT32.stop  # whole numbers beyond need a closer look

    def under_gradient(self: Value, other: Any, trace: Trace, call: Any) -> Any:
        """The short way where a gradient is on a known path."""
        replay: Replay | None = trace.replay
        if replay is None or trace.stale or trace.reduces or not trace.watched:
            return general(self, other)
        made: Value | None
        try:
            if type(other) is type(self):
                made = known_two(trace, replay, call, self, other, ())
            elif type(other) is int and not low <= other < high:
                made = None
            else:
                made = known_one(trace, replay, call, self, (other,))
        except Exception:  # noqa: BLE001 - it is met again, and told, the long way
            made = None
        return general(self, other) if made is None else made

    def method(self: Value, other: Any) -> Any:  # noqa: C901, PLR0911, PLR0912, PLR0915
        trace: Trace = local.trace
        kind = type(other)
        call = calls.get(kind)
        if call is None:
            return general(self, other)
        if trace.special:
            return under_gradient(self, other, trace, call)
        serial = trace.serial
        own = type(self)
        state: State
        if kind is own:
            also: Value = other
            try:
                # each ref before its serial, since another thread may take the tensor over; the second after the first, since both may be one
                ref = self.ref
                if self.serial != serial:
                    ref = leaf(trace, self)
                second = also.ref
                if also.serial != serial:
                    second = leaf(trace, also)
            except BaseException as error:
                take_back(trace, (self, other))
                if error.__class__ is DevicesDifferError:
                    return general(self, other)
                raise
            at = trace.state
            if at.call is call and at.count == 2 and at.first == ref and at.second == second:
                state = at.after
            else:
                found = at.next.get((call, ref, second))
                if found is None:
                    return general(self, other)
                state = found
                at.call, at.count, at.first, at.second, at.after = call, 2, ref, second, state
        else:
            if kind is int and not low <= other < high:
                return general(self, other)
            ref = self.ref
            if self.serial != serial:
                try:
                    ref = leaf(trace, self)
                except DevicesDifferError:
                    return general(self, other)
            at = trace.state
            if at.call is call and at.count == 1 and at.first == ref:
                state = at.after
            else:
                found = at.next.get((call, ref))
                if found is None:
                    return general(self, other)
                state = found
                at.call, at.count, at.first, at.after = call, 1, ref, state
            trace.numbers[state.slot] = other
        t: Value = own()
        t.aval = state.aval
        t.held = None
        t.node = 0
        t.ref = state.ref
        t.serial = serial
        trace.state = state
        trace.tensors.append(t)
        return t

    return method


def known_call(trace: Trace, call: Any, tensors: Any, numbers: Any) -> Any:
    """Record a call of a function; the short way if it returns one tensor and is on a known path, else as `apply` does.

    Args:
        trace: The thread's trace.
        call: The call.
        tensors: A list of them, at least one.
        numbers: A sequence of them.

    Returns:
        The function's result.
    """
    replay: Replay | None = trace.replay if trace.special else None
    if trace.special and (replay is None or trace.stale or trace.reduces or not trace.watched):
        return apply(trace, call, tensors, numbers)
    made: Value | None
    try:
        if len(tensors) == 1:
            made = known_one(trace, replay, call, tensors[0], numbers)
        elif len(tensors) == 2:
            made = known_two(trace, replay, call, tensors[0], tensors[1], numbers)
        else:
            made = known_many(trace, replay, call, tensors, numbers)
    except BaseException as error:
        if not isinstance(error, Exception):
            take_back(trace, tensors)
            raise
        made = None  # it is met again
    return apply(trace, call, tensors, numbers) if made is None else made


def known_one(trace: Trace, replay: Replay | None, call: Any, t: Value, numbers: Any) -> Value | None:
    """Record a call of one tensor, if it is known where that leads to."""
    ref = t.ref  # before its serial, as above
    if t.serial != trace.serial:
        ref = leaf(trace, t)
    at = trace.state
    if replay is not None:
        known: Any
        one = replay.bound <= t.node < replay.end
        if at.taped_call is call and at.taped_count == 1 and at.taped_first == ref and at.taped_one == one:
            known = at.taped_after
        else:
            known = None if at.taped is None else at.taped.get((call, ref, one))
            if known is None or not known.is_simple:
                return None
            at.taped_call, at.taped_count, at.taped_first, at.taped_one, at.taped_after = call, 1, ref, one, known
        if numbers:
            note_numbers(trace, numbers, known.state.slot)
        return advance(trace, replay.base, known)
    state: State
    if at.call is call and at.count == 1 and at.first == ref:
        state = at.after
    else:
        found = at.next.get((call, ref))
        if found is None or not found.op.is_simple:
            return None
        state = found
        at.call, at.count, at.first, at.after = call, 1, ref, state
    return arrive(trace, state, numbers)


def known_two(  # noqa: C901 - one look
    trace: Trace, replay: Replay | None, call: Any, t: Value, u: Value, numbers: Any
) -> Value | None:
    """Record a call of two tensors, if it is known where that leads to."""
    serial = trace.serial
    ref = t.ref
    if t.serial != serial:
        ref = leaf(trace, t)
    second = u.ref
    if u.serial != serial:
        second = leaf(trace, u)
    at = trace.state
    if replay is not None:
        known: Any
        bound, end = replay.bound, replay.end
        one, two = bound <= t.node < end, bound <= u.node < end
        if (
            at.taped_call is call
            and at.taped_count == 2
            and at.taped_first == ref
            and at.taped_second == second
            and at.taped_one == one
            and at.taped_two == two
        ):
            known = at.taped_after
        else:
            known = None if at.taped is None else at.taped.get((call, ref, second, one, two))
            if known is None or not known.is_simple:
                return None
            at.taped_call, at.taped_count, at.taped_first, at.taped_second, at.taped_one, at.taped_two = call, 2, ref, second, one, two
            at.taped_after = known
        if numbers:
            note_numbers(trace, numbers, known.state.slot)
        return advance(trace, replay.base, known)
    state: State
    if at.call is call and at.count == 2 and at.first == ref and at.second == second:
        state = at.after
    else:
        found = at.next.get((call, ref, second))
        if found is None or not found.op.is_simple:
            return None
        state = found
        at.call, at.count, at.first, at.second, at.after = call, 2, ref, second, state
    return arrive(trace, state, numbers)


def known_many(trace: Trace, replay: Replay | None, call: Any, tensors: Any, numbers: Any) -> Value | None:
    """Record a call of any number of tensors, if it is known where that leads to."""
    serial = trace.serial
    key = [call]
    t: Value
    for t in tensors:
        ref = t.ref
        if t.serial != serial:
            ref = leaf(trace, t)
        key.append(ref)
    if replay is not None:
        bound, end = replay.bound, replay.end
        for t in tensors:
            key.append(bound <= t.node < end)  # noqa: PERF401 - a comprehension costs as much as all the rest
        taped = trace.state.taped
        known: Known | None = None if taped is None else taped.get(tuple(key))
        if known is None or not known.is_simple:
            return None
        if numbers:
            note_numbers(trace, numbers, known.state.slot)
        return advance(trace, replay.base, known)
    found = trace.state.next.get(tuple(key))
    return None if found is None or not found.op.is_simple else arrive(trace, found, numbers)


def arrive(trace: Trace, state: State, numbers: Any) -> Value:
    """Go on to where an operation of one result is known to lead to; returns the result."""
    if numbers:
        note_numbers(trace, numbers, state.slot)
    made = make(trace, state.aval, state.ref)
    trace.state = state
    trace.tensors.append(made)
    return made
