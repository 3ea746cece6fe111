"""Whether a program is large because a loop was written out, told by its size alone: so it can be told before the program is compiled, too."""

from dataclasses import dataclass

from x10_jupyter.base.units import count
from x10_jupyter.diagnosis.words import at
from x10_jupyter.records.process_events import Sized
from x10_jupyter.records.site import Site
from x10_jupyter.records.size import TOLD_RECORDED

HUGE = 5_000
"""Operations from which on a program is large however it was written: XLA takes some 0.3 to 1 ms for each on a CPU, so several seconds."""

HUGE_LOOP = 1_000
"""Operations from which on a program is large if a loop makes up half of it: about a second, and scan would do away with nearly all of it."""

HUGE_STEPS = TOLD_RECORDED
"""The same of lazy tensors, looked at afterwards: that all steps came into one program costs many times the compile of one, and a barrier does away with
it."""

PASSES = 16
"""So often an operation has to stand on one line to have come from a loop that is worth another form: layers of a model are fewer, or are worth it, too."""

HALF = 0.5
"""Part of the operations that the loop has to make up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrolled:
    """A program that is large."""

    ops: int
    """Its operations."""

    repeated: int
    """Those that a loop has written out; 0 if it is large without one."""

    passes: int
    """How often the loop was run through; 0 without one."""

    site: Site | None
    """The line that owns most operations."""

    owned: int
    """How many that are."""

    @property
    def avoidable(self) -> int:
        """Operations that would not be there if the loop's body stood in the program once; all of them without a loop, since it could be cut anywhere."""
        return self.repeated - round(self.repeated / self.passes) if self.passes else self.ops


def in_hindsight(event: Sized) -> Unrolled | None:
    """As `unrolled`, of a program that has been compiled; also a loop of lazy tensors that is not large enough to warn of it while it is compiled.

    Args:
        event: What was known before it was compiled.
    """
    return unrolled(event, HUGE_STEPS if event.maker == "runtime" else HUGE_LOOP)


def unrolled(event: Sized, least: int = HUGE_LOOP) -> Unrolled | None:
    """What makes a program large; None if it is not.

    Args:
        event: What is known before it is compiled.
        least: Operations from which on it is if a loop makes up half of it.
    """
    loops = [line for line in event.lines if line.passes >= PASSES]
    repeated = sum(line.ops for line in loops)
    is_loop = repeated >= HALF * event.ops
    if event.ops < (least if is_loop else HUGE) or not event.lines:
        return None
    most = max(loops if is_loop else event.lines, key=lambda line: line.ops)
    passes = most.passes if is_loop else 0
    return Unrolled(ops=event.ops, repeated=repeated if is_loop else 0, passes=passes, site=most.site, owned=most.ops)


def described(called: str, found: Unrolled) -> str:
    """In words: ```step` of 2,007 operations, 2,000 of them from a loop written out 1,000 times at cell [3] line 11``.

    Args:
        called: What was compiled, as `words.named` says it.
        found: What makes it large.
    """
    return f"{called} of {count(found.ops, 'operation')}, {mostly(found)}"


def mostly(found: Unrolled) -> str:
    """Which of the operations are most of them: ``2,000 of them from a loop written out 1,000 times at cell [3] line 11``."""
    many = found.repeated if found.passes else found.owned
    of_them = f"{'all' if many == found.ops else f'{many:,}'} of them"
    return f"{of_them} from a loop written out {found.passes:,} times{at(found.site)}" if found.passes else f"{of_them}{at(found.site)}"


def instead(*, is_lazy: bool, is_loop: bool) -> str:
    """What to write instead, to be read after a line.

    Args:
        is_lazy: Whether it is a trace of lazy tensors, which can be cut.
        is_loop: Whether a loop was written out.
    """
    if is_lazy:
        return "put `x10.barrier()` at the end of the loop's body, or write the loop as `x10.lax.scan`" if is_loop else "put `x10.barrier()` between its parts"
    if is_loop:
        return "write the loop as `jax.lax.scan` or `jax.lax.fori_loop`, so that its body is compiled once"
    return "compile its parts with a `jax.jit` of their own, or stack what repeats and use `jax.lax.scan`"
