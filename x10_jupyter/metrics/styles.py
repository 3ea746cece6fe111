"""The styles of a report by name."""

from collections.abc import Callable, Mapping

from x10_jupyter.base.errors import UsageError
from x10_jupyter.metrics import json_style, openmetrics_style, torch_xla_style, x10_style
from x10_jupyter.metrics.facts import Report

STYLES: Mapping[str, Callable[[Report], str]] = {
    "x10": x10_style.write,
    "torch_xla": torch_xla_style.write,
    "json": json_style.write,
    "openmetrics": openmetrics_style.write,
}


def written(report: Report, style: str) -> str:
    """A report in a style.

    Raises:
        UsageError: There is no such style.
    """
    if style not in STYLES:
        raise UsageError("There is no style of this name for a metrics report", got=repr(style), fix=f"Use one of {', '.join(STYLES)}.")
    return STYLES[style](report)
