"""The steps of a capture: a chart in which spikes stand out, and tables."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from x10_jupyter.base.units import count, duration
from x10_jupyter.metrics.quantiles import quantiles
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.step import Step
from x10_jupyter.views.axis import Axis, axis, linear, tick_text
from x10_jupyter.views.markup import Markup, element, folded, section, swatch, table
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


def steps(made: Sequence[Step]) -> Markup:
    """The whole section; nothing if there were no steps."""
    if not made:
        return Markup()
    labels = {step.label for step in thinned(made)}
    colours = [(name, colour) for name, colour in COLOURS.items() if name in labels]
    key = element("div", *[element("span", swatch(colour), name, margin_right="16px") for name, colour in colours], opacity=QUIET)
    return section("Steps", element("div", summary(made)), chart(made), key, folded("as tables", percentile_table(made), longest_table(made)))


def summary(made: Sequence[Step]) -> str:
    """How long the middle and the longest step took, and how many stand out, by what they were; of one step only how long it took."""
    if len(made) == 1:
        return f"1 step, {duration(made[0].wall_ns)}, most of it {made[0].label}"
    walls = [step.wall_ns for step in made]
    slowest = max(made, key=lambda step: step.wall_ns)
    usual = f"{count(len(made), 'step')}, median {duration(quantiles(walls, [0.5])[0.5])}, longest {duration(slowest.wall_ns)} ({named(slowest, made)})"
    kinds: defaultdict[TimeName, int] = defaultdict(int)
    for step in made:
        kinds[step.label] += step.is_spike
    told = ", ".join(f"{times:,} {name}" for name, times in sorted(kinds.items(), key=lambda kind: -kind[1]) if times)
    return f"{usual}; {count(sum(kinds.values()), 'spike')}: {told}" if told else f"{usual}; no spikes"


def named(step: Step, made: Sequence[Step]) -> str:
    """A step's number, from 1, and what it was: ``number 42: compile``."""
    return f"number {step.index - made[0].index + 1:,}: {step.label}"


def thinned(made: Sequence[Step]) -> list[Step]:
    """At most `BARS` steps: the longest of each of as many stretches of equal length."""
    each = -(-len(made) // BARS)
    return [max(made[start : start + each], key=lambda step: step.wall_ns) for start in range(0, len(made), each)]


def chart(made: Sequence[Step]) -> Markup:
    """A bar for each step, as long as it took and coloured by what its time was; spikes are solid, the others pale.

    Args:
        made: At least one, in order.
    """
    shown = thinned(made)
    scale = axis([step.wall_ns for step in made])
    each = "one bar each" if len(shown) == len(made) else f"each bar is the longest of {-(-len(made) // BARS):,}"
    bars = Bars(shown, scale)
    shapes = [*rules(scale), *bars.shapes(), *bars.names(made), *numbers(len(made)), label(LEFT, HEIGHT - 3.0, f"step ({each})")]
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

    def __init__(self, shown: Sequence[Step], scale: Axis) -> None:
        self.shown = shown
        self.scale = scale
        self.room = (WIDTH - LEFT - RIGHT) / len(shown)
        """Pixels for each, with the gap to the next."""

    def middle(self, which: int) -> float:
        """Where a bar stands."""
        return LEFT + self.room * (which + 0.5)

    def shapes(self) -> Iterator[Markup]:
        """All bars, those of one colour together."""
        foot = HEIGHT - BOTTOM
        lines = defaultdict[tuple[bool, TimeName], list[str]](list)
        for which, step in enumerate(self.shown):
            top = min(height(self.scale, step.wall_ns), foot - 1)
            lines[step.is_spike, step.label].append(f"M{self.middle(which):.1f} {foot}V{top:.1f}")
        width = min(max(self.room * 0.8, 1.0), 24.0)
        for (is_spike, name), paths in sorted(lines.items()):
            yield shape("path", d="".join(paths), stroke=COLOURS[name], stroke_width=width, stroke_opacity="1" if is_spike else str(PALE))

    def names(self, made: Sequence[Step]) -> Iterator[Markup]:
        """Above the longest spikes their number and what they were, as far as there is room."""
        longest = sorted([which for which, step in enumerate(self.shown) if step.is_spike], key=lambda which: -self.shown[which].wall_ns)
        taken: list[tuple[float, float]] = []
        for which in longest[:NAMED]:
            step = self.shown[which]
            text = f"{named(step, made).removeprefix('number ')} {duration(step.wall_ns)}"
            half = len(text) * CHARACTER / 2
            x = min(max(self.middle(which), LEFT + half), WIDTH - RIGHT - half)
            if all(x + half < begin or x - half > end for begin, end in taken):
                taken.append((x - half, x + half))
                yield label(x, height(self.scale, step.wall_ns) - 4, text, text_anchor="middle")


def percentile_table(made: Sequence[Step]) -> Markup:
    """X10's percentiles of how long the steps took."""
    found = quantiles([step.wall_ns for step in made], FRACTIONS)
    header = [*map(percent, found), "longest"]
    row = [*map(duration, found.values()), duration(max(step.wall_ns for step in made))]
    return table([[*row, ""]], header=[*header, ""], align=dict.fromkeys(range(len(header)), "right"))


def longest_table(made: Sequence[Step]) -> Markup:
    """The longest steps: number, time, and what it was."""
    ordered = sorted(made, key=lambda step: -step.wall_ns)[:LONGEST]
    rows = [
        [f"{step.index - made[0].index + 1:,}", duration(step.wall_ns), "spike" if step.is_spike else "", str(step.site or ""), parts(step)] for step in ordered
    ]
    return table(rows, header=["step", "time", "", "ended at", "what it was"], align={0: "right", 1: "right"})


def parts(step: Step) -> str:
    """What a step's time was, the largest first."""
    return ", ".join(f"{name} {duration(ns)}" for name, ns in sorted(step.parts.items(), key=lambda part: -part[1]) if ns)
