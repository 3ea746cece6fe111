"""A capture of its document. Nothing in a document is trusted: what is read is looked at, and nothing of it runs."""

from typing import Any, TypeVar

from x10_jupyter.base.errors import UsageError
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.thinned import Thinned
from x10_jupyter.records.wire.columns import Budget, Json, column, damaged, natural, shown, unpacked
from x10_jupyter.records.wire.document import MIME, VERSION
from x10_jupyter.records.wire.shape import EVENTS, decoder, fields, listed, required

Made = TypeVar("Made", bound=Capture)

FORMAT = MIME.partition(".v1+")[0]
"""What the ``type`` of every version begins with."""

MOST_ROWS = 4_000_000
"""Rows of all tables; a capture keeps some ten thousand events, but its graphs may have many nodes."""
MOST_BYTES = 256 * 2**20
"""Bytes of all that is compressed."""


class Reader:
    """The tables of a document, each decoded when it is first referred to."""

    def __init__(self, tables: Json) -> None:
        """Decode nothing yet.

        Args:
            tables: The document's ``records``.
        """
        self.tables = listed(tables, dict)
        self.budget = Budget(MOST_ROWS, MOST_BYTES)
        self.decoded: dict[type, list[Any] | None] = {}

    def find(self, kind: type, at: int) -> Any:  # noqa: ANN401 - a record of that class
        """The record in a row of a class's table.

        Raises:
            UsageError: There is none.
        """
        if kind not in self.decoded:
            self.decoded[kind] = None  # a record that referred to itself would never end
            self.decoded[kind] = self.rows(kind, self.tables.get(kind.__name__))
        rows = self.decoded[kind]
        if rows is None or not 0 <= at < len(rows):
            raise damaged("Something refers to a record that is not there", f"{kind.__name__} {at}")
        return rows[at]

    def rows(self, kind: type, table: Json) -> list[Any]:
        """The records of a table.

        Raises:
            UsageError: It is damaged.
        """
        count = natural(listed(table, dict).get("rows"))
        self.budget.take_rows(count)
        columns = listed(table.get("columns"), dict)
        missing = required(kind) - columns.keys()
        if missing:
            raise damaged(f"The table of {kind.__name__} lacks columns", ", ".join(sorted(missing)))
        found: dict[str, list[Any]] = {}
        for name, hint in sorted(fields(kind).items(), key=lambda field: field[0] != "start_ns"):  # others count from it
            if name in columns:
                found[name] = column(columns[name], count, decoder(hint, self.find), found.get("start_ns", ()), self.budget)
        names = list(found)
        return [kind(**dict(zip(names, row, strict=True))) for row in zip(*found.values(), strict=True)]


def capture(found: Json, made: type[Made]) -> Made:
    """A capture of its document.

    Args:
        found: The document.
        made: The class to make it of.

    Raises:
        UsageError: It is not the document of a capture, is of a newer version, or is damaged.
    """
    check(found)
    reader = Reader(found.get("records"))
    given = listed(found.get("capture"), dict)
    missing = required(Capture) - given.keys() - {"events"}
    if missing:
        raise damaged("The capture lacks fields", ", ".join(sorted(missing)))
    values = {name: decoder(hint, reader.find)(given[name]) for name, hint in fields(Capture).items() if name in given and name != "events"}
    if not values["start_ns"] <= values["body_end_ns"] <= values["end_ns"] or values["cpu_ns"] < 0:
        raise damaged("The capture ends before it begins", f"{values['start_ns']}, {values['body_end_ns']}, {values['end_ns']}")
    check_thinned(values.get("thinned"), values["start_ns"], values["end_ns"])
    return made(**values, events=events(reader, listed(found.get("events"), dict)))


def check_thinned(thinned: Thinned | None, start_ns: int, end_ns: int) -> None:
    """Look whether the sums of a capture belong to its window.

    Raises:
        UsageError: They do not.
    """
    if thinned is None:
        return
    spent = thinned.time.values()
    if not start_ns <= thinned.until_ns <= end_ns or sum(spent) != thinned.until_ns - start_ns or min(spent, default=0) < 0:
        raise damaged("The times that were summed up are not those of its window", f"{sum(spent)} ns until {thinned.until_ns}")


def check(found: Json) -> None:
    """Look whether a document says that it is one that can be read here.

    Raises:
        UsageError: It does not.
    """
    kind: Json = found.get("type") if found.__class__ is dict else found
    if kind.__class__ is not str or not kind.startswith(FORMAT):
        raise UsageError("The file must be a capture that `Capture.to_json` has written", got=shown(kind), fix=f"Its `type` has to be {MIME!r}.")
    version: Json = found.get("version")
    if version.__class__ is not int or version != VERSION:
        raise UsageError(f"This reads captures of version {VERSION}", got=shown(version), fix="Update x10_jupyter, or save the capture with this version.")


def events(reader: Reader, found: Json) -> tuple[Any, ...]:
    """The events in their order; kinds that are not known are left out.

    Raises:
        UsageError: They are damaged.
    """
    kinds, tables = listed(found.get("kinds"), list), listed(found.get("tables"), dict)
    count = natural(found.get("count"))
    reader.budget.take_rows(count)
    order = unpacked(found.get("order"), count, reader.budget)
    if count and not 0 <= min(order) <= max(order) < len(kinds):
        raise damaged("An event is of a kind that is not there", max(order))
    rows = [iter(reader.rows(EVENTS[kind], tables.get(kind))) if isinstance(kind, str) and kind in EVENTS else None for kind in kinds]
    return tuple([following(each) for number in order if (each := rows[number]) is not None])


def following(rows: Any) -> Any:  # noqa: ANN401 - an event of any kind
    """The next event of a kind.

    Raises:
        UsageError: There is none.
    """
    event = next(rows, None)
    if event is None:
        raise damaged("Events are missing")
    return event
