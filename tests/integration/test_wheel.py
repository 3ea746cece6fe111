"""What a wheel holds: the compiled runtime of this Python, or, where nothing can be compiled, none."""

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from zipfile import ZipFile

import pytest

from x10_jupyter.base.compiled import MODULES, folder

ROOT = Path(__file__).parents[2]
COMPILED = "x10_jupyter/lazy/compiled"
BUILD = "from hatchling.build import build_wheel; print('made', build_wheel('dist'))"
WHICH = "import sys; from x10_jupyter.lazy import api; print(sys.modules['x10_jupyter.lazy.core'].IS_COMPILED, api.__file__)"
COMPILER = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]

for needed in ("hatchling", "Cython", "setuptools"):
    pytest.importorskip(needed)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the project as it is checked out, with leftovers of builds for another Python and of other sources."""
    copy = tmp_path / "tree"
    shutil.copytree(ROOT / "x10_jupyter", copy / "x10_jupyter", ignore=shutil.ignore_patterns("compiled", "__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, copy)
    for home, name in (
        (folder(copy / "x10_jupyter/lazy"), "core.of-another-python.so"),
        (copy / COMPILED / "0123456789abcdef", f"core{EXTENSION_SUFFIXES[0]}"),
    ):
        home.mkdir(parents=True)
        (home / name).touch()
    return copy


def built(tree: Path, **environment: str) -> tuple[Path, list[str], str]:
    """A wheel of it, the compiled files in that, and what was said."""
    cleared = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", BUILD], cwd=tree, env={**cleared, **environment}, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    wheel = tree / "dist" / done.stdout.rpartition("made ")[2].strip()
    with ZipFile(wheel) as opened:
        return wheel, sorted(name for name in opened.namelist() if "/compiled/" in name), done.stdout + done.stderr


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"there is no C compiler `{COMPILER}`")
def test_it_holds_the_compiled_modules_and_runs_them(tree: Path, tmp_path: Path) -> None:
    wheel, compiled, _ = built(tree, CFLAGS="-O0")  # which takes half of the time
    home = folder(tree / "x10_jupyter/lazy").name
    assert compiled == sorted(f"{COMPILED}/{home}/{name}{EXTENSION_SUFFIXES[0]}" for name in MODULES)
    python, _, platform = wheel.stem.split("-")[2:]
    assert python == f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert platform != "any"
    with ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "installed")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed"), "XLA_COMPILED_RECORDING": "1"}
    done = subprocess.run([sys.executable, "-c", WHICH], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", str(tmp_path / "installed/x10_jupyter/lazy/api.py")]
    assert done.stderr == ""


def test_it_is_of_python_alone_where_nothing_can_be_compiled(tree: Path) -> None:
    wheel, compiled, said = built(tree, CC="/nonexistent")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert compiled == []
    assert "The hot path of the runtime is not compiled and runs in Python" in said
