"""The graph of a program as XLA is given it: operations of StableHLO, with those of loops' bodies and of functions that are called."""

import re
from typing import Any

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.observe.drawing import Drawing, Value
from x10_jupyter.observe.hlo_text import unescaped
from x10_jupyter.observe.op_names import read
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.site import Site, site_at

TEXT = r'"((?:[^"\\]|\\.)*)"'
NAME = re.compile(rf"loc\({TEXT}")
FRAME = re.compile(rf"{TEXT}\({TEXT}:(\d+)")
"""How MLIR writes where an operation comes from: ``loc("jit(step)/dot_general"(callsite("inner"("a.py":3:1 to :9) at "outer"("a.py":7:1 to :9))))``."""

TENSOR = re.compile(r"tensor<((?:\d+x|\?x)*)(\w+|complex<\w+>)(?:, .*)?>")
DTYPES = {"i1": "bool", "complex<f32>": "c64", "complex<f64>": "c128"}
CALLEES = "callee", "called_computations"
MAIN = "main"
ENDS = frozenset({"func.return", "stablehlo.return"})


def stablehlo_graph(module: Any) -> Graph:  # noqa: ANN401 - a module of MLIR
    """The graph of a program.

    Args:
        module: It, as JAX has lowered it.
    """
    return StablehloDrawing(module).drawn()


class StablehloDrawing:
    """Such a graph under way."""

    def __init__(self, module: Any) -> None:  # noqa: ANN401 - as above
        self.drawing = Drawing("stablehlo")
        self.functions = {str(one.operation.attributes["sym_name"]).strip('"'): one.operation for one in module.body.operations}
        self.begun: set[str] = set()
        """Functions that were drawn."""
        self.times: dict[str, int] = {}

    def drawn(self) -> Graph:
        """All of it."""
        main = MAIN if MAIN in self.functions else next(iter(self.functions), "")
        return self.drawing.graph(self.function(main, "") if main else ())

    def function(self, name: str, within: str) -> list[Value]:
        """Add a function; what it comes back with."""
        self.begun.add(name)
        found = list[Value]()
        for region in self.functions[name].regions:
            for block in region.blocks:
                found = self.block(block, within, {})
        return found

    def block(self, block: Any, within: str, outside: dict[Any, Value]) -> list[Value]:  # noqa: ANN401 - MLIR's
        """Add operations that follow each other.

        Args:
            block: They.
            within: What they are a part of.
            outside: What they may take from around them.

        Returns:
            What they come back with.
        """
        values = dict(outside)
        for argument in block.arguments:
            number = [("number", str(argument.arg_number))]
            values[argument] = self.drawing.add("stablehlo.argument", (aval(argument.type),), tags=number, within=within), 0
        found = list[Value]()
        for one in block.operations:
            operation = one.operation
            inputs = [values[each] for each in operation.operands if each in values]
            if operation.name in ENDS:
                found = inputs
                continue
            place = self.operation(operation, inputs, within, values)
            values.update({result: (place, which) for which, result in enumerate(operation.results)})
        return found

    def operation(self, operation: Any, inputs: list[Value], within: str, values: dict[Any, Value]) -> int:  # noqa: ANN401 - MLIR's
        """Add an operation, after what it runs; the number of its node."""
        attributes = {str(one.name): str(one.attr) for one in named(operation)}
        called = [name for key in CALLEES for name in re.findall(r"@([\w.$-]+)", attributes.pop(key, "")) if name in self.functions]
        for name in called:
            if name not in self.begun:
                self.function(name, name)
        called += self.regions(operation, values)
        where = str(operation.location)
        found = NAME.match(where)
        return self.drawing.add(
            operation.name,
            [aval(each.type) for each in operation.results],
            inputs,
            tags=list(attributes.items()),
            site=site_of(where),
            scope=read(unescaped(found[1])).scope if found is not None else "",
            within=within,
            called=called,
        )

    def regions(self, operation: Any, values: dict[Any, Value]) -> list[str]:  # noqa: ANN401 - MLIR's
        """Add what stands inside an operation, such as the condition and the body of a loop; what each is called."""
        found = list[str]()
        op = operation.name.rpartition(".")[2]
        for which, region in enumerate(operation.regions):
            if which == 0:
                self.times[op] = self.times.get(op, 0) + 1
            name = f"{op}.{self.times[op]}[{which}]"
            for block in region.blocks:
                self.block(block, name, values)
            found.append(name)
        return found


def named(operation: Any) -> list[Any]:  # noqa: ANN401 - MLIR's
    """The attributes of an operation."""
    return [operation.attributes[place] for place in range(len(operation.attributes))]


def aval(kind: Any) -> str:  # noqa: ANN401 - a type of MLIR's
    """Shape and dtype: ``f32[8,128]`` for ``tensor<8x128xf32>``; other types as MLIR writes them."""
    written = str(kind)
    found = TENSOR.fullmatch(written)
    if found is None:
        return written
    lengths = found[1].removesuffix("x").replace("x", ",")
    return f"{DTYPES.get(found[2], found[2].replace('ui', 'u'))}[{lengths}]"


def site_of(where: str) -> Site | None:
    """The user's line of an operation, or None if none is the user's."""
    for function, file, line in FRAME.findall(where):
        if not is_ours_or_library(unescaped(file)):
            return site_at(unescaped(file), int(line), unescaped(function))
    return None
