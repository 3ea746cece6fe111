"""How many examples: a few that are the same each time, or with ``--hypothesis-profile long`` many new ones."""

from collections.abc import Iterator

import jax
import pytest
from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]}
settings.register_profile("brief", derandomize=True, max_examples=20, **COMMON)
settings.register_profile("long", max_examples=3000, **COMMON)


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("brief")


@pytest.fixture
def compiles_fast() -> Iterator[None]:
    """What is compiled once and run once need not be fast."""
    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", before)
