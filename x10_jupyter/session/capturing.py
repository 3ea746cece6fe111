"""The context manager that listens while the user's code runs."""

import atexit
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.errors import UsageError, named
from x10_jupyter.records.environment import Environment
from x10_jupyter.records.events import Event
from x10_jupyter.records.program import Level, Program
from x10_jupyter.records.runtime_events import Executed
from x10_jupyter.records.sink import FORMS, Extra, Form
from x10_jupyter.records.windows import WINDOWS, Window, mine
from x10_jupyter.session.alarms import Alarms
from x10_jupyter.session.bounded import BoundedSink
from x10_jupyter.session.looked import Look, at_the_end
from x10_jupyter.session.producer import Producer
from x10_jupyter.session.result import Capture


class Capturing:
    """Records everything between entering and leaving; afterwards `capture` holds the record.

    Captures may nest; an inner one is part of the outer one. What another thread does under a capture of its own is not, unless this one waits for it.
    """

    def __init__(
        self,
        name: str,
        *,
        producers: Sequence[Producer],
        clock: Clock,
        cpu_clock: Clock,
        queue_clock: Clock,
        environment: Callable[[], Environment],
        graphs: bool | Sequence[Form] = False,
        ops: bool = False,
        memory: bool = False,
        source: str | None = None,
        look: Look | None = None,
        ended: Callable[[Capture], object] = lambda _: None,
    ) -> None:
        """Prepare to listen.

        Args:
            name: What the capture will be called; may be empty.
            producers: Whose events to record.
            clock: The clock that the producers use.
            cpu_clock: Tells the CPU time of the calling thread.
            queue_clock: Tells how long that has waited for a core.
            environment: Tells what this process runs on; called once, after the captured code.
            graphs: Whether to record the graph of each cut, too; that costs each some 30 µs, and a program's first one 10 µs for each of its nodes. Or forms of
                text that programs are recorded in as well; each text is made once.
            ops: Whether to record what each operation of the programs takes, with JAX's profiler.
            memory: Whether to look at what the devices hold.
            source: The captured code as text, if it is known.
            look: Finds out what there is of a program that JAX compiled; None if nobody can.
            ended: Is told of the record as soon as there is one; must not raise.

        Raises:
            UsageError: There is no such form.
        """
        self.name = name
        self.producers = producers
        self.clock = clock
        self.cpu_clock = cpu_clock
        self.queue_clock = queue_clock
        self.environment = environment
        forms: tuple[Extra, ...] = (("graphs",) if graphs else ()) if isinstance(graphs, bool) else ("graphs", *known(graphs))
        self.extras: tuple[Extra, ...] = (*forms, *(("operations",) if ops else ()), *(("memory",) if memory else ()))
        self.source = source
        self.is_plain = False
        """Whether the captured code is plain JAX that runs on lazy tensors."""
        self._look = look
        self._ended = ended
        self.warns = True
        """Whether to warn of what is worth to be told while the code runs."""
        self._sink = BoundedSink()
        self._alarms: Alarms | None = None
        self._thread = 0
        self._start_ns = 0
        self._cpu_start_ns = 0
        self._queue_start_ns = 0
        self._window = Window(0, 0)
        self._capture: Capture | None = None

    @property
    def capture(self) -> Capture:
        """The record.

        Raises:
            UsageError: The captured code has not ended.
        """
        if self._capture is None:
            raise UsageError("A capture can be read only after its `with` block has ended", fix="Read `.capture` below the block.")
        return self._capture

    def __repr__(self) -> str:
        return repr(self._capture) if self._capture is not None else f"Capturing({self.name!r}), which has not ended"

    def _repr_html_(self) -> str | None:
        """As the capture, once it has ended: a notebook shows either."""
        return self._capture.bundle().get("text/html") if self._capture is not None else None

    def _repr_mimebundle_(self, **_filters: object) -> dict[str, Any] | None:
        return self._capture.bundle() if self._capture is not None else None

    def __enter__(self) -> "Capturing":
        self._capture = None
        self._thread = threading.get_ident()
        self._sink = BoundedSink()
        self._alarms = Alarms() if self.warns else None
        for producer in self.producers:
            producer.settle()  # what was counted before does not belong to the capture
            producer.events.add(self._sink, self.extras)
            if self._alarms is not None:
                producer.events.add(self._alarms)
        self._cpu_start_ns, self._queue_start_ns = self.cpu_clock.now_ns(), self.queue_clock.now_ns()
        self._start_ns = self.clock.now_ns()
        self._window = WINDOWS.open(self._thread, self._start_ns)
        self._sink.begin(thread=self._thread, start_ns=self._start_ns, own=self._own)
        atexit.register(self.abandon)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        body_end_ns = self.clock.now_ns()
        cpu_ns, queued_ns = self.cpu_clock.now_ns() - self._cpu_start_ns, self.queue_clock.now_ns() - self._queue_start_ns
        atexit.unregister(self.abandon)
        self._sink.close()
        self.end_alarms()
        ended_ns = [body_end_ns]
        try:
            for producer in self.producers:
                ended_ns.append(producer.drain() or body_end_ns)
                producer.settle()
        except BaseException:
            ended_ns.append(self.clock.now_ns())
            raise
        finally:
            # To look for what still runs may take long, where there are many arrays. That is no work of the device's, so the window ends with the last of it.
            end_ns = max(*ended_ns, *[event.end_ns for event in self._own(self._sink.events) if isinstance(event, Executed)])
            lost = self._conclude()
            beside = WINDOWS.beside(self._window, end_ns)
            WINDOWS.close(self._window, end_ns)
            events = tuple(sorted(mine(self._sink.events, beside, self._thread), key=lambda event: event.start_ns))
            self._capture = Capture(
                name=self.name,
                start_ns=self._start_ns,
                body_end_ns=body_end_ns,
                end_ns=end_ns,
                thread=self._thread,
                cpu_ns=cpu_ns,
                queued_ns=queued_ns,
                events=events,
                programs=self._seen(events),
                environment=self.environment(),
                error=named(error) if error is not None else None,
                source=self.source,
                is_plain=self.is_plain,
                thinned=self._sink.thinned(),
                lost=lost,
                beside=len(beside),
            )
            if self._look is not None:
                self._capture.keep_looking(self._look)
            self._ended(self._capture)

    def _own(self, events: list[Event]) -> list[Event]:
        """Of some events those that belong to this capture, as far as that is known now."""
        return mine(events, WINDOWS.beside(self._window, self.clock.now_ns()), self._thread)

    def _seen(self, events: Sequence[Event]) -> tuple[Program, ...]:
        """What is seen of the programs that JAX compiled, before anybody looks; where graphs were asked for, those, too."""
        if self._look is None:
            return ()
        levels: list[Level] = ["jaxpr", *[form for form in self.extras if form in ("hlo", "stablehlo")]] if "graphs" in self.extras else []
        return at_the_end(events, self._look, self.clock, levels)

    def abandon(self) -> None:
        """Listen no more though the captured code has not ended, since Python is about to end: no thread that looks may be inside of JAX then."""
        self._sink.close()
        self.end_alarms()
        for producer in self.producers:
            producer.events.remove(self._sink)

    def end_alarms(self) -> None:
        """Warn no more."""
        if self._alarms is not None:
            self._alarms.close()
            for producer in self.producers:
                producer.events.remove(self._alarms)
            self._alarms = None

    def _conclude(self) -> str:
        """Hear what takes long to be made out, and listen no more. What that causes, such as passes of the collector, is no part of the window.

        Returns:
            Why events are missing; empty if none are.
        """
        lost = self._lost()
        try:
            for producer in self.producers:
                if producer.conclude is None:
                    producer.events.remove(self._sink)
            for producer in self.producers:
                if producer.conclude is not None:
                    producer.conclude(self.extras)
        finally:
            lost = lost or self._lost()
            for producer in self.producers:
                producer.events.remove(self._sink)
        return lost

    def _lost(self) -> str:
        """Why events are missing so far; empty if none are."""
        return next((why for producer in self.producers if (why := producer.events.failure(self._sink))), "")


def known(forms: Sequence[Form]) -> Sequence[Form]:
    """Forms of text.

    Raises:
        UsageError: One is none.
    """
    if isinstance(forms, str) or not set(forms) <= set(FORMS):
        raise UsageError(f"`graphs` is True, False or a list of forms out of {', '.join(FORMS)}", got=forms, fix="Use `graphs=True` for the graphs alone.")
    return forms
