"""The graph of a program as XLA runs it: its instructions, with those of the computations that they run."""

from collections.abc import Sequence

from x10_jupyter.observe.drawing import Drawing, Value
from x10_jupyter.observe.hlo_text import Instruction, Module
from x10_jupyter.observe.located import Located
from x10_jupyter.records.avals import aval_of_xla, xla_shape
from x10_jupyter.records.graph import Graph

LITERALS = frozenset({"constant", "parameter"})
"""Instructions that have no operands in their parentheses, but a value or a number."""


def hlo_graph(module: Module) -> Graph:
    """The graph of a program.

    An instruction that makes several values makes one, a tuple, as for XLA.

    Args:
        module: It.
    """
    return HloDrawing(module).drawn()


class HloDrawing:
    """Such a graph under way."""

    def __init__(self, module: Module) -> None:
        self.drawing, self.module, self.located = Drawing("hlo"), module, Located(module)
        self.places: dict[str, int] = {}
        """By name of an instruction, the number of its node."""
        self.begun: set[str] = set()
        """Computations that were drawn."""

    def drawn(self) -> Graph:
        """All of it."""
        self.computation(self.module.entry)
        roots: list[Value] = [(self.places[one.name], 0) for one in self.module.computations.get(self.module.entry, ()) if one.is_root]
        return self.drawing.graph(roots)

    def computation(self, name: str) -> None:
        """Add what a computation has, and before each of its instructions what that runs."""
        self.begun.add(name)
        for one in ordered(self.module.computations.get(name, ())):
            for called in one.called:
                if called not in self.begun:
                    self.computation(called)
            self.places[one.name] = self.add(one, "" if name == self.module.entry else name)

    def add(self, one: Instruction, within: str) -> int:
        """Add an instruction; the number of its node."""
        what = self.located.what(one.name)
        aval = one.shape if one.shape.startswith("(") else aval_of_xla(one.shape)
        layout = [] if one.shape.startswith("(") or xla_shape(aval) == one.shape else [("layout", one.shape.partition("{")[2].removesuffix("}"))]
        literal = [("value" if one.opcode == "constant" else "number", one.text)] if one.opcode in LITERALS else []
        named = [("name", one.op_name)] if one.opcode == "parameter" and not within and one.op_name else []
        return self.drawing.add(
            f"hlo::{one.opcode}",
            (aval,),
            [(self.places[each], 0) for each in one.operands if each in self.places],
            tags=[*literal, *named, *layout, *one.attributes],
            site=what.site,
            scope=what.name.scope,
            within=within,
            called=one.called,
        )


def ordered(instructions: Sequence[Instruction]) -> list[Instruction]:
    """The instructions of a computation, each after its operands, and else as they stand."""
    known = {one.name: one for one in instructions}
    found: dict[str, Instruction] = {}
    for first in instructions:
        waiting = [first]
        while waiting:
            one = waiting[-1]
            before = [known[each] for each in one.operands if each in known and each not in found]
            if before and len(waiting) <= len(known):
                waiting.extend(before)
            else:
                waiting.pop()
                found.setdefault(one.name, one)
    return list(found.values())
