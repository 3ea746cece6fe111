"""What listens for as long as there is a runtime, so that a script finds its counts that never loads the extension."""

from x10_jupyter.lazy import producer as lazy
from x10_jupyter.metrics.registry import Registry

REGISTRY = Registry()
"""All that the process has counted and measured."""

lazy.EVENTS.add(REGISTRY)
