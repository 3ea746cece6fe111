from typing import Any

from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from x10_jupyter.magics.completion import put_completer, remove_completer


def test_a_shell_completes_what_it_was_told_and_forgets_it(shell: InteractiveShell) -> None:
    def complete(_shell: InteractiveShell, event: Any) -> list[str]:
        assert event.text_until_cursor.startswith("%colours ")
        return ["green", "blue"]

    def found() -> set[str]:
        assert shell.Completer is not None
        with provisionalcompleter():
            return {each.text for each in shell.Completer.completions("%colours ", 9)}

    put_completer(shell, "%colours", complete)
    assert {"green", "blue"} <= found()
    remove_completer(shell, "%colours")
    assert not {"green", "blue"} & found()
