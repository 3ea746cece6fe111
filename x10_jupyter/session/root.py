"""Which producers and clocks there are, and `capture`, which uses them."""

from collections.abc import Sequence

from x10_jupyter.base.clock import OthersCpuClock, ThreadCpuClock
from x10_jupyter.base.config import config
from x10_jupyter.lazy import hooks
from x10_jupyter.lazy import producer as lazy
from x10_jupyter.lazy.ending import tell_pending
from x10_jupyter.lazy.recorded import recorded_lines
from x10_jupyter.observe.collecting import Collecting
from x10_jupyter.observe.dispatching import Dispatching
from x10_jupyter.observe.launching import Launching
from x10_jupyter.observe.looking import look
from x10_jupyter.observe.profiling import Profiling
from x10_jupyter.observe.reading import Reading
from x10_jupyter.observe.sampling import Sampling
from x10_jupyter.observe.sizing import Sizing
from x10_jupyter.observe.staging import Staging
from x10_jupyter.observe.starting import Starting
from x10_jupyter.observe.weighing import Weighing
from x10_jupyter.records.program import Level, Program
from x10_jupyter.records.sink import Form
from x10_jupyter.session.capturing import Capturing
from x10_jupyter.session.environment import environment
from x10_jupyter.session.kept import tell
from x10_jupyter.session.live import Live, Show, SleepingTicker
from x10_jupyter.session.logs import Logs
from x10_jupyter.session.metrics_file import MetricsFile
from x10_jupyter.session.producer import Producer
from x10_jupyter.session.resident import HISTORY

CPU_CLOCK = ThreadCpuClock()
QUEUE_CLOCK = lazy.QUEUE_CLOCK
STAGING = Staging(lazy.CLOCK, CPU_CLOCK, QUEUE_CLOCK)
SIZING = Sizing(lazy.CLOCK)
READING = Reading(lazy.CLOCK, OthersCpuClock(), QUEUE_CLOCK)
LAUNCHING = Launching()
SAMPLING = Sampling(lazy.CLOCK, CPU_CLOCK, LAUNCHING)
DISPATCHING = Dispatching(lazy.CLOCK, LAUNCHING)
COLLECTING = Collecting(lazy.CLOCK, CPU_CLOCK, QUEUE_CLOCK)
STARTING = Starting(lazy.CLOCK, CPU_CLOCK, QUEUE_CLOCK)


def settle() -> None:
    """Have the runtime tell of what has finished, of what it only counts, and of what has not run."""
    lazy.settle()
    tell_pending()


WEIGHING = Weighing(lazy.CLOCK, CPU_CLOCK, pinned=STAGING.causes.pinned)
PROFILING = Profiling(lazy.CLOCK, recorded_lines)
PRODUCERS = (
    Producer(events=WEIGHING.events, conclude=WEIGHING.conclude),  # first, since what it does when a capture begins belongs to none
    Producer(events=lazy.EVENTS, drain=lazy.drain, settle=settle),
    Producer(events=STAGING.events),
    Producer(events=SIZING.events),
    Producer(events=READING.events, drain=READING.drain),
    Producer(events=SAMPLING.events, settle=SAMPLING.settle),
    Producer(events=DISPATCHING.events, settle=DISPATCHING.settle),
    Producer(events=STARTING.events),
    Producer(events=COLLECTING.events),  # after what looks through JAX, which makes garbage
    Producer(events=PROFILING.events, drain=PROFILING.drain, conclude=PROFILING.conclude),
)
LOGS = Logs(lazy.EVENTS, config)
METRICS_FILE = MetricsFile(lazy.EVENTS, config)


def connect() -> None:
    """Put in what the producers leave in JAX, and write the logs that the settings ask for; harmless when it is done."""
    hooks.install()
    STAGING.stay()
    if HISTORY not in STAGING.events.sinks:
        STAGING.events.add(HISTORY)
    LOGS.start()
    METRICS_FILE.use(config.now.metrics_file)


def disconnect() -> None:
    """Leave JAX as it was, and write no more; tensors go on working, but JAX's own functions refuse them."""
    hooks.uninstall()
    STAGING.events.remove(HISTORY)
    STAGING.leave()
    QUEUE_CLOCK.close()
    LOGS.stop()
    METRICS_FILE.use(None)


def capture(name: str | None = None, *, graphs: bool | Sequence[Form] = False, ops: bool = False, memory: bool = True, source: str | None = None) -> Capturing:
    """Record what happens in a ``with`` block; afterwards ``.capture`` holds it.

    Args:
        name: What to call it.
        graphs: Whether to record what each cut computes, as ``.capture.graphs``, and what the costliest programs do that JAX compiles; or the forms ``hlo``,
            ``stablehlo`` and ``jaxpr`` that it is recorded in, too.
        ops: Whether to record what each operation takes, with JAX's profiler, as ``.capture.operations``.
        memory: Whether to look at what the devices hold, as ``.capture.memory``: at the beginning, at the end, and between for a hundredth of the time at most.
        source: The code in the block as text, to be kept with the capture; a notebook's magic gives its cell.

    Raises:
        UsageError: There is no such form.
    """
    clocks = {"clock": lazy.CLOCK, "cpu_clock": CPU_CLOCK, "queue_clock": QUEUE_CLOCK}
    asked = {"graphs": graphs, "ops": ops, "memory": memory, "source": source}
    return Capturing(name or "", producers=PRODUCERS, environment=environment, look=look_at, ended=tell, **asked, **clocks)


def look_at(name: str, levels: Sequence[Level] = ()) -> Program:
    """What there is of a program that JAX compiled in this process, as long as it is alive.

    Args:
        name: Its name, as a compile has it.
        levels: Where to look beside its costs.
    """
    return look(STAGING.programs, name, levels)


def running(show: Show, name: str = "") -> Live:
    """Show what happens in a ``with`` block while it runs.

    Args:
        show: Shows text by MIME type in place of what it has shown before.
        name: What the block is called.
    """
    return Live(show, name, events=[each.events for each in PRODUCERS], clock=lazy.CLOCK, cpu_clock=CPU_CLOCK, ticker=SleepingTicker())
