"""What a function's code is, apart from where it stands, and which names it reads."""

import dis
from collections.abc import Iterable
from functools import lru_cache
from types import CodeType


@lru_cache(maxsize=4096)
def essence(code: CodeType) -> CodeType:
    """Code without its file and line numbers: a comment added above a function changes nothing."""
    consts = tuple([essence(c) if isinstance(c, CodeType) else c for c in code.co_consts])
    return code.replace(co_filename="", co_firstlineno=1, co_linetable=b"", co_exceptiontable=code.co_exceptiontable, co_consts=consts)


@lru_cache(maxsize=4096)
def names_read(code: CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The globals that code reads, and every other name in it (an attribute, perhaps of a module); with nested functions."""
    read = {i.argval for i in dis.get_instructions(code) if i.opname in {"LOAD_GLOBAL", "LOAD_NAME"}}
    named = set(code.co_names)
    for inner in nested(code.co_consts):
        inner_read, inner_named = names_read(inner)
        read.update(inner_read)
        named.update(inner_named)
    return tuple(sorted(read)), tuple(sorted(named))


def nested(consts: Iterable[object]) -> list[CodeType]:
    """The code of functions defined inside a function."""
    return [c for c in consts if isinstance(c, CodeType)]
