"""Reads graphs in the text form of a trace log: of X10, of PyTorch/XLA, or of this package."""

import re
from collections.abc import Iterator
from hashlib import blake2b

from x10_jupyter.base.errors import UsageError
from x10_jupyter.records.avals import aval_of_xla
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.records.site import Site

BLOCK = re.compile(r"^IR \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
NODE = re.compile(r"\s*%(?P<number>\d+) = (?P<shape>\([^)]*\)|\S+) (?P<op>\S+?)\((?P<inputs>[^)]*)\)(?P<rest>.*)")
INPUT = re.compile(r"%(\d+)(?:\.(\d+))?")
ROOT = re.compile(r"(\d+)(?:\.(\d+))?")
QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
LOCATION = re.compile(r"(?P<function>.*)@(?P<file>.*):(?P<line>\d+)")


def load_graph(text: str) -> Graph:
    """The first graph of a text, from its ``IR {`` to the ``}``.

    Shapes are as the device has them: what only this package tells, such as weak types, is not in the text.

    Args:
        text: A graph, or a whole trace log.

    Raises:
        UsageError: There is none, or one of its lines is no node.
    """
    block = BLOCK.search(text)
    if block is None:
        raise UsageError("A graph as text has a line `IR {` and ends with `}`", got=text[:60], fix="Pass what stands between BEGIN_GRAPH and END_GRAPH.")
    nodes: list[Node] = []
    roots: dict[int, tuple[int, int]] = {}
    places: dict[int, int] = {}
    for line in block[1].splitlines():
        number, node, its_roots = parsed(line, places)
        places[number] = len(nodes)
        roots.update({which: (len(nodes), result) for which, result in its_roots})
        nodes.append(node)
    digest = blake2b(block[0].encode(), digest_size=16).digest()
    return Graph(id=f"{int.from_bytes(digest):x}", nodes=tuple(nodes), roots=tuple(roots[which] for which in sorted(roots)))


def parsed(line: str, places: dict[int, int]) -> tuple[int, Node, list[tuple[int, int]]]:
    """The number of a line's node, the node, and which roots it is, each with which of its results.

    Args:
        line: It.
        places: By the number of each node before, its place.

    Raises:
        UsageError: The line is no node, or takes one that is not known.
    """
    found = NODE.fullmatch(line)
    inputs = INPUT.findall(found["inputs"]) if found is not None else []
    if found is None or any(int(number) not in places for number, _ in inputs):
        raise UsageError("Each line of a graph is a node that takes nodes before it: `%2 = f32[10]{0} aten::add(%0, %1)`", got=line.strip())
    tags = dict(split_tags(found["rest"]))
    roots = [(int(root[1]), int(root[2] or 0)) for name, value in split_tags(found["rest"]) if name == "ROOT" and (root := ROOT.fullmatch(value))]
    tags.pop("ROOT", None)
    count = tags.pop("num_outputs", None)
    shape = tags.pop("xla_shape", found["shape"])
    location = LOCATION.fullmatch(tags.pop("location", ""))
    results = shape[1:-1].split(", ") if shape.startswith("(") or count is not None else [shape]
    node = Node(
        op=found["op"],
        inputs=tuple((places[int(number)], int(result or 0)) for number, result in inputs),
        results=tuple(map(aval_of_xla, results)),
        tags=tuple(tags.items()),
        site=location and Site(file=location["file"], line=int(location["line"]), function=location["function"]),
    )
    return int(found["number"]), node, roots


def split_tags(rest: str) -> Iterator[tuple[str, str]]:
    """The tags at the end of a line: each is a name and a value, which may hold commas inside brackets and quotes."""
    whole = ""
    for piece in re.split(r", (?=\w+=)", rest):
        whole += f", {piece}" if whole else piece
        plain = QUOTED.sub("", whole)
        if sum(map(plain.count, "([{")) <= sum(map(plain.count, ")]}")) and not set(plain) & {"'", '"'}:
            name, equals, value = whole.partition("=")
            if equals:
                yield name, value
            whole = ""
    name, equals, value = whole.partition("=")
    if equals:  # what is never closed is part of the value
        yield name, value
