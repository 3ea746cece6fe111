"""What a program costs: what XLA estimates that a run takes, and the memory that it needs. To ask takes 5 to 15 µs for each of its instructions."""

from collections.abc import Mapping
from typing import Any

from x10_jupyter.records.program import Cost, Memory


def cost_of(loaded: Any) -> Cost | None:  # noqa: ANN401 - a `LoadedExecutable` of XLA's
    """What a run takes on each device; None if XLA does not tell."""
    try:
        found: Any = loaded.cost_analysis()
    except Exception:  # noqa: BLE001 - not every back end has it
        return None
    found = found[0] if isinstance(found, list) and found else found
    if not isinstance(found, Mapping):
        return None
    return Cost(flops=amount(found, "flops"), transcendentals=amount(found, "transcendentals"), bytes_accessed=amount(found, "bytes accessed"))


def amount(found: Mapping[str, Any], name: str) -> int | None:
    """One figure; None if it is not there, or below 0, by which XLA says that it does not know."""
    value = found.get(name)
    return round(value) if isinstance(value, int | float) and 0 <= value < float("inf") else None


def memory_of(loaded: Any) -> Memory | None:  # noqa: ANN401 - as above
    """What a run needs of the memory of each device; None if XLA does not tell."""
    try:
        found: Any = loaded.get_compiled_memory_stats()
        return Memory(
            argument_bytes=int(found.argument_size_in_bytes),
            output_bytes=int(found.output_size_in_bytes),
            alias_bytes=int(found.alias_size_in_bytes),
            temporary_bytes=int(found.temp_size_in_bytes),
            code_bytes=int(found.generated_code_size_in_bytes),
        )
    except Exception:  # noqa: BLE001 - not every back end has it
        return None
