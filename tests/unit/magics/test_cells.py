from IPython.core.interactiveshell import InteractiveShell

from x10_jupyter.magics.cells import numbers, text_of


def test_knows_the_cells_of_its_shell_and_nothing_else(shell: InteractiveShell) -> None:
    name = shell.compile.cache("x = 1", 12)
    assert numbers(shell)(name) == 12
    assert numbers(shell)("train.py") is None


def test_a_cell_is_told_as_it_was_written(shell: InteractiveShell) -> None:
    shell.run_cell("%alias_magic t timeit", store_history=True)
    shell.run_cell("x = 1  # one\nx\n", store_history=True)
    assert text_of(shell, 2) == "x = 1  # one\nx"
    assert [text_of(shell, number) for number in (None, 0, 3, -1)] == [None] * 4
    shell.run_cell("%reset -f in")
    assert text_of(shell, 2) is None
