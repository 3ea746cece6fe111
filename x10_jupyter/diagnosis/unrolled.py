"""Whether a program is large because a loop was written out, told by its size alone: so it can be told before the program is compiled, too."""

from dataclasses import dataclass

from x10_jupyter.base.units import count
from x10_jupyter.diagnosis.words import at
from x10_jupyter.records.process_events import Sized
from x10_jupyter.records.site import Site
from x10_jupyter.records.size import TOLD_RECORDED, LineSize

HUGE = 5_000
"""Operations from which on a program is large however it was written: XLA takes some 0.3 to 1 ms for each on a CPU, so several seconds."""

HUGE_LOOP = 1_000
"""Operations from which on a program is large if a loop makes up half of it: about a second, and scan would do away with nearly all of it."""

HUGE_STEPS = TOLD_RECORDED
"""The same of lazy tensors that a barrier could have cut, looked at afterwards: that all steps came into one program costs many times the compile of one."""

PASSES = 16
"""So often an operation has to stand on one line to have come from a loop that is worth another form: layers of a model are fewer, or are worth it, too."""

SEVERAL = 3
"""So many gradients that one line takes are steps of a loop around it: a step takes them at a line each, as those of two models."""

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
    """The line that owns most operations; of a loop of training steps the one that takes the gradient."""

    owned: int
    """How many operations a line owns at most."""

    @property
    def avoidable(self) -> int:
        """Operations that would not be there if the loop's body stood in the program once; all of them without a loop, since it could be cut anywhere."""
        return self.repeated - round(self.repeated / self.passes) if self.passes else self.ops


def in_hindsight(event: Sized) -> Unrolled | None:
    """As `unrolled`, of a program that has been compiled; also a loop of lazy tensors that is not large enough to warn of it while it is compiled.

    Args:
        event: What was known before it was compiled.
    """
    return unrolled(event, HUGE_STEPS if can_be_cut(event) and not is_short(event) else HUGE_LOOP)


def can_be_cut(event: Sized) -> bool:
    """Whether a loop in it may be one of steps, so that a barrier can stand in its body.

    A loop of training steps has a gradient in each of its turns, and another loop may have none. Of a gradient or two the loop is within them: the layers of a
    model, or time steps. There no barrier can stand.

    Args:
        event: What was known before it was compiled.
    """
    return event.maker == "runtime" and (event.gradients == 0 or event.gradients >= PASSES or is_short(event))


def is_short(event: Sized) -> bool:
    """Whether it holds the steps of a loop of few turns: the same line takes a few gradients."""
    return event.gradients < PASSES and event.gradients_there >= SEVERAL


def unrolled(event: Sized, least: int = HUGE_LOOP) -> Unrolled | None:
    """What makes a program large; None if it is not.

    Args:
        event: What is known before it is compiled.
        least: Operations from which on it is if a loop makes up half of it.
    """
    loops = [line for line in event.lines if turns(event, line) >= (SEVERAL if is_short(event) else PASSES)]
    repeated = sum(line.ops for line in loops)
    is_loop = repeated >= HALF * event.ops
    if event.ops < (least if is_loop else HUGE) or not event.lines:
        return None
    most = max(loops if is_loop else event.lines, key=lambda line: (line.site is not None, line.ops))
    passes = turns(event, most) if is_loop else 0
    # a line under a gradient may be that of a loop over layers, which is not the one to cut
    place = (event.gradient_site if is_loop and can_be_cut(event) else None) or most.site
    return Unrolled(ops=event.ops, repeated=repeated if is_loop else 0, passes=passes, site=place, owned=most.ops)


def turns(event: Sized, line: LineSize) -> int:
    """How often the loop around a line was run through: that of the steps, if there may be one, and else the one within each of the few gradients."""
    if not event.gradients:
        return line.passes
    return min(line.passes, event.gradients) if can_be_cut(event) else line.passes // event.gradients


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


def instead(event: Sized, found: Unrolled) -> str:
    """What to write instead, to be read after a line.

    Args:
        event: What was known before it was compiled.
        found: What makes it large.
    """
    is_loop = bool(found.passes)
    if can_be_cut(event):
        return "put `x10.barrier()` at the end of the loop's body, or write the loop as `x10.lax.scan`" if is_loop else "put `x10.barrier()` between its parts"
    if event.maker == "runtime":
        return (
            "write the loop as `x10.lax.scan`; if it is one over layers, stack their parameters for it"
            if is_loop
            else "stack what repeats and use `x10.lax.scan`"
        )
    if is_loop:
        return "write the loop as `jax.lax.scan` or `jax.lax.fori_loop`, so that its body is compiled once"
    return "compile its parts with a `jax.jit` of their own, or stack what repeats and use `jax.lax.scan`"
