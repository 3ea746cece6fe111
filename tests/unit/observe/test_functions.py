"""Functions are told apart as JAX does, and known again by their code."""

import functools
import gc
import inspect
import linecache
from typing import Any

import jax

from x10_jupyter.jax_gate.eager_operation import Operation
from x10_jupyter.observe import functions as functions_module
from x10_jupyter.observe.functions import Functions, held_as
from x10_jupyter.observe.layers import layers_of

CODE = "{}def f(a):\n    {}return [a for _ in a]\n"


def made(rate: float) -> Any:
    return lambda a: a * rate


def module_level(a: Any) -> Any:
    return a


class Model:
    def step(self, a: Any) -> Any:
        return a

    def __call__(self, a: Any) -> Any:
        return a


def test_the_same_code_is_one_family_and_each_function_has_its_own_token() -> None:
    functions = Functions()
    f, g = made(1.0), made(2.0)
    one, other = functions.look(f), functions.look(g)
    assert one.token == functions.look(f).token != other.token
    assert one.family == other.family
    assert (one.held, other.held) == ((("rate", "1.0"),), (("rate", "2.0"),))
    assert one.is_local
    assert one.site is not None
    assert (one.site.file, one.site.function) == (__file__, "made.<locals>.<lambda>")


def test_other_code_is_another_family() -> None:
    functions = Functions()
    f, g = (lambda a: a), (lambda a: a)
    assert functions.look(f).family != functions.look(g).family


def test_a_function_of_a_module_lasts_and_has_a_scope() -> None:
    found = Functions().look(module_level)
    assert (found.is_local, found.is_jax, found.scope, found.name) == (False, False, (__name__, "module_level"), "module_level")


def test_a_function_that_is_gone_is_known_to_be() -> None:
    functions = Functions()
    f = made(1.0)
    found = functions.look(f)
    assert functions.is_alive(found)
    del f
    gc.collect()
    assert not functions.is_alive(found)
    kept = functions.look(module_level)
    functions.clear()
    assert not functions.is_alive(kept)


def test_methods_that_are_equal_are_one_as_for_jax() -> None:
    functions, model = Functions(), Model()
    bound = model.step
    assert functions.look(bound).token == functions.look(model.step).token
    assert functions.look(bound).held == (("self", "a Model"),)


def test_what_is_wrapped_around_a_function_is_looked_through() -> None:
    functions = Functions()
    partial = functools.partial(module_level, 3)
    assert [type(layer).__name__ for layer in layers_of(partial)] == ["partial", "function"]
    assert functions.look(partial).held == ((next(iter(inspect.signature(module_level).parameters)), "3"),)
    assert functions.look(functools.partial(max, 3)).held == (("argument 0", "3"),), "it can't say"
    assert functions.look(Model()).site is not None
    assert list(layers_of(jax.grad(module_level)))[-1] is module_level
    sine: Any = jax.numpy.sin
    assert functions.look(sine.__wrapped__).is_jax
    assert not functions.look(jax.vmap(sine)).is_jax, "the user has made it"


def test_code_that_stands_elsewhere_does_the_same() -> None:
    def look(source: str) -> Any:
        names: dict[str, Any] = {"__name__": "cell"}
        exec(source, names)  # the source is above
        return Functions().look(names["f"])

    plain, moved, other = look(CODE.format("", "")), look(CODE.format("\n# note\n", "# note\n    ")), look(CODE.format("", "a += 1\n    "))
    assert plain.likeness == moved.likeness != other.likeness
    assert plain.family != moved.family
    one, other = Functions().look(made(1.0)), Functions().look(lambda a: a)
    assert one.scope is None, "a lambda has no name of its own"
    assert one.likeness == Functions().look(made(2.0)).likeness != other.likeness


def test_a_lambda_of_the_same_code_on_another_line_is_another_function() -> None:
    def look(source: str, name: str) -> Any:
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        names: dict[str, Any] = {"__name__": "cell", "jit": lambda f: f}
        exec(compile(source, name, "exec"), names)  # the source is above
        return Functions().look(names["f"])

    loop, once = "for _ in range(3):\n    f = jit(lambda a: a * 2)\n", "f = jit(lambda a: a * 2)\n"
    assert look(loop, "<cell 1>").likeness == look(f"\n{once}", "<cell 2>").likeness, "its line reads the same"
    assert look(loop, "<cell 1>").likeness != look(once.replace("f =", "g = f ="), "<cell 3>").likeness


def test_whether_a_function_still_has_its_name() -> None:
    functions = Functions()
    names: dict[str, Any] = {"__name__": "cell", "jax": jax}
    exec("@jax.jit\ndef f(a): return a\nclass C:\n    @jax.jit\n    def g(self): return 1\n", names)  # the source is here
    step, method = names["f"].__wrapped__, vars(names["C"])["g"].__wrapped__
    assert functions.look(step).is_named
    assert functions.look(method).is_named
    names["f"] = names["C"] = 1
    assert not functions.look(step).is_named
    assert not functions.look(method).is_named
    assert not functions.look(made(1.0)).is_named


def test_a_lambda_goes_by_the_name_that_holds_its_jit() -> None:
    names: dict[str, Any] = {"__name__": "cell", "jax": jax}
    exec("f = jax.jit(lambda a: a)\nfs = [jax.jit(lambda a: a)]\ng = jax.jit(jax.vmap(lambda a: a))\n", names)  # the source is here
    assert [held_as(list(layers_of(one))[-1]) for one in (names["f"], names["fs"][0], names["g"])] == ["f", "", "g"]


def test_what_was_jitted_already_is_known() -> None:
    assert Functions().look(jax.jit(module_level)).is_jitted
    assert not Functions().look(module_level).is_jitted


def test_nothing_is_kept_of_the_operations_that_were_looked_at(monkeypatch: Any) -> None:
    """A cell that is run again and again has another body of its loop each time, and eager operations of ever other sizes are as many."""
    monkeypatch.setattr(functions_module, "operation_of", lambda fun: fun if isinstance(fun, Operation) else None)
    scan = Operation("scan", {"jaxpr": jax.make_jaxpr(lambda a: a)(1.0)})
    functions, tokens = Functions(), set[int]()
    for rate in range(50):
        monkeypatch.setattr(functions_module, "given_functions", lambda _frame, rate=rate: (made(rate),))
        tokens.add(functions.look(scan).token)
        tokens.add(functions.look(Operation(f"add_{rate}", {})).token)
    gc.collect()
    assert len(tokens) == 100, "each is another one"
    assert not any(len(table) for table in vars(functions).values() if hasattr(table, "__len__"))
    assert functions.is_alive(functions.look(Operation("add_0", {})))


def test_an_operation_is_known_by_the_functions_that_the_user_gave_it(monkeypatch: Any) -> None:
    def body(carry: Any, x: Any) -> Any:
        return carry + x, x

    operation = Operation("scan", {"jaxpr": jax.make_jaxpr(lambda a: a)(1.0)})
    monkeypatch.setattr(functions_module, "operation_of", lambda fun: operation if fun is operation else None)
    functions = Functions()
    monkeypatch.setattr(functions_module, "given_functions", lambda _frame: (body, made(2.0)))
    found = functions.look(operation)
    assert (found.name, found.operation, found.is_jax, found.held) == ("body", "scan", False, (("rate", "2.0"),))
    assert found.token != functions.look(operation).token, "the other is made anew"
    given = [body, made(3.0)]
    monkeypatch.setattr(functions_module, "given_functions", lambda _frame: tuple(given))
    found = functions.look(operation)
    assert found.token == functions.look(operation).token
    assert functions.is_alive(found)
    given.clear()
    gc.collect()
    assert not functions.is_alive(found), "what it is made of is gone"
    monkeypatch.setattr(functions_module, "given_functions", lambda _frame: ())
    assert functions.look(operation).name == "<lambda>", "as JAX calls it"
