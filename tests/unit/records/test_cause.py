"""The closed list of causes."""

from typing import get_args

from x10_jupyter.records.cause import Cause, Kind


def test_the_list_is_closed() -> None:
    assert set(get_args(Kind)) == {
        "first", "shape", "dtype", "weak_type", "pytree", "static_argument", "constant", "function_rebuilt", "calling_convention", "placement", "config",
        "transform", "structure", "cut_moved", "live_outputs", "donation", "evicted", "unknown",
    }  # fmt: skip


def test_what_is_not_known_is_empty() -> None:
    assert Cause(kind="first") == Cause(kind="first", where="", old="", new="", fix="", site=None, nearest="")
