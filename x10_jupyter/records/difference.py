"""Where two graphs part."""

from dataclasses import dataclass

from x10_jupyter.records.cause import Kind
from x10_jupyter.records.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first node that is another one in the second of two graphs."""

    kind: Kind
    """What differs, in the words that causes of compiles have: ``shape``, ``dtype``, ``constant``, ``structure``, …"""

    node: int
    """Its number, the same in both graphs, since all before it are equal."""

    old: str
    """What it is in the first graph; empty if that ends before."""

    new: str
    """What it is in the second; empty if that ends before."""

    old_site: Site | None
    """Its line in the first graph, or None when it is not known."""

    new_site: Site | None
    """Its line in the second graph, or None when it is not known."""

    def __str__(self) -> str:
        old, new = [f"{text or 'nothing'}{f' at {site}' if site else ''}" for text, site in ((self.old, self.old_site), (self.new, self.new_site))]
        return f"%{self.node}: {self.kind}: {old} -> {new}"
