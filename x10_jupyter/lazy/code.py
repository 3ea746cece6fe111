"""What a function's code is, apart from where it stands, and which names it reads."""

import dis
from collections.abc import Iterable
from functools import lru_cache
from types import CodeType
from typing import NamedTuple


@lru_cache(maxsize=4096)
def essence(code: CodeType) -> CodeType:
    """Code without its file and line numbers: a comment added above a function changes nothing."""
    consts = tuple([essence(c) if isinstance(c, CodeType) else c for c in code.co_consts])
    return code.replace(co_filename="", co_firstlineno=1, co_linetable=b"", co_exceptiontable=code.co_exceptiontable, co_consts=consts)


class Names(NamedTuple):
    """The names in a function's code, and in that of functions defined in it."""

    read: tuple[str, ...]
    """Globals that it reads."""
    named: tuple[str, ...]
    """Attributes that it reads, perhaps of a module."""
    bare: frozenset[str]
    """Globals and attributes of which it does something else than to read an attribute."""
    imported: tuple[str, ...]
    """Modules that it imports."""


@lru_cache(maxsize=4096)
def names_read(code: CodeType) -> Names:
    """The names in code."""
    found = list(dis.get_instructions(code))
    read = {i.argval for i in found if i.opname in GLOBALS}
    named, imported = [{i.argval for i in found if i.opname in kinds} for kinds in (ATTRIBUTES, {"IMPORT_NAME"})]
    bare = {i.argval for i, after in zip(found, [*found[1:], None], strict=True) if i.opname in GLOBALS | ATTRIBUTES and opname(after) not in ATTRIBUTES}
    for inner in map(names_read, nested(code.co_consts)):
        read.update(inner.read)
        named.update(inner.named)
        bare.update(inner.bare)
        imported.update(inner.imported)
    return Names(tuple(sorted(read)), tuple(sorted(named)), frozenset(bare), tuple(sorted(imported)))


GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}
ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}


def opname(instruction: dis.Instruction | None) -> str:
    """An instruction's name; empty if there is none."""
    return "" if instruction is None else instruction.opname


def nested(consts: Iterable[object]) -> list[CodeType]:
    """The code of functions defined inside a function."""
    return [c for c in consts if isinstance(c, CodeType)]
