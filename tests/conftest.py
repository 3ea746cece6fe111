"""What every test may use, and the guard that nothing is left behind."""

import atexit
import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path

# Placement is tested on two devices, and JAX counts them when it is imported.
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2".strip()

import jax
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from stage import Stage
from x10_jupyter.base.frames import Cells, no_cell
from x10_jupyter.jax_gate.context import NO_SETTING, context_difference, settled_context
from x10_jupyter.lazy import hooks
from x10_jupyter.lazy.barrier import barrier
from x10_jupyter.lazy.producer import EVENTS, drain, settle
from x10_jupyter.session.kept import KEPT
from x10_jupyter.session.resident import HISTORY, REGISTRY
from x10_jupyter.session.root import COLLECTING, PROFILING, READING, SAMPLING, STAGING

SETTINGS = settled_context()
GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files anew instead of comparing with them")


@pytest.fixture(autouse=True, scope="module")
def modules_apart() -> Iterator[None]:
    """What a module's tests left pending is computed, and does not count in the next one's.

    JAX forgets what it compiled, too: it keeps each program. Those of all tests are gigabytes, and among them it takes half a minute to look at all objects.
    """
    yield
    barrier()
    drain()
    settle()
    jax.clear_caches()


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """No sink listens but those that always do, JAX's settings are those of the start, and no shell or look-up of cells is in place."""

    def check(when: str) -> None:
        assert EVENTS.sinks == (REGISTRY, HISTORY), f"a sink listens, or one that always does does not, {when} the test"
        assert not STAGING.events, f"something listens to JAX {when} the test"
        assert not STAGING.is_heard, f"JAX's listeners are in place {when} the test"
        assert not READING.events, f"something listens to reads {when} the test"
        assert not READING.is_heard, f"JAX's functions that read are replaced {when} the test"
        assert not SAMPLING.is_looking, f"a thread looks where another one stands {when} the test"
        assert not COLLECTING.events, f"something listens to the collector {when} the test"
        assert COLLECTING.hear not in gc.callbacks, f"the collector's hook is in place {when} the test"
        assert not PROFILING.events, f"something asks for the profiler {when} the test"
        assert PROFILING.watch is None, f"a thread looks after the profiler {when} the test"
        assert Cells.number is no_cell, f"a look-up of cells is in place {when} the test"
        changed = [each for each in context_difference(SETTINGS, settled_context()) if each[1] != NO_SETTING]  # what is imported later may bring some
        assert not changed, f"settings of JAX are others than at the start {when} the test"
        assert not InteractiveShell.initialized(), f"a shell is there {when} the test"

    check("before")
    yield
    check("after")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with the golden file of that name; on a difference the text lies beside it as NAME.actual."""

    def compare(name: str, actual: str) -> None:
        expected, beside = GOLDEN / name, GOLDEN / f"{name}.actual"
        if request.config.getoption("--update-golden"):
            expected.write_text(actual + "\n", encoding="utf-8")
        if not expected.exists() or expected.read_text(encoding="utf-8") != actual + "\n":
            beside.write_text(actual + "\n", encoding="utf-8")
            pytest.fail(f"differs from {expected.name}; see {beside.name}, and --update-golden if it is right")
        beside.unlink(missing_ok=True)

    return compare


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    """IPython's core, as a kernel has it, without history on disk; gone after the test."""
    made = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    try:
        yield made
    finally:
        atexit.unregister(made.atexit_operations)
        made.atexit_operations()
        made.restore_sys_module_state()
        InteractiveShell.clear_instance()
        KEPT.clear()
        hooks.install()  # what %unload_ext took out, the next test finds again
