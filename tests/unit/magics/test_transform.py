import ast

import pytest

from x10_jupyter.magics.transform import MARK, Marker, Wrapper


def marked(cell: str) -> str:
    return "".join(Marker()(cell.splitlines(keepends=True)))


def wrapped(cell: str, interactivity: str = "last_expr") -> str:
    tree = Wrapper(lambda: interactivity).visit(ast.parse(marked(cell)))
    compile(tree, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return ast.unparse(tree).replace("get_ipython().magics_manager.registry['X10Magics']", "X10")


def lines(tree: ast.AST) -> set[int]:
    return {getattr(part, "lineno", 0) for part in ast.walk(tree)} - {0}


def test_the_first_line_becomes_a_string_and_no_line_moves() -> None:
    assert marked("%%x10trace warm -o a\nx = 1\n") == f"{MARK + ' warm -o a'!r}\nx = 1\n"


@pytest.mark.parametrize("cell", ["x = 1\n", "%%x10trace\n", "%%x10trace\n  \n", "%%x10tracer\nx\n", "%%x10trace?\nx\n", "%%time\n%%x10trace\nx\n", ""])
def test_other_cells_are_left_alone(cell: str) -> None:
    assert marked(cell) == cell


def test_marking_twice_is_marking_once() -> None:
    once = marked("%%x10trace\nx = 1\n")
    assert marked(once) == once


def test_another_magic_beneath_is_expanded() -> None:
    assert marked("%%x10trace\n%%time\nx = 1\n") == f"{MARK!r}\nget_ipython().run_cell_magic('time', '', 'x = 1\\n')\n"


def test_the_body_runs_inside_and_the_last_value_is_shown_there() -> None:
    assert wrapped("%%x10trace a\nx = 1\nx + 1\n") == "with X10.tracing(' a'):\n    x = 1\n    X10.show(x + 1)"


def test_future_imports_come_first() -> None:
    assert wrapped("%%x10trace\nfrom __future__ import annotations\nx = 1\n") == ("from __future__ import annotations\nwith X10.tracing(''):\n    x = 1")


def test_help_does_not_run_the_body() -> None:
    assert wrapped("%%x10trace -h\nexplode()\n") == "X10.help()"


def test_a_cell_of_comments_is_captured_as_nothing() -> None:
    assert wrapped("%%x10trace\n# later\n") == "with X10.tracing(''):\n    pass"


def test_a_capture_in_a_capture() -> None:
    assert wrapped("%%x10trace a\n%%x10trace b\n1\n") == "with X10.tracing(' a'):\n    with X10.tracing(' b'):\n        X10.show(1)"


@pytest.mark.parametrize(
    ("interactivity", "expected"),
    [
        ("none", "1\n    x = 2"),
        ("all", "X10.show(1)\n    x = 2"),
        ("last_expr", "1\n    x = 2"),
        ("last_expr_or_assign", "1\n    x = 2\n    X10.show(x)"),
    ],
)
def test_shows_what_the_shell_is_set_to_show(interactivity: str, expected: str) -> None:
    assert wrapped("%%x10trace\n1\nx = 2\n", interactivity) == f"with X10.tracing(''):\n    {expected}"


def test_every_new_part_is_on_a_line_of_the_user() -> None:
    tree = Wrapper(lambda: "last_expr").visit(ast.parse(marked("%%x10trace\nx = 1\n\nx +\\\n 1\n")))
    show = tree.body[0].body[-1].value
    assert lines(show.func) == {4}
    assert lines(tree.body[0].items[0]) == {1}


def test_under_lazy_each_import_of_jax_is_told_of() -> None:
    body = "import jax.numpy as jnp, os\nif x:\n    from jax import nn\ntry:\n    import os\nexcept E:\n    import jax\ndef f():\n    import jax\n"
    told = wrapped(f"%%x10trace --lazy\n{body}")
    assert told.count("X10.imported()") == 3
    assert "import jax.numpy as jnp, os\n    X10.imported()" in told
    assert "imported" not in wrapped(f"%%x10trace\n{body}")
