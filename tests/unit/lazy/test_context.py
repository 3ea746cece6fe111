import jax
import numpy as np
import pytest

from x10_jupyter.base.config import config
from x10_jupyter.lazy import context
from x10_jupyter.lazy.context import current, in_force


def test_the_same_configuration_is_the_same_object() -> None:
    before = current()
    with jax.enable_x64(True):
        inside = current()
        assert current() is inside
    assert inside is not before
    assert current() is before
    assert (before.x64, inside.x64) == (False, True)


@pytest.mark.parametrize(
    "other",
    [
        lambda: jax.default_matmul_precision("float32"), lambda: jax.numpy_dtype_promotion("strict"), lambda: jax.numpy_rank_promotion("raise"),
        lambda: jax.default_prng_impl("rbg"), lambda: config(use_bf16=True), lambda: config(no_special_scalars=True),
    ],
)  # fmt: skip
def test_every_setting_that_changes_a_meaning_is_another_configuration(other) -> None:
    before = current()
    with other():
        assert current() is not before
    assert current() is before


def test_only_so_many_configurations_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "MOST", 3)
    monkeypatch.setattr(context, "_KNOWN", {})
    for name in ("float32", "tensorfloat32", "bfloat16", "highest", "high", "default"):
        with jax.default_matmul_precision(name):
            assert current() is current()
    assert len(context._KNOWN) == 3


def test_narrow_whole_numbers_are_no_other_configuration_without_64_bit_types() -> None:
    before = current()
    with config(use_32bit_long=True):
        assert current() is before
        with jax.enable_x64(True):
            assert current().holds == {np.dtype(np.int64): np.dtype(np.int32), np.dtype(np.uint64): np.dtype(np.uint32)}
    assert not before.holds


def test_a_configuration_is_put_in_force_for_a_while() -> None:
    before = current()
    with jax.enable_x64(True):
        wide = current()
    with in_force(wide):
        assert current() is wide
        with in_force(wide):
            assert current() is wide
    assert current() is before
