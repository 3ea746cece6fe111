"""What JAX compiled when nobody listened, learnt of its own caches."""

import linecache
from collections import deque
from typing import Any

from x10_jupyter.jax_gate.compiling_call import CompilingCall
from x10_jupyter.jax_gate.context import settled
from x10_jupyter.jax_gate.known_programs import Traced, lowered, times_traced, traced
from x10_jupyter.observe.arguments import Aval
from x10_jupyter.observe.calls import inputs, known_names, look
from x10_jupyter.observe.difference import differences
from x10_jupyter.observe.functions import Function, Functions
from x10_jupyter.observe.history import History
from x10_jupyter.observe.making import rows_of
from x10_jupyter.observe.signature import Signature
from x10_jupyter.observe.values import name_of
from x10_jupyter.observe.wrappers import asked

MOST_LEARNT = 64
"""Earlier calls of a function that are learnt of JAX's caches, the newest."""


class Unheard:
    """Puts what JAX made meanwhile into the history, once a function that it may be of is compiled again."""

    def __init__(self, history: History, functions: Functions) -> None:
        self._history, self._functions = history, functions
        self._gap = 0
        self._traced = 0
        self._names: frozenset[str] | None = None
        """Names of the functions that JAX knew when somebody began to listen; None until it is asked."""
        self._before = frozenset[str]()
        """Files of code that ran before somebody listened, as far as Python knows: a notebook's cells are among them."""
        self.is_resident = False
        """Whether what was compiled before is known: somebody has listened from early on."""

    def begin(self) -> None:
        """Somebody listens again; what JAX traced meanwhile was not heard."""
        if times_traced() != self._traced:
            self._gap += 1
            self._before = frozenset(linecache.cache)
            self._names = None

    def end(self) -> None:
        """Nobody listens any more."""
        self._traced = times_traced()

    def clear(self) -> None:
        """Forget what was heard."""
        self._traced = 0

    def is_first(self, function: Function) -> bool:
        """Whether a function of which nothing is known can't have been compiled meanwhile."""
        is_later = self.is_resident and (function.site is None or function.site.file not in self._before)
        return not self._gap or function.is_lasting or is_later or self._history.family(function.family).is_part

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
        if self._names is None:
            self._names = known_names()
        if name in self._names:  # else a storm of new operations would look through all that JAX knows, each of them
            programs = lowered(str(getattr(call.info, "fun_sourceinfo", "")))
            compiled = {tuple(sorted(inputs(program))) for program in programs} if programs is not None else None
            for one in deque(traced(lambda other: other is call.fun or name_of(other) == name), maxlen=MOST_LEARNT):
                self._learn(one, function, call.info, compiled, forgotten)
                family.is_part = family.is_part or (compiled == set() and one.fun is call.fun)

    def _learn(self, one: Traced, function: Function, info: Any, compiled: set[tuple[str, ...]] | None, forgotten: int) -> None:  # noqa: ANN401 - JAX's
        told = asked(one.fun, one.args, one.kwargs)
        theirs = self._functions.asked_for(told, one.fun)
        if theirs.family != function.family:
            return
        found = look(told, info)
        if compiled is not None and tuple(sorted(str(row.what._replace(spread="")) for row in found.rows if isinstance(row.what, Aval))) not in compiled:
            return  # it was traced as a part of another function, or only for its shapes
        known = self._history.family(function.family).known
        signature = Signature(
            token=theirs.token, held=theirs.held, options=(), given=found.given, defaults=found.defaults,
            rows=rows_of(one.fun, theirs, found), context=settled(one.context),
            transform="", by=(), program=(), forgotten=forgotten, site=None, is_whole=False,
        )  # fmt: skip
        if not any(old.token == signature.token and not differences(signature, old) for old, _ in known):
            self._history.put(theirs, signature)
