"""Keeps the trie bounded: branches that lead to no kept program go, and so does what lies beyond the longest trace."""

from x10_jupyter.base.config import config
from x10_jupyter.lazy.core import TRACES, Trace
from x10_jupyter.lazy.program import Store
from x10_jupyter.lazy.trie import COUNT, State


def prune(store: Store) -> None:
    """Forget states: first those without a program, then those of the programs that were not used for longest.

    Half of what is allowed is kept, so that pruning stays rare. What is forgotten is recorded anew when it comes again; its program, if it is
    kept, is found by its graph.
    """
    most = COUNT.most // 2
    keep: set[int] = set()
    for executable in store.all():
        for state, _ in executable.bindings():
            new = []
            place: State | None = state
            while place is not None and id(place) not in keep:
                new.append(id(place))
                place = place.parent
            if len(keep) + len(new) <= most:
                keep.update(new)
    COUNT.states = sum(thinned(trace, keep) for trace in list(TRACES))


def thinned(trace: Trace, keep: set[int]) -> int:
    """Drop what is not to be kept of a thread's tries; returns how many states are left."""
    left = 0
    for context, root in list(trace.roots.items()):
        left += thin(root, keep)
        if not root.next and context is not trace.context:
            del trace.roots[context]
    return left


def thin(root: State, keep: set[int]) -> int:
    """Drop all that is not to be kept under a root; returns how many states are left."""
    left, stack = 0, [root]
    while stack:
        state = stack.pop()
        left += 1
        # a list first: another thread may be adding to it
        state.next = {key: following for key, following in list(state.next.items()) if id(following) in keep}
        state.forget()  # it leads to states that may be gone
        stack.extend(state.next.values())
    return left


def trim(limit: int) -> None:
    """Let traces be so long from now on. On a known path nobody counts, so that there must be none beyond."""
    COUNT.states = 0
    for trace in list(TRACES):
        trace.limit = limit
        for root in list(trace.roots.values()):
            COUNT.states += shorten(root, limit)


class Limit:
    """After how many operations a trace is cut: as many as are allowed, and at one of those at which the size is looked at."""

    def __init__(self, size: int, every: int) -> None:
        """Begin with a size and the operations between two looks."""
        self.size, self.every = size, every

    @property
    def ops(self) -> int:
        """The first look at which the size is reached."""
        return -(-self.size // self.every) * self.every

    def resize(self, size: int) -> None:
        """Allow another size."""
        self.size = size
        trim(self.ops)

    def look_every(self, every: int) -> None:
        """Look at the size more or less often."""
        self.every = every
        trim(self.ops)


LIMIT = Limit(config.now.trim_graph_size, config.now.trim_graph_check_frequency)
config.listen("trim_graph_size", LIMIT.resize)
config.listen("trim_graph_check_frequency", LIMIT.look_every)


def shorten(root: State, limit: int) -> int:
    """Drop what lies deeper than so many steps under a root; returns how many states are left."""
    left, stack = 0, [root]
    while stack:
        state = stack.pop()
        left += state.depth <= limit
        stack.extend(list(state.next.values()))
        state.forget()  # it may lead beyond
        if state.depth >= limit:  # also where a trace stands that is too long already
            state.next = {}
    return left
