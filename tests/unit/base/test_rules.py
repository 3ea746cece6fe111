"""Rules read what is given, write it as it can be read again, and refuse everything else."""

from pathlib import Path
from typing import Any

import pytest

from x10_jupyter.base.rules import FILE_OR_STREAM, FRACTIONS, file_or_stream, folder, fractions, one_of, seconds, switch, whole_number


@pytest.mark.parametrize(("given", "value"), [("7", 7), (7, 7), ("010", 10)])
def test_a_whole_number(given: Any, value: int) -> None:
    assert whole_number(given) == value


@pytest.mark.parametrize("given", ["0", "-1", "1.5", " ", 0, True, 2.0, None])
def test_no_whole_number(given: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        whole_number(given)


@pytest.mark.parametrize(
    ("given", "value"), [(True, True), (0, False), ("1", True), ("Off", False), ("yes", True), (" false ", False), ("2", True), (-1, True)]
)
def test_on_or_off(given: Any, value: bool) -> None:
    assert switch(given) is value


@pytest.mark.parametrize("given", ["maybe", "", None, 1.0, "1.0"])
def test_neither_on_nor_off(given: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        switch(given)


def test_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    wanted = str(tmp_path / "programs")
    assert [folder(given) for given in ("programs", Path("programs"), "~/programs", wanted)] == [wanted] * 4
    assert [folder(given) for given in (None, "", "None")] == [None] * 3
    assert folder("gs://bucket/programs") == "gs://bucket/programs"
    for odd in (7, b"programs"):
        with pytest.raises(TypeError):
            folder(odd)


def test_a_file_or_a_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [file_or_stream(given) for given in ("STDERR", "STDOUT", "stderr", None)] == ["STDERR", "STDOUT", str(tmp_path / "stderr"), None]
    assert FILE_OR_STREAM.words == ("STDERR", "STDOUT")


@pytest.mark.parametrize(("given", "value"), [("30", 30.0), (1, 1.0), (0.5, 0.5), ("0", 0.0), (None, None), ("", None), ("None", None)])
def test_seconds(given: Any, value: float | None) -> None:
    assert seconds(given) == value


@pytest.mark.parametrize("given", ["soon", -1, "inf", "nan", True, [1]])
def test_no_seconds(given: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        seconds(given)


def test_fractions_come_in_order_and_are_read_as_they_are_written() -> None:
    assert fractions("0.5:0.1:0.5:0.999") == fractions([0.999, 0.1, 0.5]) == (0.1, 0.5, 0.999)
    assert FRACTIONS.write((0.1, 0.5, 0.999)) == "0.1:0.5:0.999"


@pytest.mark.parametrize("given", ["", "0.5:", "0:0.5", "1", "nan", "half", [], None, 0.5])
def test_no_fractions(given: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        fractions(given)


def test_one_of_several_words() -> None:
    rule = one_of("text", "hlo")
    assert (rule.says, rule.words, rule.read(" HLO ")) == ("one of text, hlo", ("text", "hlo"), "hlo")
    for odd in ("xml", "", None, 1):
        with pytest.raises(ValueError):
            rule.read(odd)
