from factories import program
from pages import assert_survives, cells
from x10_jupyter.records.program import Cost, Memory, Program
from x10_jupyter.views.programs import costs, details, gist

NOTHING = Program(name="jit(gone)")
LITTLE = Cost(flops=None, transcendentals=None, bytes_accessed=512)
MEMORY = Memory(argument_bytes=1, output_bytes=2048, alias_bytes=1024, temporary_bytes=0, code_bytes=4096)


def test_in_a_line() -> None:
    assert gist(program()) == "1.20 GFLOP, 34.0 MiB read and written, 12.0 MiB temporaries"
    assert details(program()) == "4,096 transcendental, 2.00 KiB arguments, 1.00 KiB outputs"
    assert gist(program(cost=LITTLE, memory=None)) == "512 B read and written"
    assert details(program(cost=None, memory=MEMORY)) == "1 B arguments, 2.00 KiB outputs, 1.00 KiB of them in place of arguments, 4.00 KiB code"
    assert gist(NOTHING) == details(NOTHING) == ""


def test_as_a_table_without_what_is_known_of_none() -> None:
    shown = cells(costs([program(), program("jit(step).2", cost=LITTLE), NOTHING]))
    sizes = "arguments 2.00 KiB outputs 1.00 KiB in place 0 B temporaries 12.0 MiB "
    assert shown == [
        ["program", "a run of it"],
        ["jit(step)", f"FLOP 1,200,000,000 transcendental 4,096 read and written 34.0 MiB {sizes}"],
        ["jit(step).2", f"read and written 512 B {sizes}"],
    ]
    assert cells(costs([program(memory=MEMORY)]))[1][-1].endswith("code 4.00 KiB ")
    assert "what 2 programs cost by XLA" in costs([program(), program("jit(f)")])


def test_nothing_is_known() -> None:
    assert costs([NOTHING]) == costs([]) == ""


def test_hostile_names() -> None:
    assert "jit(<script>" in assert_survives(costs([program("jit(<script>alert(1)</script>)")])).words
