from captures import hostile, training
from factories import MS, capture, compiled, staged
from x10_jupyter.views.charts.compiles import compiles


def test_each_is_a_bar_from_its_start_to_its_end_by_cause() -> None:
    first, again = compiles(training())["data"]
    assert (first["name"], first["base"], first["x"]) == ("first time", [0.02], [0.6])
    assert (again["name"], again["base"], again["x"]) == ("shape", [1.5], [0.5])
    assert again["text"] == ["train, 500 ms: `x` shape f32[32,64] → f32[17,64] at cell [4] line 7"]
    assert first["y"] == again["y"] == ["train"]
    assert first["marker"]["color"] != again["marker"]["color"]


def test_functions_stand_in_the_order_in_which_they_came() -> None:
    made = capture(compiled(0, MS, function="b"), compiled(2 * MS, 3 * MS, function="a"), compiled(4 * MS, 5 * MS, function="b"))
    layout = compiles(made)["layout"]
    assert layout["yaxis"]["categoryarray"] == ["a", "b"]  # from below
    assert layout["title"]["text"] == "3 compiles, 3.00 ms of 100 ms, by cause"


def test_times_count_from_the_beginning_of_the_capture() -> None:
    made = capture(compiled(70 * MS, 90 * MS), start_ns=50 * MS)
    assert compiles(made)["data"][0]["base"] == [0.02]


def test_what_jax_compiled_for_itself_lasts_from_its_first_phase_to_its_last() -> None:
    phases = [staged(10 * MS, 20 * MS, phase="trace"), staged(30 * MS, 40 * MS, phase="lower"), staged(40 * MS, 90 * MS, phase="compile")]
    (trace,) = compiles(capture(*phases))["data"]
    assert (trace["name"], trace["base"], trace["x"]) == ("unknown", [0.01], [0.08])


def test_what_the_user_wrote_is_text() -> None:
    (trace,) = compiles(hostile())["data"]
    assert all("<" not in text for text in trace["text"] + trace["y"])
