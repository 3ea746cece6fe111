"""Made-up captures that both kinds of view are tested with."""

from dataclasses import replace

from factories import MS, capture, compiled, cut, executed, fell_back, holding, read, retraced, site, stepped, traced, transferred, weighed
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event
from x10_jupyter.records.runtime_events import Compiled


def training(steps: int = 40) -> Capture:
    """A loop whose last batch is smaller."""
    shape = Cause(kind="shape", where="x", old="f32[32,64]", new="f32[17,64]", fix="Drop or pad the last batch.", site=site(7))
    phases = {"trace": 20 * MS, "lower": 80 * MS, "compile": 500 * MS}
    events: list[Event] = [
        compiled(20 * MS, 620 * MS, phases=phases, ops=61),
        compiled(1_500 * MS, 2_000 * MS, cause=shape, phases=phases, ops=61),
    ]
    for index in range(steps):
        start = 620 * MS + index * 20 * MS
        events += [
            traced(start, start + 6 * MS),
            transferred(start, start + 1 * MS),
            cut(start + 6 * MS, start + 8 * MS),
            executed(start + 7 * MS, start + 8 * MS, start + 15 * MS),
            read(start + 9 * MS, start + 16 * MS),
            stepped(start - (620 * MS if index == 0 else 0), start + 20 * MS, index),
        ]
    events += [fell_back(2_010 * MS, 2_030 * MS), retraced(2_040 * MS), retraced(2_050 * MS)]
    return capture(*sorted(events, key=lambda event: event.start_ns), end_ns=2_100 * MS, body_end_ns=2_090 * MS)


def weighed_training() -> Capture:
    """The same, and what the device held."""
    moments = [(0, "beginning", 1), (900 * MS, "between", 7), (2_100 * MS, "end", 4)]
    made = training()
    return replace(made, events=(*made.events, *weighed(*[(at_ns, moment, (holding(number << 20, number),)) for at_ns, moment, number in moments])))


def restarted() -> Capture:
    """The first steps after a restart of the kernel: one program is in the persistent cache, another is new."""
    phases = {"trace": 20 * MS, "lower": 40 * MS, "compile": 12 * MS}
    events: list[Event] = [
        compiled(0, 72 * MS, phases=phases, cache="hit"),
        stepped(0, 80 * MS),
        compiled(80 * MS, 152 * MS, phases=phases, cache="hit"),
        compiled(160 * MS, 400 * MS, phases=phases, cache="miss", line=9, function="evaluate"),
    ]
    return capture(*with_cuts(events), end_ns=420 * MS)


def hostile() -> Capture:
    """Nothing of the user's may become markup, and nothing may be endless."""
    bad = "<script>alert('x')</script>&\"" + "y" * 300
    cause = Cause(kind="constant", where=bad, old="<b>", new="</div>", fix="<i>fix</i>", site=site(1, cell=None, function=bad))
    events: list[Event] = [compiled(i, i + 1, cause=cause, function=f"<f{i}>", line=i) for i in range(30)]
    events += [read(i + 100, i + 101, how=f"<r{i}>", site=site(i)) for i in range(30)]
    events += [fell_back(i + 200, i + 201, op=f"<o{i}>", reason=bad) for i in range(30)]
    events += [retraced(i + 300, op=f"<o{i}>", reads=bad) for i in range(30)]
    return capture(*with_cuts(events), end_ns=1000, error=f"ValueError: {bad}")


def with_cuts(events: list[Event]) -> list[Event]:
    """The same events, each compile with the cut that asked for it."""
    return [each for event in events for each in ((event, cut(event.end_ns, event.end_ns, is_known=False)) if isinstance(event, Compiled) else (event,))]
