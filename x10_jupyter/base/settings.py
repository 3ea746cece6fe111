"""What can be switched, and the only reader of the environment."""

import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, TypeVar

from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.rules import FILE, FILE_OR_STREAM, FOLDER, FRACTIONS, SECONDS, SWITCH, WHOLE_NUMBER, Rule, one_of

Value = TypeVar("Value")


def setting(default: Value, rule: Rule, about: str, *, x10: str = "") -> Value:
    """A field of the table.

    Args:
        default: Its value when nobody says otherwise.
        rule: What it may be.
        about: What it does, in a few words.
        x10: Its name in X10, when that is not ``XLA_`` and the field's name in capitals.
    """
    return field(default=default, metadata={"rule": rule, "about": about, "x10": x10})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The table of settings. One more is one more field, and whatever it switches reads it or listens for it (``config``)."""

    trim_graph_size: int = setting(10_000, WHOLE_NUMBER, "operations and inputs after which a trace is cut")
    """X10 allowed ten times as many; XLA takes time by the square for a chain of element-wise operations (21 s for 10,000 on two cores), and a chain of
    40,000 ends the process (jax 0.10.2, CPU)."""

    trim_graph_check_frequency: int = setting(1, WHOLE_NUMBER, "operations between two looks at the size of a trace")
    """A trace is cut at the first look at which it has reached the size, as in X10. There a look is a walk through the graph, so only every 5,000th operation
    is followed by one; here it costs nothing."""

    compilation_cache_size: int = setting(1024, WHOLE_NUMBER, "programs kept; the least recently used goes first")

    persistent_cache_path: str | None = setting(None, FOLDER, "folder that keeps compiled programs for the next process")
    """PyTorch/XLA's name. The cache is JAX's own."""

    donate: bool = setting(default=True, rule=SWITCH, about="whether a program may overwrite inputs that nobody can see", x10="XLA_ENABLE_PARAM_ALIASING")
    """Off in X10, which did not know whether somebody could see them."""

    compiled_recording: bool = setting(
        default=True, rule=SWITCH, about="whether operations are recorded by compiled code; settled at the import, off where none was built"
    )

    gc_freeze: bool = setting(default=True, rule=SWITCH, about="whether Python's collector looks at old objects seldom, and so is quick")

    use_bf16: bool = setting(default=False, rule=SWITCH, about="whether floats are held and computed as bfloat16 on the device, and say float32 all the same")

    use_32bit_long: bool = setting(
        default=False, rule=SWITCH, about="whether 64-bit whole numbers are held as 32-bit ones on the device, and say int64 all the same"
    )

    no_special_scalars: bool = setting(default=False, rule=SWITCH, about="whether numbers written in the source are parameters of programs, too")

    sync_tensors_opbyop: bool = setting(default=False, rule=SWITCH, about="whether barriers compile and run each operation on its own")

    get_tensors_opbyop: bool = setting(default=False, rule=SWITCH, about="whether reads compile and run each operation on its own")

    save_tensors_file: str | None = setting(None, FILE, "file that each trace is appended to when it is cut")

    save_tensors_fmt: str = setting("text", one_of("text", "hlo", "dot", "stablehlo", "jaxpr"), "form of the graphs in that file")

    log_graph_changes: bool = setting(default=False, rule=SWITCH, about="whether each compile tells how its graph differs from the nearest known one")

    save_hlo_file: str | None = setting(None, FILE, "file that a program is appended to when XLA cannot compile it")

    compile_time_threshold: float | None = setting(None, SECONDS, "seconds from which on a compile is slow")

    slow_compile_hlo_folder: str | None = setting(None, FOLDER, "folder that programs with a slow compile are written to")

    metrics_file: str | None = setting(None, FILE_OR_STREAM, "file that the metrics report is appended to at each barrier")
    """PyTorch/XLA's name."""

    metrics_percentiles: tuple[float, ...] = setting((0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99), FRACTIONS, "percentiles in the metrics report")


TABLE: dict[str, Field[Any]] = {each.name: each for each in fields(Settings)}


def x10_name(name: str) -> str:
    """What X10 and the environment call a setting."""
    return TABLE[name].metadata["x10"] or f"XLA_{name.upper()}"


def written(name: str, value: object) -> str:
    """The value of a setting as a user would write it."""
    rule: Rule = TABLE[name].metadata["rule"]
    return rule.write(value)


def checked(name: str, given: object, called: str) -> object:
    """What a setting becomes when it is given a value.

    Args:
        name: Its field.
        given: The value.
        called: The name that the user called it by.

    Raises:
        UsageError: It cannot be that.
    """
    rule: Rule = TABLE[name].metadata["rule"]
    try:
        return rule.read(given)
    except (TypeError, ValueError) as error:
        fix = f"Unset it or set it to, say, {rule.example or rule.write(TABLE[name].default)}."
        raise UsageError(f"{called} must be {rule.says}", got=given, fix=fix) from error


def from_environment(environment: Mapping[str, str] = os.environ) -> tuple[Settings, frozenset[str]]:
    """The defaults, with what environment variables of X10's names say instead; and the fields of which they said it.

    Raises:
        UsageError: A variable has a value that its setting cannot have.
    """
    found: dict[str, Any] = {name: checked(name, text, x10_name(name)) for name in TABLE if (text := environment.get(x10_name(name)))}
    return replace(Settings(), **found), frozenset(found)


def ordinal(environment: Mapping[str, str] = os.environ) -> int | None:
    """The number that X10's launcher gives this process among several; None if it was not started so."""
    number = environment.get("XRT_SHARD_LOCAL_ORDINAL", "")
    return int(number) if number.isdecimal() else None


def visible_gpus(environment: Mapping[str, str] = os.environ) -> list[str] | None:
    """Which of the machine's GPUs CUDA may see, in its order: each by number or by name; None if it may see all of them."""
    told = environment.get("CUDA_VISIBLE_DEVICES")
    return None if told is None else [name for each in told.split(",") if (name := each.strip())]


def is_bus_order(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether CUDA numbers GPUs by their place on the bus, as NVIDIA's other tools do, and not by their speed."""
    return environment.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
