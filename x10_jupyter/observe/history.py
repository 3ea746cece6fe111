"""What was compiled so far, by function, and which of it is nearest to what is compiled now."""

from collections import OrderedDict, deque
from collections.abc import Hashable, Sequence

from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.signature import OPTIONS, PLACES, Signature

MOST_FUNCTIONS = 2048
MOST_SIGNATURES = 1024
"""Of one function; the oldest are forgotten."""
MOST_INTERNED = 16384
LOOKED_AT = 64
"""Signatures that differ in equally many parts whose arrays are compared one by one, the newest first."""

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
        self._interned: dict[Hashable, Hashable] = {}

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
        """The parts of a signature, equal ones being one object."""
        if len(self._interned) > MOST_INTERNED:
            self._interned.clear()
        return tuple(self._interned.setdefault(part, part) for part in signature.sections())

    def put(self, function: Function, signature: Signature, source: str = "") -> None:
        """Remember how a function was compiled.

        Args:
            function: It.
            signature: How.
            source: What JAX calls it in the programs that it derives from it.
        """
        family = self.family(function.family)
        family.known.append((signature, self.sections(signature)))
        family.function = function
        for table, name in ((self._scopes, function.scope), (self._sources, source)):
            if name:
                table[name] = function.family
                table.move_to_end(name)
                if len(table) > MOST_FUNCTIONS:
                    table.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        self._families.clear()
        self._scopes.clear()
        self._sources.clear()
        self._interned.clear()


def nearest(known: Sequence[tuple[Signature, Sections]], now: Sections) -> Signature | None:
    """The signature that differs least; of equally near ones the newest. Of the very same function, if there is one.

    Args:
        known: Signatures with their parts, in order.
        now: The parts of the new one.
    """
    token = now[0]
    same = [pair for pair in known if pair[1][0] == token]
    best: list[Signature] = []
    fewest = len(now) + 1
    for signature, sections in reversed(same or known):
        count = differing(signature, sections, now)
        if count < fewest:
            fewest, best = count, [signature]
        elif count == fewest and len(best) < LOOKED_AT:
            best.append(signature)
    return min(best, key=lambda signature: rows_differing(signature, now), default=None)


def differing(signature: Signature, sections: Sections, now: Sections) -> int:
    """In how many parts a signature differs, as far as that is known."""
    count = sum(a is not b and a != b for a, b in zip(sections, now, strict=True))
    if not signature.is_whole:
        count -= sum(sections[part] != now[part] for part in (PLACES, OPTIONS))
    return count


def rows_differing(signature: Signature, now: Sections) -> int:
    """How many arrays differ, or are there only once."""
    avals, places = now[PLACES - 1], now[PLACES]
    assert isinstance(avals, tuple)
    assert isinstance(places, tuple)
    if len(avals) != len(signature.avals):
        return len(avals) + len(signature.avals)
    found = sum(a is not b and a != b for a, b in zip(signature.avals, avals, strict=True))
    return found + (sum(a != b for a, b in zip(signature.places, places, strict=True)) if signature.is_whole else 0)
