"""Runs of operations joined to the programs that are alive: what each is, and at whose line it was written."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.observe.executables import Executable, named
from x10_jupyter.observe.hlo_text import Instruction, Module
from x10_jupyter.observe.op_names import NONE, OpName, read
from x10_jupyter.observe.ran import Run, shares
from x10_jupyter.records.operation import Operation, Recorded
from x10_jupyter.records.site import Site, site_at

MOST_FUSED = 8
"""Other lines of a fusion that are told; in one of a hundred lines none matters."""


class What(NamedTuple):
    """What is known of an instruction."""

    opcode: str
    name: OpName
    site: Site | None
    fused: tuple[Site, ...]


NOTHING = What("", NONE, None, ())


class Located:
    """One program's instructions, and where they come from."""

    def __init__(self, module: Module, recorded: Sequence[Recorded] = ()) -> None:
        """Look at nothing yet.

        Args:
            module: The program.
            recorded: Of a lazy one, where its operations were recorded.
        """
        self.module, self.recorded = module, recorded

    def what(self, name: str) -> What:
        """What an instruction is."""
        one = self.module.instructions.get(name)
        if one is None:
            return NOTHING
        inside = [each for called in one.called for each in self.module.computations.get(called, ())] if one.opcode == "fusion" else []
        shown = one if one.op_name or not inside else next((each for each in inside if each.is_root), one)
        its = read(shown.op_name)
        site = self.site(shown, its)
        others = dict.fromkeys(self.site(each, read(each.op_name)) for each in inside)
        return What(one.opcode, its, site, tuple([each for each in others if each not in (None, site)][:MOST_FUSED]))

    def site(self, one: Instruction, its: OpName) -> Site | None:
        """The user's line of an instruction, or None if none is the user's."""
        own = next((site_at(*f) for f in one.frames if not is_ours_or_library(f.file)), None)
        if its.node is None:
            # an operation of a lazy program may have been traced for another line that records the same
            return None if self.recorded else own
        if its.node >= len(self.recorded):
            return None
        recorded = self.recorded[its.node]
        return own if recorded.is_users and own is not None else recorded.site


def operations(runs: Sequence[Run], executables: Collection[Executable], lines: Mapping[bytes, Sequence[Recorded]]) -> tuple[Operation, ...]:
    """What ran, each instruction of each program once, the longest first.

    Args:
        runs: They.
        executables: The programs that are alive.
        lines: Of lazy ones, where their operations were recorded.
    """
    own_ns = shares(runs)
    rows: dict[tuple[str, int], dict[str, list[int]]] = {}
    for place, run in enumerate(runs):
        rows.setdefault((run.program, run.program_id), {}).setdefault(run.instruction, []).append(place)
    found: list[Operation] = []
    for (program, _), instructions in rows.items():
        candidates = [Located(each.module, lines.get(each.fingerprint, ())) for each in named(executables, program)]
        candidates = [each for each in candidates if instructions.keys() <= each.module.instructions.keys()]
        for instruction, places in instructions.items():
            what = agreed(each.what(instruction) for each in candidates)
            found.append(
                Operation(
                    program=program,
                    instruction=instruction,
                    opcode=what.opcode,
                    op=what.name.op,
                    scope=what.name.scope,
                    is_backward=what.name.is_backward,
                    site=what.site,
                    fused=what.fused,
                    times=len(places),
                    total_ns=round(sum(runs[place].end_ns - runs[place].start_ns for place in places)),
                    own_ns=round(sum(float(own_ns[place]) for place in places)),
                )
            )
    return tuple(sorted(found, key=lambda one: (-one.own_ns, one.program, one.instruction)))


def agreed(candidates: Iterable[What]) -> What:
    """What all programs say that it may be; what they do not agree in is not known."""
    found = list(dict.fromkeys(candidates))
    if len(found) <= 1:
        return found[0] if found else NOTHING
    first = found[0]
    return What(
        first.opcode if all(each.opcode == first.opcode for each in found) else "",
        first.name if all(each.name == first.name for each in found) else NONE,
        first.site if all(each.site == first.site for each in found) else None,
        first.fused if all(each.fused == first.fused for each in found) else (),
    )
