"""What the lines and the names of a report mean."""

from collections.abc import Iterable, Iterator
from textwrap import wrap

from x10_jupyter.metrics.table import FAMILIES, ROWS

WIDTH = 100

FIELDS = {
    "TotalSamples": "samples ever taken",
    "Counter, Accumulator": "sum of all samples ever taken",
    "ValueRate": (
        "sum of the last 1,024 samples by the time between the first and the last of them. Of a time it is the share of a second that was spent on it: "
        "778ms / second is 78 % of the time"
    ),
    "Rate": "number of the last 1,024 samples by the same time; neither rate is there for a single sample",
    "Percentiles": "of the last 1,024 samples: 90%=… is the sample that nine tenths of them do not reach beyond",
    "Value": "of a counter: how often it was counted",
}


def meanings() -> dict[str, str]:
    """What each name of the table means and when it is counted."""
    found = {name: f"{row.means}; {row.moves}" for row in ROWS for name in row.names}
    return found | {f"{family.prefix}::…": f"{family.means}; {family.moves}" for family in FAMILIES}


def legend(names: Iterable[str]) -> str:
    """What the lines of a report mean, and the names in it.

    Args:
        names: Those to explain; one that the table does not have is left out.
    """
    known = meanings()
    shown = dict.fromkeys(name if name in known else f"{name.partition('::')[0]}::…" for name in names)
    return "\n".join([*entries(FIELDS), "", *entries({name: known[name] for name in shown if name in known})]).rstrip()


def entries(about: dict[str, str]) -> Iterator[str]:
    """Names and what they mean, in two columns."""
    width = max(map(len, about), default=0) + 2
    for name, text in about.items():
        first, *rest = wrap(text, WIDTH - width)
        yield f"{name:{width}}{first}"
        yield from (" " * width + row for row in rest)
