"""Warns of what is worth to be told while captured code still runs."""

import threading
import warnings
from typing import ClassVar

from x10_jupyter.diagnosis.alarm import HEARD, Alarm, Alert
from x10_jupyter.records.events import Event


class CompileWarning(UserWarning):
    """Something is compiled again and again, or is so large that compiling it will take long."""


class Alarms:
    """A sink that warns, each thing once. Of captures within each other the outermost warns, since it hears everything."""

    _lock: ClassVar[threading.RLock] = threading.RLock()  # the collector may make an event while it is held
    _open: ClassVar["Alarms | None"] = None

    def __init__(self) -> None:
        """Begin; until `close` no other one warns."""
        self._alarm = Alarm()
        with Alarms._lock:
            self._warns = Alarms._open is None
            if self._warns:
                Alarms._open = self

    def emit(self, event: Event) -> None:
        """Take one event."""
        if self._warns and event.__class__ in HEARD:
            with self._lock:
                alerts = list(self._alarm.hear(event))
            for alert in alerts:
                warn(alert)

    def close(self) -> None:
        """Warn no more."""
        with Alarms._lock:
            self._warns = False
            if Alarms._open is self:
                Alarms._open = None


def warn(alert: Alert) -> None:
    """Warn at the user's line; where warnings are errors they stay here, since this is no reason to end the user's call."""
    site = alert.site
    try:
        warnings.warn_explicit(alert.text, CompileWarning, site.file if site else "x10_jupyter", site.line if site else 1)
    except CompileWarning:
        return
