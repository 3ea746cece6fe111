"""Writes the graph of every cut to a file, known program or not: X10's ``XLA_SAVE_TENSORS_FILE``."""

import threading
from collections import OrderedDict
from collections.abc import Callable

from x10_jupyter.records.events import Event
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.runtime_events import Graphed
from x10_jupyter.records.sink import Extra
from x10_jupyter.tracelog.appending import Appending
from x10_jupyter.tracelog.changes import change
from x10_jupyter.tracelog.layout import beginning, continued, ending, record

DRAWN: dict[str, Callable[[Graph], str]] = {"text": Graph.to_text, "dot": Graph.to_dot}
"""Forms that a graph has by itself; the others come with the event."""

MOST = 64
"""Graphs whose text is kept for the next time."""


class Writer:
    """A sink that appends one record for each cut."""

    def __init__(self, path: Callable[[], str], form: str, *, with_changes: bool) -> None:
        """Prepare.

        Args:
            path: Tells the file's path.
            form: ``text``, ``dot``, ``hlo``, ``stablehlo`` or ``jaxpr``.
            with_changes: Whether to tell how each graph differs from the nearest known one.
        """
        self._file = Appending(path, "XLA_SAVE_TENSORS_FILE")
        self._form, self._with_changes = form, with_changes
        self._known: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()
        self._begun: dict[int, str] = {}
        """By thread, the graph whose record waits for its compile to end."""
        self._last = 0
        """The thread whose record was written last."""

    @property
    def extras(self) -> tuple[Extra, ...]:
        """What to ask a producer for."""
        found: dict[str, tuple[Extra, ...]] = {"hlo": ("graphs", "hlo"), "stablehlo": ("graphs", "stablehlo"), "jaxpr": ("graphs", "jaxpr")}
        return found.get(self._form, ("graphs",))

    def emit(self, event: Event) -> None:
        """Write a cut; anything else is no concern of a trace log."""
        if isinstance(event, Graphed):
            with self._lock:
                self._file.append(self._text(event))
                self._last = event.thread

    def _text(self, event: Graphed) -> str:
        """What to write of a cut: the first part before its program is compiled, which may never end, and the rest afterwards; or all at once."""
        thread = event.thread
        if self._begun.pop(thread, None) == event.graph.id and event.found != "compiling":
            return ending(event) if self._last == thread else continued(event)
        told = change(event) if self._with_changes else None
        if event.found == "compiling":
            self._begun[thread] = event.graph.id
            return beginning(event, self._graph(event), told)
        return record(event, self._graph(event), told)

    def _graph(self, event: Graphed) -> str:
        draw = DRAWN.get(self._form)
        if draw is None:
            # what could not be compiled has no such text
            return event.texts.get(self._form) or event.graph.to_text()
        text = self._known.pop(event.graph.id, None) or draw(event.graph)
        self._known[event.graph.id] = text
        if len(self._known) > MOST:
            self._known.popitem(last=False)
        return text
