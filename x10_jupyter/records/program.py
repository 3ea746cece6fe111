"""What was found out of a program that JAX compiled, by whoever looked at it while it was alive."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from x10_jupyter.records.graph import Graph

Level = Literal["jaxpr", "stablehlo", "hlo"]
"""Forms of a program: as JAX has traced it, as XLA is given it, and as XLA runs it."""

LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What XLA estimates that one run of a program takes, on each of its devices. None for what it does not tell."""

    flops: int | None
    """Operations on floating-point numbers; of a loop that runs an unknown number of times, those of one round."""

    transcendentals: int | None
    """Of functions such as ``exp`` and ``tanh``, how many elements they make; not among the others."""

    bytes_accessed: int | None
    """Bytes that are read and written, by each instruction for itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What a run of a program needs of the memory of each of its devices, in bytes."""

    argument_bytes: int
    output_bytes: int

    alias_bytes: int
    """Of the outputs, what takes over the memory of arguments."""

    temporary_bytes: int
    """What is needed while it runs, and free afterwards."""

    code_bytes: int
    """The program itself; 0 on a CPU, where XLA does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program, as far as somebody has looked at it."""

    name: str
    """Its name, which no other program of the process has, as a compile's."""

    cost: Cost | None = None
    """None if XLA does not tell, or it was gone."""

    memory: Memory | None = None
    """None as above."""

    graphs: tuple[Graph, ...] = ()
    """At most one of each level."""

    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """By level, as JAX or XLA writes it."""

    missing: Mapping[str, str] = field(default_factory=dict[str, str])
    """By level, why it can't be had: a sentence."""

    def graph(self, level: str) -> Graph | None:
        """Its graph of a level; None if there is none."""
        return next((each for each in self.graphs if each.level == level), None)


def merged(old: Program, new: Program) -> Program:
    """What two looks at the same program have found; a later one may find it gone."""
    graphs = {each.level: each for each in (*old.graphs, *new.graphs)}
    texts = {**old.texts, **new.texts}
    missing = {level: why for level, why in {**old.missing, **new.missing}.items() if level not in graphs and level not in texts}
    return Program(
        name=old.name, cost=new.cost or old.cost, memory=new.memory or old.memory, graphs=tuple(graphs[level] for level in LEVELS if level in graphs),
        texts=texts, missing=missing,
    )  # fmt: skip
