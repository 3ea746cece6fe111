"""A function of JAX is replaced wherever it was imported, and put back."""

import sys
from types import ModuleType

import pytest

from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.jax_gate.replacement import Replacement


def original() -> str:
    return "original"


def replaced() -> str:
    return "replaced"


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """Two modules of JAX's that have the function, and one of somebody else's."""
    made = {name: ModuleType(name) for name in ("jax.made_up", "jax.made_up_too", "jaxlike")}
    for name, module in made.items():
        vars(module)["function"] = original
        monkeypatch.setitem(sys.modules, name, module)
    return made


def test_it_is_replaced_in_jax_alone_and_put_back(modules: dict[str, ModuleType]) -> None:
    vars(modules["jax.made_up_too"])["alias"] = original
    one = Replacement("jax.made_up", "function", fix="")
    one.put(replaced)
    found = {(name, key): value for name, module in modules.items() for key, value in vars(module).items() if key in {"function", "alias"}}
    assert found == {
        ("jax.made_up", "function"): replaced,
        ("jax.made_up_too", "function"): replaced,
        ("jax.made_up_too", "alias"): replaced,
        ("jaxlike", "function"): original,
    }
    one.undo()
    assert all(value is original for module in modules.values() for key, value in vars(module).items() if key in {"function", "alias"})
    one.undo()


def test_one_that_is_gone_is_said_at_once() -> None:
    with pytest.raises(UnsupportedJaxError, match=r"^This needs jax\.numpy\.nothing.*Do this\.$"):
        Replacement("jax.numpy", "nothing", fix="Do this.")
