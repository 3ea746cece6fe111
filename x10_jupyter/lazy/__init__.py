"""The lazy-tensor runtime: operations are recorded, cut at a barrier, compiled once and run as one program."""

from contextlib import suppress
from pathlib import Path

from x10_jupyter.base.compiled import folder
from x10_jupyter.base.config import config
from x10_jupyter.base.errors import UsageError

if config.now.compiled_recording:
    with suppress(OSError):  # without sources nothing tells what was compiled of them
        __path__.insert(0, str(folder(Path(__file__).parent)))


def refuse(value: object) -> None:
    """Say that it is too late."""
    raise UsageError(
        "Whether the runtime runs compiled is settled when it is imported", got=value, fix="Set XLA_COMPILED_RECORDING in the environment of Python."
    )


config.listen("compiled_recording", refuse)
