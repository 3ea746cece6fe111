"""Causes in words."""

from signatures import function, signature
from x10_jupyter.observe.arguments import Node, Row
from x10_jupyter.observe.values import short
from x10_jupyter.observe.wording import MOST_CHANGES, MOST_ROWS, caused, described, named, spelt
from x10_jupyter.records.cause import Cause, Change
from x10_jupyter.records.site import Site


def test_the_first_change_is_the_cause_and_the_others_follow() -> None:
    changes = [Change(kind="shape", where=f"x{index}", old="f32[3]", new="f32[4]") for index in range(MOST_CHANGES + 3)]
    told = caused(changes, function(), signature((3,)), signature((4,)))
    assert (told.kind, told.where, told.nearest) == ("shape", "x0", "step(x0: f32[3])")
    assert told.fix
    assert told.also == tuple(changes[1 : MOST_CHANGES + 1])


def test_without_a_change_it_is_not_known_and_the_nearest_is_told() -> None:
    assert caused([], function(), signature((3,)), signature((3,))) == Cause(kind="unknown", nearest="step(x0: f32[3])")


def test_an_earlier_call_is_told_in_a_line() -> None:
    many = signature(*[(1,)] * (MOST_ROWS + 1), transform="grad", site=Site(file="train.py", line=9, function="f"))
    shown = ", ".join(f"x{index}: f32[1]" for index in range(MOST_ROWS))
    assert described(function("f"), many) == f"{short(f'f({shown}, …)')} under grad at train.py:9"
    tree = signature(rows=(Row("p", Node("{'w'}", 1)), Row("b", Node("None", None))))
    assert described(function("f"), tree) == "f(b: None)", "what is in a node is told itself"


def test_users_names_stand_for_jaxs_and_weak_types_are_in_full() -> None:
    cause = Cause(
        kind="shape", where="args[0]", old="f32[3]~", new="f32[4]", nearest="jnp.sum(args[0]: f32[3]~, axis: f32[])",
        also=(Change(kind="weak_type", where="args[1]", old="f32[]~", new="f32[]"),),
    )  # fmt: skip
    told = named(cause, {"args[0]": "a", "axis": "b"})
    assert (told.where, told.old, told.nearest) == ("a", "f32[3] (weak)", "jnp.sum(a: f32[3] (weak), axis: f32[])")
    assert told.also == (Change(kind="weak_type", where="args[1]", old="f32[] (weak)", new="f32[]"),)
    assert spelt("a~b") == "a~b"
