"""The names that `jax.extend` has, and nothing of what importing it does."""

import subprocess
import sys

import jax.extend

from x10_jupyter.jax_gate import extended


def test_they_are_those_of_jax_extend() -> None:
    core = jax.extend.core
    for name in ("jaxpr_as_fun", "jaxprs_in_params", "Literal"):
        assert getattr(extended, name) is getattr(core, name)
    assert extended.convert_element_type_p is core.primitives.convert_element_type_p
    assert set(extended.JAXPRS) == {core.Jaxpr, core.ClosedJaxpr}
    assert extended.decompositions() == {getattr(core.primitives, f"{name}_p") for name in extended.DECOMPOSITIONS}
    assert extended.get_backend() is jax.extend.backend.get_backend()


CODE = """
import jax
import numpy as np
from jax._src import config, monitoring

compiled = []
step = jax.jit(lambda x: x * 2)
x = np.ones(3, np.float32)
step(x), jax.numpy.sin(x)
names = config.trace_context_names()
monitoring.register_event_duration_secs_listener(lambda event, seconds, **more: compiled.append(event) if "backend_compile" in event else None)
from IPython.core.interactiveshell import InteractiveShell
InteractiveShell.instance().run_line_magic("load_ext", "x10_jupyter")
import x10_jupyter as x10
with x10.capture():
    step(x), jax.numpy.sin(x)
assert config.trace_context_names() == names, set(config.trace_context_names()) - set(names)
assert not compiled, compiled
"""


def test_loading_the_extension_has_nothing_compiled_again() -> None:
    subprocess.run([sys.executable, "-c", CODE], check=True, timeout=300)
