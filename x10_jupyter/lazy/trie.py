"""The trie of all traces.

Compiled, with `trie.pxd`, which says which attributes are numbers of C.
"""

from typing import Any

from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.op import Op


class State:
    """A place in the trie of all traces: how it was reached, what follows, and the programs of the cuts made here."""

    __slots__ = (
        "__weakref__",
        "after",
        "aval",
        "call",
        "count",
        "depth",
        "first",
        "home",
        "jumps",
        "key",
        "next",
        "op",
        "parent",
        "programs",
        "ref",
        "revisions",
        "second",
        "site",
        "slot",
        "taped",
        "taped_after",
        "taped_call",
        "taped_count",
        "taped_first",
        "taped_one",
        "taped_second",
        "taped_two",
    )  # fmt: skip

    def __init__(self, parent: "State | None", key: Any, op: Op | None, site: Line | None) -> None:
        self.parent = parent
        self.key = key
        """``(call, *refs)`` of an operation; of a leaf the aval, or ``(aval, place)``."""
        self.op: Any = op
        """The operation; None for a leaf."""
        self.home: tuple[str, str] | None = None
        """File and function of the cut that first compiled it."""
        self.site = site
        """Where the operation was first written."""
        self.next: dict[Any, State] = {}
        self.programs: dict[tuple[int, ...], Any] | None = None
        """Live values at the cut, to the program that computes them."""
        self.taped: dict[Any, Any] | None
        """Where operations lead to from here under a gradient; None if nothing is known."""
        self.jumps: dict[Any, Any] | None
        """Where the ways back from losses lead to from here."""
        self.revisions = 0
        """How often baked numbers turned out to change here."""
        self.depth = 0 if parent is None else parent.depth + 1
        self.ref = self.slot = 0
        """Values made, and numbers used, before this operation."""
        if parent is not None:
            before = parent.op
            self.ref = parent.ref + (len(before.outs) if before is not None else 0)
            self.slot = parent.slot + (len(before.call.numbers) if before is not None else 0)
        self.aval: Any = None
        """Of the operation's only result."""
        self.count = self.first = self.second = self.taped_count = self.taped_first = self.taped_second = 0
        self.taped_one = self.taped_two = False
        self.forget()

    def forget(self) -> None:
        """Forget what is known of gradients from here, and what came next the last time."""
        self.taped = self.jumps = None
        # What came next the last time, where one or two refs tell it: nearly always it is the same again. It stands here and not in a dictionary because
        # after a step of a large model nothing is left in the processor's caches, and what is not touched need not be fetched.
        self.call: Any = None
        """The call that came next, or the key of a leaf; it had `count` refs, `first` and `second`, and led to `after`."""
        self.after: Any = None
        self.taped_call: Any = None
        """The same under a gradient, with whether that depends on the one operand and on the two."""
        self.taped_after: Any = None


class Count:
    """How many states there are, of all threads."""

    states = 0
    """States made since the last pruning, and those it left."""
    most = 200_000
    """When there are more, the trie is pruned; some 700 bytes each."""


COUNT = Count()
