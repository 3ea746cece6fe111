"""The trace of a thread, and how an operation is recorded.

It runs for every operation, and is compiled where that can be done, with `core.pxd`, which says which attributes are numbers of C.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakSet

from x10_jupyter.base.errors import LostValueError, UsageError
from x10_jupyter.base.frames import user_frame
from x10_jupyter.lazy.avals import Aval
from x10_jupyter.lazy.context import Context, current
from x10_jupyter.lazy.line import Line, line_of
from x10_jupyter.lazy.literal import is_literal
from x10_jupyter.lazy.op import Call, Op, note, specialise
from x10_jupyter.lazy.placement import Devices, DevicesDifferError, placed
from x10_jupyter.lazy.producer import CLOCK
from x10_jupyter.lazy.trie import COUNT, State
from x10_jupyter.lazy.value import IS_COMPILED, OURS, Failure, Value
from x10_jupyter.lazy.visible import VISIBLE


class Trace:
    """The operations recorded on one thread since the last cut: a place in the trie, and what belongs to it.

    An interrupt may come at any call of a function. So what belongs together, such as a new state and its tensors, is stored with no call in
    between, or over again at the next try.
    """

    __slots__ = (
        "__weakref__",
        "context",
        "cut",
        "devices",
        "effects",
        "kind",
        "last_cut",
        "leaf_refs",
        "leaves",
        "limit",
        "numbers",
        "owed",
        "parted",
        "reduces",
        "relearn",
        "replay",
        "roots",
        "serial",
        "special",
        "stale",
        "start_ns",
        "state",
        "tape",
        "tensors",
        "watched",
    )  # fmt: skip

    def __init__(self, kind: type[Value], cut: Callable[..., None], limit: int) -> None:
        """Start an empty trace.

        Args:
            kind: The class of the tensors to make.
            cut: Called as ``cut(trace, why, how)`` when something here needs the trace to end.
            limit: Operations after which the trace is cut.
        """
        self.kind, self.cut, self.limit = kind, cut, limit
        self.roots: dict[Context, State] = {}
        self.tape: Any = None
        self.replay: Any = None
        """A gradient that is on a known path, so that the tape is not written."""
        self.watched = False
        """Whether somebody says when JAX's configuration changes; without, each operation has to look."""
        self.stale = False
        """Whether JAX's configuration may have changed since the last look."""
        self.reduces = False
        """Whether operations are recorded in reduced precision."""
        self.relearn = False
        """Whether lines are to be noted again: the code that runs is not the code that was traced first."""
        self.special = True
        """Whether the short way is closed: one of those above needs a look at each operation."""
        self.last_cut: tuple[str, Line] | None = None
        """What asked for the cut before this trace, and where."""
        self.context = current()
        self.restart()
        TRACES.add(self)

    @property
    def root(self) -> State:
        """Where traces under this configuration begin."""
        root = self.roots.get(self.context)
        if root is None:
            root = self.roots[self.context] = State(None, None, None, None)
        return root

    def restart(self) -> None:
        """Forget what was recorded."""
        self.serial = next_serial()
        self.state = self.root
        self.tensors: list[Any] = []
        """By ref; None stands where nobody can hold the value."""
        self.leaves: list[Any] = []
        self.numbers: dict[int, Any] = {}
        """By slot."""
        self.leaf_refs: dict[int, int] = {}
        self.parted: State | None = None
        """The first new state of this trace, if it left the known paths."""
        self.owed: Any = None
        """Who asked for a cut that was interrupted and is still to be made."""
        self.effects = False
        """Whether something recorded has an effect, such as printing, and so must run whoever needs its values."""
        self.devices: Devices | None = self.context.devices
        """The devices that it is bound to, as its leaves or an operation are; None while none is."""
        self.start_ns = 0
        self.choose_way()

    def begin(self) -> None:
        """Note when the trace began, unless it has: what it takes to understand the first operation belongs to it."""
        self.start_ns = self.start_ns or CLOCK.now_ns()

    def choose_way(self) -> None:
        """Open or close the short way."""
        self.special = self.tape is not None or self.reduces or self.relearn or self.stale or not self.watched

    def is_settled(self) -> bool:
        """Whether JAX's configuration is the trace's, without a look."""
        return self.watched and not self.stale

    def write_tape(self) -> None:
        """What happens next is not known by place: the tape of a gradient is needed."""
        if self.replay is not None:
            self.replay.leave(self)

    def in_precision(self, call: Call) -> Call:
        """The call in the precision that is recorded in."""
        return call.reduced() if self.reduces else call

    def look(self) -> None:
        """Follow a change of JAX's configuration: what was recorded under the old one is cut. So is what an interrupt left."""
        if self.owed is not None:
            self.cut(self, "interrupted", "a cut that was interrupted")
        context = current()
        if context is not self.context:
            if self.state.parent is not None:
                self.cut(self, "config", "a change of JAX's configuration")
            self.context = context
            self.state = self.root
            self.devices = context.devices
        self.stale = False  # not before: the cut may have raised
        self.choose_way()


_SERIALS = iter(range(1, sys.maxsize))
_LEAVES = threading.Lock()
SEEN = VISIBLE.known


def next_serial() -> int:
    """A number that no trace had before."""
    return next(_SERIALS)


def leaf(trace: Trace, t: Value) -> int:
    """The ref of device data that is new to this trace, or seen through another tensor."""
    held = t.held
    known: int | None = trace.leaf_refs.get(id(held))
    ref = new_leaf(trace, t, held) if known is None else known
    if IS_COMPILED:  # no other thread comes in between
        t.ref = ref
        t.serial = trace.serial
        return ref
    with _LEAVES:  # another thread that reads `ref` and then `serial` never takes our ref for its own
        t.serial = 0
        t.ref = ref
        t.serial = trace.serial
    return ref


def new_leaf(trace: Trace, t: Value, held: Any) -> int:
    """The ref of device data that is new to this trace."""
    devices = place = None
    if t.serial != OURS or id(held) in SEEN:
        if held is None or type(held) is Failure or held.is_deleted():
            raise no_data(t, held)
        devices, place = placed(held, trace.context)
        if devices is not None and trace.devices is not None and devices != trace.devices:
            raise DevicesDifferError(trace.devices, devices)
    if trace.state.parent is None:
        trace.begin()
    key = t.aval if place is None else (t.aval, place)
    at = trace.state
    following: State | None = at.after if at.call is key else at.next.get(key)
    if following is None:
        following = extend(trace, key, None)
    elif place is None:
        at.call, at.count, at.after = key, 0, following
    if devices is not None:
        trace.devices = devices
    ref = -1 - len(trace.leaves)
    trace.leaf_refs[id(held)] = ref
    trace.state = following
    trace.leaves.append(held)
    return ref


def no_data(t: Value, held: Any) -> Exception:
    """The error for a tensor without data."""
    if held is None:
        return pending_elsewhere(t)
    return LostValueError(held.message) if type(held) is Failure else deleted(t)


def pending_elsewhere(t: Value) -> UsageError:
    """The error for a tensor whose value another thread has yet to compute."""
    fix = "Call x10.barrier() in the thread that made it before another one uses it."
    return UsageError(f"A tensor is pending in another thread's trace: {t.aval!r}", fix=fix)


def deleted(t: Value) -> LostValueError:
    """The error for a tensor whose array somebody has deleted, or given to a function that overwrites it."""
    fix = "Make the tensor again; one that is made of a jax.Array shares its data."
    return LostValueError("The array of this tensor has been deleted, by `.delete()` or by a donation to `jax.jit`", got=repr(t.aval), fix=fix)


def make(trace: Trace, aval: Aval, ref: Any) -> Value:
    """A tensor that is pending in this trace."""
    t: Value = trace.kind()
    t.aval, t.held, t.node, t.ref, t.serial = aval, None, 0, ref, trace.serial
    return t


def record(trace: Trace, call: Call, tensors: Sequence[Value], numbers: Sequence[Any]) -> list[Value]:
    """Record one operation; returns its array results.

    Raises:
        Exception: What the function raises for these shapes and dtypes, with a note that names operation, shapes and line.
    """
    state = state_of(trace, call, tensors)
    if trace.relearn:
        relearn(state)
    op = state.op
    made = [make(trace, aval, ref) for ref, aval in enumerate(op.outs, state.ref)]
    if numbers:
        note_numbers(trace, numbers, state.slot)
    trace.state = state
    trace.tensors.extend(made)
    return made


def note_numbers(trace: Trace, numbers: Any, slot: Any) -> None:
    """Note the numbers of an operation."""
    if len(numbers) == 1:
        trace.numbers[slot] = numbers[0]
    else:
        trace.numbers.update(enumerate(numbers, slot))


def state_of(trace: Trace, call: Call, tensors: Sequence[Value]) -> State:
    """The place in the trie that an operation leads to, made if it is new; nothing is left behind if that fails."""
    state = None
    op: Any = None
    while state is None:
        make_ready(trace)
        serial = trace.serial
        refs = []
        try:
            for t in tensors:
                ref = t.ref
                refs.append(ref if t.serial == serial else leaf(trace, t))
            key = (call, *refs)
            at = trace.state
            state = at.next.get(key)
            op = state.op if state is not None else specialise(call, tuple([t.aval for t in tensors]), trace.context)
            if op.is_special:
                heed(trace, op)
            if state is None and trace.state is at:  # else a tensor was met where the walk does not see it, and recorded with or read: once more
                state = extend(trace, key, op)
        except BaseException as error:
            take_back(trace, tensors)
            if error.__class__ is not DevicesDifferError:
                raise
            different = devices_of(trace, tensors, op)
            if len(different) > 1:
                raise DevicesDifferError(*different[:2]) from None
            trace.cut(trace, "device", "work on another device")
    return state


def heed(trace: Trace, op: Op) -> None:
    """Let the trace know what is special about an operation: it names devices itself, as a sharding constraint does, or has effects."""
    if op.devices is not None:
        if trace.devices is not None and trace.devices != op.devices:
            raise DevicesDifferError(trace.devices, op.devices)
        trace.devices = op.devices
    trace.effects = trace.effects or op.has_effects


def devices_of(trace: Trace, tensors: Sequence[Value], op: Op | None) -> list[Devices]:
    """The different devices that one operation is bound to: those of its tensors, of the mesh that is set, and those it names itself."""
    own = [trace.devices if t.held is None else placed(t.held, trace.context)[0] for t in tensors]
    found = [trace.context.devices, *own, op and op.devices]
    return [each for each in dict.fromkeys(found) if each is not None]


def look_if_needed(trace: Trace) -> None:
    """Follow a change of JAX's configuration, if there may have been one."""
    if trace.stale or not trace.watched:
        trace.look()


def make_ready(trace: Trace) -> None:
    """Let the trace take one more operation."""
    if trace.stale or not trace.watched:
        trace.look()
    if trace.state.depth >= trace.limit:
        trace.cut(trace, "limit", f"the limit of {trace.limit} operations")
    if trace.state.parent is None:
        trace.begin()


def relearn(state: State) -> None:
    """Note the line that runs now in place of the one that was traced first; what is known of its numbers stays."""
    call, old, new = state.op.call, state.site, line_of(user_frame())
    for i in range(len(call.numbers)):
        for known in (call.places, call.split):
            if (i, old) in known:
                note(known, (i, new))
    state.site = new


def take_back(trace: Trace, tensors: Sequence[Value]) -> None:
    """An operation that failed leaves no inputs behind: the same program would look different after a caught error."""
    while trace.state.op is None and trace.state.parent is not None:
        del trace.leaf_refs[id(trace.leaves.pop())]
        if trace.parted is trace.state:
            trace.parted = None
        trace.state = trace.state.parent
    trace.devices = bound_to(trace)
    for t in tensors:
        if t.held is not None:
            t.serial = 0


def bound_to(trace: Trace) -> Devices | None:
    """The devices that what was recorded is bound to."""
    state, found = trace.state, [trace.context.devices, *[placed(each, trace.context)[0] for each in trace.leaves]]
    while state.parent is not None:
        found.append(state.op and state.op.devices)
        state = state.parent
    return next((each for each in found if each is not None), None)


def extend(trace: Trace, key: Any, op: Op | None) -> State:
    """A new place in the trie: the trace leaves the known paths here."""
    frame = user_frame()
    parent = trace.state
    site = line_of(frame)
    state = State(parent, key, op, site)
    if op is not None:
        if len(op.outs) == 1:
            state.aval = op.outs[0]
        call = op.call
        if call.numbers and not (call.is_operator and is_literal(frame)):
            for i in range(len(call.numbers)):
                note(call.places, (i, site))
    if trace.parted is None:
        trace.parted = state
    parent.next[key] = state
    COUNT.states += 1
    return state


TRACES: "WeakSet[Trace]" = WeakSet()
"""The traces of all threads."""
