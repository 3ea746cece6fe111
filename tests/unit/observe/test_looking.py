import gc

import jax
import pytest

import looked_at
from looked_at import compiled, two_that_call_relu
from x10_jupyter.observe import looking as module
from x10_jupyter.observe.looking import GONE, UNKNOWN, look
from x10_jupyter.observe.programs import Programs
from x10_jupyter.records.program import LEVELS


def test_costs_graphs_and_texts() -> None:
    found = compiled()
    seen = look(found.programs, found.name, LEVELS)
    assert [graph.level for graph in seen.graphs] == list(LEVELS)
    assert list(seen.texts) == list(LEVELS)
    assert not seen.missing
    assert seen.cost is not None
    assert seen.memory is not None
    ahead = found.function.lower(looked_at.W, looked_at.X)
    assert seen.texts["stablehlo"] == ahead.as_text()
    executable = found.made.executable()
    assert executable is not None
    assert seen.texts["hlo"] == executable.hlo.to_string()
    assert seen.texts["jaxpr"] == f"{found.function.trace(looked_at.W, looked_at.X).jaxpr}\n"
    assert look(found.programs, found.name, LEVELS, with_texts=False).texts == {}


def test_for_costs_alone_nothing_is_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> None:
        raise AssertionError("it was written out")

    for name in ("hlo_graph", "jaxpr_graph", "stablehlo_graph"):
        monkeypatch.setattr(module, name, fails)
    found = compiled()
    executable = found.made.executable()
    assert executable is not None
    monkeypatch.setattr(type(executable), "text", property(fails))
    seen = look(found.programs, found.name)
    assert seen.cost is not None
    assert (seen.graphs, seen.texts, seen.missing) == ((), {}, {})


def test_what_is_gone_or_was_never_known_says_so() -> None:
    found = compiled()
    programs, name = found.programs, found.name
    found.function = None
    jax.clear_caches()
    gc.collect()
    seen = look(programs, name, LEVELS)
    assert (dict(seen.missing), seen.graphs, seen.cost, seen.memory) == (dict.fromkeys(LEVELS, GONE), (), None, None)
    assert look(Programs(), name, ["hlo"]).missing == {"hlo": UNKNOWN}


def test_a_line_that_the_program_does_not_have_is_not_told() -> None:
    """JAX lowers its own functions with the lines of whoever called them first, in whichever program."""
    kept, found, start = two_that_call_relu()
    for graph in look(found.programs, found.name, LEVELS).graphs:
        assert {node.site.line for node in graph.nodes if node.site} <= {start + 1, start + 2}, graph.level
    del kept


def test_what_cannot_be_read_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> None:
        raise AttributeError("no such attribute")

    monkeypatch.setattr(module, "hlo_graph", fails)
    found = compiled()
    seen = look(found.programs, found.name, ["hlo", "jaxpr"])
    assert seen.missing == {"hlo": "It can't be read: AttributeError: no such attribute."}
    assert seen.graph("jaxpr") is not None
