"""A figure of plotly that also says what it shows where no plotly draws it: in a notebook's HTML, on GitHub, in a report.

This imports plotly, so nothing imports this before a chart is asked for.
"""

import json
from importlib import import_module
from typing import Any

MIME = "application/vnd.plotly.v1+json"

Figure: Any = import_module("plotly.graph_objects").Figure
"""Plotly gives no types."""


class Chart(Figure):
    """One of plotly's figures, to be changed as any other."""

    _static = ""
    _said = ""

    def shown_as(self, static: str, said: str) -> "Chart":
        """Say what it shows otherwise.

        Args:
            static: As HTML; empty if there is none.
            said: As text.
        """
        self._static, self._said = str(static), said  # hosts know no other text
        return self

    _ipython_display_ = None
    """Else plotly would show it alone."""

    def _repr_mimebundle_(self, *arguments: Any, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as plotly has it
        """What plotly shows, and beside it the same facts for those who have no plotly; as it was made, without what has been changed since."""
        # What the user chose as plotly's renderer has the last word.
        chosen: dict[str, Any] = Figure._repr_mimebundle_(self, *arguments, **more)
        static = {"text/html": self._static} if self._static else {}
        return {MIME: json.loads(self.to_json()), **static, "text/plain": f"{self._said} (a figure of plotly: `.show()` opens it)", **chosen}
