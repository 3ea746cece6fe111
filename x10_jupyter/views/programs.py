"""What programs cost that JAX compiled, as far as somebody looked: in a line, and as a table."""

from collections.abc import Mapping, Sequence

from x10_jupyter.base.units import amount, count, size
from x10_jupyter.diagnosis import words
from x10_jupyter.records.program import Program
from x10_jupyter.views.markup import Markup, element, folded, readings, table
from x10_jupyter.views.theme import QUIET

MEANING = "What XLA estimates for one run, on each device; of a loop whose rounds it does not know it counts one."


def gist(one: Program) -> str:
    """What a run costs in a line: ``1.20 GFLOP, 34.0 MiB read and written, 12.0 MiB temporaries``; empty if that is not known."""
    cost, memory = one.cost, one.memory
    parts = [
        amount(cost.flops, "FLOP") if cost is not None and cost.flops is not None else "",
        f"{size(cost.bytes_accessed)} read and written" if cost is not None and cost.bytes_accessed is not None else "",
        f"{size(memory.temporary_bytes)} temporaries" if memory is not None else "",
    ]
    return ", ".join(filter(None, parts))


def details(one: Program) -> str:
    """The rest in a line: what it takes and makes."""
    cost, memory = one.cost, one.memory
    parts = [f"{cost.transcendentals:,} transcendental" if cost is not None and cost.transcendentals else ""]
    if memory is not None:
        aliased = f", {size(memory.alias_bytes)} of them in place of arguments" if memory.alias_bytes else ""
        parts += [f"{size(memory.argument_bytes)} arguments", f"{size(memory.output_bytes)} outputs{aliased}", code(memory.code_bytes)]
    return ", ".join(filter(None, parts))


def code(code_bytes: int) -> str:
    """How large a program itself is; empty where XLA does not tell."""
    return f"{size(code_bytes)} code" if code_bytes else ""


def costs(programs: Sequence[Program]) -> Markup:
    """All programs whose costs are known, behind a line; nothing if there are none."""
    known = [one for one in programs if one.cost is not None or one.memory is not None]
    if not known:
        return Markup()
    made = table([[words.shorten(one.name), readings(figures(one))] for one in known], header=["program", "a run of it"], align={}, wraps={0: "8em"})
    return folded(f"what {count(len(known), 'program')} cost{'s' if len(known) == 1 else ''} by XLA's estimate", element("div", MEANING, opacity=QUIET), made)


def figures(one: Program) -> Mapping[str, str]:
    """A program's figures by what they are of; those that are known."""
    cost, memory = one.cost, one.memory
    counted = {} if cost is None else {"FLOP": cost.flops, "transcendental": cost.transcendentals}
    sizes = {} if cost is None else {"read and written": cost.bytes_accessed}
    if memory is not None:
        sizes |= {"arguments": memory.argument_bytes, "outputs": memory.output_bytes, "in place": memory.alias_bytes}
        sizes |= {"temporaries": memory.temporary_bytes, "code": memory.code_bytes or None}
    told = {name: f"{each:,}" for name, each in counted.items() if each is not None}
    return {**told, **{name: size(each) for name, each in sizes.items() if each is not None}}
