"""One operation of a graph."""

from dataclasses import dataclass

from x10_jupyter.records.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An operation, a constant or an input, as a graph has it."""

    op: str
    """What it is, with X10's prefix: ``xla::device_data`` (an input), ``prim::Constant``, ``x10::matmul``."""

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
