"""What the devices held, over time."""

from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.units import size
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.memory import Memory, total_bytes
from x10_jupyter.views.charts.spec import Spec, plain, spec

PALETTE = ("#4f86d9", "#e0703c", "#3fa66b", "#a56cc9", "#e0a33c", "#3aa7b0", "#d0527e", "#8d7a5f")
"""Devices in their order; the ninth begins anew."""


def memory(capture: Capture) -> Spec:
    """A step line for each device, from the capture's beginning to its end; dashed what its allocator has given out, where it tells.

    Raises:
        UsageError: The capture holds nothing of it.
    """
    found = capture.memory
    if found is None or not found.samples:
        why = "since it was not to be looked at" if found is None else f"since it could not be had: {found.reason.rstrip('.')}"
        raise UsageError(f"This capture holds no memory in use over time, {why}", fix="Capture with `memory=True`, or without `--no-memory`.")
    names = list(dict.fromkeys(device.name for sample in found.samples for device in sample.devices))
    traces = [trace for place, name in enumerate(names) for trace in lines(found, name, PALETTE[place % len(PALETTE)], capture.start_ns)]
    axes = {
        "xaxis": {"title": {"text": "since the beginning"}, "ticksuffix": "s", "tickformat": "~s"},
        "yaxis": {"ticksuffix": "B", "tickformat": "~s", "rangemode": "tozero"},
    }
    title = f"Memory of devices, at most {size(total_bytes(found.peak))}"
    return spec(traces, title=title, axes=axes, height=360, showlegend=True)


def lines(found: Memory, name: str, colour: str, start_ns: int) -> list[Spec]:
    """The lines of a device."""
    at = [(sample, next((device for device in sample.devices if device.name == name), None)) for sample in found.samples]
    seconds = [(sample.start_ns - start_ns) / 1e9 for sample, _ in at]
    arrays = [0 if device is None else device.array_bytes for _, device in at]
    allocated = [None if device is None else device.allocated_bytes for _, device in at]
    made = [trace(f"{name}, arrays", seconds, arrays, colour, "solid")]
    if any(one is not None for one in allocated):
        made.append(trace(f"{name}, given out by its allocator", seconds, allocated, colour, "dash"))
    return made


def trace(name: str, x: list[float], y: list[int] | list[int | None], colour: str, dash: str) -> Spec:
    """A line with a mark at each moment that is known."""
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": plain(name),
        "x": x,
        "y": y,
        "line": {"color": colour, "dash": dash, "width": 2},
        "marker": {"color": colour, "size": 5},
        "hovertemplate": f"{plain(name)}, %{{x:.3~s}}s: %{{y:.3~s}}B<extra></extra>",
    }
