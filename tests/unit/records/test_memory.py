from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from factories import MS, capture, device, held, holding, sampled, site, weighed
from x10_jupyter.records.memory import Amount, Memory, busy, by_line, total_bytes

AT = st.integers(1, 5)


def known(*moments: tuple[int, str, tuple[object, ...]], end_ns: int = 100 * MS) -> Memory:
    found = capture(*weighed(*moments), end_ns=end_ns).memory  # pyright: ignore[reportArgumentType] # holdings
    assert found is not None
    return found


def test_lines_at_the_beginning_the_peak_and_the_end() -> None:
    found = known(
        (0, "beginning", (holding(10, 1), holding(3, line=9))),
        (20 * MS, "between", (holding(90, 9), holding(3, line=9))),
        (100 * MS, "end", (holding(40, 4), holding(0, 2, line=7, kind="program"))),
    )
    first, second, program = found.lines
    assert (first.site, first.before, first.peak, first.now, first.grown_bytes) == (
        site(7),
        Amount(count=1, size_bytes=10),
        Amount(count=9, size_bytes=90),
        Amount(count=4, size_bytes=40),
        30,
    )
    assert (second.site, second.now, second.grown_bytes) == (site(9), Amount(), -3)
    assert (program.kind, program.now.count) == ("program", 2)
    assert [at_ns for at_ns, _ in first.series] == [0, 20 * MS, 100 * MS]
    assert (found.grown_bytes, total_bytes(found.peak)) == (27, 93)


def test_where_the_peak_is_not_known_by_line_nothing_is_said_of_it() -> None:
    events = weighed((0, "beginning", (holding(1),)), (9, "end", (holding(2),)))
    found = capture(*events, sampled(5, device(50))).memory
    assert found is not None
    assert [line.peak for line in found.lines] == [None]


def test_devices_and_programs_count_together() -> None:
    sample = sampled(0, device(10), device(5, name="CPU:1"), program_bytes=7)
    assert total_bytes(sample) == 22
    assert by_line([holding(10), holding(5, device="CPU:1")]) == {(site(7), "array", False): Amount(count=2, size_bytes=15)}


def test_of_an_inner_capture_what_was_told_for_the_outer_one_is_left_out() -> None:
    outer = weighed((0, "beginning", (holding(1),)), (10, "between", (holding(500),)))
    inner = weighed((20, "beginning", (holding(100),)), (30, "between", (holding(110),)), (40, "end", (holding(120),)))
    found = capture(*outer, *inner, start_ns=21, end_ns=39).memory
    assert found is not None
    assert (total_bytes(found.first), total_bytes(found.peak), total_bytes(found.last)) == (100, 120, 120)
    assert found.lines[0].before == Amount(count=1, size_bytes=100)


def test_of_an_outer_capture_what_was_told_for_an_inner_one_counts() -> None:
    events = weighed((0, "beginning", (holding(1),)), (20, "beginning", (holding(90),)), (40, "end", (holding(95),)), (60, "end", (holding(5),)))
    found = capture(*events, end_ns=59).memory
    assert found is not None
    assert (total_bytes(found.first), total_bytes(found.peak), total_bytes(found.last)) == (1, 95, 5)
    assert found.lines[0].peak == Amount(count=1, size_bytes=95)


def test_without_its_end_nothing_is_told_by_line() -> None:
    events = [sampled(0, device(1)), held(0, "beginning", holding(1)), held(50, "end", reason="It was taken away.")]
    found = capture(*events).memory
    assert found is not None
    assert (found.lines, found.end, found.reason) == ((), None, "It was taken away.")


def test_where_nobody_looked_there_is_none() -> None:
    assert capture().memory is None


def test_how_busy_devices_were() -> None:
    samples = [sampled(0, device(1, busy_percent=20), device(1, name="CPU:1")), sampled(1, device(1, busy_percent=60))]
    assert busy(samples) == {"CPU:0": [20, 60]}


@given(st.lists(st.lists(st.tuples(AT, st.integers(0, 9), st.integers(0, 999)), max_size=8), min_size=2, max_size=6))
def test_lines_sum_to_all_there_was_at_each_moment(made: list[list[tuple[int, int, int]]]) -> None:
    moments = ["beginning", *["between"] * (len(made) - 2), "end"]
    parts = [tuple(holding(size, count, line=line) for line, count, size in each) for each in made]
    found = known(*[(at, moment, part) for at, (moment, part) in enumerate(zip(moments, parts, strict=True))], end_ns=len(made))
    sums = Counter[int]()
    for line in found.lines:
        for at_ns, amount in line.series:
            sums[at_ns] += amount.size_bytes
        assert line.now == line.series[-1][1]
        assert line.before == line.series[0][1]
    assert all(sums[sample.start_ns] == total_bytes(sample) for sample in found.samples)
    assert sum(line.now.size_bytes - (line.before or Amount()).size_bytes for line in found.lines) == found.grown_bytes
