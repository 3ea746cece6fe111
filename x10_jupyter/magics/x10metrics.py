"""``%x10metrics``: the counters and metrics of this process, as X10's troubleshooting page shows them, or what has moved lately."""

import argparse
import json
from collections import deque
from collections.abc import Callable
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import NamedTuple

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.display import display

from x10_jupyter.base import errors
from x10_jupyter.base.clock import ThreadCpuClock
from x10_jupyter.base.config import config
from x10_jupyter.magics.arguments import Arguments, check_variable
from x10_jupyter.magics.dashboard import Dashboard
from x10_jupyter.metrics.facts import Report, fits
from x10_jupyter.metrics.legend import legend, meanings
from x10_jupyter.metrics.registry import Mark
from x10_jupyter.metrics.styles import STYLES, written
from x10_jupyter.session import metrics
from x10_jupyter.session.live import SleepingTicker, Ticker
from x10_jupyter.session.watch import Watch
from x10_jupyter.views.percentiles import percentiles

COMMAND = "%x10metrics"
PLOTLY = "application/vnd.plotly.v1+json"
"""What front ends know plotly's figures by."""
TEXT_STYLES = ("x10", "torch_xla")
"""Those that a line of ours may stand before."""


class Since(NamedTuple):
    """A moment that a report may begin with."""

    mark: Mark
    called: str
    """What happened then."""


@magics_class
class MetricsMagics(Magics):
    """The magic of metrics."""

    def __init__(self, shell: InteractiveShell) -> None:
        """Note the moment.

        Args:
            shell: Where it will be registered.
        """
        super().__init__(shell)
        self.home = shell
        self.loaded = Since(metrics.moment(), "x10_jupyter was loaded")
        self.shown = self.loaded
        self.cells: deque[Since] = deque([self.loaded, self.loaded], maxlen=2)
        """The last cell that began and the one before."""
        self.watched: tuple[Dashboard, Watch] | None = None
        """What is shown and goes on."""
        self.make_ticker: Callable[[], Ticker] = SleepingTicker
        """Makes what tells when it is time to look again."""

    def begin_cell(self, *_: object) -> None:
        """Called by the shell before a cell runs."""
        # as many as are stored: some versions of IPython have counted this one already, some have not
        number = len(self.home.history_manager.input_hist_parsed) if self.home.history_manager is not None else self.home.execution_count
        self.cells.append(Since(metrics.moment(), f"cell [{number}] began"))

    @no_var_expand
    @line_magic
    def x10metrics(self, line: str) -> None:
        """Show counters and metrics: how often and how long was traced, compiled, executed and transferred.

            %x10metrics [NAME ...] [--diff] [--since cell|load] [--style STYLE] [--reset] [--out VAR] [--legend] [-h]
            %x10metrics --chart [NAME ...] [--diff] [--since cell|load] [--out VAR]
            %x10metrics --watch [NAME ...] | --no-watch

        A ``NAME`` may have ``*`` in it, such as ``Transfer*``. ``--chart`` draws percentiles and samples, ``--watch`` a table and charts that go on while other
        cells run.
        """
        asked = parse(line)
        if asked.wants_help:
            print(parser().format_help())  # noqa: T201 - as all that a magic of text shows
            return
        try:
            self.do(asked)
        except errors.MissingExtraError as error:
            raise UsageError(str(error)) from None

    def do(self, asked: argparse.Namespace) -> None:
        """What was asked for."""
        if asked.watch or asked.no_watch:
            self.watch(asked.names if asked.watch else None)
            return
        since = self.since(asked)
        found = metrics.report(since and since.mark)
        if asked.names:
            check_names(asked.names, found)
            found = found.only(asked.names)
        if asked.chart:
            self.chart(asked, since, found)
            return
        if asked.out:
            self.home.user_ns[asked.out] = found
        print(shown(found, asked, since))  # noqa: T201 - as above
        self.shown = Since(metrics.moment(), f"{COMMAND} was last used")
        if asked.reset:
            metrics.clear_metrics()

    def chart(self, asked: argparse.Namespace, since: Since | None, found: Report) -> None:
        """Show percentiles and samples as a figure; as a table or text where figures do not show."""
        shown_as_text = shown(found, asked, since)
        if not found.metrics:
            raise UsageError(f"{COMMAND} draws metrics, which have samples; got none. There is:\n{shown_as_text}")
        drawn = metrics.snapshots(asked.names, since and since.mark)
        figure = metrics.chart(drawn)
        if asked.out:
            self.home.user_ns[asked.out] = figure
        display({PLOTLY: json.loads(figure.to_json()), "text/html": percentiles(drawn), "text/plain": shown_as_text}, raw=True)

    def watch(self, names: list[str] | None) -> None:
        """Show counters and percentiles that go on while other cells run, in place of those that were shown before; None ends them."""
        self.stop_watching()
        if names is None:
            return
        if names:
            check_names(names, metrics.report())
        begun, dashboard = metrics.moment(), Dashboard(metrics.snapshots(names), config.now.metrics_percentiles)

        def look() -> None:
            dashboard.show(metrics.snapshots(names), metrics.snapshots(names, begun), "Watching.")

        display({**dashboard.bundle(), "text/plain": shown(metrics.report(), parse(""), None)}, raw=True)
        self.watched = dashboard, Watch(look, ticker=self.make_ticker(), cpu_clock=ThreadCpuClock())

    def stop_watching(self) -> None:
        """End what is watched, and take it away."""
        if self.watched is not None:
            dashboard, watch = self.watched
            watch.stop()
            dashboard.close()
            self.watched = None

    def since(self, asked: argparse.Namespace) -> Since | None:
        """The moment that the report is to begin with; None for that of the process."""
        if asked.diff:
            return self.shown
        if asked.since == "load":
            return self.loaded
        if asked.since == "cell":
            before, now = self.cells
            moved = metrics.report(now.mark)
            # alone in a cell it is meant for the one above
            return now if moved.metrics or moved.counters else before
        return None


def parser() -> Arguments:
    """What may stand behind the magic, with its help."""
    made = Arguments(COMMAND, "Show counters and metrics, as X10's troubleshooting page does.")
    made.add_argument("names", nargs="*", metavar="NAME", help="show only these; * stands for anything, as in Transfer*")
    made.add_argument("--diff", action="store_true", help=f"what has moved since %{COMMAND} was last used")
    made.add_argument(
        "--since", choices=("cell", "load"), help="what has moved since this cell began (the one above, if this one has done nothing), or since load_ext"
    )
    made.add_argument("--style", choices=tuple(STYLES), default="x10", help="how it is written: x10 if nothing is said")
    made.add_argument("--reset", action="store_true", help="begin anew with all counters and metrics, once they are shown")
    made.add_argument("-o", "--out", default="", metavar="VAR", help="bind what the report says to this variable: its .metrics and .counters by name")
    made.add_argument("--legend", action="store_true", help="what the lines and names mean")
    made.add_argument("--chart", action="store_true", help="draw percentiles and samples with plotly; --out binds the figure")
    made.add_argument("--watch", action="store_true", help="a table of the counters and percentile charts, which go on while other cells run")
    made.add_argument("--no-watch", action="store_true", help="end that, and take it away")
    made.add_argument("-h", "--help", action="store_true", dest="wants_help", help="show this help")
    return made


def parse(line: str) -> argparse.Namespace:
    """What the user asked for.

    Raises:
        UsageError: The line cannot be read.
    """
    found = parser().read(line)
    check_variable(found.out, COMMAND, "the report")
    if found.diff and found.since:
        raise UsageError(f"{COMMAND} takes one of --diff and --since; got both.")
    ways = [name for name, is_asked in (("--chart", found.chart), ("--watch", found.watch), ("--no-watch", found.no_watch)) if is_asked]
    if len(ways) > 1:
        raise UsageError(f"{COMMAND} takes one of --chart, --watch and --no-watch; got {' and '.join(ways)}.")
    return found


def check_names(wanted: list[str], found: Report) -> None:
    """Raise if a name is none.

    Raises:
        UsageError: There is no such counter or metric.
    """
    known = dict.fromkeys([*meanings(), *found.metrics, *found.counters])
    for name in wanted:
        if any(fnmatchcase(each, name) for each in known) or fnmatchcase(name, "*::*"):
            continue
        near = get_close_matches(name, [each for each in known if not each.endswith("…")], n=2, cutoff=0.5)
        fix = f"Did you mean {' or '.join(near)}?" if near else f"`{COMMAND} --legend` lists them."
        raise UsageError(f"There is no counter or metric of this name; got `{name}`. {fix}")


def shown(found: Report, asked: argparse.Namespace, since: Since | None) -> str:
    """What to print."""
    is_text = asked.style in TEXT_STYLES
    body = written(found, asked.style)
    head = f"Since {beginning(since)}:" if since is not None and is_text else ""
    if is_text and not body:
        body = "Nothing was counted."
    about = legend(explained(found, asked.names)) if asked.legend else ""
    return "\n\n".join(filter(None, ("\n".join(filter(None, (head, body))), about)))


def explained(found: Report, wanted: list[str]) -> list[str]:
    """The names that a legend explains: those that were asked for, or else those of the report, or else all."""
    counted = [*found.metrics, *found.counters]
    if wanted:
        return [*counted, *[name for name in meanings() if fits(name, wanted)], *wanted]
    return counted or list(meanings())


def beginning(since: Since) -> str:
    """What happened when a report begins: the clearing, if all was cleared since the moment that was asked for."""
    return f"all was cleared, after {since.called}" if metrics.was_cleared_since(since.mark) else since.called


def complete(line: str) -> list[str]:
    """What may be typed at the end of a line: names and options.

    Args:
        line: What stands behind the magic so far.
    """
    return parser().complete(line, [name for name in meanings() if not name.endswith("…")])
