"""What is known of a function called with one structure of arguments, and what the user calls its arguments."""

import functools
from typing import Any

import pytest

from x10_jupyter.lazy import sites
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.sites import Site, Sites, paths_of


def call(name: str) -> Call:
    return Call(name, lambda: None, key=name)


def test_the_oldest_way_of_calling_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "MOST_CALLS", 2)
    site = Site(())
    calls = [site.add(i, call(str(i))) for i in range(3)]
    assert list(site.calls.values()) == calls[1:]


def test_the_oldest_site_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "MOST_SITES", 2)
    known = Sites()
    first = known.at("a", lambda: ("x",))
    assert known.at("a", lambda: ("another",)) is first, "a site that is known keeps its names"
    assert first.paths == ("x",)
    known.at("b", tuple)
    known.at("c", tuple)
    assert known.at("a", lambda: ("new",)).paths == ("new",)


def plain(x: Any, params: Any = None, *rest: Any, **options: Any) -> None: ...


@pytest.mark.parametrize(
    ("fn", "args", "kwargs", "expected"),
    [
        (plain, (1,), {}, ("x",)),
        (plain, (1, {"w": 2, "b": [3, 4]}), {}, ("x", "params['b'][0]", "params['b'][1]", "params['w']")),
        (plain, (1, 2, 3, 4), {"scale": 5}, ("x", "params", "rest[0]", "rest[1]", "scale")),
        (plain, (), {"x": {"a": 1}}, ("x['a']",)),
        (functools.partial(plain, 0), (1,), {}, ("params",)),
        (max, (1, 2), {}, ("argument 0", "argument 1")),
    ],
)
def test_paths_are_what_the_user_writes(fn: Any, args: Any, kwargs: Any, expected: tuple[str, ...]) -> None:
    assert paths_of(fn, args, kwargs) == expected
