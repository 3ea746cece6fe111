import ast
import linecache
import sys
from collections.abc import Iterator

import pytest

from x10_jupyter.lazy.line import Line, encloses, expression, line_of, loops, parsed, runs_once, source, user_line

NAME = "<a cell of these tests>"


@pytest.fixture
def cell() -> Iterator[None]:
    yield
    linecache.cache.pop(NAME, None)


def line_in(cell: str, mark: str) -> Line:
    """The place of an expression in a cell with this source."""
    linecache.cache[NAME] = (len(cell), None, cell.splitlines(keepends=True), NAME)
    for number, text in enumerate(cell.splitlines(), 1):
        start = text.encode().find(mark.encode())
        if start >= 0:
            return Line(NAME, number, "<module>", (start, start + len(mark.encode())))
    raise AssertionError(mark)


def test_the_line_of_a_frame() -> None:
    here = line_of(sys._getframe())
    assert (here.file, here.function) == (__file__, "test_the_line_of_a_frame")
    assert here.number == test_the_line_of_a_frame.__code__.co_firstlineno + 1
    assert here.columns is not None


def test_the_users_line_is_the_callers() -> None:
    here = user_line()
    assert here.number == test_the_users_line_is_the_callers.__code__.co_firstlineno + 1
    assert linecache.getline(here.file, here.number)[slice(*here.columns or ())] == "user_line()"


def test_an_expression_over_several_lines_has_no_columns() -> None:
    found = [
        line_of(
            sys._getframe(),
        )
    ]
    assert found[0].columns is None
    assert expression(found[0]) is None


@pytest.mark.usefixtures("cell")
@pytest.mark.parametrize("text", ["a + b", "f(x) @ w['k']", "x", "x.T", "w -= 0.1 * g"])
def test_the_source_of_what_runs(text: str) -> None:
    assert source(line_in(f"if True: {text}\n", text)) == text


@pytest.mark.usefixtures("cell")
def test_columns_count_bytes() -> None:
    assert source(line_in("é = 'ü'; z = a + b\n", "a + b")) == "a + b"


def test_without_source_there_is_none() -> None:
    assert source(Line(__file__, 1, "f", None)) == ""
    assert source(Line("<nowhere>", 1, "f", (0, 5))) == ""


@pytest.mark.usefixtures("cell")
def test_columns_that_do_not_fit_the_source_say_nothing() -> None:
    line = line_in("y = (a + b) * c\n", "+ b) *")
    assert source(line) == ""


@pytest.mark.usefixtures("cell")
def test_loops_in_a_source() -> None:
    code = "a = 1\nfor i in range(2):\n    a += 1\nwhile a:\n    a -= 1\n    break\nb = 2\n"
    linecache.cache[NAME] = (len(code), None, list(map(str, code.splitlines(keepends=True))), NAME)

    def line(number: int, function: str = "<module>") -> Line:
        return Line(NAME, number, function)

    assert loops(code) == ((2, 3), (4, 6))
    assert loops("for") is None
    assert [encloses(line(number)) for number in (1, 2, 3, 5, 7)] == [False, True, True, True, False]
    assert encloses(Line("<nowhere>", 1, "<module>")), "what can't be read may be a loop"
    assert runs_once(line(1), line(3))
    assert not runs_once(line(3), line(5))
    assert not runs_once(line(1, "helper"), line(3)), "who calls a helper is not known"
    assert not runs_once(None, line(3))


def test_sources_are_parsed_though_other_threads_parse_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [SystemError("AST constructor recursion depth mismatch"), ast.Module([], [])]

    def parse(_: str) -> ast.Module:
        answer = answers.pop(0)
        if isinstance(answer, SystemError):
            raise answer
        return answer

    monkeypatch.setattr(ast, "parse", parse)
    found = parsed("x")
    monkeypatch.undo()
    assert found.body == []
