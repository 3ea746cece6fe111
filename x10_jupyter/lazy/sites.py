"""What is known of each function called with one structure of arguments."""

import inspect
from collections.abc import Callable, Hashable
from typing import Any

from jax.tree_util import keystr, tree_flatten_with_path

from x10_jupyter.lazy.op import Call

MOST_SITES = 4096
MOST_CALLS = 512


class Site:
    """One function called with one structure of arguments."""

    __slots__ = ("calls", "is_tried", "paths", "statics")

    def __init__(self, paths: tuple[str, ...]) -> None:
        self.calls: dict[Any, Call] = {}
        self.statics: frozenset[int] = frozenset()
        """Which of its numbers have to be static."""
        self.is_tried = False
        """Whether it is known which."""
        self.paths = paths
        """What the user calls each leaf of the arguments."""

    def add(self, marks: Hashable, call: Call) -> Call:
        """Note a way of calling the function; returns it."""
        self.calls[marks] = call
        while len(self.calls) > MOST_CALLS:
            del self.calls[next(iter(self.calls))]
        return call


class Sites:
    """All sites, the most recent ones."""

    def __init__(self) -> None:
        self.known: dict[Hashable, Site] = {}

    def at(self, key: Hashable, paths: Callable[[], tuple[str, ...]]) -> Site:
        """The site of a key, made if it is new."""
        site = self.known.get(key)
        if site is None:
            site = self.known[key] = Site(paths())
            while len(self.known) > MOST_SITES:
                del self.known[next(iter(self.known))]
        return site


SITES = Sites()


def paths_of(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, ...]:
    """What the user calls each leaf of the arguments: ``x``, ``params['w']``."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters if p.kind == p.VAR_POSITIONAL), None)
    found = []
    for path, _ in tree_flatten_with_path((args, kwargs))[0]:
        place = path[1]
        if path[0].idx == 0:
            more = f"argument {place.idx}" if rest is None else f"{rest}[{place.idx - len(names)}]"
            start = names[place.idx] if place.idx < len(names) else more
        else:
            start = str(place.key)
        found.append(start + keystr(path[2:]))
    return tuple(found)
