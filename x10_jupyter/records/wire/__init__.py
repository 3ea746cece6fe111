"""A capture as versioned JSON, and back.

The document is a JSON object:

* ``type`` names the format, and ``version`` is 1. A reader of version 1 reads whatever says version 1: it leaves out kinds of events and columns that it does
  not know, and a column that is missing has the field's default. ``left_out``, if it is there, says what of the capture is missing: a notebook keeps no more
  than it can bear.
* ``capture`` has the fields of the capture itself, by name.
* ``records`` has a table for each class of record that something refers to, by the class's name: sites, causes, graphs. A reference is the number of a row.
* ``events`` has a table for each kind of event, and ``order``, which tells whose next row comes next.

A table is ``{"rows": n, "columns": {field: column}}``, and a column one of (`columns` writes and reads them)

* ``{"code": "plain", "values": ints}``: whole numbers as they are;
* ``{"code": "delta", "values": ints}``: each after the first as its difference from the one before;
* ``{"code": "after", "values": ints}``: each as its difference from the row's ``start_ns``;
* ``{"code": "distinct", "distinct": json, "values": ints}``: any values, each once, and for each row which of them.

All may have ``"null": ints``, the rows that have no value, and a 0 where it would be. ``ints`` is a list of whole numbers; or, when that is long,
``{"bytes": w, "packed": text}``: little-endian signed integers of ``w`` bytes each (1, 2, 4 or 8), all first bytes, then all second bytes and so on, compressed
by zlib, in base64. ``json`` is any JSON; or, when that is long, ``{"json": text, "length": n}``: ``n`` bytes of UTF-8, compressed and in base64 likewise.
"""

from x10_jupyter.records.wire.document import MIME as MIME
from x10_jupyter.records.wire.document import VERSION as VERSION
from x10_jupyter.records.wire.document import document as document
from x10_jupyter.records.wire.embedded import embedded as embedded
from x10_jupyter.records.wire.files import read as read
from x10_jupyter.records.wire.files import write as write
from x10_jupyter.records.wire.reading import capture as capture
