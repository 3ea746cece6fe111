"""Every error this package raises on purpose."""


class X10Error(Exception):
    """An error that says what is wrong, what was seen and what to do next."""

    def __init__(self, what: str, *, got: object = None, fix: str = "") -> None:
        """Build the message ``what; got GOT. fix``.

        Args:
            what: The rule that was broken, as a statement without a full stop.
            got: The offending value: a string is shown as it is, anything else with ``repr``; None is left out.
            fix: One imperative sentence the reader can act on.
        """
        seen = "" if got is None else f"; got {got if isinstance(got, str) else repr(got)}"
        super().__init__(f"{what}{seen}.{' ' + fix if fix else ''}")
        self.what = what
        self.got = got
        self.fix = fix


class UsageError(X10Error, ValueError):
    """The caller passed something that this package cannot use."""


class UnknownSettingError(UsageError, AttributeError):
    """A setting was asked for by a name that none has, or in a way that none can be."""


class ExpectationError(X10Error, AssertionError):
    """More happened than the user says may happen, such as recompiles."""


class OperandError(X10Error, TypeError, ValueError):
    """An operation was given tensors it is not defined for: shapes that do not fit, wrong dtypes or types.

    JAX raises ``TypeError`` for some and ``ValueError`` for others; this is both.
    """


class LostValueError(X10Error, RuntimeError):
    """A tensor was read whose program could not be compiled or run."""


class BrokenChainError(LostValueError):
    """A tensor was read that needs an operation which failed when it ran on its own; what does not need it is computed."""


class LeakedValueError(X10Error, RuntimeError):
    """A value from inside a traced function was used after the function had returned."""


class UnsupportedJaxError(X10Error, ImportError):
    """The installed JAX lacks something that this package needs."""


class MissingExtraError(X10Error, ImportError):
    """Something was asked for that needs a package which is not installed."""


TRACEBACK = "Traceback (most recent call last):"


def named(error: BaseException) -> str:
    """Name and first line of an exception: ``ValueError: no such axis``."""
    message = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def gist(error: BaseException) -> str:
    """What an error says, in one line: its first one; if a traceback follows there, what that ends with. May be empty."""
    lines = str(error).strip().splitlines() or [""]
    return lines[0].removesuffix(TRACEBACK) + lines[-1].strip() if lines[0].endswith(TRACEBACK) else lines[0]
