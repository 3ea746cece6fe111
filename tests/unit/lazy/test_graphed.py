"""Every cut tells its graph to who asks for it, and to nobody else."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
import pytest
from jax._src.dispatch import runtime_tokens

import x10_jupyter as x10
from runtime import forget, run_cell
from x10_jupyter.base.config import config
from x10_jupyter.base.errors import LostValueError
from x10_jupyter.lazy import graphed as module
from x10_jupyter.lazy.producer import EVENTS, drain
from x10_jupyter.records.runtime_events import Compiled, Graphed
from x10_jupyter.records.sink import Extra, ListSink


@contextmanager
def graphs(*forms: Extra) -> Iterator[list[Graphed]]:
    """The graphs of the cuts in the block, but those that were only about to be compiled."""
    sink, found = ListSink(), list[Graphed]()
    EVENTS.add(sink, ["graphs", *forms])
    try:
        yield found
        drain()
    finally:
        EVENTS.remove(sink)
        found += [event for event in sink.events if isinstance(event, Graphed) and event.found != "compiling"]


def ones(*shape: int) -> Any:
    return x10.tensor(np.ones(shape, np.float32))


def step(x: Any) -> Any:
    y = x * 0.5
    x10.barrier()
    return y


def test_hits_are_told_as_misses_are_and_share_their_graph() -> None:
    with graphs() as found:
        x = ones(4)
        for _ in range(3):
            x = step(x)
    assert [event.found for event in found] == ["miss", "hit", "hit"]
    assert len({id(event.graph) for event in found}) == 1
    assert len({event.key for event in found}) == 1
    assert found[0].compile_ns > 0
    assert [(event.compile_ns, event.cause) for event in found[1:]] == [(0, None), (0, None)]
    assert [frame.function for frame in found[0].frames[:2]] == ["step", "test_hits_are_told_as_misses_are_and_share_their_graph"]
    assert (found[0].why, found[0].how, found[0].program) == ("barrier", "barrier()", found[2].program)


def test_what_is_compiled_is_told_before_too() -> None:
    sink = ListSink()
    EVENTS.add(sink, ["graphs", "hlo"])
    try:
        step(step(ones(4)))
    finally:
        EVENTS.remove(sink)
    told = [event for event in sink.events if isinstance(event, Graphed | Compiled)]
    assert [getattr(event, "found", "compiled") for event in told] == ["compiling", "compiled", "miss", "hit"]
    before, _, after, _ = told
    assert isinstance(before, Graphed)
    assert isinstance(after, Graphed)
    assert (before.program, before.key, before.compile_ns) == ("", "", 0)
    assert before.cause is after.cause is not None
    assert (before.graph, before.frames, before.texts) == (after.graph, after.frames, after.texts)


def test_nothing_is_drawn_unless_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "draw", lambda *_: pytest.fail("drawn for nobody"))
    step(ones(4))


def test_a_recompile_comes_with_the_nearest_known_graph() -> None:
    with graphs() as found:
        for rows in (4, 3, 4):
            step(ones(rows))
    first, other, _ = found
    assert other.cause is not None
    assert (other.cause.kind, other.cause.nearest) == ("shape", first.program)
    assert other.nearest == first.graph
    assert other.nearest_frames == first.frames
    assert (first.nearest, first.nearest_frames) == (None, ())
    assert other.key != first.key


def test_a_program_from_before_somebody_asked_is_drawn_then() -> None:
    step(ones(4))
    with graphs() as found:
        step(ones(3))
    assert found[0].nearest is not None
    assert [frame.function for frame in found[0].nearest_frames] == ["step"]


def test_an_operation_that_needs_values_is_named_with_the_stack_that_called_it() -> None:
    def pick(x: Any) -> Any:
        return x10.numpy.nonzero(x - 1.0)

    with graphs() as found:
        pick(ones(3))
    assert [(event.why, event.how) for event in found] == [("fallback", "nonzero")]
    assert found[0].frames[0].function.endswith("pick")


def test_a_program_that_cannot_be_compiled_is_told_with_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_(self: Any) -> Any:
        raise RuntimeError("out of paper")

    monkeypatch.setattr(jax.stages.Lowered, "compile", compile_)
    with graphs("hlo") as found, pytest.raises(LostValueError):
        step(ones(3))
    assert [(event.found, event.program, event.key) for event in found] == [("failed", "", "")]
    assert found[0].texts["hlo"].startswith("HloModule jit_step")
    assert [node.op for node in found[0].graph.nodes] == ["xla::device_data", "prim::Constant", "x10::mul"]


def test_what_cannot_even_be_lowered_is_told_as_it_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    def lower(self: Any) -> Any:
        raise RuntimeError("out of paper")

    monkeypatch.setattr(jax.stages.Traced, "lower", lower)
    with graphs("hlo") as found, pytest.raises(LostValueError):
        step(ones(3))
    assert [(event.found, event.program, event.texts) for event in found] == [("failed", "", {})]
    assert [node.op for node in found[0].graph.nodes] == ["xla::device_data", "prim::Constant", "x10::mul"]


def test_the_forms_that_are_asked_for_are_made_of_what_is_compiled_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with graphs("hlo", "stablehlo", "jaxpr") as found:
        monkeypatch.setattr(module, "staged", lambda *_: pytest.fail("made again"))
        step(step(ones(64, 1024)))
    texts = found[0].texts
    assert texts["hlo"].startswith("HloModule jit_step")
    assert "multiply(" in texts["hlo"]
    assert "stablehlo.multiply" in texts["stablehlo"]
    assert texts["jaxpr"].startswith("{ lambda ; a:f32[64,1024]. let")
    assert found[1].texts == texts


def test_a_known_program_is_lowered_once_more_though_its_input_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    x = step(ones(64, 1024))  # so large that it is overwritten
    with graphs("hlo", "stablehlo", "jaxpr") as found:
        x = step(x)
        monkeypatch.setattr(module, "staged", lambda *_: pytest.fail("made again"))
        x = step(x)
    assert [event.found for event in found] == ["hit", "hit"]
    assert found[0].texts == found[1].texts
    with graphs("hlo", "stablehlo", "jaxpr") as fresh:
        forget()
        step(ones(64, 1024))
    assert fresh[0].texts == found[0].texts


def test_one_form_alone() -> None:
    with graphs("jaxpr") as found:
        step(ones(4))
    assert set(found[0].texts) == {"jaxpr"}


def test_a_text_that_jax_cannot_make_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any, dialect: str) -> Any:
        raise NotImplementedError("not on this device")

    monkeypatch.setattr(jax.stages.Lowered, "as_text", refuse)
    with graphs("hlo") as found:
        step(ones(4))
    assert found[0].texts == {"hlo": "JAX cannot show it: NotImplementedError: not on this device\n"}


def test_a_graph_that_cannot_be_drawn_costs_no_value(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(module, "draw", refuse)
    with graphs() as found:
        assert np.asarray(step(ones(2))).tolist() == [0.5, 0.5]
    assert found == []
    assert caplog.messages == ["The graph of a trace could not be told"] * 2  # before and after the compile


def keys(runs: Iterable[Any]) -> list[str]:
    with graphs() as found:
        for run in runs:
            run()
    return [event.key for event in found]


def test_the_key_tells_whatever_makes_another_program() -> None:
    x = ones(4)
    held: list[Any] = []

    def shapes() -> None:
        step(ones(3))

    def precision() -> None:
        with jax.default_matmul_precision("highest"):
            float((x @ x) * 1.0)

    def outputs() -> None:
        held.append(x * 0.5)
        held.append(x * 0.25)
        x10.barrier()

    def callback(which: int) -> None:
        told = (lambda a: np.float32(1), lambda a: np.float32(2))[which]  # told apart by nothing but its address
        float(x10.lazy(lambda a: jax.pure_callback(told, jax.ShapeDtypeStruct((), np.float32), a.sum()))(x))

    found = keys([lambda: step(x), shapes, lambda: float((x @ x) * 1.0), precision, outputs, lambda: callback(0), lambda: callback(1)])
    assert len(found) == 7
    assert len(set(found)) == 7


def test_an_edited_cell_is_told_with_its_own_lines() -> None:
    names: dict[str, Any] = {"x10": x10, "x": ones(4)}
    with graphs() as found:
        for source in ("y = x * 0.5\nx10.barrier()", "\n\ny = x * 0.5\nx10.barrier()", "\n\ny = x * 0.5\nx10.barrier()"):
            run_cell(source, names)
    lines = [event.graph.nodes[-1].site and event.graph.nodes[-1].site.line for event in found]
    assert [event.found for event in found] == ["miss", "hit", "hit"]
    assert (lines[0], lines[2]) == (1, 3)
    assert [event.frames[0].line for event in found] == [2, 4, 4]


def test_a_cut_that_computes_nothing_has_no_graph() -> None:
    with graphs() as found:
        x = ones(3) * 2.0
        del x  # nobody holds it
        x10.barrier()
    assert found == []


def test_settings_are_those_of_the_trace(trace: Any) -> None:
    with graphs("jaxpr") as found:
        x = ones(3)
        with jax.enable_x64(True):
            y = x10.lazy(lambda a: a.astype("float64"))(x)
        float(ones(2).sum())
    del y
    assert "f64[3]" in found[0].texts["jaxpr"]
    assert config.now.save_tensors_file is None


def test_op_by_op_there_is_a_graph_and_no_program() -> None:
    with graphs() as found, config(XLA_SYNC_TENSORS_OPBYOP=1, XLA_GET_TENSORS_OPBYOP=1):
        x = step(ones(3))
        float(x.sum())
    assert [(event.op_by_op, event.why, event.found, event.program, event.key) for event in found] == [
        (True, "barrier", "none", "", ""),
        (True, "read", "none", "", ""),
    ]
    assert [node.op for node in found[0].graph.nodes] == ["xla::device_data", "prim::Constant", "x10::mul"]


def test_op_by_op_an_operation_that_fails_is_told_once() -> None:
    def refuse(_: Any) -> Any:
        raise RuntimeError("no such luck")

    with graphs() as found, config(XLA_GET_TENSORS_OPBYOP=1), pytest.raises(LostValueError):
        float(x10.lazy(lambda a: jax.pure_callback(refuse, jax.ShapeDtypeStruct((), np.float32), a.sum()))(ones(3)))
    runtime_tokens.clear()
    assert [(event.found, event.program) for event in found] == [("failed", "")]
