import pytest
from IPython.core.error import UsageError

from x10_jupyter.magics.arguments import Arguments, check_variable


@pytest.fixture
def arguments() -> Arguments:
    made = Arguments("%paint", "Paint the wall.")
    made.add_argument("colours", nargs="*")
    made.add_argument("-c", "--coats", type=int, default=1)
    made.add_argument("--finish", choices=("matt", "gloss"), default="matt")
    made.add_argument("--quiet", action="store_true")
    return made


def test_a_line_is_read_as_a_shell_reads_it(arguments: Arguments) -> None:
    found = arguments.read("'dark red' blue --coats 2")
    assert (found.colours, found.coats, found.finish, found.quiet) == (["dark red", "blue"], 2, "matt", False)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--quite", r"^unrecognized arguments: --quite\. Did you mean --quiet\?$"),
        ("--coat_s=3", r"Did you mean --coats\?$"),
        ("--zzz", r"^unrecognized arguments: --zzz\. There is -c, --coats, --finish, --quiet\.$"),
        ("--coats two", "argument -c/--coats: invalid int value: 'two'"),
        ("--finish satin", "invalid choice: 'satin'"),
        ("'half", "%paint cannot read `'half`: No closing quotation"),
    ],
)
def test_what_is_wrong_is_told_with_what_is_near(arguments: Arguments, line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        arguments.read(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", ["red", "--coats", "--finish", "--quiet"]),
        ("red --q", ["red", "--coats", "--finish", "--quiet"]),
        ("--finish ", ["matt", "gloss"]),
        ("--finish=", ["--finish=matt", "--finish=gloss"]),
        ("--coats ", []),
        ("--quiet ", ["red", "--coats", "--finish", "--quiet"]),
    ],
)
def test_what_may_be_typed_next(arguments: Arguments, line: str, expected: list[str]) -> None:
    assert arguments.complete(line, ["red"]) == expected


@pytest.mark.parametrize("name", ["1st", "a b", "class", "a.b"])
def test_what_cannot_be_a_variable_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=rf"%paint binds the colour to a variable; got `-o {name}`\."):
        check_variable(name, "%paint", "the colour")


def test_a_variable_and_none_are_accepted() -> None:
    check_variable("first", "%paint", "the colour")
    check_variable("", "%paint", "the colour")
