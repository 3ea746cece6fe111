"""Every compile has its true cause: scenarios in which it is known, through the hooks that users have."""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from listening import compiled, happened
from recompiling import NONE, SCENARIOS, Scenario
from x10_jupyter.base.clock import MonotonicClock, QueueClock, ThreadCpuClock
from x10_jupyter.observe.guard import ERRORS
from x10_jupyter.observe.staging import Staging


@pytest.fixture(scope="module")
def resident() -> Iterator[Staging]:
    """Hooks that stay in place from one scenario to the next."""
    staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
    staging.stay()
    yield staging
    staging.leave()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_the_cause_is_true(scenario: Scenario, resident: Staging) -> None:
    ERRORS.clear()
    found = happened(resident, scenario)
    assert not ERRORS
    if scenario.kind == NONE:
        assert not found
        return
    one = [each for each in found if not scenario.function or each.function == scenario.function][scenario.at]
    cause = one.cause
    assert cause.kind == scenario.kind, cause
    for name in ("where", "old", "new"):
        expected = getattr(scenario, name)
        assert expected is None or getattr(cause, name) == expected, cause
    assert (scenario.fix or "") in cause.fix
    assert [(change.kind, change.where) for change in cause.also] == list(scenario.also), cause
    assert one.call_site is not None
    assert bool(cause.nearest) == (cause.kind != "first")
    assert len(cause.fix.splitlines()) <= 1


def test_nothing_was_forgotten_where_jax_converts_for_itself(resident: Staging) -> None:
    f = jax.jit(lambda a: (jnp.sin(a) ** 3).sum())
    jax.hessian(f)(np.ones(6, np.float32))
    kinds = {one.cause.kind for one in compiled(resident, lambda: jax.hessian(f)(np.ones(7, np.float32)))}
    assert "shape" in kinds
    assert "evicted" not in kinds
