"""Programs of which it is not known whether something like them was there before: no warm-up, and no change that could be named."""

from collections.abc import Sequence

from x10_jupyter.base.units import count
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.folding import beside, from_cache, lasted
from x10_jupyter.diagnosis.spent import making
from x10_jupyter.diagnosis.words import called, cause, place, place_of, seconds
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile


def claims(capture: Capture) -> list[Claim]:
    """All of them together, if there are any; eager operations are left out, which are told with others of their kind."""
    mine = [one for one in capture.keeping if one.is_unexplained and not one.is_eager]
    return [together(capture, mine)] if mine else []


def together(capture: Capture, unknown: Sequence[Compile]) -> Claim:
    """They, named after the longest."""
    longest = max(unknown, key=lambda one: one.seconds)
    name, many = called(longest), count(len(unknown), "program")
    known = cause(longest.cause)
    return Claim(
        kind="compile",
        title=f"compiling {name}, {known}" if len(unknown) == 1 else f"compiling {many}, {name} the longest, {known}",
        advice=advice(longest),
        evidence_for=(f"To make {many} took {lasted(unknown)}, and {name} {seconds(longest.seconds)} of it.",),
        evidence_against=(f"Whether {many} had been compiled before is not known.", *from_cache(unknown), *beside(capture, unknown)),
        site=place(longest),
        spans=making(capture, unknown),
    )


def advice(longest: Compile) -> str:
    """How to know more next time, if it was compiled before anybody listened."""
    if not longest.cause.where:
        return ""
    return f"{place_of(longest)}: run `%load_ext x10_jupyter` before what compiles, so that a change is known."
