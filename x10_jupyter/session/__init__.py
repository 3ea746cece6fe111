"""The composition root: plugs producers into a capture and views onto it. Knows no notebook.

What is here is imported when it is first asked for, so that a capture can be loaded and shown where JAX is not installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from x10_jupyter.session.capturing import Capturing as Capturing
    from x10_jupyter.session.plain import Plain as Plain
    from x10_jupyter.session.resident import HISTORY as HISTORY
    from x10_jupyter.session.resident import REGISTRY as REGISTRY
    from x10_jupyter.session.result import Capture as Capture
    from x10_jupyter.session.result import load_capture as load_capture
    from x10_jupyter.session.root import capture as capture
    from x10_jupyter.session.root import connect as connect
    from x10_jupyter.session.root import disconnect as disconnect
    from x10_jupyter.session.root import look_at as look_at
    from x10_jupyter.session.root import running as running

_HOMES = {
    "Capture": "result",
    "Capturing": "capturing",
    "HISTORY": "resident",
    "Plain": "plain",
    "REGISTRY": "resident",
    "capture": "root",
    "connect": "root",
    "disconnect": "root",
    "load_capture": "result",
    "look_at": "root",
    "running": "root",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value
