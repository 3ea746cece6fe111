"""What is advised in each case, in one table to be read by a person."""

from collections.abc import Callable, Iterator

import pytest

from listening import happened
from recompiling import NONE, SCENARIOS, Scenario
from x10_jupyter.base.clock import MonotonicClock, QueueClock, ThreadCpuClock
from x10_jupyter.observe.staging import Staging


@pytest.fixture
def staging() -> Iterator[Staging]:
    made = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
    made.stay()
    yield made
    made.leave()


def advised(staging: Staging, one: Scenario) -> str:
    return [made.cause.fix for made in happened(staging, one) if not one.function or made.function == one.function][one.at]


def test_each_case_has_the_advice_that_an_expert_would_give(staging: Staging, golden: Callable[[str, str], None]) -> None:
    told = sorted((one.kind, one.name, advised(staging, one)) for one in SCENARIOS if one.kind not in (NONE, "first"))
    longest = max(len(name) for _, name, _ in told)
    golden("advice.txt", "\n".join(f"{kind:20}{name:{longest + 2}}{fix}" for kind, name, fix in told))
    assert all(fix.endswith(".") and fix.count(". ") == 0 for _, _, fix in told)
