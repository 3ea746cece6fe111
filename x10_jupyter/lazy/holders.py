"""Who holds a value that the user may think is gone."""

import gc
import sys
from types import FrameType

from x10_jupyter.lazy.core import Trace, Value

SEES_WITHOUT_PINNING = sys.version_info >= (3, 13)
"""Before Python 3.13 a look at a frame's locals leaves a copy of them behind, which keeps every tensor in them alive."""


def holders(t: Value, trace: Trace, frame: FrameType | None) -> str:
    """The variables or containers that refer to a tensor, as text.

    Args:
        t: The tensor.
        trace: Its trace, whose own list does not count.
        frame: The user's innermost frame.
    """
    boxes = {id(r): r for r in gc.get_referrers(t) if r is not trace.tensors and not isinstance(r, FrameType)}
    found: list[str] = []
    while frame is not None:
        is_function = bool(frame.f_code.co_flags & 1)
        scopes = [frame.f_globals] if not is_function else [frame.f_locals, frame.f_globals] if SEES_WITHOUT_PINNING else [frame.f_globals]
        for scope in scopes:
            for name, it in list(scope.items()):
                if it is t:
                    found.append(f"`{name}`")
                elif id(it) in boxes and it is not scope:
                    found.append(f"`{name}[...]`")
        frame = frame.f_back
    kinds = [type(b).__name__ for b in boxes.values() if not isinstance(b, dict) or not found]
    return ", ".join(dict.fromkeys(found)) or ", ".join(f"a {k}" for k in dict.fromkeys(kinds)) or "a variable of a function that is running"
