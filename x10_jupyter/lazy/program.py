"""Compiled programs: made from a canonical graph, kept in a bounded store, run."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from itertools import count
from operator import is_
from types import MappingProxyType
from typing import Any, NamedTuple
from weakref import ref

import jax
import jax.numpy as jnp
import numpy as np

from x10_jupyter.jax_gate.extended import jaxpr_as_fun
from x10_jupyter.lazy.avals import converted, number_dtype
from x10_jupyter.lazy.donation import Choice
from x10_jupyter.lazy.graph import Graph, Numbers, bits, path_to
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.producer import CENSUS
from x10_jupyter.lazy.trie import State
from x10_jupyter.records.runtime_events import Content


class Origin(NamedTuple):
    """Where a value comes from: kept with it, and so no more than this."""

    op: str
    line: Line | None
    cut_line: Line
    took: str = ""
    """The input whose memory it took over, in the user's words."""


class Executable:
    """A compiled program: arrays and parameters in, values and a completion token out."""

    __slots__ = ("__weakref__", "_bindings", "digest", "key", "name", "run", "runs")

    def __init__(self, name: str, graph: Graph, run: Callable[..., Any]) -> None:
        self.name, self.run, self.key = name, run, graph.key
        self.runs = 0
        self.digest = ""
        """Tells it from any other program; empty until somebody wants to know."""
        self._bindings: list[tuple[ref[State], tuple[int, ...]]] = []

    def bind(self, state: State, live: tuple[int, ...]) -> None:
        """Note where in the trie it is known, to be forgotten with it; does not keep the place alive."""
        self._bindings.append((ref(state), live))

    def bindings(self) -> list[tuple[State, tuple[int, ...]]]:
        """The places of the trie where it is known, and for which live values."""
        found = [(state, live) for known, live in self._bindings if (state := known()) is not None]
        if len(found) < len(self._bindings):
            self._bindings = [(ref(state), live) for state, live in found]
        return found

    def unbind(self) -> None:
        """Be known no more."""
        for state, live in self.bindings():
            if state.programs is not None:
                state.programs.pop(live, None)


MOST_CUT_LINES = 16
"""Places that one program was asked for at; more are those of cells that were edited."""


class Program:
    """An executable as one place in the trie sees it: which leaves, numbers and values are its inputs and outputs."""

    __slots__ = (
        "_baked", "_left", "_right", "baked", "baked_bits", "baked_values", "choice", "content", "cut_line", "cut_lines", "depths", "drawn", "executable",
        "leaves", "origins", "params", "state", "taken", "ties", "wanted",
    )  # fmt: skip

    def __init__(
        self, executable: Executable, graph: Graph, numbers: Numbers, baked: list[int], cut_line: Line, state: State, choice: Choice, taken: dict[int, str]
    ) -> None:
        self.executable = executable
        self.choice = choice
        self.state = state
        self.wanted = graph.wanted
        self.depths = graph.depths
        """For each operation of the program where in the path it was recorded."""
        self.leaves = None if graph.leaves == tuple(range(choice.leaf_count)) else graph.leaves
        """Which of the trace's leaves are its inputs; None when all are, in order."""
        self.params = parameters(graph, numbers)
        self.ties = [(i, slots[0]) for slots in graph.params for i in slots[1:]]
        """Pairs of numbers that share a parameter, and so must be equal."""
        self.baked, self.baked_bits, self.baked_values = baked, bits(numbers, baked), numbers
        self.cut_line = cut_line
        """The newest place that asked for it."""
        self.cut_lines = {cut_line}
        self.drawn: Any = None
        """Its graph as it is told; None until somebody wants to see it, and again when its lines are noted anew."""
        self.taken = taken
        """For each value that takes over the memory of an input, what the user calls that."""
        self.content = content_of(state, graph)
        self.origins: list[Origin] = []
        """Where each output comes from."""
        self.note_origins(cut_line)
        self._baked = [numbers[i] for i in baked]
        self._left, self._right = [a for a, _ in self.ties], [b for _, b in self.ties]

    def is_new_at(self, line: Line) -> bool:
        """Note where it was asked for; whether that place is a new one, and so perhaps other code, such as an edited cell."""
        if line in self.cut_lines:
            return False
        if len(self.cut_lines) >= MOST_CUT_LINES:
            self.cut_lines.clear()
        self.cut_lines.add(line)
        self.cut_line = line
        return True

    def note_origins(self, cut_line: Line) -> None:
        """Look up the lines that its outputs come from."""
        made = makers(self.state)
        self.drawn = None
        self.origins = [Origin(*made[i], cut_line, self.taken.get(i, "")) for i in self.wanted]

    def groups(self) -> dict[int, int]:
        """For each number that is a parameter, the first one that shares it."""
        return {**{slot: slot for slot, _ in self.params}, **dict(self.ties)}

    def fits(self, numbers: Numbers) -> bool:
        """Whether the numbers that are baked in are what they were. Nearly always they are the very same objects."""
        now = map(numbers.__getitem__, self.baked)
        return all(map(is_, now, self._baked)) or bits(numbers, self.baked) == self.baked_bits

    def parted(self, numbers: Numbers) -> list[tuple[int, int]]:
        """The pairs of numbers that are tied, and no longer equal."""
        look = numbers.__getitem__
        if all(map(is_, map(look, self._left), map(look, self._right))):
            return []
        return [(i, j) for i, j in self.ties if bits(numbers, (i,)) != bits(numbers, (j,))]

    def arguments(self, leaves: list[Any], numbers: Numbers) -> list[Any]:
        """What to call the executable with."""
        given = list(leaves) if self.leaves is None else [leaves[i] for i in self.leaves]
        given += [kind(numbers[i]) for i, kind in self.params]
        return given


MOST_EVICTED = 64 * 1024
"""Programs remembered by their hash after they had to go."""


class Store:
    """Keeps the programs that were used last, for all threads."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._lock = threading.RLock()
        self._kept: OrderedDict[Hashable, Executable] = OrderedDict()
        self._evicted: OrderedDict[int, None] = OrderedDict()
        self._turns: dict[Hashable, threading.Lock] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, graph: Graph) -> Executable | None:
        """The program of this graph, if it is kept."""
        return self._kept.get(graph.key)

    def was_evicted(self, graph: Graph) -> bool:
        """Whether the program of this graph was kept once and had to go."""
        return hash(graph.key) in self._evicted

    def use(self, executable: Executable) -> None:
        """Note that a program runs, so that it stays."""
        with self._lock:
            executable.runs += 1
            if self._kept.get(executable.key) is not executable:  # it had to go while it was being found
                self.add(executable)
            self._kept.move_to_end(executable.key)

    @contextmanager
    def turn(self, graph: Graph) -> Iterator[None]:
        """Wait until no other thread compiles this graph, and let none until the block ends."""
        with self._lock:
            turn = self._turns.setdefault(graph.key, threading.Lock())
        with turn:
            try:
                yield
            finally:
                self._turns.pop(graph.key, None)

    def add(self, executable: Executable) -> None:
        """Keep a program; the one that was not used for longest goes."""
        with self._lock:
            known = self._kept.get(executable.key)
            if known is not None and known is not executable:  # two threads compiled it at once
                known.unbind()
            self._kept[executable.key] = executable
            self._evicted.pop(hash(executable.key), None)
            self._evict()

    def resize(self, size: int) -> None:
        """Keep so many programs from now on."""
        with self._lock:
            self.size = size
            self._evict()

    def _evict(self) -> None:
        while len(self._kept) > self.size:
            key, old = self._kept.popitem(last=False)
            self._evicted[hash(key)] = None
            CENSUS.evicted += 1
            if len(self._evicted) > MOST_EVICTED:
                self._evicted.popitem(last=False)
            old.unbind()

    def all(self) -> list[Executable]:
        """Every program kept, the most recently used one first."""
        with self._lock:
            return list(reversed(self._kept.values()))

    def clear(self) -> None:
        """Forget everything, as if nothing had been compiled."""
        with self._lock:
            for one in self._kept.values():
                one.unbind()
            self._kept.clear()
            self._evicted.clear()


_NAMES = count()


def module_name(function: str) -> str:
    """What XLA calls a program: the same in each process, since it is part of the persistent cache's key."""
    return "".join(c if c.isalnum() else "_" for c in function.rpartition(".")[2].strip("<>")) or "cell"


def program_name(function: str) -> str:
    """A name that no program had before, made of the function's."""
    return f"{module_name(function)}_{next(_NAMES)}"


def node_scope(place: int) -> str:
    """The name scope of a program's operation, by which what XLA makes of it is known again: JAX notes only the line that it was traced for first."""
    return f"x10[{place}]"


def body(graph: Graph, name: str) -> Callable[..., Any]:
    """The program as a function of its leaves and parameters, for JAX to trace."""
    leaf_count = len(graph.leaves)
    avals = [a for n in graph.nodes for a in n.op.outs]

    def run(*args: Any) -> tuple[list[Any], Any]:
        leaves, params = args[:leaf_count], args[leaf_count:]
        values: list[Any] = []
        for place, node in enumerate(graph.nodes):
            numbers = [np.asarray(n, number_dtype(type(n))) if kind == "baked" else params[n] for kind, n in node.numbers]
            inputs = [leaves[-1 - r] if r < 0 else values[r] for r in node.inputs]
            with jax.named_scope(node_scope(place)):
                values += jaxpr_as_fun(node.op.jaxpr)(*inputs, *numbers)
        outs = [converted(values[i], avals[i].held_as, weak_type=True) if avals[i].weak_type else values[i] for i in graph.outputs]
        return outs, jnp.zeros((), bool)

    run.__name__ = run.__qualname__ = name
    return run


def parameters(graph: Graph, numbers: Numbers) -> list[tuple[int, Callable[[Any], Any]]]:
    """For each parameter the place of a number that has its value, and what makes it an argument."""
    return [(slots[0], number_dtype(type(numbers[slots[0]])).type) for slots in graph.params]


def makers(state: State) -> dict[int, tuple[str, Line | None]]:
    """For each value of a path the operation and the line that made it."""
    return {s.ref + i: (s.op.call.name, s.site) for s in path_to(state) if s.op is not None for i in range(len(s.op.outs))}


def content_of(state: State, graph: Graph | None = None) -> Content:
    """What a trace holds, counted.

    Args:
        state: Its end.
        graph: That of its program, if it has one.
    """
    recorded = Counter(s.op.call.name for s in path_to(state) if s.op is not None)
    nodes = numbers = 0
    if graph is not None:
        numbers = len(graph.params)
        baked = sum(kind == "baked" for node in graph.nodes for kind, _ in node.numbers)
        nodes = len(graph.nodes) + len(graph.leaves) + numbers + baked
    return Content(recorded=MappingProxyType(dict(recorded)), nodes=nodes, numbers=numbers)
