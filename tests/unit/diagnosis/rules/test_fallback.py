from factories import MS, OTHER, capture, fell_back, site
from x10_jupyter.diagnosis.engine import findings


def test_an_operation_on_its_own_is_told_with_its_reason() -> None:
    (one,) = findings(capture(fell_back(0, 10 * MS), fell_back(20 * MS, 30 * MS, compiling=((20 * MS, 25 * MS),))))
    assert (one.kind, one.share, one.site) == ("fallback", 0.2, site(11))
    assert one.title == "`nonzero` on its own at cell [4] line 11, 2 times, since its result's shape depends on values"
    assert one.advice == "In `train`, at cell [4] line 11: write `nonzero` with shapes that are known beforehand, such as `where` with a mask or `size=`."


def test_what_is_none() -> None:
    assert findings(capture(fell_back(0, 4 * MS))) == ()
    assert findings(capture(fell_back(0, 60 * MS, thread=OTHER))) == ()
