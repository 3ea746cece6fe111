"""Every switch holds from the environment in a fresh process, and can be changed while it runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from x10_jupyter.base.settings import TABLE, x10_name

GIVEN = {
    "trim_graph_size": "40", "trim_graph_check_frequency": "7", "compilation_cache_size": "9", "donate": "0", "gc_freeze": "false", "use_bf16": "1",
    "compiled_recording": "0",
    "use_32bit_long": "true", "no_special_scalars": "1", "sync_tensors_opbyop": "1", "get_tensors_opbyop": "1", "save_tensors_fmt": "dot",
    "log_graph_changes": "1", "compile_time_threshold": "30", "metrics_percentiles": "0.5:0.9", "metrics_file": "STDERR",
}  # fmt: skip
PATHS = ("persistent_cache_path", "save_tensors_file", "save_hlo_file", "slow_compile_hlo_folder")


def run(code: str, environment: dict[str, str], tmp_path: Path) -> str:
    """What a fresh process prints."""
    cleared = {name: value for name, value in os.environ.items() if not name.startswith("XLA_")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env={**cleared, **environment}, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_are_read_from_the_environment_of_a_fresh_process(tmp_path: Path) -> None:
    given = {**GIVEN, **{name: str(tmp_path / name) for name in PATHS}}
    assert set(given) == set(TABLE)
    code = "from x10_jupyter.base.config import config\nfor e in config.entries(): print(e.name, e.value, e.origin)"
    told = run(code, {x10_name(name): value for name, value in given.items()}, tmp_path)
    words = {"0": "False", "false": "False", "1": "True", "true": "True", "30": "30.0"}
    assert told.splitlines() == [f"{name} {words.get(given[name], given[name])} environment" for name in TABLE]


SHOW = """
import numpy as np
import x10_jupyter as x10
from IPython.core.interactiveshell import InteractiveShell
from x10_jupyter.lazy.execute import STORE
from x10_jupyter.lazy.local import LOCAL

shell = InteractiveShell.instance()
shell.run_cell("%load_ext x10_jupyter").raise_error()

def show():
    x = x10.tensor(np.ones(2, np.float32)) * 2
    x10.barrier()
    print(STORE.size, LOCAL.trace.limit, x.held.dtype, __import__("jax").config.jax_compilation_cache_dir)
"""


def test_they_take_effect_there_and_are_changed_by_the_magic(tmp_path: Path) -> None:
    code = SHOW + "\n".join([
        "show()",
        "shell.run_cell('%x10config XLA_TRIM_GRAPH_SIZE=50 XLA_COMPILATION_CACHE_SIZE=5 XLA_USE_BF16=0 XLA_PERSISTENT_CACHE_PATH=other').raise_error()",
        "show()",
        "shell.run_cell('%x10config XLA_PERSISTENT_CACHE_PATH=').raise_error()",
        "show()",
    ])  # fmt: skip
    given = {"XLA_TRIM_GRAPH_SIZE": "40", "XLA_TRIM_GRAPH_CHECK_FREQUENCY": "7", "XLA_COMPILATION_CACHE_SIZE": "9", "XLA_USE_BF16": "1"}
    told = run(code, {**given, "XLA_PERSISTENT_CACHE_PATH": str(tmp_path / "programs")}, tmp_path)
    shown = [line for line in told.splitlines() if line[:1].isdecimal()]
    assert shown == [f"9 42 bfloat16 {tmp_path / 'programs'}", f"5 56 float32 {tmp_path / 'other'}", "5 56 float32 None"]


@pytest.mark.parametrize(("name", "value", "allowed"), [("XLA_SAVE_TENSORS_FMT", "xml", "one of text, hlo, dot"), ("XLA_USE_BF16", "maybe", "on or off")])
def test_a_value_that_cannot_be_is_refused_at_once(name: str, value: str, allowed: str, tmp_path: Path) -> None:
    code = "try:\n    import x10_jupyter.numpy\nexcept ValueError as error:\n    print(error)"
    told = run(code, {name: value}, tmp_path)
    assert told.startswith(f"{name} must be {allowed}")
    assert f"; got {value}. Unset it" in told
