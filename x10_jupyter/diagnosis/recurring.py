"""Whether recompiles keep coming, told while they do.

A program for each of a few shapes is a plan: each is compiled once, and from then on found. So the first few recompiles say nothing, and neither do more of
them between which most of the time goes by with programs that are known.
"""

from collections import defaultdict, deque
from collections.abc import Hashable

from x10_jupyter.base.units import count
from x10_jupyter.diagnosis.folding import lasted, same_cause
from x10_jupyter.diagnosis.rules.recompile import advice
from x10_jupyter.diagnosis.words import cause_at, seconds, shorten
from x10_jupyter.records.compile import Compile

MOST = 5
"""Recompiles of one function for one cause that are usual. Five buckets of lengths are four of them; who has six has one more than is common."""

MOST_OF_ALL = 11
"""Recompiles of one function for whatever causes that are usual: buckets of two arguments, and a few changes beside."""

WORTH = 0.1
"""Part of the time since the first of them that they have to have taken: then they are what keeps the code, and not a warm-up that lies behind it."""


class Recurring:
    """Adds up the recompiles of a window as they come."""

    def __init__(self) -> None:
        """Begin with none."""
        self._by_cause = defaultdict[Hashable, deque[Compile]](lambda: deque(maxlen=MOST + 1))
        self._by_function = defaultdict[Hashable, deque[Compile]](lambda: deque(maxlen=MOST_OF_ALL + 1))

    def hear(self, one: Compile) -> str:
        """Take a compile that has ended.

        Returns:
            What to tell of it: that recompiles keep coming; empty if they do not.
        """
        if not one.is_recompile or one.is_eager:
            return ""
        for last in (self._by_cause[same_cause(one)], self._by_function[one.function]):
            last.append(one)
            if len(last) == last.maxlen and keeps_coming(last):
                return told(last)
        return ""


def keeps_coming(last: deque[Compile]) -> bool:
    """Whether some recompiles took enough of the time from the first to the end of the last."""
    return sum(one.seconds for one in last) * 1e9 >= WORTH * (last[-1].end_ns - last[0].start_ns)


def told(last: deque[Compile]) -> str:
    """That they keep coming, why, and what to do."""
    one = last[-1]
    took = f"{count(len(last), 'time')} in {seconds((one.end_ns - last[0].start_ns) / 1e9)}, which took {lasted(last)}"
    return f"`{shorten(one.function)}` is compiled again and again: {took}. The last cause: {cause_at(one)}. {advice(one)}".strip()
