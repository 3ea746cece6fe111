"""Whether an operator's number is written in the source: such a one hardly ever changes."""

import dis
from bisect import bisect_right
from functools import lru_cache
from types import CodeType, FrameType

PLAIN = {"LOAD_CONST", "LOAD_SMALL_INT", "BUILD_TUPLE", "BUILD_SLICE", "UNARY_NEGATIVE", "COPY"}
OPERATORS = {"BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP"}


@lru_cache(maxsize=256)
def instructions(code: CodeType) -> tuple[list[int], list[dis.Instruction]]:
    """Offsets and instructions of a code object."""
    found = list(dis.get_instructions(code))
    return [i.offset for i in found], found


def effect(instruction: dis.Instruction) -> int:
    """By how much an instruction grows the stack."""
    return dis.stack_effect(instruction.opcode, instruction.arg, jump=False)


def operand_start(found: list[dis.Instruction], last: int) -> int:
    """Index of the first instruction of the operand whose last one is at ``last``; -1 when it can't be told."""
    needed = 1
    while last >= 0:
        if found[last].opcode in dis.hasjrel or found[last].opcode in dis.hasjabs:
            return -1
        needed -= effect(found[last])
        if needed <= 0:
            return last if needed == 0 else -1
        last -= 1
    return -1


def is_literal(frame: FrameType) -> bool:
    """Whether the operator that a frame stands at has an operand made of constants only."""
    offsets, found = instructions(frame.f_code)
    at = bisect_right(offsets, frame.f_lasti) - 1
    if at < 1 or found[at].opname not in OPERATORS:
        return False
    right = operand_start(found, at - 1)
    return is_constant(found, right, at) or is_constant(found, operand_start(found, right - 1), right)


def is_constant(found: list[dis.Instruction], start: int, end: int) -> bool:
    """Whether instructions, up to the one after them, make an operand of constants; not one of two, as in ``1 if y else 2``."""
    return start >= 0 and all(i.opname in PLAIN for i in found[start:end]) and not any(i.is_jump_target for i in found[start + 1 : end + 1])
