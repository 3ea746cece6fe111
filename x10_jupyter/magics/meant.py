"""Which graphs and programs some words mean: a number, a name or the beginning of an id, of the last capture or of a variable."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from x10_jupyter import session
from x10_jupyter.base.errors import UsageError
from x10_jupyter.magics.tracing import LAST
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.cuts import Cuts, by_graph
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.program import LEVELS, Level, Program
from x10_jupyter.session import result
from x10_jupyter.tracelog.reading import load_graph
from x10_jupyter.views.graphs import called, listed

PREFERRED: tuple[Level, ...] = ("jaxpr", "hlo", "stablehlo")
"""Where a program is looked at if nobody says where: as JAX has traced it, which is nearest to the user's code, or else as XLA runs it."""


Look = Callable[[str, Sequence[Level]], Program]


def nobody(name: str, levels: Sequence[Level]) -> Program:  # noqa: ARG001 - as `Look`
    """What there is of a program of which nobody knows more."""
    return Program(name=name)


class Meant(NamedTuple):
    """One graph or program."""

    one: Cuts | Compile

    look: Look = nobody
    """Finds out what there is of a program."""

    def program(self, *levels: Level) -> Program:
        """What there is of a program that JAX compiled."""
        assert isinstance(self.one, Compile)
        return self.look(self.one.program, levels)

    def graph(self, level: Level | None = None) -> Graph:
        """Its graph.

        Args:
            level: Of a program that JAX compiled, where; the first of `PREFERRED` that there is if None.

        Raises:
            UsageError: There is none.
        """
        if isinstance(self.one, Cuts):
            return self.one.graph
        asked = PREFERRED if level is None else (level,)
        missing: list[str] = []
        for each in asked:
            program = self.program(each)
            found = program.graph(each)
            if found is not None:
                return found
            missing.append(program.missing.get(each, "Nobody looked at it."))
        none = " and no ".join([f"`{each}`" for each in asked])
        raise UsageError(f"Of {self.one.program} there is no {none}", fix=" ".join(dict.fromkeys(missing)))


def meant(which: str, names: Mapping[str, Any]) -> tuple[Meant, ...]:
    """The graphs and programs that some words mean; at least one.

    Args:
        which: A variable, a number, a name or an id, or a variable and one of these with a colon between; the last capture when empty.
        names: The user's variables.

    Raises:
        UsageError: There is none.
    """
    name, colon, rest = which.partition(":")
    if not colon and not isinstance(names.get(name), Capture | Graph | str | list | tuple):
        return last(name, names)
    name = name or LAST
    found = all_of(name, names.get(name))
    return chosen(found, rest) or refused(found, rest) if rest else shown_first(found)


def last(which: str, names: Mapping[str, Any]) -> tuple[Meant, ...]:
    """The same where no variable is named that has graphs; the name may be that of a function.

    Args:
        which: A number, a name or an id; empty for the whole last capture.
        names: The user's variables.

    Raises:
        UsageError: There is none.
    """
    capture, function = names.get(LAST), names.get(which)
    called_as = list(dict.fromkeys((which, str(getattr(function, "__name__", which)))))
    found = of_capture(capture) if isinstance(capture, Capture) else ()
    for name in called_as if which else ():
        meant_here = chosen(found, name) or chosen(of_process(), name, with_numbers=False)
        if meant_here:
            return meant_here
    if which in names and not callable(function):
        return all_of(which, function)
    found = all_of(LAST, capture)
    return refused(found, which) if which else shown_first(found)


def all_of(name: str, value: object) -> tuple[Meant, ...]:
    """The graphs and programs that a value has; at least one.

    Args:
        name: The variable that holds it.
        value: A capture, a graph, several of these, or text.

    Raises:
        UsageError: It has none.
    """
    match value:
        case None if name == LAST:
            raise UsageError("There is no capture yet", fix="Put `%%x10trace --graph` on a cell and run it.")
        case Capture():
            found = of_capture(value)
            if not found:
                fix = "Capture with `%%x10trace --graph`, or with `x10.capture(graphs=True)`, and something that is computed."
                raise UsageError(f"The capture `{name}` holds no graph, and JAX compiled nothing in it", fix=fix)
            return found
        case Graph():
            return (Meant(Cuts(graph=value)),)
        case str():
            return (Meant(Cuts(graph=load_graph(value))),)
        case list() | tuple() if value:
            return tuple(one for each in value for one in all_of(name, each))
        case _:
            raise UsageError(f"`{name}` is no capture, graph or text of a graph", got=type(value).__name__)


def of_capture(capture: Capture) -> tuple[Meant, ...]:
    """The graphs of a capture, then the programs that JAX compiled for functions, then those of operations that ran at once."""
    known = {one.name: one for one in capture.known_programs}

    def look(name: str, levels: Sequence[Level]) -> Program:
        return capture.program(name, *levels) if isinstance(capture, result.Capture) else known.get(name, Program(name=name))

    made = {one.program: one for one in capture.compiles if one.maker == "jax"}
    ordered = sorted(made.values(), key=lambda one: one.is_eager)
    return (*[Meant(each) for each in by_graph(capture.events)], *[Meant(each, look) for each in ordered])


def of_process() -> tuple[Meant, ...]:
    """The programs that JAX compiled last in this process, whether or not somebody captured it."""
    return tuple(Meant(one, session.look_at) for one in session.HISTORY.compiles if one.maker == "jax")


def is_eager(one: Meant) -> bool:
    """Whether it is the program of an operation that ran at once."""
    return isinstance(one.one, Compile) and one.one.is_eager


def shown_first(found: Sequence[Meant]) -> tuple[Meant, ...]:
    """Those that are listed where nobody says which: not operations that ran at once, unless there is nothing else."""
    return tuple([each for each in found if not is_eager(each)]) or tuple(found)


def chosen(found: Sequence[Meant], which: str, *, with_numbers: bool = True) -> tuple[Meant, ...]:
    """Those of several that are meant; none if there is no such one.

    Args:
        found: All there are.
        which: Its number from 1; the name of a program, ``step.2``, or of a function, which may have several; or the beginning of an id.
        with_numbers: Whether it may be a number or an id.
    """
    if with_numbers and which.isdecimal() and 1 <= int(which) <= len(found):
        return (found[int(which) - 1],)
    named = [each for each in found if isinstance(each.one, Compile) and which in (each.one.program, called(each.one))]
    named = named or [each for each in found if isinstance(each.one, Compile) and each.one.function == which]
    return tuple(named) or tuple(with_id(found, which) if with_numbers else ())


def with_id(found: Sequence[Meant], which: str) -> list[Meant]:
    """Those whose id begins with some text, if that is one."""
    graphs = [each for each in found if isinstance(each.one, Cuts) and each.one.graph.id.startswith(which.lower())]
    return graphs if len(graphs) == 1 else []


def refused(found: Sequence[Meant], which: str) -> NoReturn:
    """Tell that no graph or program is meant by some words, or several are.

    Raises:
        UsageError: Always.
    """
    several = sum(isinstance(each.one, Cuts) and each.one.graph.id.startswith(which.lower()) for each in found)
    wrong = f"{several} graphs have an id that begins with" if several else "There is no graph, program or variable"
    raise UsageError(f"{wrong} `{which}`", fix=f"There are these:\n{listed([each.one for each in shown_first(found)])}")


def both(a: Meant, b: Meant, level: Level | None) -> tuple[Graph, Graph]:
    """The graphs of two, at one level.

    Args:
        a: One.
        b: The other.
        level: Of programs that JAX compiled, where; where both can be had if None.

    Raises:
        UsageError: They can't be had.
    """
    programs = [each for each in (a, b) if isinstance(each.one, Compile)]
    if level is None and len(programs) == 2:
        level = next((each for each in PREFERRED if all(one.program(each).graph(each) is not None for one in programs)), None)
    first, second = a.graph(level), b.graph(level)
    if first.level != second.level:
        got = f"`{first.level}` and `{second.level}`"
        raise UsageError("Two graphs can be compared at one level", got=got, fix=f"Say which, as in `--level {LEVELS[0]}`; lazy tensors have `trace` alone.")
    return first, second
