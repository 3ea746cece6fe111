"""The graph of each cut, for whoever asks: made once for a program and kept with it."""

import logging
import warnings
from collections.abc import Mapping, Sequence

from x10_jupyter.base.errors import gist
from x10_jupyter.base.frames import Cells, user_frames
from x10_jupyter.jax_gate.entered import entered
from x10_jupyter.lazy.chain import is_chained
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.digest import combined, digits, of_texts, without_addresses
from x10_jupyter.lazy.drawn import draw
from x10_jupyter.lazy.finding import STORE, Asked
from x10_jupyter.lazy.graph import canonical, context_key, mesh_of, path_to
from x10_jupyter.lazy.nearest import candidates
from x10_jupyter.lazy.places import grouped, places_of
from x10_jupyter.lazy.producer import EVENTS, happened
from x10_jupyter.lazy.program import Executable, Program, module_name
from x10_jupyter.lazy.staging import described, settled, staged
from x10_jupyter.records.events import Graphed
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.site import Site

LOG = logging.getLogger(__name__)
FORMS = ("hlo", "stablehlo", "jaxpr")
"""Texts of a program that only JAX can make."""


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

    __slots__ = ("context", "leaves", "live", "numbers", "op_by_op", "state")

    def __init__(self, trace: Trace, live: tuple[int, ...], *, op_by_op: bool) -> None:
        self.state, self.leaves, self.numbers, self.context, self.live = trace.state, trace.leaves, trace.numbers, trace.context, live
        self.op_by_op = op_by_op

    def event(self, asked: Asked, start_ns: int, *, failed: bool) -> Graphed:
        """What to tell."""
        frames, program, compiled = stack(), asked.program, asked.compiled
        nearest, before = found(asked.cause.nearest) if asked.cause is not None else (None, ())
        if program is None:
            steps = path_to(self.state)
            graph, key, texts = draw(steps, self.live, self.numbers, grouped(places_of(steps), self.numbers)), "", dict[str, str]()
        else:
            drawn = drawn_of(program, frames)
            drawn.frames = frames
            graph, key, texts = drawn.graph, key_of(program.executable, drawn.graph, program), self.texts(program, drawn)
        return Graphed(
            graph=graph,
            why=asked.why,
            how=asked.how,
            op_by_op=self.op_by_op,
            frames=frames,
            program="" if program is None else program.executable.name,
            key=key,
            found="failed" if failed else "none" if self.op_by_op else "hit" if asked.cause is None else "miss",
            compile_ns=0 if compiled is None else compiled.end_ns - compiled.start_ns,
            cache="none" if compiled is None else compiled.cache,
            cause=asked.cause,
            nearest=nearest,
            nearest_frames=before,
            texts=texts,
            **happened(asked.line, start_ns),
        )

    def texts(self, program: Program, drawn: Drawn) -> Mapping[str, str]:
        """The program in the forms that are asked for, each made once."""
        wanted = [form for form in FORMS if form in EVENTS.wanted]
        if any(form not in drawn.texts for form in wanted):
            try:
                drawn.texts.update(self.made(program, wanted))
            except Exception as error:  # noqa: BLE001 - that is what there is to be seen, then
                drawn.texts.update(dict.fromkeys(wanted, f"JAX cannot show it: {type(error).__name__}: {gist(error)}\n"))
        return {form: drawn.texts[form] for form in wanted}

    def made(self, program: Program, forms: Sequence[str]) -> dict[str, str]:
        """The program in some forms, traced and lowered once more as it was to be compiled."""
        steps = path_to(program.state)
        graph = canonical(steps, sorted(program.wanted), self.numbers, program.groups(), program.choice.pairs)
        numbers = [kind(self.numbers[i]) for i, kind in program.params]
        with warnings.catch_warnings(), entered(self.context.settings, self.context.mesh), settled(mesh_of(steps)):
            warnings.simplefilter("ignore")  # they were told when it was compiled
            traced = staged(graph, module_name(program.cut_line.function)).trace(*described([self.leaves[i] for i in graph.leaves]), *numbers)
            return {form: f"{traced.jaxpr}\n" if form == "jaxpr" else traced.lower().as_text(dialect=form) for form in forms}


def look(trace: Trace, live: tuple[int, ...], asked: Asked) -> Seen | None:
    """Remember a trace that is about to be cut, if somebody asks for graphs.

    Args:
        trace: It.
        live: Its values that something refers to.
        asked: Who asks for the cut.
    """
    return Seen(trace, live, op_by_op=is_chained(asked.why)) if "graphs" in EVENTS.wanted else None


def tell(seen: Seen | None, asked: Asked, start_ns: int, *, failed: bool = False) -> None:
    """Tell of a cut that computed something, or was to. A graph that cannot be drawn must not cost the user a value.

    Args:
        seen: The trace as it was, if somebody asks for graphs.
        asked: Who asked for the cut, and what served it.
        start_ns: When it began.
        failed: Whether its program could not be compiled or launched.
    """
    if seen is not None and (asked.program is not None or ((failed or seen.op_by_op) and seen.live)):
        try:
            EVENTS.emit(seen.event(asked, start_ns, failed=failed))
        except Exception:
            LOG.exception("The graph of a trace could not be told")


def stack() -> tuple[Site, ...]:
    """The user's functions that are running, the innermost first."""
    codes = [(frame.f_code, frame.f_lineno) for frame in user_frames()]
    return tuple(Site(file=code.co_filename, line=line, function=code.co_qualname, cell=Cells.number(code.co_filename)) for code, line in codes)


def drawn_of(program: Program, frames: tuple[Site, ...]) -> Drawn:
    """What is told of a program.

    Args:
        program: It.
        frames: The user's functions that are running, if its cut was never told.
    """
    if program.drawn is None:
        graph = draw(path_to(program.state), program.wanted, program.baked_values, program.groups())
        program.drawn = Drawn(graph, frames)
    return program.drawn


def found(name: str) -> tuple[Graph | None, tuple[Site, ...]]:
    """The graph of a known program and the functions that were running at its last cut, as far as it is known; by the program's name."""
    program = next((each for each in candidates(STORE) if each.executable.name == name), None) if name else None
    if program is None:
        return None, ()
    line = program.cut_line
    drawn = drawn_of(program, (Site(file=line.file, line=line.number, function=line.function, cell=Cells.number(line.file)),))
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
