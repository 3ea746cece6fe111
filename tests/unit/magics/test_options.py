from pathlib import Path

import pytest
from IPython.core.error import UsageError

from x10_jupyter.magics.options import Options, asks_for_help, asks_for_lazy, check_file, complete_cell, complete_line, help_text, parse, part

FLAGS = ["--out", "--quiet", "--no-live", "--save", "--lazy", "--graph", "--graph-format", "--ops", "--no-memory", "--max-recompiles", "--help"]


def test_all_options() -> None:
    line = "warm --out first --quiet --no-live --save 'my run.json' --graph --ops --lazy --max-recompiles 3"
    assert parse(line) == Options(name="warm", out="first", quiet=True, no_live=True, save="my run.json", graphs=True, ops=True, lazy=True, max_recompiles=3)


def test_graphs_may_be_asked_for_in_several_forms() -> None:
    assert parse("--graph-format hlo --graph-format=jaxpr --graph").graphs == ("hlo", "jaxpr")
    assert complete_cell("--graph-format ") == ["hlo", "stablehlo", "jaxpr"]


def test_nothing_is_asked_for_by_an_empty_line() -> None:
    assert parse("") == Options()
    assert parse("--max-recompiles 0").max_recompiles == 0


@pytest.mark.parametrize("line", ["'first epoch' -o a", "first epoch -o a", "-o a first epoch"])
def test_a_name_may_have_several_words(line: str) -> None:
    assert (parse(line).name, parse(line).out) == ("first epoch", "a")


def test_a_file_may_lie_in_the_users_home() -> None:
    assert parse("--save ~/a.json").save == str(Path.home() / "a.json")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--loud", "unrecognized arguments: --loud"),
        ("--quite", r"Did you mean --quiet\?"),
        ("--live", r"Did you mean --no-live\?"),
        ("-o", "expected one argument"),
        ("-o 1st", r"-o 1st`\. Write a name"),
        ("'half", "cannot read `'half`: No closing quotation"),
        ("--max-recompiles few", "argument --max-recompiles: must be a whole number from 0 on; got `few`"),
        ("--max-recompiles=-1", "must be a whole number from 0 on; got `-1`"),
        ("--max-recompiles", "expected one argument"),
        ("--graph-format xml", "invalid choice: 'xml'"),
    ],
)
def test_says_what_is_wrong(line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(line)


@pytest.mark.parametrize(("line", "expected"), [("-h", True), ("a --help", True), ("a", False), ("-h --loud", False)])
def test_help_is_asked_for_only_by_a_line_that_can_be_read(line: str, expected: bool) -> None:
    assert asks_for_help(line) is expected


def test_help_names_every_option() -> None:
    assert all(option in help_text() for option in ("NAME", "--out VAR", "--save FILE", "--max-recompiles N", *FLAGS))


def test_help_begins_with_how_to_write_it() -> None:
    assert help_text().startswith("usage: %%x10trace [-o VAR]")
    assert "%x10graph shows it" in help_text()
    assert "%%x10graph" not in help_text()


@pytest.mark.parametrize(
    ("line", "options", "statement"),
    [
        ("train()", "", "train()"),
        ("-o a train('-x', 1)", "-o a", "train('-x', 1)"),
        ("--out a --quiet x = y - 1", "--out a --quiet", "x = y - 1"),
        ("--out=a f()", "--out=a", "f()"),
        ("-oa f()", "-oa", "f()"),
        ("-h", "-h", ""),
        ("--quiet -x", "--quiet -x", ""),
        ("-o", "-o", ""),
        ("", "", ""),
        ("--save 'a b.json' f('c d')", "--save 'a b.json'", "f('c d')"),
        ('--save="a b.json" --max-recompiles 2 f()', '--save="a b.json" --max-recompiles 2', "f()"),
        ("--graph-format hlo f()", "--graph-format hlo", "f()"),
        ("--no-live --graph f() if x else -h", "--no-live --graph", "f() if x else -h"),
    ],
)
def test_options_come_before_the_statement(line: str, options: str, statement: str) -> None:
    assert part(line) == (options, statement)


def test_a_file_is_looked_at_before_the_cell_runs(tmp_path: Path) -> None:
    check_file("")
    check_file(str(tmp_path / "new.json"))
    (tmp_path / "old.json").touch()
    check_file(str(tmp_path / "old.json"))
    assert not (tmp_path / "new.json").exists()
    with pytest.raises(UsageError, match=r"in a folder that exists; got `--save .*/no/a\.json`\. Make .*/no first\."):
        check_file(str(tmp_path / "no" / "a.json"))
    with pytest.raises(UsageError, match=r"to a file that may be written; got `--save "):
        check_file(str(tmp_path))


def test_the_cells_line_is_completed_everywhere() -> None:
    assert complete_cell("warm ") == FLAGS
    assert complete_cell("--max-recompiles ") == []


@pytest.mark.parametrize("line", ["--q", "-", "--quiet --o", "-o a --"])
def test_a_statement_is_not_completed_but_the_options_before_it_are(line: str) -> None:
    assert complete_line(line) == FLAGS


@pytest.mark.parametrize("line", ["", "f", "f(-", "--quiet f(--", "f() -", "--out "])
def test_what_is_pythons_is_left_to_python(line: str) -> None:
    assert complete_line(line) == []


@pytest.mark.parametrize(("line", "expected"), [("--lazy", True), ("warm -o a --lazy", True), ("", False), ("lazy", False), ("--lazy --loud", False)])
def test_lazy_tensors_are_asked_for_only_by_a_line_that_can_be_read(line: str, expected: bool) -> None:
    assert asks_for_lazy(line) is expected
