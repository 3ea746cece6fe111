"""How JAX makes programs: when it traces, lowers and compiles, for whomever, as it tells through ``jax.monitoring``.

A call of a compiled function tells nothing, and costs nothing. JAX tells a function's name, and no more; `Causes` finds the rest where JAX calls from.
"""

import re
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Literal, NamedTuple

import jax
import jax.monitoring as monitoring

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.frames import PACKAGE, is_library, is_ours_or_library, user_frame
from x10_jupyter.jax_gate.compiling_call import compiler_options
from x10_jupyter.jax_gate.untold_traces import UntoldTraces
from x10_jupyter.observe.causes import Causes
from x10_jupyter.observe.guard import guarded
from x10_jupyter.observe.making import Making, compiled_with
from x10_jupyter.observe.programs import Programs
from x10_jupyter.observe.underway import Underway
from x10_jupyter.observe.values import name_of
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.process_events import Staged
from x10_jupyter.records.sink import FanOut
from x10_jupyter.records.site import Site, site_in

Phase = Literal["trace", "lower", "compile"]
PHASES: dict[str, Phase] = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
HIT = "/jax/compilation_cache/cache_hits"
FOLDER, ENABLED = "jax_compilation_cache_dir", "jax_enable_compilation_cache"
WRAPPED = re.compile(r"\w+\((.*)\)", re.DOTALL)
"""How JAX names a function from lowering on: ``jit(step)``."""

UNNAMED = re.compile(r"<unnamed|_|stage$")
"""Names that are JAX's own, or none."""

HOOKS = (f"{PACKAGE}observe/", f"{PACKAGE}jax_gate/")
"""Code of this package that JAX calls, and through which it calls itself."""

UNKNOWN = Cause(kind="unknown")


class Moment(NamedTuple):
    """A moment of a thread, on each clock."""

    ns: int
    cpu_ns: int
    queued_ns: int


NEVER = Moment(0, 0, 0)


@dataclass(slots=True)
class Begun:
    """A phase under way."""

    phase: Phase
    name: str
    """The function's, as JAX calls it."""
    start: Moment
    site: Site | None
    is_own: bool
    made: Making | None = None
    """What is being made, if that is known."""
    error: BaseException | None = None
    """The exception that was being handled when it began."""
    is_hit: bool = False
    end: Moment = NEVER
    """When it ended, if that is told only later."""


class Staging:
    """Tells of each phase of making a program, as long as somebody listens.

    It may stay while nobody does (`stay`), to know later what was compiled before.
    """

    def __init__(self, clock: Clock, cpu_clock: Clock, queue_clock: Clock) -> None:
        """Hear nothing yet.

        Args:
            clock: Tells when a phase begins and ends.
            cpu_clock: Tells the CPU time of the calling thread.
            queue_clock: Tells how long that has waited for a core.
        """
        self.events = FanOut(self._follow)
        self.causes = Causes()
        self.programs = Programs()
        self._clock, self._cpu_clock, self._queue_clock = clock, cpu_clock, queue_clock
        self._lock = threading.RLock()  # the collector may run while it is held
        self._stays = False
        self.is_heard = False
        self._local = threading.local()
        self._untold = UntoldTraces(self._begin_untold, self._end_untold)

    def stay(self) -> None:
        """Hear of JAX from now on, whether or not anybody listens."""
        self._stays = self.causes.unheard.is_resident = True
        self._follow()

    def leave(self) -> None:
        """Hear of JAX only while somebody listens, and forget what was compiled."""
        self._stays = self.causes.unheard.is_resident = False
        self._follow()
        self.causes.clear()
        self.programs.clear()

    def _follow(self) -> None:
        """Hear of JAX if somebody listens, and not otherwise."""
        with self._lock:
            is_wanted = bool(self.events) or self._stays
            if is_wanted and not self.is_heard:
                self.causes.begin()
                monitoring.register_scalar_listener(self._begin)
                monitoring.register_event_listener(self._say)
                monitoring.register_event_duration_secs_listener(self._end)
                self._untold.put()
            elif not is_wanted and self.is_heard:
                monitoring.unregister_scalar_listener(self._begin)
                monitoring.unregister_event_listener(self._say)
                monitoring.unregister_event_duration_listener(self._end)
                self._untold.undo()
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

    # What these raise ends the user's call, so nothing of it gets out.

    def _begin(self, event: str, value: float, **about: object) -> None:  # noqa: ARG002 - its name is JAX's
        phase = PHASES.get(event)
        if phase is not None:
            guarded(self._enter, phase, called(phase, about))

    def _end(self, event: str, duration_secs: float, **about: object) -> None:
        phase = PHASES.get(event)
        if phase is not None:
            guarded(self._leave, phase, called(phase, about), duration_secs)

    def _begin_untold(self, fun: Callable[..., object]) -> Begun | None:
        return None if self._begun else guarded(self._enter, "trace", name_of(fun))

    def _end_untold(self, begun: Begun) -> None:
        guarded(self._leave_untold, begun)

    def _enter(self, phase: Phase, name: str) -> Begun:
        """A phase begins."""
        start, site, own = self._now(), here(), is_own()
        made = None if own else guarded(self._making, phase, name, site)
        begun = Begun(phase, name, start, site, own, made, sys.exc_info()[1])
        self._tell_untold(begun)
        self._begun.append(begun)
        return begun

    def _now(self) -> Moment:
        """This moment of the calling thread."""
        return Moment(self._clock.now_ns(), self._cpu_clock.now_ns(), self._queue_clock.now_ns())

    def _leave_untold(self, begun: Begun) -> None:
        """A trace has ended of which JAX does not tell; what is lowered next in the same call tells how long making its derivative took, too."""
        self._matching("trace")
        begun.end = self._now()
        self._local.untold = begun

    def _tell_untold(self, following: Begun | None) -> None:
        """Tell of a trace that JAX did not tell of, once it is known what follows it."""
        begun: Begun | None = self._local.__dict__.pop("untold", None)
        if begun is None:
            return
        made, after = begun.made, following.made if following is not None else None
        if following is not None and following.phase == "lower" and made is not None and after is not None and made.key[0] == after.key[0]:
            begun.end = following.start
        self._tell(begun, begun.end)

    def _making(self, phase: Phase, name: str, site: Site | None) -> Making | None:
        """What a phase that begins now is a part of."""
        under_way: Underway = self._local.__dict__.setdefault("under_way", Underway())
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] # the only way to it that costs nothing
        seen = self.causes.making(frame, is_traced=phase == "trace", site=site, under_way=under_way.of_call)
        if seen is not None:
            return seen
        given = compiler_options(frame) if phase == "compile" else {}
        ahead = under_way.ahead(name) or (under_way.again(name) if given else None)
        return compiled_with(ahead, given) if ahead is not None else None

    def _say(self, event: str, **_about: object) -> None:
        if event == HIT and self._begun:
            self._begun[-1].is_hit = True

    def _leave(self, phase: Phase, name: str, duration_secs: float) -> None:
        """A phase has ended."""
        end = self._now()
        begun = self._matching(phase)
        if begun is None:  # it had begun when nobody listened
            begun = Begun(phase, name, end._replace(ns=end.ns - int(duration_secs * 1e9)), here(), is_own())
        self._tell_untold(None)
        program = "" if begun.is_own else guarded(self._made, begun, sys._getframe()) or ""  # pyright: ignore[reportPrivateUsage] # the only way to it
        if phase not in [outer.phase for outer in self._begun]:  # else it is a part of what is told when that ends
            cause = guarded(self._settled, begun, sys.exc_info()[1])
            self._tell(begun, end, cause, program)

    def _made(self, begun: Begun, frame: FrameType) -> str:
        """Note what a phase that has ended has made; the program's name once it is compiled."""
        if begun.phase == "lower":
            self.programs.lower(frame)
        return self.programs.put(frame, told_name(begun)) if begun.phase == "compile" else ""

    def _tell(self, begun: Begun, end: Moment, cause: Cause | None = None, program: str = "") -> None:
        """Tell of a phase."""
        is_compile, function = begun.phase == "compile", begun.made.function if begun.made is not None else None
        self.events.emit(
            Staged(
                phase=begun.phase,
                function=told_name(begun),
                program=program,
                cache="none" if not is_compile else "hit" if begun.is_hit else "miss" if has_cache() else "none",
                cause=cause or UNKNOWN if is_compile else None,
                is_own=begun.is_own,
                is_eager=function is not None and function.is_jax,
                definition_site=function.site if function is not None else None,
                cpu_ns=end.cpu_ns - begun.start.cpu_ns,
                queued_ns=end.queued_ns - begun.start.queued_ns,
                start_ns=begun.start.ns,
                end_ns=end.ns,
                thread=threading.get_ident(),
                site=begun.site,
            )
        )

    def _settled(self, begun: Begun, error: BaseException | None) -> Cause | None:
        """Remember what a phase that has ended was a part of; why, if that is made."""
        phase, name, made, under_way = begun.phase, begun.name, begun.made, self._local.__dict__.get("under_way")
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


def told_name(begun: Begun) -> str:
    """What a function is called, in a word of the user's where JAX has none."""
    return begun.name if begun.made is None or not UNNAMED.match(begun.name) else begun.made.function.name


def called(phase: Phase, about: Mapping[str, object]) -> str:
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
    return None if is_ours_or_library(frame.f_code.co_filename) else site_in(frame.f_code, frame.f_lineno)
