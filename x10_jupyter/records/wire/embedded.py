"""Captures within other files: in a page as data that nothing runs, and in a notebook as outputs of its cells."""

import json
import re
from collections.abc import Sequence

from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.units import count
from x10_jupyter.records.wire.columns import Json, parsed
from x10_jupyter.records.wire.document import MIME

FORMAT = r"application/vnd\.x10\.capture\.v\d+\+json"
"""The MIME type of every version; one that is newer is refused when it is read, not overlooked."""

BLOCK = re.compile(rf'<script type="{FORMAT}">([^<]*)</script>'.encode())
"""Between the two stands no ``<``, and everywhere else in a page ``<`` begins no text of the user's; so nothing that is shown is taken for it."""


def embedded(document: Json) -> str:
    """A capture's document as an element of a page. A browser runs no script of this type; and ``<`` is written as JSON's escape, so that none ends it."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="{MIME}">{text}</script>'


def documents(data: bytes) -> list[Json]:
    """The documents in a file: one of its own, or those within a page or a notebook; nothing in them has been looked at.

    Raises:
        UsageError: It is cut short, or is none of these.
    """
    if data.lstrip()[:9].lower() == b"<!doctype":
        return in_page(data)
    if b'"nbformat"' in data and (found := in_notebook(data)) is not None:
        return found
    return [parsed(data)]


def in_page(data: bytes) -> list[Json]:
    """Those that `embedded` has put into a page.

    Raises:
        UsageError: The page is cut short, or has none.
    """
    if not data.rstrip().endswith(b"</html>"):
        raise UsageError("A report must be whole to be read", got="one without an end", fix="Write it again.")
    found = [parsed(block) for block in BLOCK.findall(data)]
    if not found:
        raise UsageError("A page must hold captures to be read", got="one without", fix="Write it with `%x10report` or `Capture.to_html`.")
    return found


def in_notebook(data: bytes) -> list[Json] | None:
    """Those that are outputs of a notebook's cells, in order; None if it is no notebook.

    Raises:
        UsageError: There are none.
    """
    try:
        notebook = json.loads(data)
        outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
        bundles = [output["data"] for output in outputs if "data" in output]
        found = [each for bundle in bundles for mime, each in bundle.items() if re.fullmatch(FORMAT, mime)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not found:
        raise UsageError("A notebook must hold captures to be read", got="one without", fix="Put %%x10trace on a cell, run it, and save the notebook.")
    return found


def chosen(found: Sequence[Json], which: str | int | None) -> Json:
    """One of several documents.

    Args:
        found: At least one.
        which: Its name, or its number from 1; None if there is only one.

    Raises:
        UsageError: There is no such one, or it is not said which.
    """
    names = [name_of(document) for document in found]
    suitable = [document for place, document in enumerate(found) if which is None or which in (place + 1, names[place])]
    if len(suitable) == 1:
        return suitable[0]
    known = ", ".join(f"{place} `{name}`" if name else str(place) for place, name in enumerate(names[:20], start=1))
    more = f" and {count(len(names) - 20, 'other')}" if len(names) > 20 else ""
    got = f"{which!r}, which {'none is' if not suitable else 'several are'}" if which is not None else count(len(found), "capture")
    raise UsageError("It must be said which of the captures in a file is to be read", got=got, fix=f"Give `which=`, a name or a number: {known}{more}.")


def name_of(document: Json) -> str:
    """What a capture is called; empty if its document does not say."""
    try:
        return str(document["capture"]["name"])[:60]
    except (KeyError, TypeError, IndexError):
        return ""
