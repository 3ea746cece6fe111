from factories import MS, capture, site, staged
from x10_jupyter.diagnosis.eager import STORM, origin, place_of, storms
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.site import Site


def eager(times: int, where: Site | None, first_ms: int = 0, **fields: object) -> tuple[Compile, ...]:
    events = [staged((first_ms + at) * MS, (first_ms + at + 1) * MS, **{"site": where, "is_eager": True, **fields}) for at in range(times)]
    return capture(*events).compiles


def test_many_of_one_function_are_a_storm() -> None:
    init, few = eager(STORM, site(9, function="init")), eager(STORM - 1, site(9, function="forward"))
    own = eager(STORM, site(9, function="train"), is_eager=False)
    assert storms([*few, *own, *init]) == [list(init)]


def test_they_are_named_after_their_function_and_the_line_with_most_of_them() -> None:
    group = [*eager(2, site(8, function="init")), *eager(3, site(9, function="init"), 2)]
    assert place_of(group) == site(9, function="init")
    assert origin(group) == " from `init` at cell [4] line 9"
    assert origin(eager(1, site(3, function="<module>"))) == " at cell [4] line 3"
    assert origin(eager(1, None)) == ""
