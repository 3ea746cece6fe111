"""Percentiles are checked against sorted lists made here."""

from math import floor
from xml.etree import ElementTree

from captures import training
from factories import MS, capture, executed, transferred
from pages import assert_survives, cells, pictures
from x10_jupyter.base.units import duration, size
from x10_jupyter.metrics.registry import folded
from x10_jupyter.views.percentiles import HEIGHT, WIDTH, percentiles

PERCENT = [1, 5, 10, 20, 50, 80, 90, 95, 99]


def test_they_are_elements_of_the_sorted_samples() -> None:
    walls = [(which * 37) % 100 * MS + 1 for which in range(100)]
    made = capture(*[executed(0, 1, wall) for wall in walls], *[transferred(0, 1, size_bytes=2**which) for which in range(20)])
    rows = dict(cells(percentiles(folded(made.events))))
    times = [f"{percent} % {duration(sorted(walls)[floor(percent / 100 * 100)])}" for percent in PERCENT]
    assert rows["ExecuteTime"].strip() == " ".join([*times, f"sum {duration(sum(walls))}", "samples 100"])
    sizes = [f"{percent} % {size(2 ** floor(percent / 100 * 20))}" for percent in PERCENT]
    assert rows["OutboundData"].strip() == " ".join([*sizes, f"sum {size(2**20 - 1)}", "samples 20"])


def test_a_picture_rises_from_left_to_right() -> None:
    made = percentiles(folded([transferred(0, 1, size_bytes=wall) for wall in range(1, 101)]))
    (source, *_) = pictures(made)
    line = ElementTree.fromstring(source)[-1].attrib["d"]
    points = [tuple(map(float, point.split())) for point in line.removeprefix("M").split("L")]
    assert len(points) == len(PERCENT)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in points)
    assert points == sorted(points, key=lambda point: (point[0], -point[1]))
    middle = points[PERCENT.index(50)][1]
    assert abs((HEIGHT - middle) / (HEIGHT - points[-1][1]) - 0.5) < 0.06, "the median is half of the largest"


def test_only_the_newest_samples_are_kept_and_that_is_said() -> None:
    made = percentiles(folded([transferred(0, 1)] * 2000))
    assert "Percentiles of OutboundData, TransferToServerTime are those of the newest 1,024 samples." in assert_survives(made).words
    assert "newest" not in assert_survives(percentiles(folded(training().events))).words


def test_nothing_measured() -> None:
    assert percentiles({}) == ""
