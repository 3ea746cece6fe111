"""What was compiled so far, by function, and which of it is nearest to what is compiled now."""

from collections import OrderedDict, deque
from collections.abc import Hashable, Sequence
from operator import is_not, ne
from sys import intern
from typing import Any, TypeVar

from x10_jupyter.observe.arguments import Row
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.signature import AVALS, OPTIONS, PLACES, PROGRAM, Signature

MOST_FUNCTIONS = 2048
MOST_SIGNATURES = 1024
"""Of one function; the oldest are forgotten."""
MOST_INTERNED = 65536
LOOKED_AT = 32
"""Signatures that differ in equally many parts whose arrays are compared one by one, the newest first."""

T = TypeVar("T")
Sections = tuple[Hashable, ...]


class Family:
    """The signatures of functions made of the same code."""

    __slots__ = ("function", "gap", "known")

    def __init__(self) -> None:
        self.known = deque[tuple[Signature, Sections]](maxlen=MOST_SIGNATURES)
        self.gap = 0
        """How often nobody had listened for a while when JAX's caches were asked."""
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
        """The code that stood under a name last, or None."""
        return self._scopes.get(scope)

    def of_source(self, source: str) -> Hashable:
        """The code that JAX tells as ``step at train.py:12``, or None."""
        return self._sources.get(source)

    def sections(self, signature: Signature) -> Sections:
        """The parts of a signature, equal ones being one object; so are its rows, of which thousands of signatures have the same ones."""
        signature.rows = tuple(Row(intern(row.path), self._one(row.what), row.place) for row in signature.rows)
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
        for table, name in ((self._scopes, function.scope), (self._sources, source)):
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


def nearest(known: Sequence[tuple[Signature, Sections]], now: Sections) -> Signature | None:
    """The signature that differs least: in parts, then in arrays, then in axes; of equally near ones the newest. Of the very same function, if there is one.

    Args:
        known: Signatures with their parts, in order.
        now: The parts of the new one.
    """
    token = now[0]
    same = [pair for pair in known if pair[1][0] == token]
    best: list[tuple[Signature, Sections]] = []
    fewest = len(now) + 1
    for pair in reversed(same or known):
        count = differing(*pair, now)
        if count < fewest:
            fewest, best = count, [pair]
        elif count == fewest and len(best) < LOOKED_AT:
            best.append(pair)
    return min(best, key=lambda pair: arrays_differing(*pair, now))[0] if best else None


def differing(signature: Signature, sections: Sections, now: Sections) -> int:
    """In how many parts a signature differs, as far as that is known."""
    count = sum(map(is_not, sections, now))  # equal ones are one object
    if not signature.is_whole:
        count -= sum(sections[part] is not now[part] for part in (PLACES, OPTIONS))
    return count


def arrays_differing(signature: Signature, sections: Sections, now: Sections) -> tuple[int, int]:
    """How many arrays differ, or are there only once; and in how many axes their shapes do."""
    parts = (AVALS, PROGRAM, PLACES) if signature.is_whole else (AVALS,)
    return sum(unequal(sections[part], now[part]) for part in parts), axes_differing(sections[AVALS], now[AVALS])


def axes_differing(old: Any, new: Any) -> int:  # noqa: ANN401 - sequences
    """In how many axes the shapes of arrays differ; all of both where there are more of them in one."""
    shapes = [(a.shape, b.shape) for a, b in zip(old, new, strict=False) if a is not b]
    return sum(sum(map(ne, a, b)) if len(a) == len(b) else len(a) + len(b) for a, b in shapes)


def unequal(old: Any, new: Any) -> int:  # noqa: ANN401 - sequences
    """How many items of two sequences differ."""
    if len(old) != len(new):
        return len(old) + len(new)
    return sum(map(is_not, old, new))
