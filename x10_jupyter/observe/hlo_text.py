"""Programs as XLA writes them, read: instructions with their operands, names and places in the source.

XLA gives Python no other way to them than this text, or a protocol buffer whose form is XLA's own.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

TABLES = "FileNames", "FunctionNames", "FileLocations", "StackFrames"
"""Sections that say where instructions come from."""

COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) (?:\(.*\)(?: -> .*)? )?\{$")
INSTRUCTION = re.compile(r"^\s+(ROOT )?%?([\w.\-]+) = ")
OPERAND = re.compile(r"%([\w.\-]+)")
CALLED = re.compile(r"\b(?:calls|to_apply|condition|body|branch_computations|true_computation|false_computation|called_computations)=(\{[^}]*\}|%?[\w.\-]+)")
METADATA = re.compile(r'\bmetadata=\{((?:[^{}"]|"(?:[^"\\]|\\.)*")*)\}')
OP_NAME = re.compile(r'\bop_name="((?:[^"\\]|\\.)*)"')
FRAME_ID = re.compile(r"\bstack_frame_id=(\d+)")
SOURCE = re.compile(r'\bsource_file="((?:[^"\\]|\\.)*)"(?:\s+source_line=(\d+))?')
NUMBERED = re.compile(r"^(\d+) (.*)$")
FIELD = re.compile(r"(\w+)=(\d+)")

PRIVATE = frozenset({"backend_config", "frontend_attributes", "sharding"})
"""Attributes that are the back end's own, and long."""

DEEPEST = 100
"""Frames of a stack that are followed; one may lead to itself."""


class Frame(NamedTuple):
    """A place in the source."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One instruction."""

    name: str
    opcode: str
    shape: str
    """As XLA writes it, with its layout: ``f32[8,128]{1,0}``; several results in parentheses."""

    operands: tuple[str, ...]
    """Names of the instructions that it takes."""

    text: str
    """What stands in its parentheses: operands, or the value of a constant, or the number of a parameter."""

    called: tuple[str, ...]
    """Computations that it runs, or is a fusion of."""

    attributes: tuple[tuple[str, str], ...]
    """What else is said of it, by name: ``("dimensions", "{0,1}")``; without what the other fields have."""

    op_name: str
    """JAX's name of the operation; empty if it has none."""

    frames: tuple[Frame, ...]
    """The functions that were running when it was traced, the innermost first."""

    is_root: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One program."""

    name: str
    computations: Mapping[str, tuple[Instruction, ...]]
    """By name; each in an order in which it may run."""

    entry: str
    """The computation that the program begins with."""

    instructions: Mapping[str, Instruction] = field(repr=False)
    """All of them by name; XLA gives each its own."""


class Places:
    """The tables of a program that say where instructions come from."""

    def __init__(self) -> None:
        """Begin with none."""
        self.strings: dict[str, dict[int, str]] = {"FileNames": {}, "FunctionNames": {}}
        self.rows: dict[str, dict[int, dict[str, int]]] = {"FileLocations": {}, "StackFrames": {}}
        self.known: dict[int, tuple[Frame, ...]] = {}

    def add(self, table: str, number: int, value: str) -> None:
        """Take a row."""
        if table in self.strings:
            self.strings[table][number] = unescaped(value.removeprefix('"').removesuffix('"'))
        else:
            self.rows[table][number] = {name: int(found) for name, found in FIELD.findall(value)}

    def frames(self, number: int) -> tuple[Frame, ...]:
        """The functions of a stack, the innermost first."""
        if number not in self.known:
            self.known[number] = tuple(self.follow(number))
        return self.known[number]

    def follow(self, number: int) -> Iterator[Frame]:
        """The same one by one."""
        seen: set[int] = set()
        while (row := self.rows["StackFrames"].get(number)) is not None and number not in seen and len(seen) < DEEPEST:
            seen.add(number)
            place = self.rows["FileLocations"].get(row.get("file_location_id", 0), {})
            file, function = self.strings["FileNames"].get(place.get("file_name_id", 0)), self.strings["FunctionNames"].get(place.get("function_name_id", 0))
            if file is not None:
                yield Frame(file, place.get("line", 0), function or "")
            number = row.get("parent_frame_id", 0)


def module(text: str) -> Module:
    """A program of its text; what is not understood is left out."""
    places, computations, current, entry, table = Places(), dict[str, list[Instruction]](), list[Instruction](), "", ""
    name = text.partition("HloModule ")[2].partition("\n")[0].partition(",")[0].strip()
    for line in text.splitlines():
        if line in TABLES:
            table = line
        elif table and (row := NUMBERED.match(line)) is not None:
            places.add(table, int(row[1]), row[2])
        elif (found := INSTRUCTION.match(line)) is not None:
            current.append(instruction(line[found.end() :], found[2], places, is_root=bool(found[1])))
        elif (found := COMPUTATION.match(line)) is not None:
            table, current = "", list[Instruction]()
            computations[found[2]] = current
            entry = found[2] if found[1] else entry
    made = {each: tuple(found) for each, found in computations.items()}
    return Module(name=name, computations=made, entry=entry, instructions={one.name: one for found in made.values() for one in found})


def instruction(text: str, name: str, places: Places, *, is_root: bool) -> Instruction:
    """An instruction of what stands behind its ``=``."""
    shape_end = closing(text, 0) + 1 if text.startswith("(") else text.find(" ")
    opening = text.find("(", shape_end)
    end = closing(text, opening)
    inside, attributes = text[opening + 1 : end], text[end + 1 :]
    metadata = METADATA.search(attributes)
    about = metadata[1] if metadata is not None else ""
    op_name, frame, source = OP_NAME.search(about), FRAME_ID.search(about), SOURCE.search(about)
    frames = places.frames(int(frame[1])) if frame is not None else (Frame(unescaped(source[1]), int(source[2] or 0), ""),) if source is not None else ()
    if metadata is not None:
        attributes = attributes[: metadata.start()] + attributes[metadata.end() :]
    return Instruction(
        name=name,
        opcode=text[shape_end:opening].strip(),
        shape=text[:shape_end],
        operands=tuple(OPERAND.findall(inside)),
        text=inside,
        called=tuple([each for found in CALLED.findall(attributes) for each in names(found)]),
        attributes=tuple(named(CALLED.sub("", attributes))),
        op_name=unescaped(op_name[1]) if op_name is not None else "",
        frames=frames,
        is_root=is_root,
    )


def named(attributes: str) -> Iterator[tuple[str, str]]:
    """Attributes taken apart: ``, kind=kLoop, dimensions={0,1}``. Their values may hold commas in braces and quotes."""
    depth, is_quoted, start = 0, False, 0
    for place, letter in enumerate(f"{attributes},"):
        if letter == '"' and attributes[place - 1] != "\\":
            is_quoted = not is_quoted
        elif not is_quoted and letter in "({[":
            depth += 1
        elif not is_quoted and letter in ")}]":
            depth -= 1
        elif letter == "," and not is_quoted and depth <= 0:
            name, equals, value = attributes[start:place].strip().partition("=")
            start = place + 1
            if equals and name not in PRIVATE:
                yield name, value


def names(found: str) -> list[str]:
    """Names of computations: one, or several in braces."""
    return [each.strip().removeprefix("%") for each in found.strip("{}").split(",") if each.strip()]


def closing(text: str, start: int) -> int:
    """Where the parenthesis closes that opens at a place; the end of the text if it does not, or none opens there."""
    depth, is_quoted, place = 0, False, max(start, 0)
    while place < len(text):
        letter = text[place]
        if letter == "\\":
            place += 1
        elif letter == '"':
            is_quoted = not is_quoted
        elif not is_quoted and letter == "(":
            depth += 1
        elif not is_quoted and letter == ")":
            depth -= 1
            if depth == 0:
                return place
        place += 1
    return len(text)


def unescaped(text: str) -> str:
    """Text without the backslashes that stand before quotes and backslashes."""
    return re.sub(r"\\(.)", r"\1", text)
