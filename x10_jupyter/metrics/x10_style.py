"""The style of X10's troubleshooting page: ``Counter:`` is the label of a sum."""

from x10_jupyter.metrics.facts import Report
from x10_jupyter.metrics.text_style import lines


def write(report: Report) -> str:
    """A report in this style."""
    return lines(report, sum_label="Counter")
