"""What code does, and what it reads."""

from typing import Any

from x10_jupyter.observe.code import doing, ways_read

count = 0
cfg: Any = {"rate": 1, "n": 2}
act: Any = None


def reading(a: Any) -> Any:
    global count
    count += 1
    return [act(b) * cfg["rate"] + len(cfg) for b in a] + cfg.inner.rate


def test_it_reads_globals_as_far_down_as_constants_lead_and_not_what_it_sets() -> None:
    assert set(ways_read(reading.__code__)) == {("act", ()), ("cfg", (("[", "rate"),)), ("cfg", ()), ("cfg", ((".", "inner"), (".", "rate"))), ("len", ())}


def test_where_code_stands_does_not_matter() -> None:
    def look(source: str) -> Any:
        names: dict[str, Any] = {}
        exec(source, names)  # the source is below
        return doing(names["f"].__code__)

    plain = look("def f(a):\n    return [b for b in a]\n")
    assert plain == look("\n# note\ndef f(a):\n    # note\n    return [b for b in a]\n")
    assert plain != look("def f(a):\n    return [-b for b in a]\n")
