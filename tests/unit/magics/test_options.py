import pytest
from IPython.core.error import UsageError

from x10_jupyter.magics.options import Options, asks_for_help, help_text, parse, part


def test_all_options() -> None:
    assert parse("warm --out first --quiet") == Options(name="warm", out="first", quiet=True, wants_help=False)


def test_nothing_is_asked_for_by_an_empty_line() -> None:
    assert parse("") == Options(name="", out="", quiet=False, wants_help=False)


@pytest.mark.parametrize("line", ["'first epoch' -o a", "first epoch -o a", "-o a first epoch"])
def test_a_name_may_have_several_words(line: str) -> None:
    assert (parse(line).name, parse(line).out) == ("first epoch", "a")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--loud", "unrecognized arguments: --loud"),
        ("-o", "expected one argument"),
        ("-o 1st", r"-o 1st`\. Write a name"),
        ("'half", "cannot read `'half`: No closing quotation"),
    ],
)
def test_says_what_is_wrong(line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(line)


@pytest.mark.parametrize(("line", "expected"), [("-h", True), ("a --help", True), ("a", False), ("-h --loud", False)])
def test_help_is_asked_for_only_by_a_line_that_can_be_read(line: str, expected: bool) -> None:
    assert asks_for_help(line) is expected


def test_help_names_every_option() -> None:
    assert all(option in help_text() for option in ("NAME", "--out VAR", "--quiet", "--help"))


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
    ],
)
def test_options_come_before_the_statement(line: str, options: str, statement: str) -> None:
    assert part(line) == (options, statement)


def test_help_begins_with_how_to_write_it() -> None:
    assert help_text().startswith("usage: %%x10trace [-o VAR]")
