"""The first compile of each program: it happens in any case, once."""

from collections import Counter
from collections.abc import Sequence

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.eager import storms
from x10_jupyter.diagnosis.folding import beside, from_cache, lasted
from x10_jupyter.diagnosis.growing import growing
from x10_jupyter.diagnosis.sizes import sized
from x10_jupyter.diagnosis.spent import making
from x10_jupyter.diagnosis.unrolled import in_hindsight
from x10_jupyter.diagnosis.words import called, cause, kind, place, place_of, seconds
from x10_jupyter.metrics.quantiles import quantiles
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cause import Kind
from x10_jupyter.records.compile import Compile

FEW = 3
"""Steps from which on the middle one tells how long a step takes when everything is compiled."""


def claims(capture: Capture) -> list[Claim]:
    """All of them together, if there are any; without what is more than warm-up: eager operations that are a storm or grow, and programs that are too large."""
    mine = capture.keeping
    more = [*(one for group in (*storms(mine), *growing(mine)) for one in group), *(one for one, event in sized(capture) if in_hindsight(event))]
    left_out = {id(one) for one in more}
    first = [one for one in mine if (one.is_eager or not (one.is_recompile or one.is_unexplained)) and id(one) not in left_out]
    return [together(capture, first)] if first else []


def together(capture: Capture, first: Sequence[Compile]) -> Claim:
    """They, named after the longest."""
    longest = max(first, key=lambda one: one.seconds)
    name = called(longest)
    what = name if len(first) == 1 else count(len(first), "program")
    return Claim(
        kind="warm_up",
        title=f"compiling {what}{how_often(first)}" + (f", {name} the longest" if len(first) > 1 else "") + other(first),
        advice=advice(longest),
        evidence_for=(f"To make {count(len(first), 'program')} took {lasted(first)}, and {name} {seconds(longest.seconds)} of it.",),
        evidence_against=against(capture, first),
        site=place(longest),
        spans=making(capture, first),
    )


def how_often(first: Sequence[Compile]) -> str:
    """That they had not been there before, if that is known of all of them."""
    return " for the first time" if all(one.cause.kind == "first" for one in first) else ""


def other(first: Sequence[Compile]) -> str:
    """Why eager operations that had been there before are compiled again, each with how many of them there are."""
    kinds = Counter[Kind](one.cause.kind for one in first if one.is_recompile)
    told = ", ".join(f"{number} of them for another {kind(why)}" for why, number in kinds.most_common(2))
    if len(first) == 1 and kinds:
        return f" again: {cause(first[0].cause)}"
    return f", {told}" if told else ""


def advice(longest: Compile) -> str:
    """What to do, if anything is left to do."""
    if longest.cache == "hit":
        return ""  # it was read, which is as fast as it gets
    where = place_of(longest)
    if longest.is_recompile and longest.cause.fix:
        return f"{where}: {longest.cause.fix[:1].lower()}{longest.cause.fix[1:]}"
    if longest.cache == "miss":
        return f"{where}: run it again in a new kernel, which now reads it from the persistent cache."
    return f"{where}: keep the program for new kernels, with `%x10config XLA_PERSISTENT_CACHE_PATH=~/xla`."


def against(capture: Capture, first: Sequence[Compile]) -> tuple[str, ...]:
    """What speaks for less."""
    told = ["It happens once: what runs again finds these programs."]
    if len(capture.steps) >= FEW:
        usual_ns = quantiles(capture.steps.walls_ns, [0.5])[0.5]
        told.append(f"The middle one of {count(capture.step_count, 'step')} took {duration(usual_ns)}, so in a longer run it is less.")
    told += [*from_cache(first), *beside(capture, first)]
    unknown = sum(one.cause.kind == "unknown" for one in first)
    if unknown:
        told.append(f"Whether {count(unknown, 'program')} had been compiled before is not known.")
    return tuple(told)
