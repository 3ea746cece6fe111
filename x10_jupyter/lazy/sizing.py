"""How large a trace is that is about to be compiled, told before it is."""

from collections import Counter
from collections.abc import Sequence

from x10_jupyter.lazy.autodiff import is_backward, is_seed, is_sum
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.producer import EVENTS, happened, site_of
from x10_jupyter.lazy.trie import State
from x10_jupyter.records.process_events import Sized
from x10_jupyter.records.site import Site
from x10_jupyter.records.size import TOLD_RECORDED, LineSize, by_line


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
    size = Size()
    for step in steps:
        if step.op is not None:
            size.add(step.op.call, step.site)
    size.end()
    if size.ops >= TOLD_RECORDED:
        EVENTS.emit(
            Sized(
                function=function,
                ops=size.ops,
                lines=size.lines,
                maker="runtime",
                gradients=size.gradients,
                gradient_site=size.gradient_site,
                gradients_there=size.gradients_there,
                **happened(line, start_ns, start_ns),
            )
        )


class Size:
    """What is counted of a trace, operation by operation.

    The way back is recorded where the gradient is called, which is one line for a whole model. So each of its operations is counted at the line that it goes
    back through, as JAX does it under ``jax.jit``; at none if that line belongs to a trace before.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._within, self._outside = Counter[tuple[Line | None, str]](), Counter[tuple[Line | None, str]]()
        """Operations under a gradient and of its way back, and all others, by line and name."""
        self._gradients = Counter[Line | None]()
        """Those that are not taken within another one, by the line that takes them."""
        self._forwards: dict[Call, list[Line | None]] = {}
        """By what goes back through them, the lines of operations that nothing went back through so far."""
        self._last: Line | None = None
        """The line that was gone back through last."""
        self._seeded: Line | None = None
        """The line that takes a gradient, while it is not known to be one within another."""
        self._is_begun = False
        """Whether a gradient is under way that has not begun to go back."""

    @property
    def ops(self) -> int:
        """How many operations there are."""
        return self._within.total() + self._outside.total()

    @property
    def lines(self) -> tuple[LineSize, ...]:
        """The same by line.

        What a training step does besides its gradient comes as often as there are parameters, which is no loop: a loop over steps has a gradient in
        each of its turns.
        """
        most = self.gradients or self.ops
        outside = [(site, times, min(times, most)) for (site, _), times in self._outside.items()]
        within = [(site, times, times) for (site, _), times in self._within.items()]
        return by_line((site and site_of(site), times, turns) for site, times, turns in (*within, *outside))

    @property
    def gradients(self) -> int:
        """How many gradients there are that are not taken within another one."""
        return self._gradients.total()

    @property
    def gradient_site(self) -> Site | None:
        """The line that takes most of them."""
        return None if self._most is None else site_of(self._most)

    @property
    def gradients_there(self) -> int:
        """How many that line takes."""
        return 0 if self._most is None else self._gradients[self._most]

    @property
    def _most(self) -> Line | None:
        return next((site for site, _ in self._gradients.most_common() if site is not None), None)

    def add(self, call: Call, recorded: Line | None) -> None:
        """Count an operation.

        Args:
            call: What it does.
            recorded: The line that recorded it.
        """
        is_back = is_backward(call) or is_sum(call)
        if is_backward(call):
            known = self._forwards.get(call)
            self._last = known.pop() if known else None
        site = self._last if is_back else recorded
        counted = self._within if is_back or call.rule is not None else self._outside
        counted[site, call.name] += 1
        if is_seed(call):
            self._close()
            self._seeded, self._is_begun = recorded, False
        elif call.rule is not None:
            self._forwards.setdefault(call.rule[0].backward, []).append(site)
            self._is_begun = True
            if is_back:  # what goes back, and will be gone back through itself, is of a gradient within another
                self._seeded = None

    def end(self) -> None:
        """There is no more; what is under way of a gradient then counts as one, since it was cut within."""
        self._close()
        if self._is_begun:
            self._gradients[None] += 1

    def _close(self) -> None:
        if self._seeded is not None:
            self._gradients[self._seeded] += 1
