"""One operation of a graph."""

from dataclasses import dataclass

from x10_jupyter.records.site import Site

OPERANDS = frozenset(
    {
        "xla::device_data", "prim::Constant", "jaxpr::input", "jaxpr::constant", "jaxpr::literal", "stablehlo.argument", "stablehlo.constant",
        "hlo::parameter", "hlo::constant",
    }
)  # fmt: skip
"""What computes nothing: inputs, and what is known from the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An operation, a constant or an input, as a graph has it."""

    op: str
    """What it is, with X10's prefix: ``xla::device_data`` (an input), ``prim::Constant``, ``x10::matmul``. In a program of JAX's with that of its level:
    ``jaxpr::dot_general``, ``stablehlo.dot_general``, ``hlo::dot``."""

    inputs: tuple[tuple[int, int], ...] = ()
    """What it takes, in order: the number of a node before it, and which of that node's results."""

    results: tuple[str, ...]
    """Shape and dtype of each result, e.g. ``f32[8,128]``."""

    tags: tuple[tuple[str, str], ...] = ()
    """What is static about it, by name: ``("axis", "0")``."""

    site: Site | None = None
    """The line that recorded it first, or None when it could not be told."""

    hash: str = ""
    """Hexadecimal digits of 128 bits: equal for the same operation on operands with equal hashes, in any process, whichever inputs they come from. Empty when
    it is not known."""

    scope: str = ""
    """The name scope that it was written in, from the outside in: ``block/attention``; empty outside any."""

    within: str = ""
    """The computation that it is a part of, such as the body of a loop; empty for the program itself. Those of one stand before each node that runs it."""

    called: tuple[str, ...] = ()
    """Computations that it runs, or is a fusion of."""

    @property
    def is_operand(self) -> bool:
        """Whether it computes nothing."""
        return self.op in OPERANDS
