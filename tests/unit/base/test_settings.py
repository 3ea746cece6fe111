"""The table of settings and the environment."""

import re
from pathlib import Path
from typing import Any

import pytest

from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.settings import TABLE, Settings, checked, from_environment, x10_name


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


@pytest.mark.parametrize(("given", "value"), [(True, True), (0, False), ("1", True), ("Off", False), ("yes", True), (" false ", False)])
def test_on_or_off(given: Any, value: bool) -> None:
    assert checked("donate", given, "donate") is value


@pytest.mark.parametrize("given", [2, "maybe", None, 1.0])
def test_neither_on_nor_off(given: Any) -> None:
    with pytest.raises(UsageError, match=r"^donate must be on or off \(True or False, 1 or 0\)"):
        checked("donate", given, "donate")


def test_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    wanted = str(tmp_path / "programs")
    assert [checked("persistent_cache_path", given, "") for given in ("programs", Path("programs"), "~/programs", wanted)] == [wanted] * 4
    assert checked("persistent_cache_path", None, "") is checked("persistent_cache_path", "", "") is None
    assert checked("persistent_cache_path", "gs://bucket/programs", "") == "gs://bucket/programs"
    for odd in (7, b"programs"):
        with pytest.raises(UsageError, match="must be the path of a folder, or None; got"):
            checked("persistent_cache_path", odd, "persistent_cache_path")


def test_every_setting_has_a_name_in_x10_that_no_other_has() -> None:
    names = [x10_name(name) for name in TABLE]
    assert all(re.fullmatch("XLA_[A-Z_]+", name) for name in names)
    assert len(set(names)) == len(TABLE)


def test_every_default_is_allowed() -> None:
    assert {name: checked(name, TABLE[name].default, name) for name in TABLE} == {name: TABLE[name].default for name in TABLE}
