"""The switches and the environment."""

import pytest

from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.settings import Settings, from_environment


def test_defaults() -> None:
    assert from_environment({}) == Settings()
    assert from_environment({"XLA_TRIM_GRAPH_SIZE": "", "PATH": "x"}) == Settings()


@pytest.mark.parametrize(("name", "field"), [("XLA_TRIM_GRAPH_SIZE", "trim_graph_size"), ("XLA_COMPILATION_CACHE_SIZE", "compilation_cache_size")])
def test_the_environment_says_otherwise(name: str, field: str) -> None:
    assert getattr(from_environment({name: "7"}), field) == 7


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", " "])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    cure = rf"Unset it or set it to, say, {Settings().trim_graph_size}\."
    with pytest.raises(UsageError, match=rf"^XLA_TRIM_GRAPH_SIZE must be a whole number above zero; got .*\. {cure}$"):
        from_environment({"XLA_TRIM_GRAPH_SIZE": text})
