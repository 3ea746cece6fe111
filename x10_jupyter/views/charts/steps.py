"""How long each step took, and what its time was."""

from collections.abc import Sequence

from x10_jupyter.base.units import duration
from x10_jupyter.records.accounting import TIME_NAMES
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.step import Step
from x10_jupyter.views.charts.spec import Spec, plain, spec
from x10_jupyter.views.phrases import UNSTEPPED
from x10_jupyter.views.theme import COLOURS

MOST_BARS = 2_000
"""Steps that are drawn as bars with all their parts; a browser takes seconds for ten thousand. More are points, coloured by what their time was."""


def steps(capture: Capture) -> Spec:
    """Seconds by step: bars with their parts, and a mark on each that stands out."""
    found = capture.steps
    if not found:
        return none()
    traces = [*(bars(found) if len(found) <= MOST_BARS else points(found)), *marks(found)]
    axes = {"xaxis": {"title": {"text": "step"}}, "yaxis": {"ticksuffix": "s", "tickformat": "~s", "rangemode": "tozero"}}
    return spec(traces, title="Steps, by what their time was", axes=axes, height=360, barmode="stack", bargap=0.1 if len(found) <= MOST_BARS // 10 else 0)


def none() -> Spec:
    """What is shown in place of steps: why there are none, and what to do."""
    text = UNSTEPPED.replace(": ", ":<br>")
    why = {"text": f"{text[:1].upper()}{text[1:]}.", "showarrow": False, "xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5, "font": {"size": 14}}
    axes = {"xaxis": {"visible": False}, "yaxis": {"visible": False}}
    return spec([], title="No steps: call `x10.barrier()` at the end of each turn", axes=axes, height=200, annotations=[why])


def numbered(found: Sequence[Step]) -> list[int]:
    """The numbers of steps in their capture, from 1, as the view has them."""
    return [step.index - found[0].index + 1 for step in found]


def bars(found: Sequence[Step]) -> list[Spec]:
    """One trace for each name that took time."""
    numbers = numbered(found)
    return [
        {
            "type": "bar",
            "name": name,
            "x": numbers,
            "y": [step.parts[name] / 1e9 for step in found],
            "marker": {"color": COLOURS[name], "line": {"width": 0}},
            "hovertemplate": f"step %{{x}}: {name} %{{y:.3~s}}s<extra></extra>",
        }
        for name in TIME_NAMES
        if any(step.parts[name] for step in found)
    ]


def points(found: Sequence[Step]) -> list[Spec]:
    """One trace for each name that was the most of a step's time."""
    return [
        {
            "type": "scattergl",
            "mode": "markers",
            "name": name,
            "x": [number for number, step in zip(numbered(found), found, strict=True) if step.label == name],
            "y": [step.wall_ns / 1e9 for step in found if step.label == name],
            "marker": {"color": COLOURS[name], "size": 4},
            "hovertemplate": f"step %{{x}}: %{{y:.3~s}}s, most of it {name}<extra></extra>",
        }
        for name in TIME_NAMES
        if any(step.label == name for step in found)
    ]


def marks(found: Sequence[Step]) -> list[Spec]:
    """A mark above each step that stands out, which says what its time was."""
    spikes = [(number, step) for number, step in zip(numbered(found), found, strict=True) if step.is_spike]
    if not spikes:
        return []
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "stands out",
            "x": [number for number, _ in spikes],
            "y": [step.wall_ns / 1e9 for _, step in spikes],
            "marker": {"symbol": "triangle-down", "size": 10, "color": [COLOURS[step.label] for _, step in spikes]},
            "text": [plain(f"step {number}: {duration(step.wall_ns)}, {step.label}{f', {step.site}' if step.site else ''}") for number, step in spikes],
            "hoverinfo": "text",
        }
    ]
