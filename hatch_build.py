"""Compiles the hot path of the runtime while the package is built; without a C compiler it runs in Python."""

import os
import runpy
import shutil
import sys
import tempfile
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "x10_jupyter/lazy"


class CustomBuildHook(BuildHookInterface[Any]):
    """What hatchling calls before it builds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - as hatchling calls it
        """Compile, and say so to hatchling.

        Args:
            version: ``standard`` or ``editable``.
            build_data: What hatchling is told.
        """
        if self.target_name != "wheel":
            return
        try:
            home = compile_modules(Path(self.root))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever is missing, the package works without
            self.app.display_warning(f"The hot path of the runtime is not compiled and runs in Python: {error or type(error).__name__}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"] += [f"{PACKAGE}/compiled/{home.name}/*{EXTENSION_SUFFIXES[0]}"]  # beside them may lie those of other Pythons


def compile_modules(root: Path) -> Path:
    """Compile the modules, unless what is there was made of the same sources for this Python.

    Args:
        root: The folder of the project.

    Returns:
        The folder that they lie in.

    Raises:
        Exception: They cannot be compiled.
    """
    from Cython.Build import cythonize
    from Cython.Compiler import Options
    from setuptools import Distribution, Extension

    what: dict[str, Any] = runpy.run_path(str(root / "x10_jupyter/base/compiled.py"))
    home: Path = what["folder"](root / PACKAGE)
    prefix = PACKAGE.replace("/", ".")
    options = [] if os.name == "nt" else ["-g0"]  # what debuggers read is three quarters of them
    modules = [Extension(f"{prefix}.{name}", [f"{PACKAGE}/{name}.py"], extra_compile_args=options) for name in what["MODULES"]]
    with suppress(ImportError):  # what is damaged is compiled anew
        if what["is_built"](home):
            return home
    with tempfile.TemporaryDirectory() as scratch:
        defaults: dict[str, Any] = vars(Options)["_directive_defaults"]  # a decorator would do, but the sources run without Cython, too
        compiled = []
        for module in modules:
            defaults["no_gc"] = module.name == f"{prefix}.{what['UNCOLLECTED']}"
            compiled += cythonize([module], build_dir=f"{scratch}/c", language_level=3, force=True, quiet=True)
        distribution = Distribution({"name": "x10_jupyter", "ext_modules": compiled})
        command: Any = distribution.get_command_obj("build_ext")
        command.build_lib, command.build_temp = f"{scratch}/lib", f"{scratch}/objects"
        command.ensure_finalized()
        command.run()
        for old in home.parent.glob("*"):
            if old != home:
                shutil.rmtree(old)
        home.mkdir(parents=True, exist_ok=True)
        for built in Path(scratch, "lib", PACKAGE).iterdir():
            part = home / f"{built.name}.part"
            shutil.copy(built, part)
            part.replace(home / built.name)  # at once, so that none is ever there in part
    return home


if __name__ == "__main__":
    compile_modules(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
