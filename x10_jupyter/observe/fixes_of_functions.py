"""What to write instead where a function was made anew."""

from x10_jupyter.observe.fixes_of_arrays import AVAL
from x10_jupyter.observe.fixes_of_values import NUMBER
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.layers import LAMBDA, PMAP
from x10_jupyter.observe.signature import Signature
from x10_jupyter.records.cause import Change


def for_rebuilt(change: Change, function: Function, old: Signature | None, new: Signature) -> str:
    """Make it once."""
    if change.new.startswith("edited"):
        return "Nothing: an edited function has to be compiled once."
    what = "the function" if function.name == "<lambda>" else f"`{function.name}`"
    if function.operation:
        return f"Define {what} once, outside the loop or function around it: `{function.operation}` compiles each new one."
    before = {} if old is None else dict(old.held)
    held = next(((name, text) for name, text in new.held if name != "self" and before.get(name, text) != text), None)
    if held:
        return f"Define {what} once, outside the loop, and pass {passed(*held)} instead of binding it."
    return made_once(function, what)


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
    return f"{what} and its jit once, outside the loop or function around them."


def passed(name: str, text: str) -> str:
    """How to hand over what was written into a function: a number or an array as an argument, anything else as a static one."""
    what = "that value" if " " in name else f"`{name}`"
    return f"{what} as {'an argument' if NUMBER.fullmatch(text) or AVAL.fullmatch(text) else 'a static argument'}"
