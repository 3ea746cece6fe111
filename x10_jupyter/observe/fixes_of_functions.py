"""What to write instead where a function was made anew."""

from x10_jupyter.observe.difference import JITTED_AGAIN, read_anew
from x10_jupyter.observe.fixes_of_arrays import AVAL
from x10_jupyter.observe.fixes_of_values import ANOTHER, NUMBER
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.layers import LAMBDA, PMAP
from x10_jupyter.observe.signature import Signature
from x10_jupyter.records.cause import Change

ANEW = "defined anew with the same code"
AROUND = "outside the loop or function around them."
LOOPS = {"scan", "while"}
"""Operations that hand a carry from one run of a function to the next."""


def for_rebuilt(change: Change, function: Function, old: Signature | None, new: Signature) -> str:
    """Make it once."""
    if change.new.startswith("edited"):
        return "Nothing: an edited function has to be compiled once."
    if change.new == JITTED_AGAIN or is_option(change, old, new):
        return of_jit(change, function)
    what = in_words(function)
    before = {} if old is None else dict(old.held)
    held = next(((name, text) for name, text in new.held if name != "self" and before.get(name, text) != text), None)
    changed = {} if old is None else {one.where: one.new.removeprefix(ANOTHER) for one in read_anew(old, new)}
    read = (change.where, changed[change.where]) if change.where in changed else None
    if function.operation and (read is None or is_data(read[1])):
        return of_operation(function.operation, what, held or read)
    if held:
        return f"Define {what} once, outside the loop, and pass {passed(*held)} instead of binding it."
    if read is not None:
        return of_read(function, what, *read)
    once = made_once(function, what)
    if change.new == ANEW and once.endswith(AROUND):
        once = f"{once[:-1]}, and in a cell that is not run again."
    is_known = old is None or old.is_whole or not new.reads
    return once if is_known else f"{once[:-1]}, unless that was for what it reads, such as `{new.reads[0][0]}`."


def in_words(function: Function) -> str:
    """What to call it."""
    return "the function" if function.name == "<lambda>" else f"`{function.name}`"


def is_option(change: Change, old: Signature | None, new: Signature) -> bool:
    """Whether a change is one of what `jax.jit` was told."""
    return old is not None and dict(old.options).get(change.where) != dict(new.options).get(change.where)


def of_jit(change: Change, function: Function) -> str:
    """What to do about another use of `jax.jit`."""
    if change.new == JITTED_AGAIN:
        return f"Call {in_words(function)} itself: it is jitted already, and jax.jit around it makes another program."
    return f"Nothing: with another `{change.where}` {in_words(function)} has to be compiled once."


def of_read(function: Function, what: str, name: str, text: str) -> str:
    """What to do about a function that reads another value from around it: without being made anew it would go on with the old one.

    Args:
        function: It.
        what: It in words.
        name: What it reads.
        text: The value.
    """
    if is_data(text) and function.is_local:
        return f"Define {what} once, outside the loop or function around it, and pass `{name}` as an argument: its value is a part of the program."
    if is_data(text):
        return f"Nothing: {what} had to be compiled for the new `{name}`, a part of the program; pass `{name}` as an argument to change it without."
    return f"Nothing: {what} had to be compiled for the new `{name}`, which is a part of the program."


def of_operation(operation: str, what: str, held: tuple[str, str] | None) -> str:
    """What to do about the body of a loop, or another function within an operation.

    Args:
        operation: Its name.
        what: The function in words.
        held: The name and the text of what was written into it and is another value.
    """
    why = f"`{operation}` compiles each new one."
    if held is None or not is_data(held[1]):
        return f"Define {what} once, outside the loop or function around it: {why}"
    how = "in the carry, or as one of its other arguments," if operation in LOOPS else "as one of its operands"
    return f"Define {what} once, and pass {value(held[0])} to it {how} instead of binding it: {why}"


def made_once(function: Function, what: str) -> str:
    """Where to make what is the same each time.

    Args:
        function: It.
        what: It in words.
    """
    if not function.made and not function.is_local:
        return f"Define {what} once: outside the loop, and in a cell that is not run again."
    if function.made.startswith(PMAP):
        return f"Make `{function.made}` once, outside the loop or function around it."
    if function.made == LAMBDA:
        what = "Define the lambda"
    else:
        what = f"Make `{function.made}`" if function.made else f"Define {what}"
    return f"{what} and its jit once, {AROUND}"


def passed(name: str, text: str) -> str:
    """How to hand over what was written into a function: a number or an array as an argument, anything else as a static one."""
    return f"{value(name)} as {'an argument' if is_data(text) else 'a static argument'}"


def value(name: str) -> str:
    """A value that was written into a function, in words."""
    return "that value" if " " in name else f"`{name}`"


def is_data(text: str) -> bool:
    """Whether a text is that of a number or of an array."""
    return bool(NUMBER.fullmatch(text) or AVAL.fullmatch(text))
