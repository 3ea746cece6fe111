"""The graph of each cut, for whoever asks: made once for a program and kept with it."""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from x10_jupyter.base.errors import gist
from x10_jupyter.base.frames import user_frames
from x10_jupyter.jax_gate.jaxpr_text import jaxpr_text
from x10_jupyter.lazy.chain import is_chained
from x10_jupyter.lazy.context import in_force
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.digest import combined, digits, of_texts, without_addresses
from x10_jupyter.lazy.drawn import draw
from x10_jupyter.lazy.finding import STORE, Asked
from x10_jupyter.lazy.graph import Graph as Canonical
from x10_jupyter.lazy.graph import canonical, context_key, mesh_of, path_to
from x10_jupyter.lazy.nearest import candidates
from x10_jupyter.lazy.places import grouped, places_of
from x10_jupyter.lazy.producer import EVENTS, happened
from x10_jupyter.lazy.program import Executable, Program, module_name
from x10_jupyter.lazy.staging import described, settled, staged
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.runtime_events import Graphed
from x10_jupyter.records.sink import FORMS
from x10_jupyter.records.site import Site, site_at, site_in

LOG = logging.getLogger(__name__)
Outcome = Literal["compiling", "miss", "hit", "failed", "none"]


class Drawn:
    """What is told of a program at each of its cuts."""

    __slots__ = ("frames", "graph", "texts")

    def __init__(self, graph: Graph, frames: tuple[Site, ...]) -> None:
        self.graph = graph
        self.frames = frames
        """The user's functions that were running when it was last cut."""
        self.texts: dict[str, str] = {}
        """By form."""


class Seen:
    """What a trace is before it is cut, as far as its graph needs it; afterwards the trace is another one."""

    __slots__ = ("context", "drawn", "leaves", "live", "nearest", "numbers", "op_by_op", "start_ns", "state")

    def __init__(self, trace: Trace, live: tuple[int, ...], *, op_by_op: bool, start_ns: int) -> None:
        self.state, self.leaves, self.numbers, self.context, self.live = trace.state, trace.leaves, trace.numbers, trace.context, live
        self.op_by_op, self.start_ns = op_by_op, start_ns
        self.drawn: Drawn | None = None
        """What is about to be compiled."""
        self.nearest: tuple[Graph | None, tuple[Site, ...]] = (None, ())
        """The graph of the nearest known program, and the functions that were running when it was last cut."""

    def compiling(self, asked: Asked, graph: Canonical, traced: Any, lowered: Any) -> None:
        """Tell what is about to be compiled: it may be the last that is told.

        Args:
            asked: Who asked for the cut.
            graph: What it computes.
            traced: What JAX made of it.
            lowered: What XLA will be given.
        """
        with harmless():
            self.nearest = found(asked.cause.nearest) if asked.cause is not None else (None, ())
            self.drawn = Drawn(draw(path_to(self.state), graph.wanted, self.numbers, graph.groups()), stack())
            self.drawn.texts = texts(traced, lambda: lowered)
            EVENTS.emit(self.event(asked, "compiling", self.drawn))

    def tell(self, asked: Asked, *, failed: bool) -> None:
        """Tell of a cut that was made.

        Args:
            asked: Who asked for it, and what served it.
            failed: Whether its program could not be compiled or launched.
        """
        program, drawn = asked.program, self.drawn
        if program is None:
            if drawn is None:
                steps = path_to(self.state)
                drawn = Drawn(draw(steps, self.live, self.numbers, grouped(places_of(steps), self.numbers)), stack())
        elif drawn is not None:
            program.drawn, self.drawn = drawn, None
        else:
            drawn = drawn_of(program)
            drawn.frames = stack()
            if any(form not in drawn.texts for form in wanted_forms()):
                drawn.texts = self.texts_of(program)
        EVENTS.emit(self.event(asked, "failed" if failed else "none" if self.op_by_op else "hit" if asked.cause is None else "miss", drawn))

    def event(self, asked: Asked, outcome: Outcome, drawn: Drawn) -> Graphed:
        """What to tell."""
        program, compiled = asked.program, asked.compiled
        return Graphed(
            graph=drawn.graph,
            why=asked.why,
            how=asked.how,
            op_by_op=self.op_by_op,
            frames=drawn.frames,
            program="" if program is None else program.executable.name,
            key="" if program is None else key_of(program.executable, drawn.graph, program),
            found=outcome,
            compile_ns=0 if compiled is None else compiled.end_ns - compiled.start_ns,
            cache="none" if compiled is None else compiled.cache,
            cause=asked.cause,
            nearest=self.nearest[0],
            nearest_frames=self.nearest[1],
            texts={form: drawn.texts[form] for form in wanted_forms() if form in drawn.texts},
            **happened(asked.line, self.start_ns),
        )

    def texts_of(self, program: Program) -> dict[str, str]:
        """The texts of a program that was known before somebody asked: it is traced and lowered once more, as it was compiled."""
        steps = path_to(program.state)
        graph = canonical(steps, sorted(program.wanted), self.numbers, program.groups(), program.choice.pairs)
        arguments = [*described([self.leaves[i] for i in graph.leaves]), *[kind(self.numbers[i]) for i, kind in program.params]]
        with warnings.catch_warnings(), in_force(self.context), settled(mesh_of(steps)):
            warnings.simplefilter("ignore")  # they were told when it was compiled
            traced = staged(graph, module_name(program.cut_line.function)).trace(*arguments)
            return texts(traced, traced.lower)


def wanted_forms() -> list[str]:
    """The forms of texts that somebody asks for."""
    return [form for form in FORMS if form in EVENTS.wanted]


def texts(traced: Any, lowered: Callable[[], Any]) -> dict[str, str]:
    """A program in the forms that somebody asks for.

    Args:
        traced: What JAX made of it.
        lowered: Makes what XLA is given.
    """
    forms = wanted_forms()
    try:
        return {form: f"{jaxpr_text(traced.jaxpr)}\n" if form == "jaxpr" else lowered().as_text(dialect=form) for form in forms}
    except Exception as error:  # noqa: BLE001 - that is what there is to be seen, then
        return dict.fromkeys(forms, f"JAX cannot show it: {type(error).__name__}: {gist(error)}\n")


@contextmanager
def harmless() -> Iterator[None]:
    """A graph that cannot be told must not cost the user a value."""
    try:
        yield
    except Exception:
        LOG.exception("The graph of a trace could not be told")


def look(trace: Trace, live: tuple[int, ...], asked: Asked, start_ns: int) -> Seen | None:
    """Remember a trace that is about to be cut, if somebody asks for graphs.

    Args:
        trace: It.
        live: Its values that something refers to.
        asked: Who asks for the cut.
        start_ns: When it began.
    """
    if "graphs" not in EVENTS.wanted:
        asked.compiling = None
        return None
    seen = Seen(trace, live, op_by_op=is_chained(asked.why), start_ns=start_ns)
    asked.compiling = seen.compiling
    return seen


def tell(seen: Seen | None, asked: Asked, *, failed: bool = False) -> None:
    """Tell of a cut that computed something, or was to.

    Args:
        seen: The trace as it was, if somebody asks for graphs.
        asked: Who asked for the cut, and what served it.
        failed: Whether its program could not be compiled or launched.
    """
    if seen is not None and (asked.program is not None or ((failed or seen.op_by_op) and seen.live)):
        with harmless():
            seen.tell(asked, failed=failed)


def stack() -> tuple[Site, ...]:
    """The user's functions that are running, the innermost first."""
    return tuple([site_in(frame.f_code, frame.f_lineno) for frame in user_frames()])


def drawn_of(program: Program) -> Drawn:
    """What is told of a program; if that is new, with the line that it was last cut at."""
    if program.drawn is None:
        line = program.cut_line
        site = site_at(line.file, line.number, line.function)
        program.drawn = Drawn(draw(path_to(program.state), program.wanted, program.baked_values, program.groups()), (site,))
    return program.drawn


def found(name: str) -> tuple[Graph | None, tuple[Site, ...]]:
    """The graph of a known program and the functions that were running at its last cut, as far as they are known; by the program's name."""
    program = next((each for each in candidates(STORE) if each.executable.name == name), None) if name else None
    if program is None:
        return None, ()
    drawn = drawn_of(program)
    return drawn.graph, drawn.frames


def key_of(executable: Executable, graph: Graph, program: Program) -> str:
    """Digits that tell a program from any other: its graph, JAX's configuration, and what it overwrites."""
    if not executable.digest:
        steps = path_to(program.state)
        more = (context_key(steps), mesh_of(steps), sorted(program.choice.pairs.items()))
        settings = of_texts([without_addresses(repr(each)) for each in more])
        digest = digits(combined(graph.id.encode(), settings))
        taken = {each.digest for each in STORE.all()}
        while digest in taken:  # the same but for functions that only their address tells apart
            digest = digits(combined(digest.encode()))
        executable.digest = digest
    return executable.digest
