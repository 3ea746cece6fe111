"""What Graphviz's language allows of a drawing, as far as X10's layout needs it: an independent reading."""

import re
import shutil
import subprocess

LABEL = r'\[label="((?:[^"\\]|\\.)*)"\]'
NODE = re.compile(rf"  (node\d+) {LABEL}")
EDGE = re.compile(rf"  (node\d+) -> (node\d+)(?: {LABEL})?")


def drawn(text: str) -> tuple[dict[str, str], list[tuple[str, str, str | None]]]:
    """Labels by node, and edges with theirs; fails if a line is neither."""
    lines = text.splitlines()
    assert (lines[0], lines[-1]) == ("digraph G {", "}")
    nodes: dict[str, str] = {}
    edges: list[tuple[str, str, str | None]] = []
    for line in lines[1:-1]:
        node, edge = NODE.fullmatch(line), EDGE.fullmatch(line)
        assert node or edge, line
        if node:
            nodes[node[1]] = node[2]
        elif edge:
            edges.append((edge[1], edge[2], edge[3]))
    assert {end for edge in edges for end in edge[:2]} <= set(nodes)
    return nodes, edges


def picture(text: str) -> bytes | None:
    """The picture that Graphviz makes of it, if it is installed; fails if it complains."""
    program = shutil.which("dot")
    if program is None:
        return None
    done = subprocess.run([program, "-Tpng"], input=text.encode(), capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout
