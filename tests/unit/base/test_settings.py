"""The table of settings and the environment."""

import re
from typing import Any

import pytest

from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.settings import TABLE, Settings, checked, from_environment, is_bus_order, ordinal, visible_gpus, written, x10_name


def test_defaults() -> None:
    assert from_environment({}) == (Settings(), frozenset())
    assert from_environment({"XLA_TRIM_GRAPH_SIZE": "", "PATH": "x"}) == (Settings(), frozenset())


@pytest.mark.parametrize(("name", "field"), [("XLA_TRIM_GRAPH_SIZE", "trim_graph_size"), ("XLA_COMPILATION_CACHE_SIZE", "compilation_cache_size")])
def test_the_environment_says_otherwise(name: str, field: str) -> None:
    found, said = from_environment({name: "7"})
    assert getattr(found, field) == 7
    assert said == {field}


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", " "])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    cure = rf"Unset it or set it to, say, {Settings().trim_graph_size}\."
    with pytest.raises(UsageError, match=rf"^XLA_TRIM_GRAPH_SIZE must be a whole number above zero; got .*\. {cure}$"):
        from_environment({"XLA_TRIM_GRAPH_SIZE": text})


@pytest.mark.parametrize("given", [0, -1, 2.0, True, None, [1]])
def test_neither_is_what_python_gives(given: Any) -> None:
    with pytest.raises(UsageError, match=rf"^limit must be a whole number above zero.*{'' if given is None else re.escape(repr(given))}"):
        checked("trim_graph_size", given, "limit")


def test_the_error_shows_a_value_where_the_default_is_none() -> None:
    with pytest.raises(UsageError, match=r"^XLA_COMPILE_TIME_THRESHOLD must be a number of seconds from zero, or None; got soon\. .* say, 30\."):
        from_environment({"XLA_COMPILE_TIME_THRESHOLD": "soon"})


def test_every_default_is_read_as_it_is_written() -> None:
    assert {name: checked(name, written(name, TABLE[name].default), name) for name in TABLE} == {name: TABLE[name].default for name in TABLE}


def test_every_setting_has_a_name_in_x10_that_no_other_has() -> None:
    names = [x10_name(name) for name in TABLE]
    assert all(re.fullmatch("XLA_[A-Z0-9_]+", name) for name in names)
    assert len(set(names)) == len(TABLE)


def test_every_default_is_allowed() -> None:
    assert {name: checked(name, TABLE[name].default, name) for name in TABLE} == {name: TABLE[name].default for name in TABLE}


@pytest.mark.parametrize(("text", "expected"), [("0", 0), ("3", 3), ("-1", None), ("", None), ("two", None)])
def test_the_number_among_several_processes(text: str, expected: int | None) -> None:
    assert ordinal({"XRT_SHARD_LOCAL_ORDINAL": text}) == expected
    assert ordinal({}) is None


def test_which_gpus_may_be_seen() -> None:
    assert visible_gpus({}) is None
    assert visible_gpus({"CUDA_VISIBLE_DEVICES": "2, GPU-5b"}) == ["2", "GPU-5b"]
    assert visible_gpus({"CUDA_VISIBLE_DEVICES": ""}) == []
    assert (is_bus_order({"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}), is_bus_order({})) == (True, False)
