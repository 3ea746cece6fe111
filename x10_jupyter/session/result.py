"""A capture that can show itself."""

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from x10_jupyter.base.config import config
from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.files import write_whole
from x10_jupyter.diagnosis.aggregates import BY, By, Group, aggregates
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.metrics.instruments import Snapshot
from x10_jupyter.metrics.registry import folded
from x10_jupyter.metrics.totals import over_all
from x10_jupyter.records import wire
from x10_jupyter.records.capture import Capture as Record
from x10_jupyter.records.findings import Finding
from x10_jupyter.records.program import Level, Program
from x10_jupyter.session.bundle import Kept, kept
from x10_jupyter.session.looked import Look, Looked, to_save
from x10_jupyter.views.charts.chart import chart
from x10_jupyter.views.html import html
from x10_jupyter.views.markup import element
from x10_jupyter.views.report import Section, report
from x10_jupyter.views.text import text


class Capture(Record):
    """The record of one window, with its views: notebooks show it, ``str`` tells it."""

    @cached_property
    def metrics(self) -> Mapping[str, Snapshot]:
        """The counters and metrics that moved in the window, by name: what each counted, or its number, sum and samples."""
        held = folded(self.events)
        return MappingProxyType(held if self.thinned is None else over_all(self.thinned.instruments, held))

    @cached_property
    def looked(self) -> Looked:
        """What is known of the programs that JAX compiled."""
        return Looked(self.programs)

    def keep_looking(self, look: Look) -> None:
        """Let more be found out of its programs, as long as they are alive; for the process that they were compiled in."""
        self.__dict__["looked"] = Looked(self.programs, look)

    @property
    def known_programs(self) -> tuple[Program, ...]:
        """What was found out of its programs up to now."""
        return tuple(self.looked.known.values())

    def program(self, name: str, *levels: Level) -> Program:
        """What there is of a program that JAX compiled in the window: its costs, and its graph and text at some levels.

        It is read off the program itself, which JAX keeps as long as its function is there; what was read once stays with the capture, and is saved with it.

        Args:
            name: Its name, as `Compile.program` has it: ``jit(step)``.
            levels: ``jaxpr`` (as JAX has traced it), ``stablehlo`` (as XLA was given it), ``hlo`` (as XLA runs it).

        Returns:
            What there is; ``missing`` says why a level can't be had.
        """
        return self.looked.at(name, levels)

    def saved(self) -> "Capture":
        """The capture with what was found out since, as it is saved."""
        programs = to_save(self.known_programs)
        return self if programs == self.programs else replace(self, programs=programs)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What took the time for nothing, how that is known and what to do, the largest share of the wall time first."""
        return findings(self)

    def compiles_by(self, what: str) -> tuple[Group, ...]:
        """The compiles added up: how many, how many of them again, seconds and causes; the costliest group first.

        Args:
            what: What those of a group have in common: ``function``, ``line`` or ``cell`` that asked for them, or ``cause``.

        Raises:
            UsageError: They can't be added up by that.
        """
        by: By | None = next((each for each in BY if each == what), None)
        if by is None:
            raise UsageError("Compiles can't be added up by that", got=repr(what), fix=f"There is {', '.join(map(repr, BY))}.")
        return aggregates(self.compiles, by)

    def chart(self, kind: str) -> Any:  # noqa: ANN401 - plotly gives no types
        """A figure of plotly, to look at or to change.

        Args:
            kind: ``percentiles`` of the metrics; ``steps``, by what their time was; ``time``, where it went; ``compiles``, over time; ``memory``.

        Raises:
            UsageError: There is no such kind, or the capture does not hold what it shows.
            MissingExtraError: plotly is not installed; the extra ``charts`` brings it.
        """
        return chart(self, kind, metrics=self.metrics.values(), fractions=config.now.metrics_percentiles)

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Save the capture; `load_capture` reads it, also where JAX is not installed.

        Raises:
            UsageError: The file cannot be written.
        """
        wire.write(self.saved(), path)

    def to_html(self, path: str | os.PathLike[str], *, title: str = "") -> Path:
        """Write a report: one page that needs nothing else, with the code, the view and what it ran on.

        Args:
            path: The file.
            title: What stands above; the capture's name if empty.

        Returns:
            Where it is.

        Raises:
            UsageError: The file cannot be written.
        """
        return write_report([(self, None)], path, title=title)

    def __reduce__(self) -> tuple[Callable[[Any], "Capture"], tuple[Any]]:
        """Pickled as the document that files hold, so that a version that can't read it says so; with all that was found out since."""
        return unpickled, (wire.document(replace(self, programs=self.known_programs)),)

    def __copy__(self) -> "Capture":
        """Itself, since nobody can change it."""
        return self

    def __deepcopy__(self, _memo: object) -> "Capture":
        return self

    def __str__(self) -> str:
        return text(self)

    def __repr__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str | None:
        """What a host shows that does not choose among forms, such as marimo; a notebook asks for all of them."""
        return self.bundle().get("text/html")

    def _repr_mimebundle_(self, **_filters: object) -> dict[str, Any]:
        """What a notebook shows: `bundle`. IPython filters what comes back itself, too."""
        return self.bundle()

    def bundle(self) -> dict[str, Any]:
        """What a notebook keeps, by MIME type: for people who have nothing else, for a browser, and the data for whoever draws it anew."""
        data = attempt(kept, self.saved()) or Kept(None, "")
        layers = {wire.MIME: data.document, "text/html": attempt(html, self, self.metrics, data.note), "text/plain": attempt(text, self)}
        return {mime: layer for mime, layer in layers.items() if layer is not None}


def unpickled(document: Any) -> Capture:  # noqa: ANN401 - whatever a pickle holds
    """The capture that was pickled.

    Args:
        document: It, as a document.

    Raises:
        UsageError: It is of a version that is not known here, or is damaged.
    """
    return wire.capture(document, Capture)


def load_capture(path: str | os.PathLike[str], which: str | int | None = None) -> Capture:
    """The capture in a file that `Capture.to_json` wrote, in a report, or in a notebook that was saved.

    Args:
        path: The file.
        which: Of a report or a notebook with several captures the name of one, or its number from 1.

    Raises:
        UsageError: There is no such file, it holds no whole capture of a version that is known here, or it must be said which.
    """
    return wire.read(path, Capture, which)


def write_report(captures: Iterable[tuple[Capture, int | None]], path: str | os.PathLike[str], *, title: str = "") -> Path:
    """Write one page with several captures.

    Args:
        captures: In order, each with the number of its cell, if it has one; at least one.
        path: The file.
        title: What stands above; what the captures are called if empty.

    Returns:
        Where it is.

    Raises:
        UsageError: The file cannot be written.
    """
    return write_whole(path, report([section(one, cell) for one, cell in captures], title), what="A report")


def section(capture: Capture, cell: int | None) -> Section:
    """A capture as a report shows it."""
    plain = attempt(text, capture) or ""
    view = attempt(html, capture, capture.metrics) or element("pre", plain)
    return Section(capture=capture, view=view, answer=plain.partition("\n")[0], cell=cell, document=attempt(wire.document, capture.saved()))


View = TypeVar("View")


def attempt(view: Callable[..., View], *facts: object) -> View | None:
    """A view of some facts; a view that fails must not cost the user a result, so it warns, and there is none."""
    try:
        return view(*facts)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in a view stays there
        warnings.warn(f"The {view.__name__} view of this capture failed: {error!r}. Its data is intact.", RuntimeWarning, stacklevel=2)
        return None
