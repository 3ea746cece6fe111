"""The programs that ordinary JAX compiled, from the capture to the file and the pictures."""

import gc
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.extend.backend as backend
import jax.numpy as jnp
import numpy as np
import pytest

import looked_at
import x10_jupyter as x10
from pages import assert_survives
from x10_jupyter.observe.guard import ERRORS
from x10_jupyter.records.program import LEVELS
from x10_jupyter.session.looked import ELSEWHERE
from x10_jupyter.views.blocks import blocks
from x10_jupyter.views.drawn import drawn


def captured(function: Callable[..., Any], *calls: tuple[Any, ...], **options: Any) -> Any:
    """A capture of some calls of a function that is compiled for them, and nothing else."""
    jitted = jax.jit(function)
    with x10.capture(**options) as capturing:
        for arguments in calls:
            jitted(*arguments)
    return capturing.capture, jitted


def fresh(x: Any) -> Any:
    return jnp.tanh(x @ x.T) * 0.40625


@pytest.mark.parametrize("shape", [(4, 3), (5, 3)])
def test_what_a_program_costs_is_in_its_capture(shape: tuple[int, int]) -> None:
    found, _ = captured(lambda x: fresh(x) + shape[0], (np.ones(shape, np.float32),))
    ((one,), (program,)) = found.compiles, found.programs
    assert program.name == one.program
    assert program.cost.flops >= 2 * shape[0] ** 2 * shape[1]
    assert program.cost.transcendentals == shape[0] ** 2
    assert program.memory.argument_bytes == 4 * shape[0] * shape[1]
    assert program.memory.output_bytes == 4 * shape[0] ** 2
    assert (program.graphs, program.texts) == ((), {}), "nothing is written out before somebody asks"
    assert "temporaries" in str(found.bundle()["text/html"])


def test_what_was_looked_at_is_saved_and_read_where_the_program_is_not(tmp_path: Path) -> None:
    found, kept = captured(lambda x: fresh(x) - 1, (np.ones((4, 3), np.float32),))
    name = found.compiles[0].program
    seen = found.program(name, "hlo", "jaxpr")
    assert [graph.level for graph in found.graphs] == ["jaxpr", "hlo"]
    found.to_json(tmp_path / "capture.json")
    loaded = x10.load_capture(tmp_path / "capture.json")
    assert loaded.program(name, "hlo", "jaxpr") == seen
    assert loaded.program(name, "stablehlo").missing == {"stablehlo": ELSEWHERE}, "one of that name here may be another one"
    assert loaded.graphs == found.graphs
    found.to_html(tmp_path / "report.html")
    assert x10.load_capture(tmp_path / "report.html").program(name, "hlo") == seen
    del kept


def test_graphs_that_are_asked_for_are_in_the_capture() -> None:
    found, _ = captured(lambda x: fresh(x) - 2, (np.ones((4, 3), np.float32),), graphs=["hlo"])
    (program,) = found.programs
    assert [graph.level for graph in program.graphs] == ["jaxpr", "hlo"]
    assert set(program.texts) == {"jaxpr", "hlo"}


def test_a_capture_keeps_no_program_alive() -> None:
    found, jitted = captured(lambda x: fresh(x) - 3, (np.ones((4, 3), np.float32),), graphs=True)
    name = found.compiles[0].program
    found.program(name, *LEVELS)
    count = len(backend.get_backend().live_executables())
    del jitted
    gc.collect()
    assert len(backend.get_backend().live_executables()) == count - 1
    assert found.program(name, *LEVELS).graph("hlo") is not None, "what was seen stays"


def test_two_shapes_of_one_function_are_compared() -> None:
    found, _ = captured(lambda x: fresh(x) - 4, (np.ones((4, 3), np.float32),), (np.ones((6, 3), np.float32),))
    names = [one.program for one in found.compiles]
    for level in LEVELS:
        part = x10.diff_graphs(*[found.program(name, level).graph(level) for name in names])
        assert part is not None
        assert (part.kind, part.old, part.new) == ("shape", "f32[4,3]", "f32[6,3]"), level


def test_gradients_and_several_devices_have_programs_too() -> None:
    ERRORS.clear()
    spread = jax.pmap(lambda x: jnp.sin(x) * 0.34375, devices=jax.devices()[:1])
    gradient = jax.jit(jax.value_and_grad(lambda x: jnp.sum(jnp.sin(x) * 0.359375)))
    with x10.capture() as capturing:
        spread(np.ones((1, 4), np.float32))
        gradient(np.ones(4, np.float32))
        jnp.cosh(np.ones(7, np.float32))
    found = capturing.capture
    assert not ERRORS
    assert all(one.program for one in found.compiles)
    for one in found.compiles:
        seen = found.program(one.program, *LEVELS)
        assert not seen.missing, one.program
        assert [graph.level for graph in seen.graphs] == list(LEVELS)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("level", LEVELS)
def test_graphviz_takes_what_is_written_for_it(level: str, tmp_path: Path) -> None:
    found, _ = captured(lambda w, x: looked_at.step(w, x), (looked_at.W, looked_at.X))
    graph = found.program(found.compiles[-1].program, level).graph(level)
    result = subprocess.run(["dot", "-Tpng", "-o", tmp_path / "graph.png"], input=graph.to_dot().encode(), capture_output=True, check=True)
    assert result.stderr == b""
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("level", LEVELS)
def test_pictures_have_at_most_a_hundred_boxes_with_lines(level: str) -> None:
    def deep(weights: Any, x: Any) -> Any:
        for weight in weights:
            x = jnp.where(x > 0.25, jnp.tanh(x @ weight), x)
        return jax.lax.fori_loop(0, 4, lambda _, y: y * 0.5, x).sum()

    found, _ = captured(jax.value_and_grad(deep), ([np.ones((8, 8), np.float32)] * 40, np.ones((4, 8), np.float32)))
    graph = found.program(found.compiles[-1].program, level).graph(level)
    assert len(graph.nodes) > 300
    assert len(blocks(graph, 100)) <= 100
    for part in drawn(graph):
        assert_survives(part)
    assert "test_programs.py:" in drawn(graph)[1]
