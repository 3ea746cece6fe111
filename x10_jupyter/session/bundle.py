"""What of a capture's data a notebook keeps: all of it, unless the notebook would become too large to be opened and shared."""

import json
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from x10_jupyter.base.units import size
from x10_jupyter.records import wire
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.runtime_events import Graphed
from x10_jupyter.records.wire.columns import Json

MOST = 750_000
"""Characters of the data; with the views an output stays below a megabyte, whatever the cell did. A long capture takes half a million."""


class Kept(NamedTuple):
    """The data of a capture, as a notebook gets it."""

    document: Json | None
    """A capture's document; None if it would be too large whatever is left out."""

    note: str
    """What is missing in it and where all of it is to be had; empty if nothing is missing."""


def without_texts(capture: Capture) -> Capture:
    """The same without the texts of its programs."""
    none = MappingProxyType[str, str]({})
    return replace(
        capture,
        events=tuple([replace(one, texts=none) if isinstance(one, Graphed) else one for one in capture.events]),
        programs=tuple([replace(one, texts=none) for one in capture.programs]),
    )


def without_graphs(capture: Capture) -> Capture:
    """The same without its graphs."""
    return replace(
        without_texts(capture),
        events=tuple([one for one in capture.events if not isinstance(one, Graphed)]),
        programs=tuple([replace(one, texts={}, graphs=()) for one in capture.programs]),
    )


def without_code(capture: Capture) -> Capture:
    """The same without the code of its cell."""
    return replace(without_graphs(capture), source=None)


LIGHTER: tuple[tuple[str, Callable[[Capture], Capture]], ...] = (
    ("the texts of its programs", without_texts),
    ("its graphs", without_graphs),
    ("its graphs and its code", without_code),
)
"""What is left out, the largest and least missed first: a notebook has the code anyway."""


def kept(capture: Capture) -> Kept:
    """What a notebook keeps of a capture's data."""
    whole = wire.document(capture)
    length = length_of(whole)
    if length <= MOST:
        return Kept(whole, "")
    told = f"The data of this capture takes {size(length)}"
    rest = "`--save FILE`, or `_x10.to_json(FILE)`, keeps all of it."
    for missing, lighten in LIGHTER:
        document = {**wire.document(lighten(capture)), "left_out": missing}
        if length_of(document) <= MOST:
            return Kept(document, f"{told}; this notebook keeps it without {missing}. {rest}")
    return Kept(None, f"{told}; this notebook keeps none of it. {rest}")


def length_of(document: Json) -> int:
    """How many characters a document takes."""
    return len(json.dumps(document, separators=(",", ":")))
