"""What programs cost that JAX compiled, as far as somebody looked: in a line, and as a table."""

from collections.abc import Sequence

from x10_jupyter.base.units import amount, count, size
from x10_jupyter.diagnosis import words
from x10_jupyter.records.program import Program
from x10_jupyter.views.markup import Markup, element, folded, table
from x10_jupyter.views.theme import QUIET

MEANING = "What XLA estimates for one run, on each device; of a loop whose rounds it does not know it counts one."


HEADER = "program", "FLOP", "transcendental", "read and written", "arguments", "outputs", "in place", "temporaries", "code"
NOTHING = "–"
"""What is not known."""


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
    rows = [row(one) for one in known]
    shown = [column for column in range(len(HEADER)) if column == 0 or any(cells[column] != NOTHING for cells in rows)]
    made = table(
        [[cells[column] for column in shown] for cells in rows],
        header=[HEADER[column] for column in shown],
        align=dict.fromkeys(range(1, len(shown)), "right"),
    )
    return folded(f"what {count(len(known), 'program')} cost{'s' if len(known) == 1 else ''} by XLA's estimate", element("div", MEANING, opacity=QUIET), made)


def row(one: Program) -> list[str]:
    """A program's figures; a dash for what is not known."""
    cost, memory = one.cost, one.memory
    figures = [None, None, None] if cost is None else [cost.flops, cost.transcendentals, cost.bytes_accessed]
    sizes = (
        [None] * 5 if memory is None else [memory.argument_bytes, memory.output_bytes, memory.alias_bytes, memory.temporary_bytes, memory.code_bytes or None]
    )
    told = [*[NOTHING if each is None else f"{each:,}" for each in figures[:2]], *[NOTHING if each is None else size(each) for each in (figures[2], *sizes)]]
    return [words.shorten(one.name), *told]
