from factories import site
from x10_jupyter.records.size import MOST_LINES, LineSize, by_line


def test_operations_are_summed_by_line_the_line_with_most_first() -> None:
    found = by_line([(site(3), 5, 5), (site(4), 100, 100), (site(4), 90, 90), (None, 7, 7)])
    assert found == (LineSize(site=site(4), ops=190, passes=100), LineSize(site=None, ops=7, passes=7), LineSize(site=site(3), ops=5, passes=5))


def test_only_so_many_lines_are_told() -> None:
    assert len(by_line((site(number), number, number) for number in range(1, 1_000))) == MOST_LINES
    assert by_line([]) == ()


def test_what_is_no_pass_of_a_loop_counts_as_an_operation_all_the_same() -> None:
    assert by_line([(site(3), 100, 1), (site(3), 90, 20)]) == (LineSize(site=site(3), ops=190, passes=20),)
