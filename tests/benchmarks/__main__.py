"""Measures what the lazy runtime costs and writes RESULTS.md beside this file: ``python -m tests.benchmarks``."""

from pathlib import Path

from tests.benchmarks import calls, chains, machine, training

RESULTS = Path(__file__).with_name("RESULTS.md")
METHOD = """Each figure is the median of 15 pairs taken by turns in one process: ours, JAX, ours, JAX, … The ratio is the median of the pairs' ratios.
`Trace and cut` is the time until `barrier()` returns, when the program is known and has been launched; the run itself is waited for outside the
time, for both. The target for chains is a ratio of at most 0.1."""


def main() -> None:
    """Run everything, print it and write it down."""
    parts = ["# Benchmarks", machine.description(), METHOD]
    for measured in (chains, training, calls):
        parts.append("\n".join(measured.rows()))
        print(parts[-1], end="\n\n", flush=True)  # noqa: T201 - it is the output of `make bench`
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


main()
