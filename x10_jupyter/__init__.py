"""See what XLA does under a notebook cell; write eager code and run it as one program.

Import as ``import x10_jupyter as x10``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from x10_jupyter.base.wiring import WIRING

import_module("x10_jupyter.lazy")

# Importing a subpackage binds its name here; `x10.lazy` is the function, and the subpackage is still imported from by its full name.
# It is not bound when this module is reloaded, as by %reload_ext.
globals().pop("lazy", None)

# The session listens from the runtime's first operation on.
WIRING.when_ready(lambda: import_module("x10_jupyter.session.root"))

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from x10_jupyter import fft as fft
    from x10_jupyter import lax as lax
    from x10_jupyter import linalg as linalg
    from x10_jupyter import nn as nn
    from x10_jupyter import numpy as numpy
    from x10_jupyter import random as random
    from x10_jupyter.lazy.api import Device as Device
    from x10_jupyter.lazy.api import LazyTensorBarrier as LazyTensorBarrier
    from x10_jupyter.lazy.api import Tensor as Tensor
    from x10_jupyter.lazy.api import barrier as barrier
    from x10_jupyter.lazy.api import config as config
    from x10_jupyter.lazy.api import devices as devices
    from x10_jupyter.lazy.api import grad as grad
    from x10_jupyter.lazy.api import is_reduced_precision as is_reduced_precision
    from x10_jupyter.lazy.api import lazy as lazy
    from x10_jupyter.lazy.api import mixed_precision as mixed_precision
    from x10_jupyter.lazy.api import tensor as tensor
    from x10_jupyter.lazy.api import to_full_precision as to_full_precision
    from x10_jupyter.lazy.api import to_reduced_precision as to_reduced_precision
    from x10_jupyter.lazy.api import value_and_grad as value_and_grad
    from x10_jupyter.metrics.compare import compare_reports as compare_reports
    from x10_jupyter.metrics.parse import parse_report as parse_report
    from x10_jupyter.session import capture as capture
    from x10_jupyter.session import load_capture as load_capture
    from x10_jupyter.session.alarms import CompileWarning as CompileWarning
    from x10_jupyter.session.metrics import PrintX10Metrics as PrintX10Metrics
    from x10_jupyter.session.metrics import clear_metrics as clear_metrics
    from x10_jupyter.session.metrics import counter_names as counter_names
    from x10_jupyter.session.metrics import counter_value as counter_value
    from x10_jupyter.session.metrics import metric_data as metric_data
    from x10_jupyter.session.metrics import metric_names as metric_names
    from x10_jupyter.session.metrics import metrics_report as metrics_report
    from x10_jupyter.tracelog.parting import diff_graphs as diff_graphs
    from x10_jupyter.tracelog.reading import load_graph as load_graph

# From public name to the module that has it. They are imported when first asked for, so that a capture can be read where JAX is not installed.
_RUNTIME = dict.fromkeys(
    (
        "Device", "LazyTensorBarrier", "Tensor", "barrier", "config", "devices", "grad", "is_reduced_precision", "lazy", "mixed_precision", "tensor",
        "to_full_precision", "to_reduced_precision", "value_and_grad",
    ),
    "x10_jupyter.lazy.api",
)  # fmt: skip
_METRICS = dict.fromkeys(
    ("PrintX10Metrics", "clear_metrics", "counter_names", "counter_value", "metric_data", "metric_names", "metrics_report"),
    "x10_jupyter.session.metrics",
)
_NAMESPACES = ("fft", "lax", "linalg", "nn", "numpy", "random")
_ELSEWHERE = {
    **_RUNTIME,
    **_METRICS,
    "CompileWarning": "x10_jupyter.session.alarms",
    "capture": "x10_jupyter.session",
    "compare_reports": "x10_jupyter.metrics.compare",
    "diff_graphs": "x10_jupyter.tracelog.parting",
    "load_capture": "x10_jupyter.session",
    "load_graph": "x10_jupyter.tracelog.reading",
    "parse_report": "x10_jupyter.metrics.parse",
}


def __getattr__(name: str) -> object:
    if name in _NAMESPACES:
        return import_module(f"x10_jupyter.{name}")
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_ELSEWHERE[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ELSEWHERE, *_NAMESPACES})


def load_ipython_extension(shell: "InteractiveShell") -> None:
    """Called by ``%load_ext x10_jupyter``."""
    # Here and not above, so that a script that imports the package pays for no notebook.
    from x10_jupyter.magics.install import install
    from x10_jupyter.session import capture, connect, running

    connect()
    install(shell, capture, running)


def unload_ipython_extension(shell: "InteractiveShell") -> None:
    """Called by ``%unload_ext x10_jupyter``."""
    from x10_jupyter.magics.install import uninstall
    from x10_jupyter.session import disconnect

    uninstall(shell, disconnect)
