"""Python records operations for longer than the device works: then a step is as long as recording it."""

from collections import Counter

import numpy as np

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.spent import during
from x10_jupyter.diagnosis.words import at, inside, shorten
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.by_line import by_line
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.kinds import spans
from x10_jupyter.records.runtime_events import Cut, Retraced, Traced
from x10_jupyter.records.sweep import length_ns

RECORDING: tuple[TimeName, ...] = ("trace",)

LOOP = 10
"""Traces from which on there is a loop. Those of a new path do not count: to record it takes ten times as long, once."""


def claims(capture: Capture) -> list[Claim]:
    """One, if known paths are recorded for longer than the device works."""
    gone_ns = 0 if capture.thinned is None else capture.thinned.time.get("trace", 0) - capture.thinned.trace_to_compile_ns
    mine = capture.kinds.on(capture.thread)
    new = {event.start_ns for event in mine.of(Cut) if not event.is_known}
    traces = [event for event in mine.of(Traced) if event.end_ns not in new]
    recording = during(capture, spans(traces), RECORDING)
    recording_ns = length_ns(recording) + gone_ns
    if len(traces) < LOOP or recording_ns <= capture.device_ns:
        return []
    took_ns = np.diff(spans(traces))
    sites = by_line(traces)
    _, site = max(sites, key=lambda key: int(took_ns[sites[key]].sum()))
    ops = sum(event.ops for event in traces)
    retraced = Counter((event.op, event.reads) for event in capture.kinds.of(Retraced) if event.thread == capture.thread)
    again = [f"`{shorten(op)}` was traced again {count(times, 'time')}, since it reads {shorten(reads)}." for (op, reads), times in retraced.most_common(2)]
    return [
        Claim(
            kind="tracing_bound",
            title=f"Python recording {count(ops, 'operation')}, most of them cut{at(site)}",
            advice=f"{inside(site)}: record fewer operations, by making the step or its parts a function under `x10.lazy`, which is one.",
            evidence_for=(f"Recording took {duration(recording_ns)}, and the device worked for {duration(capture.device_ns)}.", *again),
            evidence_against=("What runs between two operations counts as recording, also if it is something else.",),
            site=site,
            spans=recording,
            more_ns=gone_ns,
        )
    ]
