import re
from collections.abc import Callable

from reports import PAGE, PERCENTILES, mixed, page_samples
from x10_jupyter.metrics.facts import report_of
from x10_jupyter.metrics.instruments import CounterSnapshot
from x10_jupyter.metrics.parse import parse_report
from x10_jupyter.metrics.x10_style import write


def test_the_sample_of_the_page_but_for_its_padding() -> None:
    padded = PAGE
    for micros in ("32.778", "61.283", "79.236"):
        padded = padded.replace(f"001ms{micros}us", f"001ms0{micros}us")
    assert write(parse_report(PAGE)) == padded
    found = write(report_of([page_samples(), CounterSnapshot("CachedSyncTensors", 395)], PERCENTILES))
    # the value rate follows from sum and time; the page's is not that of its own sum and rate
    assert [line for line in found.splitlines() if "ValueRate" not in line] == [line for line in padded.splitlines() if "ValueRate" not in line]
    assert re.fullmatch(r"  ValueRate: 777ms57\d\.\d{3}us / second", found.splitlines()[3])


def test_each_kind(golden: Callable[[str, str], None]) -> None:
    golden("metrics.x10.txt", write(mixed()))
