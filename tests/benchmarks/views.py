"""Views of captures: how long they take from the bare events on, and how large what a notebook keeps is."""

import json
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from tests.benchmarks.timing import seconds

sys.path.insert(0, str(Path(__file__).parents[1]))  # what tests are made of

from captures import training
from x10_jupyter.records import wire
from x10_jupyter.session.result import Capture
from x10_jupyter.views.html import html
from x10_jupyter.views.text import text

STEPS = {1_000: (15, 0.150, 300_000), 100_000: (3, 2.0, 1_000_000)}
"""Steps, how often the view is built, and what is aimed at: seconds, and bytes of all that a notebook keeps."""


def made(steps: int) -> Capture:
    """A training loop of six events a step."""
    record = training(steps)
    end_ns = max(event.end_ns for event in record.events)
    facts: dict[str, Any] = {field.name: getattr(record, field.name) for field in fields(record)}
    return Capture(**{**facts, "end_ns": end_ns, "body_end_ns": end_ns})


def built(capture: Capture) -> tuple[str, str]:
    """Both views, of a capture of which nothing has been looked at yet."""
    fresh = replace(capture)
    return html(fresh, fresh.metrics), text(fresh)


def rows() -> Iterator[str]:
    """The table."""
    yield "| view of a capture | events | both views built | aim | HTML | data | all a notebook keeps | aim |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for steps, (times, aim_s, aim_bytes) in STEPS.items():
        capture = made(steps)
        took = min(seconds(lambda capture=capture: built(capture)) for _ in range(times))
        shown, plain = built(capture)
        data = json.dumps(wire.document(capture))
        kept = sum(len(json.dumps(layer, ensure_ascii=False).encode()) for layer in (shown, plain)) + len(data)
        cells = [f"{steps:,} steps", f"{len(capture.events):,}", f"{took * 1e3:,.0f} ms", f"{aim_s * 1e3:,.0f} ms"]
        cells += [f"{size / 1e3:,.0f} kB" for size in (len(shown.encode()), len(data), kept, aim_bytes)]
        yield f"| {' | '.join(cells)} |"
