"""What ``%%x10trace`` does around a block: captures it, shows how it goes and then what happened, and keeps that."""

import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Protocol

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from x10_jupyter.base import errors
from x10_jupyter.base.frames import Cells, user_frame
from x10_jupyter.base.units import count
from x10_jupyter.magics.cells import text_of
from x10_jupyter.magics.options import Options, check_file
from x10_jupyter.magics.place import Place, place_in
from x10_jupyter.records.sink import Form
from x10_jupyter.session.capturing import Capturing
from x10_jupyter.session.kept import KEPT
from x10_jupyter.session.live import Live, Lives
from x10_jupyter.session.plain import Plain
from x10_jupyter.session.result import Capture
from x10_jupyter.views.explained import recompiles, told_at_once

LAST = "_x10"
"""Variable that holds the last capture."""

IS_LIVE = ContextVar("x10_jupyter is live", default=False)
"""Whether something is shown already while this cell runs; what is captured inside of it is a part of that."""


PLAIN = ContextVar[Plain | None]("x10_jupyter runs plain code", default=None)
"""What replaces JAX's names in the block that runs, if it is to run on lazy tensors."""


class Captures(Protocol):
    """Makes a context manager that captures."""

    def __call__(self, name: str, *, graphs: bool | Sequence[Form] = False, ops: bool = False, memory: bool = True, source: str | None = None) -> Capturing:
        """Make one of this name, with what else is to be recorded, and with the code that is captured; as `session.capture`."""
        ...


class Leaving:
    """Says when the extension is taken out: at once, or when nothing is traced any more, since what is traced may ask for it, and needs it until its end."""

    def __init__(self) -> None:
        """Trace nothing yet."""
        self.traced = 0
        """Cells and statements that are traced now, one within another or beside it."""
        self.waiting: Callable[[], None] | None = None
        """What is done when the last of them has ended."""

    def begin(self) -> None:
        """Something is traced from now on."""
        self.traced += 1

    def end(self) -> None:
        """It is traced no more; if it was the last one, what waited for that is done."""
        self.traced -= 1
        if not self.traced and self.waiting is not None:
            waiting, self.waiting = self.waiting, None
            waiting()

    def when_idle(self, leave: Callable[[], None]) -> None:
        """Do something as soon as nothing is traced; once, however often it is asked for."""
        if self.traced:
            self.waiting = leave
        else:
            leave()

    def stay(self) -> None:
        """Do it no more: the extension was loaded again meanwhile."""
        self.waiting = None


class Tracing:
    """A block that is captured. Its view comes at its end, also when it raises: then before the traceback."""

    def __init__(self, shell: InteractiveShell, asked: Options, capture: Captures, live: Lives, leaving: Leaving) -> None:
        """Prepare.

        Args:
            shell: Where the block runs.
            asked: What the user asked for.
            capture: Makes what captures.
            live: Makes what shows how the block goes.
            leaving: Is told from when to when something is traced.

        Raises:
            UsageError: The capture could not be written where it is to be.
        """
        check_file(asked.save)
        self.shell = shell
        self.asked = asked
        self.cell = Cells.number(user_frame().f_code.co_filename)
        self.capturing = capture(asked.name, graphs=asked.graphs, ops=asked.ops, memory=asked.memory, source=text_of(shell, self.cell))
        self.capturing.is_plain = asked.lazy
        self.capturing.warns = not asked.quiet
        self.make_live = live
        self.leaving = leaving
        self.place: Place | None = None
        self.live: Live | None = None
        self.stack = ExitStack()

    def __enter__(self) -> None:
        with ExitStack() as stack:
            if not (self.asked.quiet or self.asked.no_live or IS_LIVE.get()):
                self.begin_live(stack)
            plain = stack.enter_context(Plain(self.shell.user_ns, self.shell.user_ns_hidden)) if self.asked.lazy else None
            stack.callback(no_longer_plain, PLAIN.set(plain))
            stack.enter_context(self.capturing)  # last, so that nothing of the above belongs to it
            if plain is not None:
                stack.push(computing(plain))
            self.stack = stack.pop_all()
        self.leaving.begin()

    def begin_live(self, stack: ExitStack) -> None:
        """Show how the block goes, where that can be shown."""
        self.place = place_in(self.shell)
        if self.place is not None:
            stack.enter_context(self.place)
            stack.callback(no_longer_live, IS_LIVE.set(True))
            self.live = stack.enter_context(self.make_live(self.place.show, self.asked.name))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        __tracebackhide__ = True  # what the user's traceback shows is the line of the magic
        try:
            self.end(kind, error, trace)
        finally:
            self.leaving.end()  # last, since the block may have unloaded the extension

    def end(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Capture no more; keep, show and save what came of it, and look whether it is what the user expects."""
        __tracebackhide__ = True
        try:
            self.stack.__exit__(kind, error, trace)
        finally:
            self.keep(self.capturing.capture)
        self.save(self.capturing.capture, is_failing=error is not None)
        if error is None:
            expect(self.capturing.capture, self.asked.max_recompiles, self.cell)

    def keep(self, capture: Capture) -> None:
        """Keep the capture for a report, bind it to its variables and show it."""
        keep(self.shell, capture, self.cell)
        if self.asked.out:
            self.shell.user_ns[self.asked.out] = capture
        if not self.asked.quiet and not self.replace(capture):
            display(capture)

    def replace(self, capture: Capture) -> bool:
        """Show the capture in place of what was shown while it was made; false if there is no such place, or no longer."""
        if self.place is None or self.live is None or self.live.has_failed or not self.place.is_shown:
            return False
        formatter: Any = self.shell.display_formatter
        return self.place.show(*formatter.format(capture))

    def save(self, capture: Capture, *, is_failing: bool) -> None:
        """Write the capture to the file that the user named.

        Args:
            capture: It.
            is_failing: Whether the block raised: then what goes wrong here is only warned of, since the user is told of that.

        Raises:
            UsageError: It could not be written.
        """
        if not self.asked.save:
            return
        try:
            capture.to_json(self.asked.save)
        except errors.UsageError as error:
            said = f"{error} The capture is still there: `{LAST}.to_json(path)`."
            if not is_failing:
                raise UsageError(said) from None
            warnings.warn(said, RuntimeWarning, stacklevel=2)


def keep(shell: InteractiveShell, capture: Capture, cell: int | None = None) -> None:
    """Keep a capture for a report, and as the last one; also one that was made without a magic.

    Args:
        shell: Where it was made.
        capture: It.
        cell: The number of its cell; that which runs if it is not known.
    """
    KEPT.add(capture, Cells.number(user_frame().f_code.co_filename) if cell is None else cell)
    shell.user_ns[LAST] = capture


def computing(plain: Plain) -> Callable[[type[BaseException] | None, BaseException | None, TracebackType | None], None]:
    """What a block ends with that ran on lazy tensors: within the capture, since it is work of the block."""

    def end(_kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None) -> None:
        plain.compute(is_failing=error is not None)

    return end


def no_longer_plain(token: Token[Plain | None]) -> None:
    """What is imported stays JAX's from here on."""
    PLAIN.reset(token)


def no_longer_live(token: Token[bool]) -> None:
    """Let the next one be live."""
    IS_LIVE.reset(token)


def expect(capture: Capture, max_recompiles: int | None, cell: int | None = None) -> None:
    """Refuse a capture in which too much was compiled again. Operations of JAX's that run at once don't count: what they are given is no call of the user's.

    Args:
        capture: It.
        max_recompiles: How often functions and lazy traces may be; any number if None.
        cell: The number of its cell, if it has one.

    Raises:
        ExpectationError: They were more often. It names the causes, and what was counted.
    """
    __tracebackhide__ = True
    found = recompiles(capture.compiles)
    again = [one for one in found if not one.is_eager]
    if max_recompiles is not None and len(again) > max_recompiles:
        allowed, others = count(max_recompiles, "recompile"), len(found) - len(again)
        where = "here" if cell is None else f"in cell [{cell}]"
        left_out = f" (and {others:,} of operations that ran at once, which do not count)" if others else ""
        raise errors.ExpectationError(
            f"At most {allowed} of functions and lazy traces may happen {where}",
            got=f"{len(again):,}{left_out}: {told_at_once(again)}",
            fix=again[-1].cause.fix,
        )
