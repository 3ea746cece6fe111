"""The steps of a capture: a chart in which spikes stand out, and tables."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from heapq import nsmallest

from x10_jupyter.base.units import count, duration
from x10_jupyter.metrics.quantiles import quantiles
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.step import Step, Steps
from x10_jupyter.views.axis import Axis, axis, linear, tick_text
from x10_jupyter.views.markup import Markup, element, folded, readings, section, swatch, table
from x10_jupyter.views.phrases import FRACTIONS, percent
from x10_jupyter.views.svg import CHARACTER, label, picture, shape
from x10_jupyter.views.theme import COLOURS, INK, QUIET

WIDTH, HEIGHT = 760, 156
LEFT, RIGHT, TOP, BOTTOM = 56, 10, 18, 34
"""Pixels around the bars: for what stands at the axes, and above the bars for what the longest were."""

BARS = 340
"""At most so many; each is two pixels wide then. Of more steps a bar is the longest of several, so that no spike is lost."""

NAMED = 3
"""Spikes whose number stands beside them."""

LONGEST = 10
"""Steps in the table."""

PALE = 0.55
"""Opacity of a step that does not stand out."""


def steps(made: Steps) -> Markup:
    """The whole section; nothing if there were no steps."""
    if not made:
        return Markup()
    colours = [(name, colour) for name, colour in COLOURS.items() if name in {made.labels[which] for which in thinned(made)}]
    entries = [(swatch(colour), element("span", name, opacity=QUIET)) for name, colour in colours]
    key = element("div", *[element("span", *entry, margin_right="16px", display="inline-block") for entry in entries])
    return section("Steps", element("div", summary(made)), chart(made), key, folded("as tables", percentiles(made), longest_table(made)))


def summary(made: Steps) -> str:
    """How long the middle and the longest step took, and how many stand out, by what they were; of one step only how long it took."""
    if len(made) == 1:
        return f"1 step, {duration(made.walls_ns[0])}, most of it {made.labels[0]}"
    slowest = max(range(len(made)), key=made.walls_ns.__getitem__)
    usual = quantiles(made.walls_ns, [0.5])[0.5]
    told = f"{count(len(made) + made.left_out, 'step')}, median {duration(usual)}, longest {duration(made.walls_ns[slowest])} (number {number(slowest, made)})"
    kinds = Counter(label for label, is_spike in zip(made.labels, made.are_spikes, strict=True) if is_spike)
    by_kind = ", ".join(f"{times:,} {name}" for name, times in kinds.most_common())
    return f"{told}; {count(kinds.total(), 'spike')}: {by_kind}" if kinds else f"{told}; no spikes"


def number(which: int, made: Steps) -> str:
    """A step's number in its capture, from 1, and what it was: ``42: compile``."""
    place = made[which].index - made[0].index if made.left_out else which
    return f"{place + 1:,}: {made.labels[which]}"


def thinned(made: Steps) -> list[int]:
    """Places of at most `BARS` steps: the longest of each of as many stretches of equal length."""
    each = -(-len(made) // BARS)
    return [max(range(start, min(start + each, len(made))), key=made.walls_ns.__getitem__) for start in range(0, len(made), each)]


def chart(made: Steps) -> Markup:
    """A bar for each step, as long as it took and coloured by what its time was; spikes are solid, the others pale.

    Args:
        made: At least one, in order.
    """
    shown = thinned(made)
    scale = axis(made.walls_ns)
    each = "one bar each" if len(shown) == len(made) else f"each bar is the longest of {-(-len(made) // BARS):,}"
    how = f"step ({each}{'; time by powers of ten' if scale.is_log else ''})"
    bars = Bars(made, shown, scale)
    shapes = [*rules(scale), *bars.shapes(), *bars.names(), *numbers(len(made)), label(LEFT, HEIGHT - 3.0, how)]
    return picture(WIDTH, HEIGHT, *shapes, alt=f"How long each step took: {summary(made)}")


def height(scale: Axis, value: float) -> float:
    """Where a value lies, in pixels from the top."""
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - scale.at(value))


def rules(scale: Axis) -> Iterator[Markup]:
    """A line across at each tick of the time, with what stands at it."""
    for tick in scale.ticks:
        y = height(scale, tick)
        yield shape("path", d=f"M{LEFT} {y:.1f}H{WIDTH - RIGHT}", stroke=INK, stroke_opacity="0.35")
        yield label(LEFT - 6.0, y + 4, tick_text(tick, duration), text_anchor="end")


def numbers(count_steps: int) -> Iterator[Markup]:
    """The numbers of some steps, from 1, below the bars."""
    ticks = {1, *[int(tick) for tick in linear(count_steps).ticks if tick >= 1]}
    room = (WIDTH - LEFT - RIGHT) / count_steps
    last = 0.0
    for tick in sorted(ticks):
        x = LEFT + room * (tick - 0.5)
        if tick == 1 or x - last > 30:
            yield label(x, HEIGHT - BOTTOM + 14.0, f"{tick:,}", text_anchor="middle")
            last = x


class Bars:
    """The bars of a chart, from left to right."""

    def __init__(self, made: Steps, shown: Sequence[int], scale: Axis) -> None:
        """Prepare.

        Args:
            made: All steps.
            shown: The places of those that have a bar.
            scale: Of how long they took.
        """
        self.made = made
        self.shown = shown
        self.scale = scale
        self.room = (WIDTH - LEFT - RIGHT) / len(shown)
        """Pixels for each, with the gap to the next."""

    def middle(self, bar: int) -> float:
        """Where a bar stands."""
        return LEFT + self.room * (bar + 0.5)

    def shapes(self) -> Iterator[Markup]:
        """All bars, those of one colour together."""
        foot = HEIGHT - BOTTOM
        lines = defaultdict[tuple[bool, TimeName], list[str]](list)
        for bar, step in enumerate(self.shown):
            top = min(height(self.scale, self.made.walls_ns[step]), foot - 1)
            lines[self.made.are_spikes[step], self.made.labels[step]].append(f"M{self.middle(bar):.1f} {foot}V{top:.1f}")
        width = min(max(self.room * 0.8, 1.0), 24.0)
        for (is_spike, name), paths in sorted(lines.items()):
            yield shape("path", d="".join(paths), stroke=COLOURS[name], stroke_width=width, stroke_opacity="1" if is_spike else str(PALE))

    def names(self) -> Iterator[Markup]:
        """Above the longest spikes their number and what they were, as far as there is room."""
        walls = self.made.walls_ns
        spikes = [(bar, step) for bar, step in enumerate(self.shown) if self.made.are_spikes[step]]
        taken: list[tuple[float, float]] = []
        for bar, step in sorted(spikes, key=lambda spike: -walls[spike[1]])[:NAMED]:
            text = f"{number(step, self.made)} {duration(walls[step])}"
            half = len(text) * CHARACTER / 2
            x = min(max(self.middle(bar), LEFT + half), WIDTH - RIGHT - half)
            if all(x + half < begin or x - half > end for begin, end in taken):
                taken.append((x - half, x + half))
                yield label(x, height(self.scale, walls[step]) - 4, text, text_anchor="middle")


def percentiles(made: Steps) -> Markup:
    """X10's percentiles of how long the steps took."""
    found = quantiles(made.walls_ns, FRACTIONS)
    return readings({**{percent(fraction): duration(ns) for fraction, ns in found.items()}, "longest": duration(max(made.walls_ns))})


def longest_table(made: Steps) -> Markup:
    """The longest steps: number, time, and what it was."""
    ordered = [(which, made[which]) for which in nsmallest(LONGEST, range(len(made)), key=lambda which: -made.walls_ns[which])]
    rows = [[f"{which + 1:,}", duration(one.wall_ns), "spike" if one.is_spike else "", str(one.site or ""), parts(one)] for which, one in ordered]
    return table(rows, header=["step", "time", "", "ended at", "what it was"], align={0: "right", 1: "right"}, wraps={3: "6em"})


def parts(step: Step) -> str:
    """What a step's time was, the largest first."""
    return ", ".join(f"{name} {duration(ns)}" for name, ns in sorted(step.parts.items(), key=lambda part: -part[1]) if ns)
