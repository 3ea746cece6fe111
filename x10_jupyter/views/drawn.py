"""Graphs as pictures of at most a hundred boxes, with the lines that recorded them, and as tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from x10_jupyter.base.units import count
from x10_jupyter.records.cuts import Cuts
from x10_jupyter.records.graph import Graph
from x10_jupyter.views.blocks import Block, between, blocks
from x10_jupyter.views.layered import neighbours, places_of, rows_of
from x10_jupyter.views.markup import Markup, element, folded, section, table
from x10_jupyter.views.phrases import at, shorten
from x10_jupyter.views.svg import CHARACTER, drawing, label, picture, shape
from x10_jupyter.views.theme import COLOURS, INK, QUIET

BOXES = 100, 60, 36, 24
"""At most so many; the next number where there would be too many rows."""

ROWS, ACROSS = 24, 6
"""Rows that a picture has at most, unless the fewest boxes need more; and boxes in a row. More of either can't be read."""

FAR = 2
"""From so many rows on an edge is a stub at both ends that names the other; drawn, it would go through boxes, and cross most other edges."""

ROOM = 960
"""Pixels of the widest picture, and"""
WIDEST, HEIGHT, GAP, BETWEEN = 260, 36, 14, 34
"""of a box, which has more room where fewer stand beside each other, and from one to the next, across and down."""

PICTURES = 2
"""Graphs that are drawn, the largest; the others are only counted."""

SMALL = 10
"""Pixels of what stands at stubs."""


def graphs(made: Sequence[Cuts]) -> Markup:
    """The whole section; nothing if no graphs were recorded."""
    ordered = sorted(made, key=lambda one: -len(one.graph.nodes))
    shown = [folded(title(one), *drawn(one.graph)) for one in ordered[:PICTURES]]
    rest = element("div", f"and {count(len(made) - PICTURES, 'smaller graph')}", opacity=QUIET) if len(made) > PICTURES else ""
    return section("Graphs", *shown, rest) if shown else Markup()


def title(one: Cuts) -> str:
    """What a graph is, in a line: its program and size, how often it was computed, and the line that last asked for it."""
    graph, last = one.graph, one.cuts[-1] if one.cuts else None
    size = f"{count(len(graph.nodes), 'node')}, {count(len({node for node, _ in graph.roots}), 'result')}"
    if last is None:
        return f"{graph.id[:8]}: {size}"
    return f"{shorten(last.program) or 'not compiled'} ({graph.id[:8]}): {size}, cut {times(len(one.cuts))}{at(last.site)}"


def times(number: int) -> str:
    """How often, in words: ``once``, ``3 times``."""
    return "once" if number == 1 else count(number, "time")


def drawn(graph: Graph) -> tuple[Markup, Markup]:
    """A graph as a picture and as a table."""
    plan = plan_of(graph)
    names = f"Boxes of {count(len(graph.nodes), 'node')} from above down; numbers at arrows name boxes further away"
    return picture(plan.width, plan.height, *plan.shapes(), alt=names), folded("as a table", rows(plan))


def svg(graph: Graph) -> str:
    """A graph as a picture, to be kept as a file."""
    plan = plan_of(graph)
    return drawing(plan.width, plan.height, *plan.shapes())


def plan_of(graph: Graph) -> "Plan":
    """The most boxes with which a graph still is not too long."""
    plan = None
    for most in BOXES:
        made = blocks(graph, most)
        edges = between(graph, made)
        plan = Plan(made, edges, rows_of(len(made), edges, ACROSS))
        if max(plan.rows, default=0) < ROWS:
            break
    assert plan is not None
    return plan


@dataclass(frozen=True, slots=True)
class Plan:
    """Boxes, and where they go."""

    made: Sequence[Block]
    edges: Sequence[tuple[int, int]]
    rows: Sequence[int]

    @property
    def height(self) -> int:
        """Pixels, with room for what stands at stubs above and below."""
        return (max(self.rows, default=0) + 1) * (HEIGHT + BETWEEN)

    @property
    def box(self) -> float:
        """Pixels that a box is wide."""
        across = max(Counter(self.rows).values(), default=1)
        return min(ROOM / across - GAP, float(WIDEST))

    @property
    def places(self) -> list[float]:
        """Where the middle of each box stands, in pixels."""
        found = places_of(self.rows, [edge for edge in self.edges if not self.is_far(edge)])
        left = min(found, default=0.0)
        return [(place - left) * (self.box + GAP) + self.box / 2 + GAP / 2 for place in found]

    @property
    def width(self) -> int:
        """Pixels."""
        return round(max(self.places, default=0.0) + self.box / 2 + GAP / 2)

    def is_far(self, edge: tuple[int, int]) -> bool:
        """Whether a box is too far from what it takes for a line to be drawn."""
        return self.rows[edge[1]] - self.rows[edge[0]] >= FAR

    def top(self, box: int) -> float:
        """Where a box begins, in pixels from above."""
        return self.rows[box] * (HEIGHT + BETWEEN) + BETWEEN / 2

    def shapes(self) -> Iterator[Markup]:
        """Edges, and boxes upon them."""
        places = self.places
        near = [edge for edge in self.edges if not self.is_far(edge)]
        lines = "".join([self.curve(places[source], self.top(source) + HEIGHT, places[target], self.top(target)) for source, target in near])
        if lines:
            yield shape("path", d=lines, fill="none", stroke=INK, stroke_opacity="0.6")
        yield from self.stubs(places)
        for box, block in enumerate(self.made):
            yield from boxed(box, block, places[box], self.top(box), self.box)

    def curve(self, x: float, y: float, to_x: float, to_y: float) -> str:
        """An edge that leaves and arrives upright."""
        half = (to_y - y) / 2
        return f"M{x:.0f} {y:.0f}C{x:.0f} {y + half:.0f} {to_x:.0f} {to_y - half:.0f} {to_x:.0f} {to_y:.0f}"

    def stubs(self, places: Sequence[float]) -> Iterator[Markup]:
        """What boxes further away take from each, and what each takes from them, by number."""
        far = [edge for edge in self.edges if self.is_far(edge)]
        takers, makers = neighbours(len(self.made), far), neighbours(len(self.made), [(target, source) for source, target in far])
        for box, x in enumerate(places):
            # Beside the middle, where the other edges are.
            if takers[box]:
                yield label(x + self.box / 2, self.top(box) + HEIGHT + SMALL, f"→ {numbered(takers[box])}", font_size=SMALL, text_anchor="end")
            if makers[box]:
                yield label(x - self.box / 2, self.top(box) - 3, f"{numbered(makers[box])} →", font_size=SMALL)


def numbered(boxes: Sequence[int]) -> str:
    """Numbers of boxes, from 1, the first few."""
    return ", ".join(str(box + 1) for box in boxes[:3]) + ("…" if len(boxes) > 3 else "")


def boxed(box: int, block: Block, x: float, y: float, width: float) -> Iterator[Markup]:
    """One box: its number with what it does, and at which lines; what computes a result has a bold edge."""
    letters = int(width / CHARACTER)
    edge = {"stroke": COLOURS["execute"], "stroke_width": 2} if block.has_root else {"stroke": INK, "stroke_width": 1}
    yield shape("rect", x=x - width / 2, y=y, width=width, height=HEIGHT, rx=4, fill=INK, fill_opacity="0.08", **edge)
    yield label(x, y + 15, shorten(f"{box + 1}: {does(block)}", letters), text_anchor="middle")
    yield label(x, y + 29, shorten(block.lines, letters), text_anchor="middle", font_size=SMALL)


def does(block: Block) -> str:
    """The operations of a block, the most frequent first: ``2 × dot_general, add``, ``in scan: tanh``; inputs if there is nothing else."""
    told = [f"{times} × {op}" if times > 1 else op for op, times in block.operations.most_common()]
    where = f"in {block.inside}: " if block.inside else ""
    return where + (", ".join(told) or count(block.inputs, "input"))


def rows(plan: Plan) -> Markup:
    """Every box: what it does, which lines recorded it, and which boxes take what it makes."""
    takers = neighbours(len(plan.made), plan.edges)
    cells = [
        [
            str(box + 1),
            shapes_of(block),
            block.lines,
            ("result" if block.has_root else "") + (", " if block.has_root and takers[box] else "") + numbered(takers[box]),
            shorten(does(block), 120),
        ]
        for box, block in enumerate(plan.made)
    ]  # fmt: skip
    return table(cells, header=["box", "makes", "lines", "goes to", "operations"], align={0: "right"}, wraps={1: "5em", 2: "5em", 3: "5em"})


def shapes_of(block: Block) -> str:
    """Shape and dtype of what the last operation of a block makes."""
    results = block.nodes[-1].results
    return shorten(results[0], 40) + (f" and {len(results) - 1} more" if len(results) > 1 else "")
