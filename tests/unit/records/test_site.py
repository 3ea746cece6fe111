from factories import site


def test_a_cell_is_told_by_its_number_and_a_file_by_its_name() -> None:
    assert str(site(7)) == "cell [4] line 7"
    assert str(site(7, cell=None)) == "1234.py:7"
