"""From a capture to its findings: asks each rule, and measures what they say."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from x10_jupyter.diagnosis.claim import Claim, least_ns
from x10_jupyter.diagnosis.rules import (
    constant_capture,
    cpu_contention,
    fallback,
    gc,
    huge_graph,
    memory_growth,
    recompile,
    starting,
    sync,
    tiny_graphs,
    tracing_bound,
    transfer,
    unknown_cause,
    warm_up,
)
from x10_jupyter.diagnosis.verdict import verdict
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.findings import Finding
from x10_jupyter.records.runtime_events import Stepped
from x10_jupyter.records.sweep import Timeline, sweep

Rule = Callable[[Capture], Sequence[Claim]]

RULES: tuple[Rule, ...] = (
    recompile.claims,
    huge_graph.claims,
    constant_capture.claims,
    tiny_graphs.claims,
    fallback.claims,
    sync.claims,
    transfer.claims,
    gc.claims,
    cpu_contention.claims,
    unknown_cause.claims,
    warm_up.claims,
    tracing_bound.claims,
    starting.claims,
)
"""All of them. Time that several claim belongs to the first: what need not have happened at all comes before what could have been less, and that before what
happens in any case."""

KEPT = "_findings"
"""Where a capture keeps what was found, as it keeps all else that follows from it."""


def findings(capture: Capture) -> tuple[Finding, ...]:
    """What a capture's facts amount to, the largest share first, and last what took memory; empty when nothing is worth to be told. Found once for each."""
    kept = vars(capture)
    if KEPT not in kept:
        kept[KEPT] = found(capture)
    return kept[KEPT]


def found(capture: Capture, rules: Sequence[Rule] = RULES) -> tuple[Finding, ...]:
    """The same by some rules.

    Args:
        capture: It.
        rules: In the order in which they get the time that several claim.
    """
    if not capture.wall_ns:
        return ()
    faults = list(measured(capture, [claim for rule in rules for claim in rule(capture)]))
    return (*sorted([*faults, *verdict(capture, faults)], key=lambda one: -one.share), *memory_growth.findings(capture))


def measured(capture: Capture, claims: Sequence[Claim]) -> Iterator[Finding]:
    """The claims that are large enough, with their time, each nanosecond counted for one of them.

    Args:
        capture: What they are about.
        claims: Those that come first get what several claim.
    """
    owners = sweep(capture.start_ns, capture.end_ns, [(str(place), claim.spans) for place, claim in enumerate(claims)], rest="")
    steps = capture.kinds.of(Stepped)
    names = [str(place) for place in range(len(claims))]
    starts, ends = capture.kinds.spans(Stepped).T
    in_steps = owners.table(starts, ends, names) > 0
    left_ns = capture.wall_ns
    for place, claim in enumerate(claims):
        took_ns = min(cost_ns(claim, owners, names[place], capture), left_ns)
        if took_ns >= least_ns(claim.kind, capture.wall_ns, is_at_any_length=claim.is_at_any_length):
            left_ns -= took_ns
            yield Finding(
                kind=claim.kind,
                share=took_ns / capture.wall_ns,
                seconds=took_ns / 1e9,
                title=claim.title,
                evidence_for=claim.evidence_for,
                evidence_against=claim.evidence_against,
                advice=claim.advice,
                steps=tuple([steps[which].index for which in np.flatnonzero(in_steps[:, place]).tolist()]),
                site=claim.site,
            )


def cost_ns(claim: Claim, owners: Timeline, name: str, capture: Capture) -> int:
    """What a claim comes to, in nanoseconds.

    Args:
        claim: It.
        owners: To which claim each nanosecond belongs.
        name: What this one is called there.
        capture: What it is about.
    """
    (row,) = owners.table([capture.start_ns], [capture.end_ns], [name]).tolist()
    took_ns: int = row[0] + claim.more_ns
    return took_ns if claim.most_ns is None else min(took_ns, claim.most_ns)
