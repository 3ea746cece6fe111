"""The public functions, and every promised name moved by the runtime itself."""

import gc
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import forget
from x10_jupyter.base.errors import LostValueError, UsageError
from x10_jupyter.lazy.producer import drain
from x10_jupyter.metrics.legend import meanings
from x10_jupyter.session.metrics import moment, report

xnp = x10.numpy


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    forget()
    drain()
    x10.clear_metrics()
    yield
    x10.clear_metrics()


def ones(*shape: int) -> Any:
    return x10.tensor(np.ones(shape, np.float32))


def steps(count: int = 3) -> None:
    x = y = ones(4, 8)
    for lr in range(count):
        y = (x @ x.T * float(lr)).sum()
        x10.barrier()
    assert float(y) == 32.0 * 4 * (count - 1)
    drain()


def moved(run: Callable[[], object]) -> dict[str, Any]:
    """What running something moves, by name: a counter's value, or a metric's number of samples and sum."""
    run()
    gc.collect()
    drain()
    found = report()
    return {**found.counters, **{name: (facts.total, facts.sum) for name, facts in found.metrics.items()}}


def test_steps_move_what_they_should() -> None:
    found = moved(steps)
    assert (found["MarkStep"], found["UncachedCompile"], found["CachedCompile"]) == (3, 1, 2)
    assert (found["UncachedSyncTensors"], found["CachedSyncTensors"]) == (1, 2)
    assert (found["cause::first"], found["ExecuteComputation"]) == (1, 3)
    assert {name: found[f"x10::{name}"] for name in ("matmul", "multiply", "sum") if f"x10::{name}" in found}
    assert [found[name][0] for name in ("CompileTime", "ExecuteTime", "LazyTracing", "TensorsGraphSize", "DeviceLockWait", "InputOutputAliasCount")] == [
        1,
        3,
        3,
        3,
        3,
        1,
    ]
    assert all(found[name][1] > 0 for name in ("CompileTime", "ExecuteTime", "LazyTracing", "TensorsGraphSize"))


def test_transfers() -> None:
    found = moved(steps)
    assert found["OutboundData"] == (1, 4 * 8 * 4)
    assert found["InboundData"] == (1, 4)
    for name in ("TransferToServerTime", "TransferToDeviceTime", "TransferFromServerTime", "TransferFromDeviceTime"):
        assert found[name][0] == 1
        assert found[name][1] > 0
    assert "IrValueTensorToXlaData" not in found


TO_THE_HOST: dict[str, Callable[[Any], object]] = {
    "float": float,
    "int": int,
    "bool": bool,
    "complex": complex,
    "index": lambda t: range(3)[t.astype("int32")],
    "in": lambda t: 1.0 in t.reshape(1),
    "str": str,
    "format": lambda t: f"{t:.2f}",
    "item": lambda t: t.item(),
    "tolist": lambda t: t.tolist(),
    "tobytes": lambda t: t.tobytes(),
    "NumPy": np.asarray,
    "a file of NumPy's": lambda t: np.save(BytesIO(), t),
    "device_get": jax.device_get,
    "pickle": pickle.dumps,
    "DLPack": np.from_dlpack,
}
NOT_TO_THE_HOST: dict[str, Callable[[Any], object]] = {
    "data": lambda t: t.data,
    "iteration": lambda t: list(t.reshape(1)),
    "jax.numpy": jax.numpy.asarray,
    "to_device": lambda t: t.to_device("CPU:0"),
    "wait": lambda t: t.block_until_ready(),
    "sharding": lambda t: t.sharding,
    "clone": lambda t: t.clone(),
    "repr": repr,
}


@pytest.mark.parametrize("is_pending", [False, True])
@pytest.mark.parametrize("read", TO_THE_HOST.values(), ids=TO_THE_HOST.keys())
def test_what_the_host_gets_is_inbound(read: Callable[[Any], object], is_pending: bool) -> None:
    t = ones()
    if is_pending:
        t = t * 1.0
    found = moved(lambda: read(t))
    assert found["InboundData"] == (1, 1 if read is TO_THE_HOST["in"] else 4)
    for name in ("TransferFromServerTime", "TransferFromDeviceTime"):
        assert found[name][0] == 1
        assert found[name][1] > 0


@pytest.mark.parametrize("read", NOT_TO_THE_HOST.values(), ids=NOT_TO_THE_HOST.keys())
def test_what_jax_gets_is_not(read: Callable[[Any], object]) -> None:
    t = ones() * 1.0
    found = moved(lambda: read(t))
    assert not {"InboundData", "TransferFromServerTime", "TransferFromDeviceTime"} & found.keys()


def test_what_the_host_gets_is_of_the_dtype_that_the_tensor_says() -> None:
    t = x10.to_reduced_precision(ones(3) * 1.5)
    assert t.tolist() == [1.5] * 3
    assert t.tobytes() == np.full(3, 1.5, np.float32).tobytes()
    assert np.from_dlpack(t).dtype == np.float32
    assert pickle.loads(pickle.dumps(t)).is_reduced_precision


def test_host_data_that_an_operation_is_given() -> None:
    x = ones(3)
    (x + np.ones(3, np.float32)).block_until_ready()
    x10.clear_metrics()
    found = moved(lambda: float((x + np.ones(3, np.float32)).sum()))
    assert found["IrValueTensorToXlaData"][0] >= 1
    assert found["OutboundData"][1] == found["IrValueTensorToXlaData"][0] * 12


def test_tensors_and_handles_are_made_and_go() -> None:
    found = moved(steps)
    assert found["CreateXlaTensor"] == found["DestroyXlaTensor"] > found["CreateDataHandles"]
    # the user's tensor, and the result of each step
    assert found["CreateDataHandles"] == found["DestroyDataHandles"] == found["ReleaseDataHandles"] == 4
    assert found["CreateCompileHandles"] == 1


def test_what_is_still_there_has_not_gone() -> None:
    kept = [ones(2), ones(3)]
    found = moved(lambda: kept.append(kept[0] + 1) or x10.barrier())
    assert found["CreateXlaTensor"] - found.get("DestroyXlaTensor", 0) == 3


def test_programs_that_have_to_make_room() -> None:
    def two() -> None:
        with x10.config(compilation_cache_size=1):
            for size in (21, 22):
                float((ones(size) + 1).sum())

    found = moved(two)
    assert found["CreateCompileHandles"] == 2
    assert found["ReleaseCompileHandles"] >= 1
    assert found["DestroyCompileHandles"] >= 1


def test_numbers_are_uploaded_each_time() -> None:
    assert moved(steps)["DeviceDataCacheMiss"] == 3


def test_inputs_whose_memory_is_taken_over() -> None:
    def train() -> None:
        w = ones(256, 256) * 1
        for _ in range(2):
            x10.barrier()
            w = w + 1
        x10.barrier()

    assert moved(train)["InputOutputAliasCount"][1] >= 1


def test_a_trace_that_became_too_long() -> None:
    def long() -> None:
        with x10.config(trim_graph_size=10):
            x = ones(2)
            for _ in range(25):
                x = x + 1
            float(x.sum())

    assert moved(long)["TrimIrGraph"] == 2


def test_fallbacks_by_name() -> None:
    found = moved(lambda: [xnp.nonzero(ones(3)), xnp.nonzero(ones(3)), xnp.unique(ones(3))])
    assert (found["fallback::nonzero"], found["fallback::unique"]) == (2, 1)


def test_recompiles_by_cause() -> None:
    def shapes() -> None:
        for size in (3, 4, 5):
            float((ones(size) + 1).sum())

    found = moved(shapes)
    assert (found["cause::first"], found["cause::shape"]) == (1, 2)


def lose() -> None:
    """A step whose program cannot be compiled or run."""
    with jax.debug_nans(True):
        y = xnp.log(ones(3) * -1.0)
        with pytest.raises(LostValueError):
            x10.barrier(wait=True)
    assert y.shape == (3,)


def test_a_cut_is_one_whether_or_not_its_program_fails() -> None:
    first = moved(lose)
    x10.clear_metrics()
    second = moved(lose)
    for found in (first, second):
        assert (found["MarkStep"], found["x10::log"], found["x10::mul"]) == (1, 1, 1)
        assert (found["LazyTracing"][0], found["TensorsGraphSize"]) == (1, (1, 4))
        assert found["CreateXlaTensor"] == found["DestroyXlaTensor"]
        assert "ExecuteComputation" not in found
    assert [first.get(name) for name in ("UncachedCompile", "CachedCompile", "CompileTime")] == [1, None, first["CompileTime"]]
    assert [second.get(name) for name in ("UncachedCompile", "CachedCompile", "CompileTime")] == [None, 1, None]


def test_a_cut_whose_program_cannot_be_compiled_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(jax.stages.Lowered, "compile", refuse)
    found = moved(lose)
    assert (found["MarkStep"], found["x10::log"], found["x10::mul"], found["UncachedCompile"]) == (1, 1, 1, 1)
    assert (found["LazyTracing"][0], found["TensorsGraphSize"]) == (1, (1, 4))
    assert not {"CachedCompile", "CompileTime", "CreateCompileHandles", "DeviceDataCacheMiss", "ExecuteComputation"} & found.keys()


def test_op_by_op() -> None:
    def chained() -> None:
        with x10.config(sync_tensors_opbyop=True):
            y = ones(7) * 3.0 - 1
            x10.barrier()
        assert y.shape == (7,)

    found = moved(chained)
    assert found["ExecuteChainedTime"][0] == 1
    assert found["OpByOpGraphSize"] == (1, 2)
    assert found["OpByOpCompileCacheMiss"] == 2


def test_the_persistent_cache(tmp_path: Path) -> None:
    def compile_twice() -> None:
        with x10.config(persistent_cache_path=str(tmp_path)):
            for _ in range(2):
                forget()
                float((ones(13) + 1).sum())

    found = moved(compile_twice)
    assert (found["PersistentCacheMiss"], found["PersistentCacheHit"]) == (1, 1)
    assert found["CompileTime"][0] == found["PersistentCacheLoad"][0] == 1
    assert found["UncachedCompile"] == 2


def test_every_name_of_the_table_is_moved_by_a_test_here() -> None:
    source = Path(__file__).read_text()
    assert [name for name in meanings() if name.removesuffix("…") not in source] == []


def test_a_report_of_each_style_says_the_same() -> None:
    steps()
    kept = x10.parse_report(x10.metrics_report("json"))
    for style in ("x10", "torch_xla", "openmetrics"):
        found = x10.parse_report(x10.metrics_report(style))
        assert found.counters == kept.counters
        assert {name: facts.total for name, facts in found.metrics.items()} == {name: facts.total for name, facts in kept.metrics.items()}
    assert x10.metrics_report().startswith("Metric: CompileTime\n  TotalSamples: 1\n  Counter: ")
    with pytest.raises(UsageError, match="no style"):
        x10.metrics_report("yaml")


def test_percentiles_are_those_of_the_settings() -> None:
    steps()
    with x10.config(metrics_percentiles=(0.25, 0.999)):
        assert "  Percentiles: 25%=" in x10.metrics_report()
        assert "; 99.9%=" in x10.metrics_report()
        assert "50%=" not in x10.metrics_report()


def test_names_and_data_as_pytorch_xla_gives_them() -> None:
    steps()
    assert x10.metric_names() == sorted(x10.metric_names())
    assert "ExecuteTime" in x10.metric_names()
    assert "MarkStep" in x10.counter_names()
    assert x10.counter_value("MarkStep") == 3
    assert x10.counter_value("ExecuteTime") is x10.counter_value("unheard of") is None
    assert x10.metric_data("MarkStep") is x10.metric_data("unheard of") is None
    data = x10.metric_data("ExecuteTime")
    assert data is not None
    total, accumulator, samples = data
    assert total == len(samples) == 3
    assert accumulator == sum(value for _, value in samples)
    assert all(abs(at - time.time()) < 3600 for at, _ in samples), "seconds since 1970"


def test_clearing() -> None:
    steps()
    x10.clear_metrics()
    assert x10.metrics_report() == ""
    assert x10.metric_names() == x10.counter_names() == []


def test_since_a_moment() -> None:
    steps(2)
    mark = moment()
    steps(3)
    assert report(mark).counters["MarkStep"] == 3
    assert report().counters["MarkStep"] == 5


def test_what_has_finished_is_in_the_report_though_nobody_waited_for_the_watcher() -> None:
    for _ in range(5):
        y = ones(64, 64) @ ones(64, 64)
        x10.barrier()
        y.block_until_ready()
        assert any(x10.metric_data("ExecuteTime") for _ in range(10_000)), "a program's token, its last result, may be there a moment after the value"
        x10.clear_metrics()


def test_a_capture_has_its_own() -> None:
    steps(2)
    with x10.capture() as capturing:
        steps(3)
    steps(2)
    found: Any = capturing.capture.metrics
    assert found["MarkStep"].value == 3
    assert found["ExecuteTime"].total == 3
    assert found["CreateDataHandles"].value == 4


def test_it_is_logged_as_x10_does(caplog: pytest.LogCaptureFixture) -> None:
    steps()
    with caplog.at_level("INFO"):
        x10.PrintX10Metrics()
    (record,) = caplog.records
    assert (record.levelname, record.name) == ("INFO", "x10_jupyter.metrics")
    assert record.getMessage() == f"Metrics:\n{x10.metrics_report()}"


def test_it_is_logged_in_a_process_of_its_own() -> None:
    code = "import x10_jupyter as x10, numpy as np; x = x10.tensor(np.ones(2)) + 1; x10.barrier(); x10.PrintX10Metrics()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert done.stderr.startswith("Metrics:\nMetric: CompileTime\n  TotalSamples: 1\n  Counter: ")
    assert done.stderr.count("Metrics:") == 1
