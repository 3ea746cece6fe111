from factories import MS, OTHER, capture, collected, compiled, read, traced, waited
from x10_jupyter.diagnosis.spent import during, making


def test_the_part_of_some_time_in_which_one_thing_was_done() -> None:
    made = capture(read(10 * MS, 30 * MS), traced(50 * MS, 60 * MS))
    assert during(made, [(0, 20 * MS), (25 * MS, 55 * MS)], ["read"]).tolist() == [[10 * MS, 20 * MS], [25 * MS, 30 * MS]]
    assert during(made, [(0, 100 * MS)], ["read", "trace"]).tolist() == [[10 * MS, 30 * MS], [50 * MS, 60 * MS]]
    assert during(made, [], ["read"]).tolist() == []
    assert during(made, [(0, 100 * MS)], []).tolist() == []


def test_what_the_collector_took_while_a_program_was_made_is_not_making_it() -> None:
    made = capture(compiled(0, 30 * MS), collected(10 * MS, 12 * MS), compiled(40 * MS, 50 * MS, thread=OTHER))
    assert making(made, made.compiles).tolist() == [[0, 10 * MS], [12 * MS, 30 * MS]]


def test_what_others_make_costs_what_is_waited_for_meanwhile() -> None:
    made = capture(compiled(10 * MS, 50 * MS, thread=OTHER), compiled(60 * MS, 90 * MS), waited(20 * MS, 30 * MS), waited(45 * MS, 70 * MS))
    assert making(made, made.compiles[:1]).tolist() == [[20 * MS, 30 * MS], [45 * MS, 50 * MS]]
    assert making(made, made.compiles[1:]).tolist() == [[60 * MS, 90 * MS]]
