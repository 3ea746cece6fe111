"""The metrics file that ``XLA_METRICS_FILE`` asks for, put in and taken out while the process runs."""

from functools import partial

from x10_jupyter.base.config import Config, config
from x10_jupyter.base.rules import STREAMS
from x10_jupyter.lazy.producer import settle
from x10_jupyter.metrics.facts import report_of
from x10_jupyter.metrics.step_file import StepFile
from x10_jupyter.metrics.torch_xla_style import write
from x10_jupyter.records.sink import FanOut
from x10_jupyter.session.logs import suffixed
from x10_jupyter.session.resident import REGISTRY


class MetricsFile:
    """The file of a process."""

    def __init__(self, events: FanOut, config: Config) -> None:
        """Write what the settings ask for, and follow them.

        Args:
            events: Where the file listens.
            config: The settings.
        """
        self._events = events
        self._sink: StepFile | None = None
        config.listen("metrics_file", self.use)
        self.use(config.now.metrics_file)

    def use(self, target: str | None) -> None:
        """Append to this file, or stream, from now on; to none if it is None."""
        if self._sink is not None:
            self._events.remove(self._sink)
            self._sink = None
        if target is not None:
            self._sink = StepFile(partial(str, target) if target in STREAMS else suffixed(target), report)
            self._events.add(self._sink)


def report() -> str:
    """What the file is given, in PyTorch/XLA's style, which its readers know."""
    settle()
    return write(report_of(REGISTRY.snapshot().values(), config.now.metrics_percentiles))
