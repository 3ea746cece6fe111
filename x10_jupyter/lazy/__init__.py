"""The lazy-tensor runtime: operations are recorded, cut at a barrier, compiled once and run as one program."""

import warnings
from pathlib import Path

from x10_jupyter.base.compiled import folder, is_built
from x10_jupyter.base.config import config
from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.frames import user_frame


def home_of_compiled() -> Path | None:
    """Where the compiled modules lie; None where Python is to run. Of what is damaged the user is told."""
    try:
        home = folder(Path(__file__).parent)
    except OSError:  # without sources nothing tells what was compiled of them
        return None
    try:
        return home if is_built(home) else None
    except ImportError as error:
        frame = user_frame()
        told = f"The runtime is damaged where it is compiled, and so runs in Python, which takes twice as long: {error}. {AGAIN}"
        warnings.warn_explicit(told, RuntimeWarning, frame.f_code.co_filename, frame.f_lineno)
        return None


AGAIN = "Install it again: `pip install -e .` in a checkout, else `pip install --force-reinstall --no-deps x10_jupyter`."

if config.now.compiled_recording:
    home = home_of_compiled()
    if home is None:
        config.settle("compiled_recording", value=False)
    else:
        __path__.insert(0, str(home))


def refuse(value: object) -> None:
    """Say that it is too late."""
    fix = "Set XLA_COMPILED_RECORDING in the environment of Python; it is on there by itself where the runtime was compiled."
    raise UsageError("Whether the runtime runs compiled is settled when it is imported", got=value, fix=fix)


config.listen("compiled_recording", refuse)
