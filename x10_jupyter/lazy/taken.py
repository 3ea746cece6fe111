"""What a program overwrites, in the user's words: told when the program fails, and so has lost it."""

from collections.abc import Mapping, Sequence

from x10_jupyter.lazy.graph import operations
from x10_jupyter.lazy.names import input_name
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.trie import State


def taken(steps: Sequence[State], pairs: Mapping[int, int]) -> dict[int, str]:
    """For each value that takes over an input's memory what the user calls the input, its type and the line that uses it: that of the value, or the first.

    Args:
        steps: The path.
        pairs: For each leaf that is donated the value that takes its buffer.
    """
    if not pairs:
        return {}
    used: dict[int, tuple[State, int]] = {}
    for state in operations(steps):
        for which, ref in enumerate(state.key[1:]):
            leaf = -1 - ref
            if leaf in pairs and (leaf not in used or state.ref <= pairs[leaf] < state.ref + len(state.op.outs)):
                used[leaf] = state, which
    return {pairs[leaf]: f"`{input_name(state, which)}` {state.op.ins[which]!r} at {site_of(state.site)}" for leaf, (state, which) in used.items()}
