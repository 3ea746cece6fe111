"""What listens for as long as there is a runtime, so that a script finds its counts that never loads the extension."""

from x10_jupyter.lazy import producer as lazy
from x10_jupyter.metrics.registry import Registry
from x10_jupyter.session.history import History

REGISTRY = Registry()
"""All that the process has counted and measured."""

HISTORY = History()
"""What it has compiled last."""

lazy.EVENTS.add(REGISTRY)
lazy.EVENTS.add(HISTORY)
