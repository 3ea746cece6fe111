"""``%%x10trace``: capture a cell or a statement, show what happened, keep it as ``_x10``."""

import ast
import sys
from contextlib import ExitStack
from types import FrameType

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class, needs_local_scope, no_var_expand

from x10_jupyter.base.frames import user_frame
from x10_jupyter.base.hiding import without_ours
from x10_jupyter.magics import options
from x10_jupyter.magics.tracing import PLAIN, Captures, Leaving, Tracing
from x10_jupyter.magics.transform import with_imports_told
from x10_jupyter.session.live import Lives


@magics_class
class X10Magics(Magics):
    """The magics, and what transformed cells call."""

    def __init__(self, shell: InteractiveShell, capture: Captures, live: Lives) -> None:
        """Prepare.

        Args:
            shell: Where they will be registered.
            capture: Makes a context manager that captures, from a name.
            live: Makes one that shows how it goes.
        """
        super().__init__(shell)
        self.home = shell
        self.capture = capture
        self.live = live
        self.undo = ExitStack()
        """Takes everything out of the shell again that was put in with these magics."""
        self.leaving = Leaving()
        """Says when that may be done: what is traced still calls these magics."""

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    def x10trace(self, line: str, cell: str | None = None, local_ns: dict[str, object] | None = None) -> object:
        """Run a cell or a statement, and show what XLA did: what was compiled and why again, steps, and where the time went.

            %%x10trace [NAME] [OPTIONS]
            %x10trace [OPTIONS] STATEMENT

        ``NAME`` is what to call the capture. ``-o VAR`` or ``--out VAR`` binds it to a variable (``_x10`` is always the last one), ``--save FILE`` writes it to
        a file. ``--quiet`` shows nothing, ``--no-live`` nothing while the cell runs. ``--graph`` records what each cut computes, too; with ``--graph-format
        FORM`` also as text. ``--ops`` records what each operation takes, ``--no-memory`` not what the devices hold. ``--lazy`` runs plain ``jax.numpy`` code on
        lazy tensors. ``--max-recompiles N`` makes it an error if functions and lazy traces are compiled again
        more than ``N`` times. ``-h`` or ``--help`` shows help and runs nothing.
        """
        # A cell is rewritten (transform.py) and comes through here only when a program runs the magic by its name.
        asked, code = options.part(line) if cell is None else (line, cell)
        if options.asks_for_help(asked) or not code.strip():
            return self.help()
        try:
            with self.tracing(asked):
                value = self.run(code, user_frame(), local_ns)
                plain = PLAIN.get()
                return value if plain is None else plain.shown(value)
        except BaseException as error:
            without_ours(error)
            raise

    def tracing(self, line: str) -> Tracing:
        """What captures a block and shows the result.

        Args:
            line: The options, as the user wrote them.

        Raises:
            UsageError: They cannot be read, or the capture could not be saved where it is to be.
        """
        return Tracing(self.home, options.parse(line), self.capture, self.live, self.leaving)

    def show(self, value: object) -> None:
        """Show a value as the last one of a cell is shown; inside the capture, since showing a tensor computes it.

        What runs on lazy tensors without knowing of them shows an array, and leaves one in ``_`` and ``Out``.
        """
        plain = PLAIN.get()
        if plain is not None and not self.is_quiet():
            value = plain.shown(value)
        sys.displayhook(value)

    def is_quiet(self) -> bool:
        """Whether the shell shows and keeps no value of this cell, since a semicolon ends it."""
        quiet = getattr(sys.displayhook, "quiet", None)
        return quiet is not None and bool(quiet())

    def imported(self) -> None:
        """Something was imported: what of it is JAX's is replaced if the block runs on lazy tensors."""
        plain = PLAIN.get()
        if plain is not None:
            plain.replace()

    def help(self) -> None:
        """Show how to use the magic."""
        print(options.help_text())  # noqa: T201 - help is what the user asked to see

    def run(self, code: str, place: FrameType, local_ns: dict[str, object] | None) -> object:
        """Run code in the user's namespace; comes back with the value of its last expression.

        Args:
            code: Python, possibly with magics of its own.
            place: The frame that calls the magic. The code takes over its file and line, so that what it does is told of that line.
            local_ns: Variables of that frame, when it is not the cell itself.
        """
        shell = self.home
        tree = ast.parse(shell.transform_cell(code))
        ast.increment_lineno(tree, place.f_lineno - 1)
        tree = shell.transform_ast(tree)
        body, filename = with_imports_told(tree.body) if PLAIN.get() is not None else tree.body, place.f_code.co_filename
        last = body[-1] if body else None
        if isinstance(last, ast.Expr):
            body = body[:-1]
        names = (self.home.user_ns,) if local_ns is None else (self.home.user_ns, local_ns)
        exec(compile(ast.Module(body, tree.type_ignores), filename, "exec", shell.compile.flags), *names)  # noqa: S102 - running the user's code is the point
        if not isinstance(last, ast.Expr):
            return None
        return eval(compile(ast.Expression(last.value), filename, "eval", shell.compile.flags), *names)  # noqa: S307
