import gc
import sys
import weakref
from collections import OrderedDict
from typing import Any

import jax
import jax.extend.backend
import numpy as np
import pytest

import looked_at
from looked_at import compiled
from x10_jupyter.observe import programs as module
from x10_jupyter.observe.programs import Programs, bounded


def test_a_program_is_found_by_its_name_at_all_levels() -> None:
    found = compiled()
    jaxpr = found.made.jaxpr
    assert jaxpr is not None
    traced: Any = jaxpr()
    assert traced.eqns[0].primitive.name == "scan"
    assert "stablehlo.while" in str(found.made.module())
    executable = found.made.executable()
    assert executable is not None
    assert executable.name == "jit_step"


def test_names_are_told_apart_and_never_used_again() -> None:
    found = compiled()
    for x in (looked_at.X[:2], looked_at.X[:1]):
        found.again(looked_at.W, x)
    assert [name for name in found.programs.names() if "step" in name] == ["jit(step)", "jit(step).2", "jit(step).3"]
    found.programs.clear()
    assert not found.programs.names()
    found.again(looked_at.W, looked_at.X[:3])
    assert [name for name in found.programs.names() if "step" in name] == ["jit(step).4"]


def test_programs_of_one_name_are_not_taken_for_each_other() -> None:
    one, other = compiled(), compiled()
    assert one.made.identity != other.made.identity
    assert one.made.executable() is not None
    one.made.fingerprint = b"another"
    assert one.made.executable() is None, "something else has come to lie in its place"
    assert other.made.executable() is not None


def test_nothing_is_kept_alive() -> None:
    """Neither program nor arrays; and once they are gone that can be told."""
    data = np.ones((64, 64), np.float32)

    def closing_over(held: Any) -> Any:
        return lambda x: x @ held

    held = jax.numpy.asarray(data)
    found = compiled(closing_over(held), data)
    gone = [weakref.ref(held), found.made.jaxpr, found.made.module]
    identity = found.made.identity
    del held
    found.function = None
    gc.collect()
    assert [each() for each in gone if each is not None] == [None] * 3
    assert found.made.executable() is None
    assert identity not in [id(one) for one in jax.extend.backend.get_backend().live_executables()]


def test_forgetting_everything_leaves_nothing() -> None:
    found = compiled()
    jax.clear_caches()
    gc.collect()
    assert found.made.module() is None
    assert found.made.executable() is None


def test_where_nothing_is_to_be_seen_nothing_is_known() -> None:
    programs = Programs()
    programs.lower(sys._getframe())
    assert programs.put(sys._getframe(), "step") == ""
    assert not programs.names()


def test_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    table = OrderedDict((number, None) for number in range(5))
    bounded(table)
    assert list(table) == [3, 4]
