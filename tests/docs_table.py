"""The tables of `docs/metrics.md`, made of the one table."""

from x10_jupyter.metrics.table import FAMILIES, MEANINGLESS, ROWS


def documented() -> str:
    """What each counter and metric means, and which of X10's and PyTorch/XLA's there are none of."""
    rows = [(" ".join(f"`{name}`" for name in row.names), row.kind, row.means, row.moves) for row in ROWS]
    rows += [(f"`{family.prefix}::…`, e.g. `{family.example}`", "counter", family.means, family.moves) for family in FAMILIES]
    table = ["| name | kind | means | moved by |", "| --- | --- | --- | --- |", *[f"| {' | '.join(row)} |" for row in rows]]
    nothing = ["| X10 or PyTorch/XLA | why there is none here |", "| --- | --- |", *[f"| {code(names)} | {why} |" for names, why in MEANINGLESS.items()]]
    return "\n".join([*table, "", *nothing])


def code(names: str) -> str:
    """Names as code."""
    return ", ".join(f"`{name}`" for name in names.split(", "))
