"""What was compiled so far, by function."""

from collections import OrderedDict, deque
from collections.abc import Hashable
from sys import intern
from typing import Any, TypeVar

from x10_jupyter.observe.arguments import Row
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.nearest import Sections
from x10_jupyter.observe.signature import Signature

MOST_FUNCTIONS = 2048
MOST_SIGNATURES = 1024
"""Of one function; the oldest are forgotten."""
MOST_INTERNED = 65536

T = TypeVar("T")


class Family:
    """The signatures of functions made of the same code."""

    __slots__ = ("function", "gap", "is_new", "is_part", "known")

    def __init__(self) -> None:
        self.known = deque[tuple[Signature, Sections]](maxlen=MOST_SIGNATURES)
        self.gap = 0
        """How often nobody had listened for a while when JAX's caches were asked."""
        self.is_part = False
        """Whether JAX's caches say that it was compiled as a part of other functions alone."""
        self.is_new = False
        """Whether JAX's caches say that it was not compiled before."""
        self.function: Function | None = None
        """The one compiled last."""


class History:
    """Bounded: of a function, and of functions, the newest."""

    def __init__(self) -> None:
        self._families = OrderedDict[Hashable, Family]()
        self._scopes = OrderedDict[Hashable, Hashable]()
        self._sources = OrderedDict[Hashable, Hashable]()
        self._interned: dict[Any, Any] = {}

    def family(self, key: Hashable) -> Family:
        """What is known of functions of some code; empty if they are new."""
        found = self._families.get(key)
        if found is None:
            found = self._families[key] = Family()
            if len(self._families) > MOST_FUNCTIONS:
                self._families.popitem(last=False)
        self._families.move_to_end(key)
        return found

    def in_scope(self, scope: Hashable) -> Hashable:
        """The code that stood under a name last, or did the same under it; None if there was none."""
        return self._scopes.get(scope)

    def of_source(self, source: str) -> Hashable:
        """The code that JAX tells as ``step at train.py:12``, or None."""
        return self._sources.get(source)

    def sections(self, signature: Signature) -> Sections:
        """The parts of a signature, equal ones being one object; so are its rows and what was read, which thousands of signatures share."""
        signature.rows = tuple(Row(intern(row.path), self._one(row.what), row.place) for row in signature.rows)
        signature.reads = self._one(signature.reads)
        return tuple(self._one(part) for part in signature.sections())

    def _one(self, value: T) -> T:
        """The first of equal values."""
        return self._interned.setdefault(value, value)

    def put(self, function: Function, signature: Signature, source: str = "") -> None:
        """Remember how a function was compiled.

        Args:
            function: It.
            signature: How.
            source: What JAX calls it in the programs that it derives from it.
        """
        if len(self._interned) > MOST_INTERNED:
            self._tidy()
        family = self.family(function.family)
        family.known.append((signature, self.sections(signature)))
        family.function = function
        for table, name in ((self._scopes, function.scope), (self._scopes, function.likeness), (self._sources, source)):
            if name:
                table[name] = function.family
                table.move_to_end(name)
                if len(table) > MOST_FUNCTIONS:
                    table.popitem(last=False)

    def _tidy(self) -> None:
        """Forget the older half of the functions, and what only they had."""
        for key in list(self._families)[: len(self._families) // 2]:
            del self._families[key]
        self._interned.clear()
        for family in self._families.values():
            family.known = deque(((signature, self.sections(signature)) for signature, _ in family.known), maxlen=MOST_SIGNATURES)

    def clear(self) -> None:
        """Forget everything."""
        self._families.clear()
        self._scopes.clear()
        self._sources.clear()
        self._interned.clear()
