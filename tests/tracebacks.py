"""What of a traceback is no line of the user's."""

import traceback

from x10_jupyter.base.frames import PACKAGE


def frames_of_ours(error: BaseException | None) -> list[str]:
    """Functions of this package in an error's traceback, the outermost first."""
    assert error is not None
    return [frame.name for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(PACKAGE)]
