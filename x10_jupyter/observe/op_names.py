"""Names of operations as JAX writes them into programs: ``jit(step)/transpose(jvp(block))/while/body/dot_general``."""

import re
from typing import NamedTuple

NODE = re.compile(r"x10\[(\d+)\]")
"""What the lazy runtime puts there: the number of an operation in its program."""

WRAPPED = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
CALLS = frozenset({"jit", "pjit", "xla_call", "pmap"})
MAPS = frozenset({"jvp", "vmap", "transpose", "linearize", "checkpoint", "remat", "rematted_computation"})
OWN = frozenset(
    {"while", "body", "cond", "scan", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "checkpoint", "remat", "remat2", "eval_jaxpr"}
)
BRANCH = re.compile(r"branch_\d+_fun")
"""What JAX's own transformations and loops put in."""


class OpName(NamedTuple):
    """What a name says."""

    op: str
    """The operation itself: ``dot_general``."""

    scope: str
    """The user's name scopes, from the outside in: ``block/attention``; empty outside any."""

    is_backward: bool
    """Whether it belongs to the way back of a gradient."""

    node: int | None
    """The operation of a lazy program that it is a part of."""


NONE = OpName("", "", is_backward=False, node=None)


def read(name: str) -> OpName:
    """What a name says."""
    *outer, op = parts(name) or [""]
    scopes, node, is_backward = list[str](), None, False
    for part in outer:
        numbered = NODE.fullmatch(part)
        if numbered is not None:
            node = int(numbered[1])
            continue
        found, is_back = unwrapped(part)
        is_backward = is_backward or is_back
        if found and found not in OWN and BRANCH.fullmatch(found) is None:
            scopes.append(found)
    return OpName(op, "/".join(scopes), is_backward, node)


def unwrapped(part: str) -> tuple[str, bool]:
    """A scope without what transformations have put around it, and whether it was transposed; of a call of a compiled function nothing is left."""
    is_back = False
    while (found := WRAPPED.fullmatch(part)) is not None:
        if found[1] in CALLS:
            return "", is_back
        if found[1] not in MAPS:
            break
        is_back = is_back or found[1] == "transpose"
        part = found[2]
    return part, is_back


def parts(name: str) -> list[str]:
    """A name taken apart at slashes that are in no parentheses or brackets."""
    found, depth, start = list[str](), 0, 0
    for place, letter in enumerate(name):
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == "/" and depth <= 0:
            found.append(name[start:place])
            start = place + 1
    return [each for each in (*found, name[start:]) if each]
