"""Which function is compiled: the very object, as JAX tells functions apart, and the code that it was made of, which may be made again and again."""

import functools
import inspect
import itertools
import linecache
import re
import sys
import types
import weakref
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import jax

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.jax_gate.eager_operation import Operation, given_functions, is_jax_code, operation_of
from x10_jupyter.observe.code import doing
from x10_jupyter.observe.layers import is_hidden, layers_of, made_of
from x10_jupyter.observe.reads import Read, reads_of
from x10_jupyter.observe.values import name_of, text_of
from x10_jupyter.observe.wrappers import Asked
from x10_jupyter.records.site import Site, site_at, site_in

JITTED = type(jax.jit(lambda: None))
PLACE = re.compile(r"(?P<name>.+) at (?P<file>.+):(?P<line>\d+)")
"""How JAX tells where a function is defined."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function as far as causes depend on it; it doesn't keep the function alive."""

    token: int
    """The same for what JAX takes for the same function, as long as that lives."""

    family: Hashable
    """The same for functions made of the same code at the same place."""

    scope: Hashable
    """Module and name: what stays when the code is edited; None for what has no name of its own."""

    name: str
    held: tuple[tuple[str, str], ...]
    """What was written into it when it was made: closure, defaults, arguments of a partial; each with its text."""

    site: Site | None
    """Where it is defined; None if that is not the user's code."""

    is_jax: bool
    """Whether it is one of JAX's own."""

    is_local: bool
    """Whether it is made anew each time the code around it runs."""

    is_lasting: bool
    """Whether it was made once, when its module was imported."""

    operation: str = ""
    """The operation of JAX's that it is the body of: ``scan``."""

    made: str = ""
    """What made it, as its author may have written it: ``jax.grad(loss)``; empty for what a ``def`` made."""
    likeness: Hashable = None
    """The same for functions of one name and module whose code does the same, wherever it stands."""
    is_named: bool = False
    """Whether the module has it under its name, so that any other one of that name has none any more, even if something keeps it."""
    is_jitted: bool = False
    """Whether it is what `jax.jit` has made already."""
    reads: tuple[tuple[str, Read], ...] = ()
    """What it reads from around it now, and the functions that it calls do; see `reads_of`."""
    parts: tuple[int, ...] = ()
    """The tokens of the user's functions that an operation is made of."""


class Functions:
    """Tells functions apart as JAX does: by identity, or by equality if they have one of their own."""

    def __init__(self) -> None:
        self._tokens = weakref.WeakKeyDictionary[Any, int]()
        self._count = itertools.count(1)

    def look(self, fun: Any, frame: FrameType | None = None) -> Function:  # noqa: ANN401 - whatever was given to jax.jit
        """What there is to know of a function.

        Args:
            fun: It.
            frame: That of its call, in which the user's functions are found that are parts of an operation.
        """
        operation = operation_of(fun)
        if operation is not None:
            given = given_functions(frame) if operation.is_made_of_functions else ()
            return self._of_given(operation, given) if given else self._of_operation(operation)
        layers = list(layers_of(fun))
        codes = [code for layer in layers if isinstance(code := getattr(layer, "__code__", None), types.CodeType)]
        theirs = [code for code in codes if not is_ours_or_library(code.co_filename)]
        base = theirs[-1] if theirs else None
        local = base is not None and ("<locals>" in base.co_qualname or base.co_name == "<lambda>")
        module = str(getattr(layers[-1], "__module__", ""))
        file = getattr(sys.modules.get(module), "__file__", None)
        return Function(
            token=self._token(fun),
            family=tuple((code.co_filename, code) for code in codes) or (type(fun).__qualname__, name_of(fun)),
            scope=None if base is None or base.co_name == "<lambda>" else (module, base.co_qualname),
            name=name_of(layers[-1] if is_hidden(fun) else fun),
            held=tuple(held_by(layers)),
            site=site_of(base),
            is_jax=len(layers) == 1 and len(codes) == 1 and is_jax_code(codes[0].co_filename),
            is_local=local or len(layers) > 1,
            is_lasting=not local and len(layers) == 1 and codes[-1:] != [] and codes[-1].co_filename == file,
            made=made_of(layers),
            likeness=None if base is None else (module, base.co_qualname, written_at(base), held_as(layers[-1]), *map(doing, codes)),
            is_named=is_named(layers[-1]),
            is_jitted=type(fun) is JITTED,
            reads=reads_of(layers),
        )

    def asked_for(self, told: Asked, fun: Any, frame: FrameType | None = None) -> Function:  # noqa: ANN401 - what was given to jax.jit
        """What was called, as the user made it.

        Args:
            told: The call, as the user wrote it.
            fun: What was given to `jax.jit`.
            frame: As above.
        """
        function = self.look(told.fun, frame)
        if told.is_tree:  # its arrays and the rest are arguments, and what JAX knows is what passes them on
            return replace(function, token=self.look(fun).token)
        if told.static_argnums is not None:  # what JAX knows is made for each way of calling it
            return replace(self.look(fun), token=function.token)
        return function

    def _of_operation(self, operation: Operation) -> Function:
        """One of JAX's own operations, or the user's function in one, such as the body of a scan, which JAX traces by itself before it is bound."""
        family, told = ("operation", operation.name, operation.body), PLACE.fullmatch(operation.body)
        token = token_of(family)
        if told is None:
            return Function(token, family, None, operation.name, (), None, is_jax=True, is_local=False, is_lasting=True)
        site = site_at(told["file"], int(told["line"]), told["name"])
        return Function(token, family, None, told["name"], (), site, is_jax=False, is_local=True, is_lasting=False, operation=operation.name)

    def _of_given(self, operation: Operation, given: Sequence[Any]) -> Function:
        """An operation that the user has given functions to, such as the body of a scan."""
        parts = [self.look(one) for one in given]
        family = ("operation", operation.name, *[part.family for part in parts])
        tokens = tuple(part.token for part in parts)
        token = token_of((family, *tokens))
        held = tuple(one for part in parts for one in part.held)
        scope = ("operation", operation.name, *[part.scope for part in parts]) if all(part.scope for part in parts) else None
        likeness = ("operation", operation.name, *[part.likeness for part in parts]) if all(part.likeness for part in parts) else None
        reads = tuple({name: read for part in parts for name, read in part.reads}.items())
        return replace(
            parts[0], token=token, family=family, scope=scope, held=held, likeness=likeness, reads=reads, operation=operation.name,
            is_lasting=all(part.is_lasting for part in parts), parts=tokens,
        )  # fmt: skip

    def is_alive(self, function: Function) -> bool:
        """Whether a function still is there, or all that an operation is made of, so that JAX may still know it; operations themselves always are."""
        return all(token < 0 or token in self._tokens.values() for token in function.parts or (function.token,))

    def _token(self, fun: Any) -> int:  # noqa: ANN401 - as above
        try:
            return self._tokens.setdefault(fun, next(self._count))
        except TypeError:  # it can't be hashed, or can't be referred to weakly; JAX can't tell it from others either
            return next(self._count)

    def clear(self) -> None:
        """Forget them."""
        self._tokens.clear()


def token_of(operation: Hashable) -> int:
    """The token of an operation, which follows from what it is known by: nothing is kept of the many that there are. Those of functions are positive."""
    return -1 - hash(operation) % 2**62


def written_at(code: types.CodeType) -> str:
    """The line that a lambda is written in, as it reads: the same when a cell is run again, whatever else was changed in it. Empty where it can't be read.

    Two lambdas of one code may be two functions, and a name would tell them apart. What has a name is known by that.
    """
    return linecache.getline(code.co_filename, code.co_firstlineno).strip() if code.co_name == "<lambda>" else ""


def is_named(function: Any) -> bool:  # noqa: ANN401 - whatever it is
    """Whether the globals of a function have it, or what is wrapped around it, under its name: ``step``, ``Model.step``."""
    if not isinstance(function, types.FunctionType):
        return False
    first, *rest = function.__code__.co_qualname.split(".")
    found = function.__globals__.get(first)
    for name in rest:
        found = vars(found).get(name) if isinstance(found, type) else None
    return found is not None and any(layer is function for layer in layers_of(found))


def held_as(function: Any) -> str:  # noqa: ANN401 - whatever it is
    """The global that holds the jit of a lambda, which has no name of its own; empty if none does, and for other functions."""
    if not isinstance(function, types.FunctionType) or function.__name__ != "<lambda>":
        return ""
    jitted = ((name, one) for name, one in list(function.__globals__.items()) if type(one) is JITTED)
    return next((name for name, one in jitted if any(layer is function for layer in layers_of(one))), "")


def held_by(layers: list[Any]) -> Iterator[tuple[str, str]]:
    """What was written into a function when it was made, as far as it is worth a word."""
    for layer in layers:
        if isinstance(layer, functools.partial):
            names = positional_names(layer.func)
            yield from ((names[at] if at < len(names) else f"argument {at}", text_of(value)) for at, value in enumerate(layer.args))
            yield from ((name, text_of(value)) for name, value in layer.keywords.items())
        elif isinstance(layer, types.MethodType):
            yield "self", text_of(layer.__self__)
        elif isinstance(layer, types.FunctionType) and not is_ours_or_library(layer.__code__.co_filename):
            yield from closure_of(layer)


def positional_names(function: Any) -> list[str]:  # noqa: ANN401 - whatever a partial was made of
    """The parameters of a function that are given by position, in order; none if it can't say."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in found if one.kind in {one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD}]


def closure_of(function: types.FunctionType) -> Iterator[tuple[str, str]]:
    """The names that a function has from around it, and its defaults."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield name, text_of(cell.cell_contents)
        except ValueError:  # the name is bound later
            continue
    defaults = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    yield from ((name, text_of(value)) for name, value in zip(names[len(names) - len(defaults) :], defaults, strict=True))
    yield from ((name, text_of(value)) for name, value in (function.__kwdefaults__ or {}).items())


def site_of(code: types.CodeType | None) -> Site | None:
    """Where some code is defined."""
    return None if code is None else site_in(code, code.co_firstlineno)
