"""A capture that can show itself."""

import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

from x10_jupyter.base.config import config
from x10_jupyter.metrics.instruments import Snapshot
from x10_jupyter.metrics.registry import folded
from x10_jupyter.records.capture import Capture as Record
from x10_jupyter.views.charts.chart import chart
from x10_jupyter.views.html import html
from x10_jupyter.views.text import text


class Capture(Record):
    """The record of one window, with its views: notebooks show it, ``str`` tells it."""

    @cached_property
    def metrics(self) -> Mapping[str, Snapshot]:
        """The counters and metrics that moved in the window, by name: what each counted, or its number, sum and samples."""
        return MappingProxyType(folded(self.events))

    def chart(self, kind: str) -> Any:  # noqa: ANN401 - plotly gives no types
        """A figure of plotly, to look at or to change.

        Args:
            kind: ``percentiles`` of the metrics; ``steps``, by what their time was; ``time``, where it went; ``compiles``, over time; ``memory``.

        Raises:
            UsageError: There is no such kind, or the capture does not hold what it shows.
            MissingExtraError: plotly is not installed; the extra ``charts`` brings it.
        """
        return chart(self, kind, metrics=self.metrics.values(), fractions=config.now.metrics_percentiles)

    def __str__(self) -> str:
        return text(self)

    def __repr__(self) -> str:
        return text(self)

    def _repr_mimebundle_(self, **_filters: object) -> dict[str, str]:
        """What a notebook shows, by MIME type. IPython calls it, and filters what comes back itself, too."""
        bundle = {"text/plain": attempt(text, self)}
        rich = attempt(html, self)
        return {"text/html": rich, **bundle} if rich else bundle


def attempt(view: Callable[[Record], str], record: Record) -> str:
    """A view of a record; a view that fails must not cost the user a result, so it warns and comes back empty."""
    try:
        return view(record)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in a view stays there
        warnings.warn(f"The {view.__name__} view of this capture failed: {error!r}. Its data is intact.", RuntimeWarning, stacklevel=2)
        return ""
