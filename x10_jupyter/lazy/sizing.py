"""How large a trace is that is about to be compiled, told before it is."""

from collections import Counter
from collections.abc import Sequence

from x10_jupyter.lazy.core import State
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.producer import EVENTS, happened, site_of
from x10_jupyter.records.process_events import Sized
from x10_jupyter.records.size import TOLD_RECORDED, by_line


def tell_size(function: str, steps: Sequence[State], line: Line, start_ns: int) -> None:
    """Tell of a large trace; of a small one there is nothing to tell.

    Args:
        function: What is compiled.
        steps: The path of the trace; operations that nothing depends on count, too.
        line: The line that asked for it.
        start_ns: When its compile begins.
    """
    if not EVENTS or len(steps) < TOLD_RECORDED:
        return
    counted = Counter((step.site, step.op.call.name) for step in steps if step.op is not None)
    ops = counted.total()
    if ops >= TOLD_RECORDED:
        lines = by_line((site_of(site), times) for (site, _), times in counted.items())
        EVENTS.emit(Sized(function=function, ops=ops, lines=lines, maker="runtime", **happened(line, start_ns, start_ns)))
