"""Keeps the trie bounded: branches that lead to no kept program go."""

from x10_jupyter.lazy.core import COUNT, TRACES, State
from x10_jupyter.lazy.program import Store

MOST_STATES = 200_000
"""States of the trie, some 600 bytes each."""


def prune(store: Store, most: int = MOST_STATES) -> None:
    """Forget states: first those without a program, then those of the programs that were not used for longest.

    Half of what is allowed is kept, so that pruning stays rare. What is forgotten is recorded anew when it comes again; its program, if it is
    kept, is found by its graph.
    """
    keep: set[int] = set()
    for executable in store.all():
        for state, _ in executable.bindings:
            if len(keep) + state.depth > most // 2:
                break
            place: State | None = state
            while place is not None and id(place) not in keep:
                keep.add(id(place))
                place = place.parent
    COUNT.states = sum(thin(root, keep) for trace in list(TRACES) for root in list(trace.roots.values()))


def thin(root: State, keep: set[int]) -> int:
    """Drop all that is not to be kept under a root; returns how many states are left."""
    left, stack = 0, [root]
    while stack:
        state = stack.pop()
        left += 1
        state.next = {key: following for key, following in state.next.items() if id(following) in keep}
        stack.extend(state.next.values())
    return left
