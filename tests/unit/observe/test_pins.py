import functools
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.observe.pins import Pin, Pins, arrays_in, bytes_of, pins_of, referring
from x10_jupyter.records.holding import Pinned
from x10_jupyter.session.result import Capture


class Model:
    """One whose step is jitted with a static `self`, as in many notebooks."""

    def __init__(self, factor: int) -> None:
        self.params = {"w": [jnp.full((64, 64), float(factor)), jnp.ones(10)]}
        self.factor = factor

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x: Any) -> Any:
        return x * self.factor


@pytest.fixture
def nothing_is_kept_of_before() -> Iterator[None]:
    jax.clear_caches()
    yield
    jax.clear_caches()


def pinned(capture: Capture) -> tuple[Pinned, ...]:
    assert capture.memory is not None
    return capture.memory.pinned


@pytest.mark.usefixtures("nothing_is_kept_of_before")
def test_objects_that_were_static_are_kept_until_jax_forgets() -> None:
    seen: list[Any] = []
    with x10.capture() as capturing:
        for factor in (2, 3, 4):
            model = Model(factor)
            model.step(np.ones(3, np.float32))
            seen.append(weakref.ref(model))
        del model
    (one,) = pinned(capturing.capture)
    gc.collect()
    assert all(each() is not None for each in seen), "nobody but JAX keeps them"
    assert (one.argument, one.function, one.type_name, one.objects) == ("self", "step", "Model", 3)
    assert (one.arrays, one.size_bytes) == (6, 3 * 4 * (64 * 64 + 10))
    assert one.site is not None and one.site.file == __file__
    with x10.capture() as capturing:
        jax.clear_caches()
    gc.collect()
    assert pinned(capturing.capture) == ()
    assert not any(each() is not None for each in seen)


@pytest.mark.usefixtures("nothing_is_kept_of_before")
def test_what_was_static_and_holds_no_array_is_not_told() -> None:
    run: Any = jax.jit(lambda x, n, name: x * n, static_argnums=(1, 2))
    with x10.capture() as capturing:
        run(np.ones(3, np.float32), 2, "double")
    assert pinned(capturing.capture) == ()


@pytest.mark.usefixtures("nothing_is_kept_of_before")
def test_a_function_that_is_gone_keeps_nothing() -> None:
    model = Model(2)

    def once() -> None:
        jax.jit(lambda m, x: x * m.factor, static_argnums=0)(model, np.ones(3, np.float32))

    with x10.capture() as capturing:
        once()
        gc.collect()
    assert pinned(capturing.capture) == ()


class Holder:
    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)

    @property
    def computed(self) -> Any:
        raise AssertionError("nothing of the user's runs")


def test_arrays_are_found_in_attributes_and_containers_each_once() -> None:
    one, two, three = jnp.ones(1), jnp.ones(2), jnp.ones(3)
    inner = Holder(two=two, again=one)
    holder = Holder(one=one, inner=inner, many=[{"three": (three, 5)}, np.ones(9)], kind=Model, run=lambda: one)
    inner.back = holder  # pyright: ignore[reportAttributeAccessIssue] # a circle
    found = list(arrays_in(holder))
    assert sorted(len(array) for array in found) == [1, 2, 3]


def test_what_was_donated_and_what_is_traced_hold_nothing() -> None:
    gone = jnp.ones(4)
    gone.delete()
    seen: list[int] = []

    def traced(x: Any) -> Any:
        seen.append(len(list(arrays_in(Holder(gone=gone, x=x)))))
        return x

    jax.make_jaxpr(traced)(1.0)
    assert seen == [0]


def test_bytes_are_those_of_all_copies() -> None:
    array = jnp.ones((3, 5), jnp.bfloat16)
    assert bytes_of(array) == array.nbytes == 30


def test_only_what_is_there_and_still_kept_by_jax_is_told() -> None:
    model, other = Holder(w=jnp.ones(10)), Holder(w=jnp.ones(20))
    alive, gone = (lambda: model), (lambda: None)
    pins = Pins()
    pins.add([Pin("f", None, "m", referring(model) or gone, alive, 0), Pin("f", None, "m", referring(model) or gone, alive, 0)])
    pins.add([Pin("f", None, "m", gone, alive, 0), Pin("f", None, "m", referring(other) or gone, gone, 0)])
    expected = Pinned(function="f", argument="m", type_name="Holder", objects=1, arrays=1, size_bytes=40, site=None)
    assert pins.told(0) == (expected,)
    assert pins.told(1) == (), "JAX has forgotten them"
    pins.clear()
    assert pins.told(0) == ()


def test_numbers_texts_and_functions_are_no_pins() -> None:
    statics = [("n", 3), ("name", "x"), ("none", None), ("f", len), ("g", lambda: 0), ("pair", (1, 2)), ("model", holder := Holder())]
    assert [pin.argument for pin in pins_of(statics, "f", None, lambda: None, 0)] == ["f", "model"]
    assert holder.__dict__ == {}
