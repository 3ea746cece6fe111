import threading
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles, listening
from x10_jupyter.base.errors import UsageError
from x10_jupyter.lazy.local import LOCAL, Watch, on_device, tensor_of
from x10_jupyter.records.runtime_events import Cut

xnp = x10.numpy


@pytest.fixture(params=[True, False], ids=["told of changes", "looking for changes"])
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """The runtime hears of changed settings, or looks for them at each operation."""
    if not request.param:
        Watch.stop()
    yield
    Watch.start()


@pytest.mark.usefixtures("either_way")
def test_what_is_pending_is_computed_under_its_own_configuration() -> None:
    x = x10.tensor(np.array([1, 2], np.float32))
    before = x.sum() * 2
    with listening() as events, jax.enable_x64(True):
        wide = xnp.arange(3) * 2.5
        assert (wide.dtype, before.dtype) == (jnp.float64, jnp.float32)
        assert float(before) == 6
        assert before.data.dtype == jnp.float32
        after = wide + 1
    narrow = xnp.arange(3) * 2.5
    assert (after.data.dtype, narrow.data.dtype) == (jnp.float64, jnp.float32)
    assert np.asarray(after).tolist() == [1.0, 3.5, 6.0]
    assert "config" in {e.why for e in events if isinstance(e, Cut)}


@pytest.mark.usefixtures("either_way")
def test_a_barrier_after_a_change_computes_under_the_configuration_of_the_trace() -> None:
    x = x10.tensor(np.array([1, 2], np.float32))
    y = xnp.arange(2) + x
    with jax.enable_x64(True):
        x10.barrier()
    assert (y.dtype, y.data.dtype) == (jnp.float32, jnp.float32)


@pytest.mark.usefixtures("either_way")
def test_a_known_trace_under_a_known_configuration_compiles_nothing() -> None:
    x = x10.tensor(np.array([[1, 2], [3, 4]], np.float32))

    def both() -> None:
        for precision in ("default", "highest"):
            with jax.default_matmul_precision(precision):
                y = x @ x + 1
                x10.barrier()
                assert np.asarray(y).tolist() == [[8, 11], [16, 23]]

    assert len(compiles(both)) == 2
    assert compiles(both) == []


@pytest.mark.usefixtures("either_way")
def test_a_change_for_the_whole_process_is_seen() -> None:
    x = x10.tensor(np.array([1], np.float32))
    y = x + 1
    try:
        jax.config.update("jax_enable_x64", True)
        assert xnp.arange(2).dtype == jnp.int64
    finally:
        jax.config.update("jax_enable_x64", False)
    assert xnp.arange(2).dtype == jnp.int32
    assert float(y[0]) == 2


SETTINGS = {"64 bits": lambda: jax.enable_x64(True), "strict": lambda: jax.numpy_dtype_promotion("strict")}


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("names", [("64 bits", "strict"), ("strict", "64 bits")], ids=" then ".join)
def test_a_number_alone_is_what_the_settings_in_force_make_of_it(names: tuple[str, str]) -> None:
    scale = x10.lazy(lambda n: (jnp.asarray(n), jnp.full((2,), n * 2)))  # of its own for each test, so that it is known under no settings
    scale(1.5)
    before, after = [SETTINGS[name] for name in names]
    with before():
        _ = x10.tensor(np.ones(2, np.float32)) + 1  # the trace has these settings, until something is recorded under others
    for name, setting in [(names[1], after), (names[0], before)]:
        with setting():
            assert {x.dtype for x in scale(1.5)} == {np.dtype(jnp.float64 if name == "64 bits" else jnp.float32)}


def test_each_thread_has_its_own_trace() -> None:
    x = x10.tensor(np.array([1, 2], np.float32))
    mine = x + 1
    found = []

    def work() -> None:
        y = x * 3
        x10.barrier()
        found.append(np.asarray(y).tolist())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [[3, 6]]
    assert "pending, 1 op" in repr(mine)
    assert np.asarray(mine).tolist() == [2, 3]


def test_a_tensor_pending_in_another_thread_is_refused_wherever_it_is_used() -> None:
    x = x10.tensor(np.array([1, 2], np.float32))
    mine = x + 1
    said: list[str] = []

    def work() -> None:
        for use in (lambda: mine + 1, lambda: 2 * mine, lambda: x + mine, lambda: np.asarray(mine), lambda: xnp.sum(mine), lambda: jnp.sum(mine.data)):
            with pytest.raises(UsageError, match=r"pending in another thread's trace: f32\[2\].*Call x10.barrier") as caught:
                use()
            said.append(str(caught.value))
        x10.barrier()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(said) == 6
    assert np.asarray(mine).tolist() == [2, 3]


def test_many_threads_may_use_one_tensor() -> None:
    x, b = x10.tensor(np.array([1, 2], np.float32)), x10.tensor(np.array([3, 4], np.float32))
    start = threading.Barrier(4)
    wrong: list[object] = []

    def work(scale: float) -> None:
        start.wait()
        for i in range(100):
            y = (x * b + x) * scale
            if i % 5 == 0:
                x10.barrier()
            if np.asarray(y).tolist() != [4 * scale, 10 * scale]:
                wrong.append(y)

    threads = [threading.Thread(target=work, args=(float(i),)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_numpy_data_is_copied() -> None:
    data = np.array([1, 2], np.float32)
    t = tensor_of(data)
    data[0] = 9
    assert np.asarray(t).tolist() == [1, 2]


@pytest.mark.parametrize(
    "data", [np.ones(2), np.ones(2, np.int64), np.ones((3, 4), order="F")[::2], np.array(3.0), np.zeros(0), np.ones(2, bool), np.ones(2, np.complex128)]
)
def test_numpy_data_gets_the_dtype_that_jax_gives_it(data: np.ndarray) -> None:
    want, got = jnp.array(data), on_device(data)
    assert (got.dtype, got.shape, got.weak_type, got.committed) == (want.dtype, want.shape, want.weak_type, want.committed)
    assert np.array_equal(got, want)


def test_numpy_data_of_a_new_shape_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_(self: object, *args: object, **kwargs: object) -> None:
        raise AssertionError("something was compiled")

    monkeypatch.setattr(jax.stages.Lowered, "compile", compile_)
    monkeypatch.setattr("jax._src.compiler.backend_compile_and_load", compile_)
    t = x10.tensor(np.ones((3, 1, 4, 1, 5), np.float32))
    assert t.shape == (3, 1, 4, 1, 5)


def test_this_threads_trace_makes_tensors() -> None:
    assert LOCAL.trace.kind is x10.Tensor
