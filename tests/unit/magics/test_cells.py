import linecache
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magics.execution import ExecutionMagics

from x10_jupyter.base.frames import Cells
from x10_jupyter.magics import cells as module
from x10_jupyter.magics.cells import PROFILES, numbers, placing, text_of


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


Marks = list[tuple[int | None, int, str]]


@pytest.fixture
def marks(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> Iterator[Marks]:
    """From where `mark` was called, in a shell that places code: the cell, the line, and what stands there."""
    found: Marks = []

    def mark(_: object) -> None:
        frame = sys._getframe(1)
        file, line = frame.f_code.co_filename, frame.f_lineno
        found.append((Cells.number(file), line, linecache.getline(file, line).strip()))

    monkeypatch.setattr(Cells, "number", staticmethod(numbers(shell)))
    shell.user_ns["mark"] = mark
    kind, run = type(shell.compile), vars(ExecutionMagics)[PROFILES]
    end = placing(shell)
    yield found
    end()
    assert type(shell.compile) is kind
    assert vars(ExecutionMagics)[PROFILES] is run


MAGICS = {
    "%%time": ("%%time\n\nimport math\nmark('a')\ndef f():\n    mark('b')\nf()\nmark('c')", [4, 6, 8]),
    "%%time of an expression": ("%%time\nmark('a')", [2]),
    "%time": ("y = 1\n%time mark('a')", [2]),
    "%time of a statement": ("y = 1\n%time z = mark('a')", [2]),
    "%time in a function": ("def g():\n    get_ipython().run_line_magic('time', 'mark(1)')\ng()", [2]),
    "%time in a block": ("if True:\n    %time mark('a')\n    mark('b')", [2, 3]),
    "%%timeit": ("%%timeit -n1 -r1\ny = 2\nmark('a')", [3]),
    "%timeit": ("y = 1\n\n%timeit -n1 -r1 mark('a')", [3]),
    "%%prun": ("%%prun -q\n\ny = 2\nmark('a')", [4]),
    "%%prun with code beside it": ("%%prun -q mark('z')\ny = 2\nmark('a')", [1, 3]),
    "%prun": ("y = 1\n%prun -q mark('a')", [2]),
    "%%capture": ("%%capture\n\ny = 2\nmark('a')\nmark('b')", [4, 5]),
    "one in another": ("%%capture\n%%time\ny = 2\nmark('a')\nmark('b')", [4, 5]),
    "the other in it": ("%%time\n%%capture\ny = 2\nmark('a')\nmark('b')", [4, 5]),
}


@pytest.mark.parametrize(("cell", "lines"), MAGICS.values(), ids=MAGICS.keys())
def test_what_a_magic_runs_has_the_lines_of_its_cell(shell: InteractiveShell, marks: Marks, cell: str, lines: list[int]) -> None:
    shell.run_cell("pass", store_history=True)
    with redirect_stdout(StringIO()):
        shell.run_cell(cell, store_history=True).raise_error()
    assert [(number, line) for number, line, _ in marks] == [(2, line) for line in lines]
    assert all("mark(" in text for _, _, text in marks if not cell.startswith("%%prun -q mark")), "and they can be read"


def test_the_setup_of_a_timed_loop_stands_on_the_magics_line(shell: InteractiveShell, marks: Marks) -> None:
    with redirect_stdout(StringIO()):
        shell.run_cell("%%timeit -n1 -r1 mark('s')\nmark('a')", store_history=True).raise_error()
    assert [line for _, line, _ in marks] == [1, 2]


def test_what_a_magic_defines_keeps_its_lines_in_later_cells(shell: InteractiveShell, marks: Marks) -> None:
    with redirect_stdout(StringIO()):
        shell.run_cell("%%time\ny = 1\ndef f():\n    mark('b')", store_history=True).raise_error()
    shell.run_cell("f()", store_history=True).raise_error()
    assert marks == [(1, 4, "mark('b')")]


def test_code_that_stands_in_no_cell_is_left_alone(shell: InteractiveShell, marks: Marks) -> None:
    with redirect_stdout(StringIO()):
        shell.run_cell("%%capture\n\nget_ipython().run_cell('mark(1)')", store_history=True).raise_error()
    assert [(line, text) for _, line, text in marks] == [(1, "mark(1)")]
    marks.clear()
    shell.run_line_magic("time", "mark(1)")
    assert [number for number, _, _ in marks] == [None]


def test_where_ipython_is_another_one_everything_runs_as_without_this(shell: InteractiveShell, marks: Marks, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise KeyError

    monkeypatch.setattr(module, "part_in", fails)
    for cell, _ in MAGICS.values():
        with redirect_stdout(StringIO()):
            shell.run_cell(cell, store_history=True).raise_error()
    assert len(marks) > len(MAGICS)
