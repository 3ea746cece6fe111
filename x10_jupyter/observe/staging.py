"""How JAX makes programs: when it traces, lowers and compiles, for whomever, as it tells through ``jax.monitoring``.

A call of a compiled function tells nothing, and costs nothing. JAX tells a function's name, and no more; `Causes` finds the rest where JAX calls from.
"""

import re
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import jax
import jax.monitoring as monitoring

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.frames import PACKAGE, Cells, is_library, is_ours_or_library, user_frame
from x10_jupyter.observe.causes import Causes, Making
from x10_jupyter.observe.guard import guarded
from x10_jupyter.observe.underway import Underway
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Staged
from x10_jupyter.records.sink import FanOut
from x10_jupyter.records.site import Site

PHASES: dict[str, Literal["trace", "lower", "compile"]] = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
HIT = "/jax/compilation_cache/cache_hits"
FOLDER, ENABLED = "jax_compilation_cache_dir", "jax_enable_compilation_cache"
WRAPPED = re.compile(r"\w+\((.*)\)", re.DOTALL)
"""How JAX names a function from lowering on: ``jit(step)``."""

HOOKS = (f"{PACKAGE}observe/", f"{PACKAGE}jax_gate/")
"""Code of this package that JAX calls, and through which it calls itself."""

UNKNOWN = Cause(kind="unknown")


@dataclass(slots=True)
class Begun:
    """A phase under way."""

    phase: str
    start_ns: int
    cpu_start_ns: int
    site: Site | None
    is_own: bool
    made: Making | None = None
    """What is being made, if that is known."""
    error: BaseException | None = None
    """The exception that was being handled when it began."""
    is_hit: bool = False


class Staging:
    """Tells of each phase of making a program, as long as somebody listens.

    It may stay while nobody does (`stay`), to know later what was compiled before.
    """

    def __init__(self, clock: Clock, cpu_clock: Clock) -> None:
        """Hear nothing yet.

        Args:
            clock: Tells when a phase begins and ends.
            cpu_clock: Tells the CPU time of the calling thread.
        """
        self.events = FanOut(self._follow)
        self.causes = Causes()
        self._clock, self._cpu_clock = clock, cpu_clock
        self._lock = threading.RLock()  # the collector may run while it is held
        self._stays = False
        self.is_heard = False
        self._local = threading.local()

    def stay(self) -> None:
        """Hear of JAX from now on, whether or not anybody listens."""
        self._stays = self.causes.is_resident = True
        self._follow()

    def leave(self) -> None:
        """Hear of JAX only while somebody listens, and forget what was compiled."""
        self._stays = self.causes.is_resident = False
        self._follow()
        self.causes.clear()

    def _follow(self) -> None:
        """Hear of JAX if somebody listens, and not otherwise."""
        with self._lock:
            is_wanted = bool(self.events) or self._stays
            if is_wanted and not self.is_heard:
                self.causes.begin()
                monitoring.register_scalar_listener(self._begin)
                monitoring.register_event_listener(self._say)
                monitoring.register_event_duration_secs_listener(self._end)
            elif not is_wanted and self.is_heard:
                monitoring.unregister_scalar_listener(self._begin)
                monitoring.unregister_event_listener(self._say)
                monitoring.unregister_event_duration_listener(self._end)
                self._local = threading.local()
                self.causes.end()
            self.is_heard = is_wanted

    @property
    def _begun(self) -> list[Begun]:
        """The phases of this thread that are under way, the outermost first."""
        try:
            return self._local.begun
        except AttributeError:
            begun: list[Begun] = []
            self._local.begun = begun
            return begun

    def _begin(self, event: str, value: float, **about: object) -> None:  # noqa: ARG002 - its name is JAX's
        # What a listener raises ends the user's call, so nothing here may.
        phase = PHASES.get(event)
        if phase is not None:
            start_ns, cpu_start_ns, site, own = self._clock.now_ns(), self._cpu_clock.now_ns(), here(), is_own()
            made = None if own else guarded(self._making, phase, called(phase, about), site)
            self._begun.append(Begun(phase, start_ns, cpu_start_ns, site, own, made, sys.exc_info()[1]))

    def _making(self, phase: str, name: str, site: Site | None) -> Making | None:
        """What a phase that begins now is a part of."""
        under_way: Underway = self._local.__dict__.setdefault("under_way", Underway())
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] # the only way to it that costs nothing
        seen = self.causes.making(frame, is_traced=phase == "trace", site=site, under_way=under_way.of_call)
        return seen or under_way.ahead(name)

    def _say(self, event: str, **_about: object) -> None:
        if event == HIT and self._begun:
            self._begun[-1].is_hit = True

    def _end(self, event: str, duration_secs: float, **about: object) -> None:
        phase = PHASES.get(event)
        if phase is None:
            return
        end_ns, cpu_end_ns = self._clock.now_ns(), self._cpu_clock.now_ns()
        begun = self._matching(phase)
        if begun is None:  # it had begun when nobody listened
            took_ns = int(duration_secs * 1e9)
            begun = Begun(phase, end_ns - took_ns, cpu_end_ns, here(), is_own())
        if phase in [outer.phase for outer in self._begun]:  # a part of what is told when that ends
            return
        name = called(phase, about)
        cause = guarded(self._settled, phase, name, begun, sys.exc_info()[1]) or UNKNOWN
        function = begun.made.function if begun.made is not None else None
        self.events.emit(
            Staged(
                phase=phase,
                function=name,
                cache="none" if phase != "compile" else "hit" if begun.is_hit else "miss" if has_cache() else "none",
                cause=cause if phase == "compile" else None,
                is_own=begun.is_own,
                is_eager=function is not None and function.is_jax,
                definition_site=function.site if function is not None else None,
                cpu_ns=cpu_end_ns - begun.cpu_start_ns,
                start_ns=begun.start_ns,
                end_ns=end_ns,
                thread=threading.get_ident(),
                site=begun.site,
            )
        )

    def _settled(self, phase: str, name: str, begun: Begun, error: BaseException | None) -> Cause | None:
        """Remember what a phase that has ended was a part of; why, if that is made."""
        made, under_way = begun.made, self._local.__dict__.get("under_way")
        if made is None or under_way is None:
            return None
        failed = error is not begun.error
        cause = self.causes.told(made) if phase == "compile" else None
        if phase == "compile" and not failed:
            self.causes.put(made)
        if phase == "compile" or failed:
            under_way.drop(name, made)
        else:
            under_way.keep(name, made)
        return cause

    def _matching(self, phase: str) -> Begun | None:
        """Take the phase that ends off those under way, with what was begun in it and never ended."""
        begun = self._begun
        for at in reversed(range(len(begun))):
            if begun[at].phase == phase:
                found = begun[at]
                del begun[at:]
                return found
        return None


def called(phase: str, about: Mapping[str, object]) -> str:
    """What JAX calls a function in a phase: with what it wraps around it from lowering on."""
    name = str(about.get("fun_name", ""))
    wrapped = WRAPPED.fullmatch(name) if phase != "trace" else None
    return wrapped[1] if wrapped else name


def is_own() -> bool:
    """Whether this package asks JAX for what it does: no code of the user's stands between."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage] # the only way to it that costs nothing
    while frame is not None and (is_library(frame.f_code.co_filename) or frame.f_code.co_filename.startswith(HOOKS)):
        frame = frame.f_back
    return frame is not None and is_ours_or_library(frame.f_code.co_filename)


def has_cache() -> bool:
    """Whether JAX has a persistent compile cache."""
    return bool(getattr(jax.config, FOLDER, None)) and bool(getattr(jax.config, ENABLED, False))


def here() -> Site | None:
    """The user's line that runs on this thread, or None if none is the user's."""
    frame = user_frame()
    code = frame.f_code
    if is_ours_or_library(code.co_filename):
        return None
    return Site(file=code.co_filename, line=frame.f_lineno, function=code.co_qualname, cell=Cells.number(code.co_filename))
