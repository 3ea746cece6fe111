"""Code: what it does, wherever it stands, and what it reads from around it."""

import dis
import types
from collections.abc import Hashable, Iterator
from functools import lru_cache

Step = tuple[str, Hashable]
"""``(".", "rate")`` for an attribute, ``("[", "rate")`` for an item."""

Way = tuple[str, tuple[Step, ...]]
"""The name of a global, and the attributes and items that are taken of it one after another."""

GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME"}
STORED = {"STORE_GLOBAL", "DELETE_GLOBAL"}
ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
CONSTANT = {"LOAD_CONST", "LOAD_SMALL_INT"}


def doing(code: types.CodeType) -> Hashable:
    """What some code does, which comments and where it stands do not change."""
    constants = tuple(doing(one) if isinstance(one, types.CodeType) else (type(one), repr(one)) for one in code.co_consts)
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_flags, code.co_argcount, code.co_kwonlyargcount


@lru_cache(maxsize=512)
def ways_read(code: types.CodeType) -> tuple[Way, ...]:
    """What some code, and the functions within it, read of globals; not those that they set themselves."""
    stored: set[str] = set()
    found = dict.fromkeys(ways_in(code, stored))
    return tuple(way for way in found if way[0] not in stored)


def ways_in(code: types.CodeType, stored: set[str]) -> Iterator[Way]:
    """The same, and the names that are set.

    Args:
        code: The code.
        stored: Takes these names.
    """
    instructions = [one for one in dis.get_instructions(code) if one.opname not in {"PUSH_NULL", "EXTENDED_ARG"}]
    for at, one in enumerate(instructions):
        if one.opname in STORED:
            stored.add(one.argval)
        if one.opname in GLOBAL:
            yield one.argval, tuple(steps(instructions[at + 1 :]))
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from ways_in(inner, stored)


def steps(instructions: list[dis.Instruction]) -> Iterator[Step]:
    """The attributes and items that are taken at once of what was loaded."""
    at = 0
    while at < len(instructions):
        one = instructions[at]
        if one.opname in ATTRIBUTE:
            yield ".", one.argval
            at += 1
        elif one.opname in CONSTANT and at + 1 < len(instructions) and takes_item(instructions[at + 1]):
            yield "[", one.argval
            at += 2
        else:
            return


def takes_item(one: dis.Instruction) -> bool:
    """Whether an instruction is ``a[b]``."""
    return one.opname == "BINARY_SUBSCR" or (one.opname == "BINARY_OP" and one.argrepr == "[]")
