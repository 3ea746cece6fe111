"""`%x10graph` in IPython's core."""

import gc
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import x10_jupyter as x10
from factories import MS, capture, graph, graphed, node, program, site, staged
from runtime import forget
from stage import Stage
from x10_jupyter.magics.install import install, uninstall
from x10_jupyter.magics.x10graph import GraphMagics, parse
from x10_jupyter.records.difference import Difference
from x10_jupyter.records.graph import Graph
from x10_jupyter.session import capture as capturing
from x10_jupyter.session import connect, disconnect, running

Run = Callable[[str], str]
SMALL = graph()
LARGE = graph(node("xla::device_data", results=("f32[9]",)), node("x10::sum", (0, 0)), id="2e01")
LIKE = graph(node("xla::device_data", results=("f32[8]",)), node("x10::sum", (0, 0)), id="2e02")
SEVERAL = capture(graphed(0, texts={"hlo": "HloModule small\n"}), graphed(2, graph=LARGE), graphed(3, graph=LIKE))


@pytest.fixture
def run(shell: InteractiveShell, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a cell; returns what it showed last: text, help or the error."""
    shown: list[str] = []
    monkeypatch.setattr(shell.display_pub, "publish", lambda data, **_: shown.append(data["text/plain"]))

    def cell(text: str) -> str:
        shown.clear()
        with redirect_stdout(StringIO()) as stdout, redirect_stderr(StringIO()) as stderr:
            shell.run_cell(text, store_history=True)
        return shown[-1] if shown else stdout.getvalue() + stderr.getvalue()

    install(shell, stage.capture, stage.live)
    shell.user_ns |= {"several": SEVERAL, "small": SMALL, "logged": LARGE.to_text(), "both": [SMALL, SEVERAL]}
    yield cell
    uninstall(shell)


def test_those_of_the_last_capture(run: Run, shell: InteractiveShell) -> None:
    shell.user_ns["_x10"] = SEVERAL
    shown = run("%x10graph")
    assert [line.split()[1] for line in shown.splitlines()] == ["id", "1f", "2e01", "2e02"]
    assert run("%x10graph 1").endswith(SMALL.to_text().rstrip())
    assert run("%x10graph 2e01").endswith(LARGE.to_text().rstrip())
    assert run("%x10graph 2E02 --format dot").endswith(LIKE.to_dot().rstrip())


def test_one_that_is_alone_is_shown_at_once(run: Run, shell: InteractiveShell) -> None:
    shell.user_ns["_x10"] = capture(graphed(0), graphed(1))
    assert run("%x10graph") == run("%x10graph 1")
    assert run("%x10graph").startswith("graph 1f, 1 operation, 1 result, program `train_0`, cut 2 times")


@pytest.mark.parametrize(
    ("which", "expected"), [("several:3", LIKE), ("several:1f", SMALL), ("small", SMALL), ("both:1", SMALL), ("both:2e01", LARGE)], ids=str
)
def test_of_a_variable(run: Run, shell: InteractiveShell, which: str, expected: Graph) -> None:
    assert run(f"%x10graph {which} -o one").endswith(expected.to_text().rstrip())
    assert shell.user_ns["one"] == expected


def test_of_text_of_a_trace_log(run: Run, shell: InteractiveShell) -> None:
    run("%x10graph logged -o read")
    assert [each.op for each in shell.user_ns["read"].nodes] == ["xla::device_data", "x10::sum"]


def test_all_are_bound_where_all_are_shown(run: Run, shell: InteractiveShell) -> None:
    assert run("%x10graph several -o all").splitlines()[0].split()[0] == "graph"
    assert shell.user_ns["all"] == (SMALL, LARGE, LIKE)


def test_the_picture_is_for_notebooks_and_its_text_for_the_rest(run: Run, shell: InteractiveShell) -> None:
    magics = shell.magics_manager.registry["GraphMagics"]
    assert isinstance(magics, GraphMagics)
    shown, _ = magics.found(parse("small"))
    assert shown["text/html"].count("data:image/svg+xml") == 1
    assert shown["text/plain"] == run("%x10graph small")
    assert set(magics.found(parse("small --format text"))[0]) == {"text/plain"}


def test_a_text_that_was_recorded(run: Run) -> None:
    assert run("%x10graph several:1 --format hlo").endswith("HloModule small")


def test_where_two_part(run: Run, shell: InteractiveShell) -> None:
    shell.user_ns["_x10"] = SEVERAL
    expected = "The graphs part at node %0: shape\nwas f32[9], at cell [4] line 5\nis  f32[8], at cell [4] line 5"
    assert run("%x10graph --diff 2 2e02 -o part") == expected
    part = shell.user_ns["part"]
    assert isinstance(part, Difference)
    assert (part.kind, part.old, part.new) == ("shape", "f32[9]", "f32[8]")
    assert run("%x10graph --diff small several:1") == "The graphs are equal."


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "There is no capture yet. Put `%%x10trace --graph` on a cell"),
        ("empty", "The capture `empty` holds no graph, and JAX compiled nothing in it. Capture with `%%x10trace --graph`, or with `x10.capture(graphs=True)`"),
        ("several:9", "There is no graph, program or variable `9`. There are these:\ngraph  id"),
        ("several:2e", "2 graphs have an id that begins with `2e`. There are these:"),
        ("number", "`number` is no capture, graph or text of a graph; got int."),
        ("prose", "A graph as text has a line `IR {`"),
        (
            "several:1 --format jaxpr",
            "Of graph 1f there is no `jaxpr`. Capture with `%%x10trace --graph-format jaxpr`, or with `x10.capture(graphs=['jaxpr'])`.",
        ),
        ("small --format hlo", "Of graph 1f there is no `hlo`. It has `svg`, `text` and `dot`."),
        ("several --format xml", "invalid choice: 'xml'"),
        ("--diff several small", "compares two graphs; `several` has 3. Say which, as in `--diff several:1 several:2`."),
        ("several --diff small small", "--diff takes two graphs and nothing else; got `several`, too."),
        ("--diff small", "expected 2 arguments"),
        ("--formt dot", "Did you mean --format?"),
        ("-o 7", "Write a name, as in `-o first`"),
    ],
)
def test_what_is_wrong_is_told(run: Run, shell: InteractiveShell, line: str, told: str) -> None:
    shell.user_ns |= {"empty": capture(), "number": 7, "prose": "no graph"}
    said = run(f"%x10graph {line}")
    assert said.startswith("UsageError: ")
    assert told in said
    assert "Traceback" not in said


def test_help(run: Run) -> None:
    assert "ID|VAR" in run("%x10graph -h")
    assert "%x10graph --diff A B" in run("%x10graph?")


def test_what_may_be_typed_next(run: Run, shell: InteractiveShell) -> None:
    shell.user_ns["_x10"] = SEVERAL
    magics = shell.magics_manager.registry["GraphMagics"]
    assert isinstance(magics, GraphMagics)
    assert magics.complete("") == ["several", "small", "1f", "2e01", "2e02", "--format", "--level", "--diff", "--out", "--help"]
    assert magics.complete("1f --format ") == ["svg", "text", "dot", "hlo", "stablehlo", "jaxpr"]


STEP = graph(
    node("jaxpr::input", results=("f32[4,8]",), tags=(("name", "x"),)),
    node("jaxpr::tanh", (0, 0), results=("f32[4,8]",), site=site(6), within="scan.1.jaxpr", scope="loss"),
    node("jaxpr::scan", (0, 0), results=("f32[4,8]",), site=site(7), called=("scan.1.jaxpr",)),
    id="5a",
    level="jaxpr",
)
WIDER = graph(*[replace(each, results=("f32[6,8]",)) for each in STEP.nodes], id="5b", level="jaxpr")
RUNS = graph(node("hlo::parameter"), node("hlo::fusion", (0, 0)), id="5c", level="hlo")
JITTED = capture(
    graphed(0, texts={"hlo": "HloModule small\n"}),
    staged(10 * MS, 12 * MS, program="jit(step)", site=site(3)),
    staged(20 * MS, 25 * MS, program="jit(step).2", site=site(3)),
    staged(30 * MS, 31 * MS, function="sin", program="jit(sin)", is_eager=True),
    programs=(
        program(graphs=(STEP, RUNS), texts={"hlo": "HloModule jit_step\n"}),
        program("jit(step).2", graphs=(WIDER,), missing={"hlo": "It is gone."}),
    ),
)


def test_programs_that_jax_compiled_are_listed_behind_graphs(run: Run, shell: InteractiveShell) -> None:
    shell.user_ns["_x10"] = JITTED
    assert run("%x10graph").splitlines() == [
        "graph  id      operations  program      cut  where",
        "1      1f      1           train_0      1 ×  barrier() at cell [4] line 7",
        "2      step                jit(step)         compiled in 2.00 ms at cell [4] line 3",
        "3      step.2              jit(step).2       compiled in 5.00 ms at cell [4] line 3",
    ]


@pytest.mark.parametrize("which", ["2", "step", "jit(step)", "JIT:2", "JIT:step"])
def test_one_of_them_with_what_it_costs(run: Run, shell: InteractiveShell, which: str) -> None:
    shell.user_ns |= {"_x10": JITTED, "JIT": JITTED}
    shown = run(f"%x10graph {which} -o one").splitlines()
    assert shown[:3] == [
        "program jit(step) as jaxpr, 2 operations in it and 1 inner computation, compiled in 2.00 ms at cell [4] line 3",
        "1.20 GFLOP, 34.0 MiB read and written, 12.0 MiB temporaries",
        "4,096 transcendental, 2.00 KiB arguments, 1.00 KiB outputs",
    ]
    assert shown[5] == "  %1 = f32[4,8]{1,0} jaxpr::tanh(%0), scope=loss, within=scan.1.jaxpr, location=train@cell [4]:6"
    assert shell.user_ns["one"] == STEP


def test_a_variable_that_holds_the_function_is_no_capture_but_its_name(run: Run, shell: InteractiveShell) -> None:
    def step() -> None: ...

    shell.user_ns |= {"_x10": JITTED, "step": step, "alias": step}
    assert run("%x10graph alias") == run("%x10graph step") == run("%x10graph 2")


def test_at_another_level_and_as_its_text(run: Run, shell: InteractiveShell) -> None:
    shell.user_ns["_x10"] = JITTED
    assert run("%x10graph step --level hlo").endswith(RUNS.to_text().rstrip())
    assert run("%x10graph step --level hlo --format dot").endswith(RUNS.to_dot().rstrip())
    assert run("%x10graph step --format hlo").endswith("HloModule jit_step")
    assert run("%x10graph step.2 --format hlo") == "UsageError: Of jit(step).2 there is no `hlo`. It is gone.\n"
    assert run("%x10graph step --format jaxpr") == "UsageError: Of jit(step) there is no text of `jaxpr`.\n"
    assert run("%x10graph sin") == "UsageError: Of jit(sin) there is no `jaxpr` and no `hlo` and no `stablehlo`. Nobody looked at it.\n"


def test_where_two_programs_part(run: Run, shell: InteractiveShell) -> None:
    shell.user_ns["_x10"] = JITTED
    assert run("%x10graph --diff step step.2").splitlines() == [
        "jit(step) and jit(step).2 as jaxpr",
        "The graphs part at node %0: shape",
        "was f32[4,8], at cell [4] line 5",
        "is  f32[6,8], at cell [4] line 5",
        "3 of 3 nodes differ: 3 in shape",
    ]
    assert run("%x10graph --diff step step.2 --level hlo") == "UsageError: Of jit(step).2 there is no `hlo`. It is gone.\n"
    assert "Two graphs can be compared at one level; got `trace` and `jaxpr`." in run("%x10graph --diff 1 step")


def test_a_real_program_of_jax_in_every_form(shell: InteractiveShell) -> None:
    install(shell, capturing, running)
    connect()
    try:
        shell.run_cell("import jax, numpy as np\n@jax.jit\ndef wave(a):\n    return jax.numpy.sin(a) * 0.3125\nx = np.ones(3)", store_history=True)
        shell.run_cell("%%x10trace --quiet\nfor n in (3, 4):\n    wave(np.ones(n, np.float32))", store_history=True)
        first, second = [each.program for each in shell.user_ns["_x10"].compiles]
        assert first.startswith("jit(wave)")
        assert "f32[3]{0} jaxpr::sin(%0), location=wave@" in shown(shell, "%x10graph 1")
        assert "HloModule jit_wave" in shown(shell, f"%x10graph {second} --format hlo")
        assert "stablehlo.sine" in shown(shell, "%x10graph 1 --format stablehlo")
        assert "let" in shown(shell, "%x10graph 2 --format jaxpr")
        assert "3 of 4 nodes differ: 3 in shape" in shown(shell, "%x10graph --diff 1 2")
        shell.run_cell("%%x10trace --quiet\nwave(np.ones(3, np.float32))", store_history=True)
        assert "jaxpr::sin" in shown(shell, f"%x10graph {first}"), "also where the last capture compiled nothing"
        shell.run_cell("del wave\njax.clear_caches()")
        gc.collect()
        with pytest.raises(UsageError, match="It is gone"):
            shown(shell, f"%x10graph {first}")
    finally:
        disconnect()
        uninstall(shell)


def test_a_real_program_in_every_form(shell: InteractiveShell) -> None:
    forget()
    install(shell, capturing, running)
    try:
        shell.user_ns |= {"x10": x10, "np": np}
        shell.run_cell("%%x10trace --quiet --graph-format hlo --graph-format jaxpr\ny = x10.tensor(np.ones(3)) * 2\nx10.barrier()").raise_error()
        (one,) = shell.user_ns["_x10"].graphs
        assert "HloModule" in shown(shell, "%x10graph --format hlo")
        assert "let" in shown(shell, "%x10graph --format jaxpr")
        assert one.to_text().rstrip() in shown(shell, "%x10graph")
    finally:
        uninstall(shell)


def shown(shell: InteractiveShell, line: str) -> str:
    """What a line shows."""
    with redirect_stdout(StringIO()) as stdout:
        shell.run_cell(line).raise_error()
    return stdout.getvalue()
