"""What can be told of a window while it is still open."""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Collected, Dispatched, Read, Sized, Staged, Waited
from x10_jupyter.records.runtime_events import Compiled, Compiling, Counted, Cut, Executed, Failed, FellBack, Pending, Stepped, Traced, Transferred

LATELY = 8
"""So many looks back reaches the rate of steps."""

UNTOLD = (Counted, Executed, Collected, Dispatched, Pending, Waited)
"""What is told some time after it happened, or comes at any time, and does not say what the user's code does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A window so far."""

    name: str
    """What the user called it; empty when they did not."""

    elapsed_ns: int
    """How long it is open."""

    steps: int
    """Steps that ended in it."""

    rate: float
    """Steps a second lately."""

    compiled: int
    """Programs compiled in it."""

    compile_ns: int
    """How long those took, all together."""

    last_compile: Compiled | None
    """The last of those."""

    compiling: Compiling | None
    """What is being compiled now; if several threads compile, what has taken longest so far."""

    large: Sized | None
    """The size of that, or of a program that JAX compiles now by itself; None if it is not large."""

    compiling_ns: int
    """How long that has taken."""

    last: Event | None
    """What ended last."""

    quiet_ns: int
    """How long ago that was; since the window was opened, if there was nothing yet."""

    jax_compiled: int
    """Programs that JAX compiled by itself: for the user's own ``jax.jit``, or for an operation that runs at once."""

    jax_compile_ns: int
    """How long those took, all together; without tracing and lowering."""

    runs: int
    """Programs that ran and ended."""

    reads: int
    """Values of lazy tensors that were brought to the host."""

    waits: int
    """Reads of JAX's own arrays for which Python waited; nobody tells of the others."""

    fallbacks: int
    """Operations that ran outside any program."""

    transfers: int
    """Times that data was brought to a device."""

    transferred_bytes: int
    """Its size in bytes."""


def is_untold(event: Event) -> bool:
    """Whether an event does not say what the user's code does."""
    return isinstance(event, UNTOLD) or (isinstance(event, Staged) and event.is_own)


class Tally:
    """Adds events up. It is not safe for several threads at once."""

    def __init__(self, start_ns: int, name: str = "") -> None:
        """Begin with nothing.

        Args:
            start_ns: When the window was opened.
            name: What the user called it.
        """
        self.name = name
        self.start_ns = start_ns
        self.counts = defaultdict[type[Event], int](int)
        self.compile_ns = self.jax_compiled = self.jax_compile_ns = self.transfers = self.transferred_bytes = self.waits = 0
        self.last_compile: Compiled | None = None
        self.last: Event | None = None
        self.begun: dict[int, Compiling] = {}
        """What each thread compiles."""
        self.large: dict[int, Sized] = {}
        """What each thread compiles that is large."""
        self.looks = deque[tuple[int, int]]([(start_ns, 0)], maxlen=LATELY)
        """When it was looked at, and how many steps there were."""

    def add(self, events: Sequence[Event]) -> None:
        """Count events, in the order in which they were told."""
        for event in events:
            kind = event.__class__
            self.counts[kind] += 1
            if kind in MORE:
                MORE[kind](self, event)
        self.last = next((each for each in reversed(events) if not is_untold(each)), self.last)

    def begin(self, event: Compiling) -> None:
        """A thread begins to compile."""
        self.begun[event.thread] = event

    def sized(self, event: Sized) -> None:
        """A thread begins to compile something large."""
        self.large[event.thread] = event

    def end(self, event: Event) -> None:
        """A thread does something else, and so compiles no more."""
        if self.begun or self.large:
            self.begun.pop(event.thread, None)
            self.large.pop(event.thread, None)

    def compiled(self, event: Compiled) -> None:
        """A program was compiled."""
        self.end(event)
        self.compile_ns += event.end_ns - event.start_ns
        self.last_compile = event

    def staged(self, event: Staged) -> None:
        """JAX did something by itself; after a size it lowers the same program, and all else is its end, or another program."""
        large = self.large.get(event.thread)
        if large is not None and not event.is_own and (event.phase != "lower" or event.function != large.function):
            self.end(event)
        if event.phase == "compile" and not event.is_own:
            self.jax_compiled += 1
            self.jax_compile_ns += event.end_ns - event.start_ns

    def read(self, event: Read) -> None:
        """A value was read."""
        self.waits += event.is_jax

    def transferred(self, event: Transferred) -> None:
        """Data was moved."""
        if event.direction == "to_device":
            self.transfers += 1
            self.transferred_bytes += event.size_bytes

    def progress(self, now_ns: int) -> Progress:
        """What there is to tell.

        Args:
            now_ns: The time, by the clock of the events.
        """
        steps = self.counts[Stepped]
        before_ns, before = self.looks[0]
        self.looks.append((now_ns, steps))
        begun = min(self.begun.values(), key=lambda each: each.start_ns, default=None)
        by_jax = min(self.large.values(), key=lambda each: each.start_ns, default=None)
        large = by_jax if begun is None else self.large.get(begun.thread)
        since = begun or large
        return Progress(
            name=self.name,
            elapsed_ns=now_ns - self.start_ns,
            steps=steps,
            rate=(steps - before) / max(now_ns - before_ns, 1) * 1e9,
            compiled=self.counts[Compiled],
            compile_ns=self.compile_ns,
            last_compile=self.last_compile,
            compiling=begun,
            large=large,
            compiling_ns=now_ns - since.start_ns if since is not None else 0,
            last=self.last,
            quiet_ns=now_ns - (self.last.end_ns if self.last is not None else self.start_ns),
            jax_compiled=self.jax_compiled,
            jax_compile_ns=self.jax_compile_ns,
            runs=self.counts[Executed],
            reads=self.counts[Read] - self.waits,
            waits=self.waits,
            fallbacks=self.counts[FellBack],
            transfers=self.transfers,
            transferred_bytes=self.transferred_bytes,
        )


MORE: dict[type[Event], Callable[[Tally, Any], None]] = {
    Compiling: Tally.begin,
    Compiled: Tally.compiled,
    Failed: Tally.end,
    Cut: Tally.end,
    Traced: Tally.end,
    Stepped: Tally.end,
    Staged: Tally.staged,
    Sized: Tally.sized,
    Transferred: Tally.transferred,
    Read: Tally.read,
}
"""What is kept of an event beside how many there were."""
