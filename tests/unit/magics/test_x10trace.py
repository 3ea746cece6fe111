"""The magic in IPython's core, with a producer and clocks moved by hand."""

from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO

import jax
import jax.numpy
import pytest
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

from runtime import listening
from stage import Stage
from tracebacks import frames_of_ours
from x10_jupyter.base.frames import Cells, user_frame
from x10_jupyter.magics.install import install, uninstall
from x10_jupyter.records.runtime_events import Executed


@dataclass
class Ran:
    result: ExecutionResult
    stdout: str
    bundles: list[dict[str, str]]
    """What was shown, values and views, in order."""

    @property
    def error(self) -> BaseException | None:
        return self.result.error_before_exec or self.result.error_in_exec

    @property
    def texts(self) -> list[str]:
        return [bundle["text/plain"] for bundle in self.bundles]


Run = Callable[[str], Ran]


@pytest.fixture
def run(shell: InteractiveShell, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    bundles: list[dict[str, str]] = []
    monkeypatch.setattr(shell.displayhook, "write_format_data", lambda bundle, _metadata=None: bundles.append(bundle))
    monkeypatch.setattr(shell.display_pub, "publish", lambda data, **_: bundles.append(data))

    def cell(text: str) -> Ran:
        bundles.clear()
        with redirect_stdout(StringIO()) as stdout:
            result = shell.run_cell(text, store_history=True)
        return Ran(result, stdout.getvalue(), list(bundles))

    install(shell, stage.capture, stage.live)
    shell.user_ns |= {"stage": stage, "user_frame": user_frame, "Cells": Cells}
    yield cell
    uninstall(shell)


def test_shows_the_view_and_keeps_the_capture(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%x10trace warm -o mine\nstage.clock.advance(2_000_000)")
    assert ran.error is None
    assert ran.texts == [str(shell.user_ns["_x10"])]
    assert shell.user_ns["_x10"] is shell.user_ns["mine"]
    assert (shell.user_ns["mine"].name, shell.user_ns["mine"].wall_ns) == ("warm", 2_000_000)
    assert "text/html" in ran.bundles[0]


def test_quiet_shows_nothing(run: Run, shell: InteractiveShell) -> None:
    assert run("%%x10trace --quiet\n1").texts == ["1"]
    assert shell.user_ns["_x10"].error is None


def test_the_last_value_comes_first_and_the_view_under_it(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%x10trace\nx = 41\nx + 1")
    assert ran.texts == ["42", str(shell.user_ns["_x10"])]
    assert ran.result.result == 42
    assert shell.user_ns["_"] == 42


def test_a_semicolon_hides_the_value(run: Run) -> None:
    assert run("%%x10trace --quiet\n42;").texts == []


def test_showing_the_last_value_is_part_of_the_capture(run: Run, shell: InteractiveShell) -> None:
    run("class Slow:\n    def __repr__(self):\n        stage.clock.advance(7)\n        return 'slow'")
    run("%%x10trace\nSlow()")
    assert shell.user_ns["_x10"].wall_ns == 7


def test_a_cell_that_raises_shows_its_view_and_then_the_traceback(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%x10trace\nx = 1\n\nx / 0")
    assert isinstance(ran.error, ZeroDivisionError)
    assert shell.user_ns["_x10"].error == "ZeroDivisionError: division by zero"
    assert ran.texts == [str(shell.user_ns["_x10"])]
    assert ran.error.__traceback__ is not None
    frames = []
    trace = ran.error.__traceback__
    while trace:
        frames.append((shell.compile.format_code_name(trace.tb_frame.f_code.co_filename), trace.tb_lineno))
        trace = trace.tb_next
    assert frames[-1] == (("Cell", "In[1]"), 4)
    assert "x10_jupyter" not in ran.stdout


def test_an_error_leaves_no_name_behind(run: Run, shell: InteractiveShell) -> None:
    before = set(shell.user_ns)
    run("%%x10trace\n1 / 0")
    assert {name for name in set(shell.user_ns) - before if not name.startswith(("_i", "_x10"))} == set()


def test_a_syntax_error_is_told_once_with_the_right_line(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%x10trace\nx = 1\ny = = 2")
    assert isinstance(ran.error, SyntaxError)
    assert ran.error.lineno == 3
    assert "_x10" not in shell.user_ns
    assert ran.stdout.count("SyntaxError") == 1


def test_await_at_top_level(run: Run) -> None:
    ran = run("%%x10trace --quiet\nimport asyncio\nawait asyncio.sleep(0, 42)")
    assert (ran.error, ran.texts) == (None, ["42"])


def test_future_imports_work(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%x10trace\nfrom __future__ import annotations\ndef f(x: undefined): pass")
    assert ran.error is None
    assert shell.user_ns["f"].__annotations__ == {"x": "undefined"}


def test_another_cell_magic_beneath(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%x10trace\n%%capture said\nprint('hi')\nx = 3")
    assert ran.error is None
    assert (shell.user_ns["said"].stdout, shell.user_ns["x"]) == ("hi\n", 3)
    assert len(ran.texts) == 1


def test_beneath_another_cell_magic(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%time\n%%x10trace\nx = 3\nstage.clock.advance(5)")
    assert ran.error is None
    assert (shell.user_ns["x"], shell.user_ns["_x10"].wall_ns) == (3, 5)
    assert "Wall time" in ran.stdout


def test_line_magics_and_strings_over_several_lines_in_the_body(run: Run, shell: InteractiveShell) -> None:
    run('%%x10trace\n%precision 3\ns = """a\n    b"""')
    assert shell.user_ns["s"] == "a\n    b"


def test_help_runs_nothing(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%x10trace -h\nx = 1")
    assert "--quiet" in ran.stdout
    assert not {"x", "_x10"} & set(shell.user_ns)


@pytest.mark.parametrize("cell", ["%x10trace", "%x10trace -h", "%%x10trace -h", "%%x10trace -h\n "])
def test_help_when_there_is_nothing_to_run(run: Run, cell: str) -> None:
    ran = run(cell)
    assert ran.error is None
    assert "--quiet" in ran.stdout


@pytest.mark.parametrize("cell", ["%%x10trace --loud\nx = 1", "%x10trace --loud x = 1"])
def test_an_unknown_option_is_an_error_and_nothing_runs(run: Run, shell: InteractiveShell, cell: str) -> None:
    ran = run(cell)
    assert ran.error is not None
    assert "unrecognized arguments: --loud" in str(ran.error)
    assert not {"x", "_x10"} & set(shell.user_ns)


def test_a_capture_inside_a_capture(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%x10trace -o outer\nstage.clock.advance(1)\n%x10trace -o inner stage.clock.advance(2)")
    assert ran.error is None
    assert (shell.user_ns["inner"].wall_ns, shell.user_ns["outer"].wall_ns) == (2, 3)
    assert shell.user_ns["_x10"] is shell.user_ns["outer"]


def test_one_statement_and_its_value(run: Run, shell: InteractiveShell) -> None:
    ran = run("x = 20\ny = %x10trace -o a 2 * x + len('-o b')\ny")
    assert ran.error is None
    assert ran.texts[-1] == "44"
    assert shell.user_ns["a"].error is None


def test_a_statement_assigns_in_the_cell(run: Run, shell: InteractiveShell) -> None:
    assert run("%x10trace x = 3; y = x + 1").error is None
    assert shell.user_ns["y"] == 4


def test_a_statement_in_a_function_sees_its_variables(run: Run) -> None:
    assert run("def f(n):\n    return get_ipython().run_line_magic('x10trace', '--quiet n + 1')\nf(4)").texts == ["5"]


def test_a_statement_that_raises(run: Run, shell: InteractiveShell) -> None:
    ran = run("a = 1\n%x10trace a / 0")
    assert isinstance(ran.error, ZeroDivisionError)
    assert shell.user_ns["_x10"].error == "ZeroDivisionError: division by zero"


WHERE = "(lambda f: (Cells.number(f.f_code.co_filename), f.f_lineno))(user_frame())"


def test_lines_are_those_of_the_cell(run: Run) -> None:
    assert run(f"%%x10trace --quiet\n\n{WHERE}").texts == ["(1, 3)"]
    assert run(f"\n\n\n%x10trace --quiet {WHERE}").texts == ["(2, 1)"]
    assert run(f"a = 1\n%x10trace --quiet {WHERE}").texts == ["(3, 2)"]


def test_called_by_name_as_programs_do(run: Run, shell: InteractiveShell) -> None:
    ran = run("get_ipython().run_cell_magic('x10trace', 'byname', 'z = 5\\nz')")
    assert ran.texts[-1] == "5"
    assert shell.user_ns["_x10"].name == "byname"


def test_works_after_reset(run: Run, shell: InteractiveShell) -> None:
    run("%reset -f")
    assert run("%%x10trace\n1 + 1").texts[0] == "2"
    assert shell.user_ns["_x10"].error is None


def test_in_a_terminal_a_cell_goes_on_until_a_blank_line(run: Run, shell: InteractiveShell) -> None:
    check = shell.input_transformer_manager.check_complete
    assert check("%%x10trace\nx = 1")[0] == "incomplete"
    assert check("%%x10trace\nx = 1\n\n")[0] == "complete"


def test_interrupting_is_an_error_as_without_it(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%x10trace\nraise KeyboardInterrupt")
    assert isinstance(ran.error, KeyboardInterrupt)
    assert shell.user_ns["_x10"].error == "KeyboardInterrupt"


def test_plain_code_runs_on_lazy_tensors_and_leaves_arrays(run: Run, shell: InteractiveShell) -> None:
    assert run("import jax, jax.numpy as jnp\ndef helper(x):\n    return jnp.tanh(x)").error is None
    before = shell.user_ns["jnp"], shell.user_ns["jax"]
    ran = run("%%x10trace --lazy\nfrom jax.numpy import cos\nx = helper(jnp.ones(3)) + cos(1.0)\nkind = type(x).__name__\nx.sum()")
    assert ran.error is None
    assert shell.user_ns["kind"] == "Tensor"
    assert isinstance(shell.user_ns["x"], jax.Array)
    assert (shell.user_ns["jnp"], shell.user_ns["jax"]) == before
    assert shell.user_ns["cos"] is jax.numpy.cos
    assert shell.user_ns["_x10"].is_plain
    assert run("%x10trace --lazy import jax.numpy as np2; y = np2.ones(3); one = type(y).__name__").error is None
    assert (shell.user_ns["one"], shell.user_ns["np2"]) == ("Tensor", jax.numpy)


def test_plain_code_shows_arrays_and_leaves_them_where_the_shell_keeps_values(run: Run, shell: InteractiveShell) -> None:
    assert run("import jax, jax.numpy as jnp\nimport dataclasses\n@dataclasses.dataclass\nclass Model:\n    w: object").error is None
    ran = run("%%x10trace --lazy --quiet\nx = jnp.sin(jnp.ones(2)) * 2\nx")
    kept = shell.user_ns
    assert ran.texts == [repr(kept["x"])]
    assert isinstance(kept["x"], jax.Array)
    number = ran.result.execution_count
    assert kept["_"] is kept[f"_{number}"] is kept["Out"][number] is kept["x"]
    ran = run("%%x10trace --lazy --quiet\nModel(jnp.ones(2) * 3)")
    assert ran.texts == [repr(kept["_"])]
    assert isinstance(kept["_"].w, jax.Array)
    for code in ("z = %x10trace --lazy --quiet jnp.sin(x) * 3", "z = get_ipython().run_cell_magic('x10trace', '--lazy --quiet', 'jnp.sin(x) * 3')"):
        assert run(code).error is None
        assert isinstance(kept.pop("z"), jax.Array)
    run("3")
    assert kept["_"] == 3, "IPython goes on to bind it"


def test_plain_code_whose_value_a_semicolon_hides_computes_none(run: Run, shell: InteractiveShell) -> None:
    run("import jax.numpy as jnp")
    with listening() as events:
        ran = run("%%x10trace --lazy --quiet\njnp.sin(jnp.ones(2)) * 1.75;")
    assert ran.error is None
    assert ran.texts == []
    assert not [event for event in events if isinstance(event, Executed)]


def test_after_an_error_names_are_jaxs_again(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%x10trace --lazy --quiet\nimport jax.numpy as jnp\nz = jnp.ones(3) * 2\n1 / 0")
    assert isinstance(ran.error, ZeroDivisionError)
    assert shell.user_ns["jnp"] is jax.numpy
    assert isinstance(shell.user_ns["z"], jax.Array)


def test_the_traceback_of_a_statement_has_the_users_lines_and_none_of_ours(run: Run) -> None:
    assert frames_of_ours(run("%x10trace --quiet 1 / 0").error) == []
    assert frames_of_ours(run("def broken():\n    1 / 0\n%x10trace --quiet broken(); 2").error) == []
