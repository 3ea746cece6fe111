"""What PyTorch/XLA's ``grab_graphs.py`` sees of a trace log: its regular expressions, line by line as it applies them, written down from its description."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple


class Grabbed(NamedTuple):
    """One graph that it finds."""

    graph: list[str]
    normal: list[str]
    """Without numbers, as it compares graphs."""
    frame: list[str] | None
    hashes: str | None


def normal(line: str) -> str:
    """A line without the numbers of nodes."""
    line = re.sub(r"([a-z][a-z0-9_-]*)\.[0-9.]+", r"\1", line)
    found = re.match(r"(\s*)%\d+\s*=\s*(.*::[^(]+\()([^)]*)(.*)", line)
    return found[1] + found[2] + re.sub(r"%\d+", "?", found[3]) + found[4] if found else line


def grabbed(log: str) -> list[Grabbed]:
    """Every graph of a log."""
    found: list[Grabbed] = []
    lines = iter(log.split("\n"))
    frame: list[str] | None = None
    hashes: str | None = None
    for line in lines:
        told = re.match(r"Hashes: \(([^)]*)\)", line)
        if re.match(r"TensorsGraphInfo:", line):
            frame = list(until(lines, r"\s*$"))
        elif re.match(r"## BEGIN_GRAPH$", line):
            graph = list(until(lines, r"## END_GRAPH$"))
            found.append(Grabbed(graph, list(map(normal, graph)), frame, hashes))
            frame = hashes = None
        elif told is not None:
            hashes = told[1]
    return found


def until(lines: Iterator[str], end: str) -> Iterator[str]:
    """The lines before one that matches."""
    return takewhile(lambda line: not re.match(end, line), lines)
