from collections import defaultdict
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from factories import read, site
from x10_jupyter.records.by_line import by_line
from x10_jupyter.records.process_events import Read

WAYS = st.tuples(st.sampled_from(["float()", "int()"]), st.booleans(), st.sampled_from([1, 2, None]), st.booleans())


def made(how: str, is_jax: bool, line: int | None, is_copy: bool) -> Read:
    place = None if line is None else site(line)
    return read(0, 1, how=how, is_jax=is_jax, site=replace(place) if place and is_copy else place)


@given(st.lists(WAYS, max_size=12))
def test_what_says_the_same_on_the_same_line_is_together_whether_or_not_the_line_is_one_object(ways: list[tuple[str, bool, int | None, bool]]) -> None:
    events = [made(*way) for way in ways]
    expected = defaultdict[object, list[int]](list)
    for place, event in enumerate(events):
        expected[(event.how, event.is_jax), event.site].append(place)
    found = {key: places.tolist() for key, places in by_line(events, "how", "is_jax").items()}
    assert list(found.items()) == list(expected.items())


def test_by_line_alone() -> None:
    assert [(key, places.tolist()) for key, places in by_line([read(0, 1), read(1, 2, site=None), read(2, 3)]).items()] == [
        (((), site(9)), [0, 2]),
        (((), None), [1]),
    ]
