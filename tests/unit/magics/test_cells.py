from IPython.core.interactiveshell import InteractiveShell

from x10_jupyter.magics.cells import numbers


def test_knows_the_cells_of_its_shell_and_nothing_else(shell: InteractiveShell) -> None:
    name = shell.compile.cache("x = 1", 12)
    assert numbers(shell)(name) == 12
    assert numbers(shell)("train.py") is None
