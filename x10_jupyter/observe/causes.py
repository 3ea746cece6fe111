"""Why JAX compiles: the call that asks for it is compared with the nearest one that was compiled before."""

import threading
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

from x10_jupyter.jax_gate.compiling_call import compiling_call
from x10_jupyter.jax_gate.known_programs import Forgetting, traced
from x10_jupyter.observe.calls import key_of
from x10_jupyter.observe.circumstances import options
from x10_jupyter.observe.derived import cause_of_derived, making_of_derived
from x10_jupyter.observe.difference import differences, evicted, rebuilt, unheard_placements
from x10_jupyter.observe.functions import Function, Functions
from x10_jupyter.observe.history import Family, History
from x10_jupyter.observe.making import Making, making
from x10_jupyter.observe.nearest import nearest
from x10_jupyter.observe.pins import Pins
from x10_jupyter.observe.unheard import Unheard
from x10_jupyter.observe.wording import caused, named
from x10_jupyter.observe.wrappers import asked
from x10_jupyter.records.cause import Cause, Change
from x10_jupyter.records.holding import Pinned
from x10_jupyter.records.site import Site

UNHEARD = "it may have been compiled before anybody listened"

CLEARED = "it may have been compiled before JAX's caches were cleared"


class Causes:
    """Remembers what was compiled, and tells what differs."""

    def __init__(self) -> None:
        self._history, self._functions, self._forgetting, self._pins = History(), Functions(), Forgetting(), Pins()
        self._lock = threading.RLock()
        self.unheard = Unheard(self._history, self._functions)

    def begin(self) -> None:
        """Somebody listens again; what JAX traced meanwhile was not heard."""
        with self._lock:
            self.unheard.begin(self._forgetting.look())

    def end(self) -> None:
        """Nobody listens any more."""
        with self._lock:
            self.unheard.end(self._forgetting.look())

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._history.clear()
            self._functions.clear()
            self._pins.clear()
            self.unheard.clear()

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
                return making_of_derived(call, self._history, forgotten=self._forgetting.look(), site=site)
            told = asked(call.fun, call.args, call.kwargs)
            function = self._functions.asked_for(told, call.fun, call.frame)
            times = self._forgetting.look()
            self.unheard.catch_up(function, call, times)
            return None if call.is_for_shapes else making(call, told, function, is_traced=is_traced, forgotten=times, site=site)

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
            return cause_of_derived(made, family, self._history) or self._first(function)
        old = nearest(family.known, self._history.sections(now))
        if old is None:
            return self._edited(made) or self._first(function)
        changes = list(rebuilt(function, old, now))
        changes += differences(old, now)
        if not changes and not old.is_whole:
            changes += unheard_placements(now, is_traced=made.is_traced)
        if not changes and now.forgotten != old.forgotten:
            changes.append(evicted("jax.clear_caches()", old))
        elif not changes and function.operation:  # all but its body is the same
            changes.append(Change(kind="function_rebuilt", where=function.name))
        elif not changes and made.is_traced and old.is_whole and is_forgotten(made.asked_for()):
            changes.append(evicted("JAX's caches", old))
        return caused(changes, function, old, now, [one for one, _ in family.known])

    def _first(self, function: Function) -> Cause:
        """Nothing like it is known: it is the first, if that can be known."""
        if self.unheard.is_first(function):
            return Cause(kind="first", site=None)
        return Cause(kind="unknown", where=UNHEARD if self.unheard.is_intact(self._forgetting.look()) else CLEARED)

    def _edited(self, made: Making) -> Cause | None:
        """A function of the same name, with the same or with other code, which is no longer there."""
        function, now = made.function, made.signature
        for scope in (function.likeness, function.scope):
            key = self._history.in_scope(scope) if scope else None
            family: Family | None = self._history.family(key) if key is not None else None
            if family is None or family.function is None or not family.known or (not function.is_named and self._functions.is_alive(family.function)):
                continue
            if function.scope is None and function.site and family.function.site and function.site.file == family.function.site.file:
                continue  # two lambdas of one file that read alike are two
            before = f"as it was at {family.function.site}" if family.function.site else "as it was"
            is_same = scope is function.likeness
            change = Change(kind="function_rebuilt", where=function.name, old=before, new="defined anew with the same code" if is_same else "edited")
            old = nearest(family.known, self._history.sections(now)) or family.known[-1][0]
            if not is_same:
                return caused([change], function, old, now)
            held = [one for one in rebuilt(function, old, now) if one.old]
            jitted = [replace(one, kind="function_rebuilt") for one in options(old, now)]
            others = [one for one in differences(old, now) if all(one.where != other.where for other in jitted)]
            return caused([*held, *jitted, *([] if held or jitted else [change]), *others], function, old, now, [one for one, _ in family.known])
        return None


def is_forgotten(fun: Any) -> bool:  # noqa: ANN401 - what was given to jax.jit
    """Whether JAX knows no way to call a function but the one that it has just traced; that it has forgotten one of several can't be seen."""
    return fun is not None and sum(1 for _ in traced(lambda other: other is fun)) == 1
