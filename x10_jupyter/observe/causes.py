"""Why JAX compiles: the call that asks for it is compared with the nearest one that was compiled before."""

import linecache
import re
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

from x10_jupyter.jax_gate.compiling_call import CompilingCall, compiling_call
from x10_jupyter.jax_gate.context import settled, settled_context
from x10_jupyter.jax_gate.eager_operation import operation_of, source_of
from x10_jupyter.jax_gate.known_programs import Forgetting, Traced, lowered, times_traced, traced
from x10_jupyter.jax_gate.public_call import public_call
from x10_jupyter.observe.arguments import Arguments, Aval, Node, Row, of_operation, parameters
from x10_jupyter.observe.calls import inputs, key_of, known_names, look, outputs, transformed_by
from x10_jupyter.observe.difference import NONE, differences, text_of
from x10_jupyter.observe.fixes import fix
from x10_jupyter.observe.functions import Function, Functions
from x10_jupyter.observe.history import Family, History
from x10_jupyter.observe.nearest import nearest
from x10_jupyter.observe.options import options_of
from x10_jupyter.observe.pins import Pin, Pins, pins_of
from x10_jupyter.observe.signature import Signature
from x10_jupyter.observe.transforms import derived, transform
from x10_jupyter.observe.values import name_of, short
from x10_jupyter.observe.wrappers import Asked, asked
from x10_jupyter.records.cause import Cause, Change
from x10_jupyter.records.holding import Pinned
from x10_jupyter.records.site import Site

MOST_CHANGES = 8
"""Changes that a cause tells."""

MOST_ROWS = 6
"""Arguments of an earlier call that are told."""

MOST_LEARNT = 64
"""Earlier calls of a function that are learnt of JAX's caches, the newest."""

WEAK = re.compile(r"(?<=\])~")
"""How a weak type is written in short."""

INTERNAL = re.compile(r"_|stage$")
"""Functions that only JAX itself calls."""

UNHEARD = "it may have been compiled before anybody listened"


@dataclass(slots=True)
class Making:
    """A program that JAX is about to make. It holds nothing of the user's."""

    key: tuple[int, ...]
    """The same for all phases of one program, while it is made."""

    function: Function
    signature: Signature
    source: str
    """What JAX calls the function in the programs that it derives from it."""

    is_traced: bool
    """Whether JAX had to trace it, so that it knew no such call of the function."""

    is_ahead: bool

    asked_for: Callable[[], Any] = lambda: None
    """Gives the function itself, if it is still there."""

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the user calls the arguments of one of JAX's own functions: ``arrays[1]`` for ``args[1]``."""

    pins: tuple[Pin, ...] = ()
    """Its static arguments, if they are still there."""


class Causes:
    """Remembers what was compiled, and tells what differs."""

    def __init__(self) -> None:
        self._history, self._functions, self._forgetting, self._pins = History(), Functions(), Forgetting(), Pins()
        self._lock = threading.RLock()
        self._gap = 0
        self._traced = 0
        self._names: frozenset[str] | None = None
        """Names of the functions that JAX knew when somebody began to listen; None until it is asked."""
        self._before = frozenset[str]()
        """Files of code that ran before somebody listened, as far as Python knows: a notebook's cells are among them."""
        self.is_resident = False
        """Whether what was compiled before is known: somebody has listened from early on."""

    def begin(self) -> None:
        """Somebody listens again; what JAX traced meanwhile was not heard."""
        with self._lock:
            if times_traced() != self._traced:
                self._gap += 1
                self._before = frozenset(linecache.cache)
                self._names = None

    def end(self) -> None:
        """Nobody listens any more."""
        with self._lock:
            self._traced = times_traced()

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._history.clear()
            self._functions.clear()
            self._pins.clear()
            self._traced = 0

    def making(
        self, frame: FrameType | None, *, is_traced: bool, site: Site | None, under_way: Callable[[tuple[int, ...]], Making | None] = lambda _: None
    ) -> Making | None:
        """What JAX is about to make, as it is seen from one of its hooks.

        Args:
            frame: The hook's frame.
            is_traced: Whether it begins by tracing.
            site: The user's line.
            under_way: Gives what an earlier phase of the same call has found, by its key.

        Returns:
            None if the call can't be found.
        """
        call = compiling_call(frame)
        if call is None:
            return None
        found = None if is_traced else under_way(key_of(call))
        if found is not None:
            return found
        with self._lock:
            if call.fun is None:
                return self._of_derived(call, site)
            told = asked(call.fun, call.args, call.kwargs)
            function = self._function(told, call.fun, call.frame)
            self._catch_up(function, call)
            return None if call.is_for_shapes else self._of_call(call, told, function, is_traced=is_traced, site=site)

    def _function(self, told: Asked, fun: Any, frame: FrameType | None = None) -> Function:  # noqa: ANN401 - what was given to jax.jit
        """What was called, as the user made it."""
        function = self._functions.look(told.fun, frame)
        if told.is_tree:  # its arrays and the rest are arguments, and what JAX knows is what passes them on
            return replace(function, token=self._functions.look(fun).token)
        if told.static_argnums is not None:  # what JAX knows is made for each way of calling it
            return replace(self._functions.look(fun), token=function.token)
        return function

    def _of_call(self, call: CompilingCall, told: Asked, function: Function, *, is_traced: bool, site: Site | None) -> Making:
        found = look(told, call.info)
        transformed = transform(found.leaves, call.frame)
        signature = Signature(
            token=function.token,
            held=function.held,
            options=options(told, call.info),
            given=found.given,
            defaults=found.defaults,
            rows=rows_of(call.fun, function, found),
            context=settled_context(),
            transform=transformed,
            by=transformed_by(found) if transformed else (),
            program=inputs(call.program) if transformed else (),
            results=outputs(call.program) if transformed else (),
            forgotten=self._forgetting.look(),
            site=site,
        )
        source = str(getattr(call.info, "fun_sourceinfo", ""))
        fun = weakly(call.fun)
        pins = pins_of(found.statics, function.name, function.site, fun, signature.forgotten)
        made = Making(key_of(call), function, signature, source, is_traced, call.is_ahead, fun, pins=pins)
        return self._as_called(made, call, found) if function.is_jax else made

    def _as_called(self, made: Making, call: CompilingCall, found: Arguments) -> Making:
        """The same by the names that the user knows, if one of JAX's own functions is made within a public one."""
        public = public_call(call.frame, found.leaves)
        if public is None:
            return made
        paths = [row.path for row in found.rows if isinstance(row.what, Aval)]
        names = {paths[place]: name for place, name in public.paths.items()}
        function = replace(made.function, name=public.name) if INTERNAL.match(made.function.name) else made.function
        return replace(made, function=function, names=names)

    def _of_derived(self, call: CompilingCall, site: Site | None) -> Making | None:
        """A program that JAX has derived of a function, whose call has ended: the way back of a gradient."""
        source = source_of(call.program)
        key = self._history.of_source(source)
        family = self._history.family(key) if key is not None else None
        if family is None or family.function is None:
            return None
        function = family.function
        signature = Signature(
            token=function.token, held=(), options=(), given=(), defaults=(), rows=(), context=settled_context(), transform=derived(call.frame), by=(),
            program=inputs(call.program), forgotten=self._forgetting.look(), site=site, is_derived=True, forward=forward_of(family, inputs(call.program)),
        )  # fmt: skip
        return Making(key_of(call), function, signature, source, is_traced=False, is_ahead=False)

    def _catch_up(self, function: Function, call: CompilingCall) -> None:
        """Learn of JAX's caches what nobody has heard of."""
        family = self._history.family(function.family)
        if family.gap == self._gap:
            return
        family.gap = self._gap
        name = name_of(call.fun)
        if self._names is None:
            self._names = known_names()
        if name in self._names:  # else a storm of new operations would look through all that JAX knows, each of them
            programs = lowered(str(getattr(call.info, "fun_sourceinfo", "")))
            compiled = {tuple(sorted(inputs(program))) for program in programs} if programs is not None else None
            for one in deque(traced(lambda other: other is call.fun or name_of(other) == name), maxlen=MOST_LEARNT):
                self._learn(one, function, call.info, compiled)
                family.is_part = family.is_part or (compiled == set() and one.fun is call.fun)

    def _learn(self, one: Traced, function: Function, info: Any, compiled: set[tuple[str, ...]] | None) -> None:  # noqa: ANN401 - JAX's
        told = asked(one.fun, one.args, one.kwargs)
        theirs = self._function(told, one.fun)
        if theirs.family != function.family:
            return
        found = look(told, info)
        if compiled is not None and tuple(sorted(str(row.what._replace(spread="")) for row in found.rows if isinstance(row.what, Aval))) not in compiled:
            return  # it was traced as a part of another function, or only for its shapes
        known = self._history.family(function.family).known
        signature = Signature(
            token=theirs.token, held=theirs.held, options=(), given=found.given, defaults=found.defaults,
            rows=rows_of(one.fun, theirs, found), context=settled(one.context),
            transform="", by=(), program=(), forgotten=self._forgetting.look(), site=None, is_whole=False,
        )  # fmt: skip
        if not any(old.token == signature.token and not differences(signature, old) for old, _ in known):
            self._history.put(theirs, signature)

    def told(self, made: Making) -> Cause:
        """Why a program is made; to be asked before `put`."""
        with self._lock:
            made.signature.cause = named(self._cause(made), made.names)
            return made.signature.cause

    def put(self, made: Making) -> None:
        """A program was made."""
        with self._lock:
            self._history.put(made.function, made.signature, made.source)
            self._pins.add(made.pins)

    def pinned(self) -> tuple[Pinned, ...]:
        """What the objects hold that JAX keeps since they were static arguments."""
        with self._lock:
            return self._pins.told(self._forgetting.look())

    def _cause(self, made: Making) -> Cause:
        function, now = made.function, made.signature
        family = self._history.family(function.family)
        if now.is_derived:
            return self._cause_of_derived(made, family)
        old = nearest(family.known, self._history.sections(now))
        if old is None:
            return self._edited(made) or self._first(function)
        changes = list(rebuilt(function, old, now))
        changes += differences(old, now)
        if not changes and not old.is_whole:
            changes += unheard_placements(now, is_traced=made.is_traced)
        if not changes and function.operation:  # all but its body is the same
            changes.append(Change(kind="function_rebuilt", where=function.name))
        if not changes and now.forgotten != old.forgotten:
            changes.append(forgotten("jax.clear_caches()", old))
        elif not changes and made.is_traced and old.is_whole and is_forgotten(made.asked_for()):
            changes.append(forgotten("JAX's caches", old))
        return caused(changes, function, old, now)

    def _cause_of_derived(self, made: Making, family: Family) -> Cause:
        """Why a program is made that JAX has derived of a call: as that call is another one than those that the known ones are of."""
        function, now = made.function, made.signature
        beside = [one for one, _ in family.known if one.is_derived and one.transform == now.transform]
        if not beside:  # the first of its kind
            if now.forward is not None and now.forward.cause is not None:
                return now.forward.cause
            old = next((one for one, _ in reversed(family.known) if not one.transform and one.is_whole), None)
            return caused(differences(old, now)[:1], function, old, now) if old is not None else self._first(function)
        calls = [(one.forward, self._history.sections(one.forward)) for one in beside if one.forward is not None]
        old = nearest(calls, self._history.sections(now.forward)) if now.forward is not None else None
        if old is not None and now.forward is not None and (changes := [*rebuilt(function, old, now.forward), *differences(old, now.forward)]):
            return caused(changes, function, old, now.forward)
        old = nearest([(one, self._history.sections(one)) for one in beside], self._history.sections(now))
        assert old is not None
        changes = differences(old, now)
        if not changes and now.forgotten != old.forgotten:
            changes = [forgotten("jax.clear_caches()", old)]
        return caused(changes, function, old, now)

    def _first(self, function: Function) -> Cause:
        """Nothing like it is known: it is the first, if that can be known."""
        is_later = self.is_resident and (function.site is None or function.site.file not in self._before)
        is_sure = not self._gap or function.is_lasting or is_later or self._history.family(function.family).is_part
        return Cause(kind="first", site=None) if is_sure else Cause(kind="unknown", where=UNHEARD)

    def _edited(self, made: Making) -> Cause | None:
        """A function of the same name, with the same or with other code, which is no longer there."""
        function, now = made.function, made.signature
        for scope in (function.likeness, function.scope):
            key = self._history.in_scope(scope) if scope else None
            family: Family | None = self._history.family(key) if key is not None else None
            if family is None or family.function is None or not family.known or self._functions.is_alive(family.function.token):
                continue
            before = f"as it was at {family.function.site}" if family.function.site else "as it was"
            is_same = scope is function.likeness
            change = Change(kind="function_rebuilt", where=function.name, old=before, new="defined anew with the same code" if is_same else "edited")
            old = nearest(family.known, self._history.sections(now)) or family.known[-1][0]
            if not is_same:
                return caused([change], function, old, now)
            held = [one for one in rebuilt(function, old, now) if one.old]
            return caused([*(held or [change]), *differences(old, now)], function, old, now)
        return None


def rows_of(fun: Any, function: Function, found: Arguments) -> tuple[Row, ...]:  # noqa: ANN401 - what was given to jax.jit
    """The arguments of a call, and what one of JAX's operations is bound with."""
    rows = tuple(map(of_operation, found.rows)) if function.is_jax else found.rows
    operation = operation_of(fun)
    if operation is None:
        return rows
    return (*rows, *parameters(operation.params, has_length=not operation.goes_through_arrays(len(found.leaves))))


def options(told: Asked, info: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 - JAX's
    """What the user told `jax.jit`, or what makes calls of it, which passes shardings of its own making on."""
    found = options_of(info)
    return (*[one for one in found if one[0].startswith("donate")], *told.options) if told.options else found


def rebuilt(function: Function, old: Signature, now: Signature) -> Sequence[Change]:
    """That a function was made anew, and what was written into it that is another value."""
    if old.token == now.token:
        return ()
    before = dict(old.held)
    held = [(name, before[name], text) for name, text in now.held if name in before and before[name] != text]
    if not held:
        return (Change(kind="function_rebuilt", where=function.name),)
    return tuple(Change(kind="function_rebuilt", where=name, old=was, new=text) for name, was, text in held)


def forgotten(where: str, old: Signature) -> Change:
    """That JAX has known the same, and knows it no more."""
    return Change(kind="evicted", where=where, old=f"compiled at {old.site}" if old.site else "compiled", new="forgotten")


def is_forgotten(fun: Any) -> bool:  # noqa: ANN401 - what was given to jax.jit
    """Whether JAX knows no way to call a function but the one that it has just traced; that it has forgotten one of several can't be seen."""
    return fun is not None and sum(1 for _ in traced(lambda other: other is fun)) == 1


def weakly(value: Any) -> Callable[[], Any]:  # noqa: ANN401 - as above
    """A value as long as others keep it."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: None


def forward_of(family: Family, needed: Sequence[str]) -> Signature | None:
    """The call that a derived program is of: the newest of which none is known, if it gives what that needs or was the last to be made.

    Args:
        family: The function's.
        needed: The inputs of the derived program.
    """
    have = {id(one.forward) for one, _ in family.known if one.is_derived}
    made = [one for one, _ in family.known]
    free = [one for one in reversed(made) if one.transform and not one.is_derived and id(one) not in have]
    return next((one for one in free if one is made[-1] or set(needed) <= {*one.program, *one.results}), None)


def unheard_placements(now: Signature, *, is_traced: bool) -> list[Change]:
    """Where arrays lie, if JAX had traced the same before, so that only that can be another one; where they lay is not known."""
    return [] if is_traced else [Change(kind="placement", where=row.path, new=row.place) for row in now.rows if row.place]


def caused(changes: Sequence[Change], function: Function, old: Signature, now: Signature) -> Cause:
    """A cause of what differs."""
    if not changes:
        return Cause(kind="unknown", nearest=described(function, old))
    main = changes[0]
    return Cause(
        kind=main.kind, where=main.where, old=main.old, new=main.new, fix=fix(main, function, old, now), nearest=described(function, old),
        also=tuple(changes[1 : MOST_CHANGES + 1]),
    )  # fmt: skip


def named(cause: Cause, names: Mapping[str, str]) -> Cause:
    """A cause in the words that users know: their names, and a weak type in full."""
    nearest_one = spelt(cause.nearest)
    for path, name in names.items():
        if path.startswith("args["):
            nearest_one = nearest_one.replace(f"{path}: ", f"{name}: ")

    def change(one: Change) -> Change:
        return Change(kind=one.kind, where=names.get(one.where, one.where), old=spelt(one.old), new=spelt(one.new))

    return replace(
        cause, where=names.get(cause.where, cause.where), old=spelt(cause.old), new=spelt(cause.new), nearest=nearest_one,
        also=tuple(map(change, cause.also)),
    )  # fmt: skip


def spelt(text: str) -> str:
    """A text with weak types in full: ``f32[] (weak)`` for ``f32[]~``."""
    return WEAK.sub(" (weak)", text)


def described(function: Function, signature: Signature) -> str:
    """An earlier call in a line: ``step(batch: f32[32,8]) at cell [3] line 9``."""
    rows = [row for row in signature.rows if not isinstance(row.what, Node) or row.what.text == NONE]
    told = ", ".join(f"{row.path}: {text_of(row)}" for row in rows[:MOST_ROWS])
    more = ", …" if len(rows) > MOST_ROWS else ""
    place = f" at {signature.site}" if signature.site else ""
    around = f" under {signature.transform}" if signature.transform else ""
    return f"{short(f'{function.name}({told}{more})')}{around}{place}"
