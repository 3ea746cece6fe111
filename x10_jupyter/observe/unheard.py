"""What JAX compiled when nobody listened, learnt of its own caches."""

import linecache
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any

from x10_jupyter.jax_gate.compiling_call import CompilingCall
from x10_jupyter.jax_gate.context import settled
from x10_jupyter.jax_gate.eager_operation import operation_of
from x10_jupyter.jax_gate.known_programs import Traced, has_forgotten, lowered, programs_gone, times_traced, traced
from x10_jupyter.observe.arguments import Aval
from x10_jupyter.observe.calls import inputs, known_names, look
from x10_jupyter.observe.difference import differences
from x10_jupyter.observe.functions import Function, Functions
from x10_jupyter.observe.history import History
from x10_jupyter.observe.making import rows_of
from x10_jupyter.observe.signature import Signature
from x10_jupyter.observe.values import name_of
from x10_jupyter.observe.wrappers import asked

NUMBER = re.compile(r"\d+")
MOST_LEARNT = 64
"""Earlier calls of a function that are learnt of JAX's caches, the newest."""


class Unheard:
    """Puts what JAX made meanwhile into the history, once a function that it may be of is compiled again."""

    def __init__(self, history: History, functions: Functions) -> None:
        self._history, self._functions = history, functions
        self._gap = 0
        self._traced = self._forgotten = self._gone = 0
        """What JAX said when nobody listened any more: how often it had traced, forgotten everything, and lost a program."""
        self._are_all_there = False
        """Whether all that was compiled meanwhile was still there when the names were taken."""
        self._is_cleared = False
        """Whether JAX had forgotten some of what it made meanwhile before somebody listened again."""
        self._since = 0
        """How often JAX had forgotten everything then."""
        self._gone_at_names = 0
        self._names: frozenset[str] | None = None
        """Names of the functions that JAX knew when somebody began to listen; None until it is asked."""
        self._before = frozenset[str]()
        """Files of code that ran before somebody listened, as far as Python knows: a notebook's cells are among them."""
        self.is_resident = False
        """Whether what was compiled before is known: somebody has listened from early on."""

    def begin(self, forgotten: int) -> None:
        """Somebody listens again; what JAX traced meanwhile was not heard.

        Args:
            forgotten: How often JAX had forgotten everything.
        """
        is_emptied = forgotten > self._forgotten or has_forgotten()
        if times_traced() != self._traced or is_emptied:
            self._gap += 1
            self._before = frozenset(linecache.cache)
            self._names = None
            self._is_cleared = self._is_cleared or is_emptied
            self._since = forgotten

    def end(self, forgotten: int) -> None:
        """Nobody listens any more.

        Args:
            forgotten: As above.
        """
        self._traced, self._forgotten = times_traced(), forgotten
        if not self._gap or (self._names is not None and self._are_all_there):
            self._gone = programs_gone()

    def clear(self) -> None:
        """Forget what was heard."""
        self._traced = self._gone = 0

    def is_first(self, function: Function) -> bool:
        """Whether a function of which nothing is known can't have been compiled meanwhile."""
        if not self._gap or (self.is_resident and (function.site is None or function.site.file not in self._before)):
            return True
        family = self._history.family(function.family)
        return family.is_part or family.is_new

    def is_intact(self, forgotten: int) -> bool:
        """Whether JAX still knows what it made meanwhile, as far as it is still there.

        Args:
            forgotten: How often JAX has forgotten everything.
        """
        return not self._is_cleared and forgotten == self._since

    def catch_up(self, function: Function, call: CompilingCall, forgotten: int) -> None:
        """Learn of JAX's caches what nobody has heard of.

        Args:
            function: What is called.
            call: How.
            forgotten: How often JAX had forgotten everything.
        """
        family = self._history.family(function.family)
        if family.gap == self._gap:
            return
        family.gap = self._gap
        name = name_of(call.fun)
        gone, is_intact = programs_gone(), self.is_intact(forgotten)
        if self._names is None:
            self._names, self._gone_at_names, self._are_all_there = known_names(), gone, is_intact and gone == self._gone
        is_known = name in self._names  # else a storm of new operations would look through all that JAX knows, each of them
        programs = lowered(str(getattr(call.info, "fun_sourceinfo", ""))) if is_known else []
        is_traced = is_known and any(True for _ in traced(lambda other: other is call.fun))
        family.is_part = family.is_part or (is_intact and programs == [] and is_traced)
        is_there = self._are_all_there and (not is_known or (is_intact and gone == self._gone_at_names))
        family.is_new = not programs and ((is_intact and function.is_lasting) or is_there)
        compiled = None if programs is None else list(map(inputs, programs))
        if is_known:
            found = deque(traced(lambda other: other is call.fun or name_of(other) == name), maxlen=MOST_LEARNT)
            same = [self._learn(one, function, call, compiled, forgotten) for one in found]
            family.is_new = family.is_new or (is_intact and operation_of(call.fun) is not None and not any(same))

    def _learn(self, one: Traced, function: Function, call: CompilingCall, compiled: Sequence[Sequence[str]] | None, forgotten: int) -> bool:
        """Learn of one way in which JAX has traced a function.

        Returns:
            Whether it is one of the functions in question, or may be.
        """
        told = asked(one.fun, one.args, one.kwargs)
        theirs = self._functions.asked_for(told, one.fun)
        if theirs.family != function.family:
            if not is_of_same_body(one.fun, call.fun):
                return False
            if not function.is_lasting:
                return True  # its body may be another one of the same code
            theirs = function
        found = look(told, call.info)
        avals = [row.what._replace(spread="") for row in found.rows if isinstance(row.what, Aval)]
        for program in [None] if compiled is None else compiled_of(avals, compiled):
            known = self._history.family(function.family).known
            signature = Signature(
                token=theirs.token, held=theirs.held, options=(), given=found.given, defaults=found.defaults,
                rows=rows_of(one.fun, theirs, found), context=settled(one.context),
                transform="vmap" if program else "", by=(), program=tuple(program or ()), forgotten=forgotten, site=None, is_whole=False,
            )  # fmt: skip
            if not any(old.token == signature.token and not differences(signature, old) for old, _ in known):
                self._history.put(theirs, signature)
        return True


def is_of_same_body(one: Any, other: Any) -> bool:  # noqa: ANN401 - what was given to jax.jit
    """Whether two are the same operation of JAX's with a function of the same name and place in it."""
    a, b = operation_of(one), operation_of(other)
    return a is not None and b is not None and (a.name, a.body) == (b.name, b.body)


def compiled_of(avals: Sequence[Aval], compiled: Sequence[Sequence[str]]) -> Iterator[Sequence[str] | None]:
    """The programs that JAX has made of a function as it was traced: None for one by itself, or else its inputs; none of one traced as a part of others.

    Args:
        avals: The arrays that it was traced for.
        compiled: The inputs of each program of it, without those that it does not use.
    """
    whole = Counter(map(str, avals))
    if any(Counter(program) <= whole for program in compiled):
        yield None
    yield from (program for program in compiled if not Counter(program) <= whole and is_batched(avals, program))


def is_batched(avals: Sequence[Aval], program: Sequence[str]) -> bool:
    """Whether the inputs of a program are some arrays with one more axis each, of one length, or as they are."""
    if len(avals) != len(program):
        return False
    lengths = {int(length) for text in program for length in NUMBER.findall(text.partition("[")[2])}
    return any(all(text == str(aval) or text in with_axis(aval, length) for aval, text in zip(avals, program, strict=True)) for length in lengths)


def with_axis(aval: Aval, length: int) -> set[str]:
    """An array with one more axis, wherever that is."""
    return {str(aval._replace(shape=(*aval.shape[:at], length, *aval.shape[at:]))) for at in range(len(aval.shape) + 1)}
