from collections.abc import Iterator

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from x10_jupyter.magics.completion import matcher


def colours(line: str) -> list[str]:
    return ["red"] if line.startswith("warm ") else ["green", "grey", "blue"]


@pytest.fixture
def painting(shell: InteractiveShell) -> Iterator[InteractiveShell]:
    """A shell that completes a magic's colours."""
    assert shell.Completer is not None
    made = matcher({"%paint": colours, "%%paint": lambda _: ["--gloss"]})
    shell.Completer.custom_matchers.append(made)
    yield shell
    shell.Completer.custom_matchers.remove(made)


def completed(shell: InteractiveShell, code: str, at: int | None = None) -> list[str]:
    """What is offered at the end of some code, or at a place in it."""
    assert shell.Completer is not None
    with provisionalcompleter():
        return [each.text for each in shell.Completer.completions(code, len(code) if at is None else at)]


@pytest.mark.parametrize("before", ["", "x = ", "x = 1; ", "  ", "a = 1\nb = 2\n"])
def test_a_magic_is_completed_where_it_may_stand(painting: InteractiveShell, before: str) -> None:
    assert completed(painting, f"{before}%paint gr") == ["green", "grey"]


def test_what_stands_before_the_last_word_is_told(painting: InteractiveShell) -> None:
    assert completed(painting, "%paint warm ") == ["red"]


def test_a_cell_magic_is_another_one_and_is_completed_in_its_line_only(painting: InteractiveShell) -> None:
    assert completed(painting, "%%paint \nx = 1", at=8) == ["--gloss"]
    assert "--gloss" not in completed(painting, "%%paint\ngr")


@pytest.mark.parametrize("code", ["gr", "paint gr", "%other gr", "print('%paint gr", "%paint nothing"])
def test_elsewhere_ipython_goes_on_as_without_it(painting: InteractiveShell, code: str) -> None:
    assert not {"green", "grey", "blue"} & set(completed(painting, code))
