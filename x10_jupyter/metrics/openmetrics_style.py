"""A report in the text format of OpenMetrics 1.0: for Prometheus and what reads its format.

Base units are seconds and bytes. Names are made of the letters that the format allows, so the help of each family begins with the name that it has here:
a family with labels, for counters such as ``x10::add``, with ``x10::``.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from x10_jupyter.base.errors import UsageError
from x10_jupyter.metrics.facts import MetricFacts, Number, Report
from x10_jupyter.metrics.instruments import Kind

UNITS: Mapping[Kind, str] = {"time": "seconds", "bytes": "bytes", "value": ""}
SCALES: Mapping[Kind, int] = {"time": -9, "bytes": 0, "value": 0}
"""From our unit to the base unit, as a power of ten."""
SAMPLE = re.compile(r'(?P<name>[a-zA-Z_:][\w:]*)(?:\{(?P<label>\w+)="(?P<value>(?:[^"\\]|\\.)*)"\})? (?P<number>\S+)')
ESCAPED = {"\\\\": "\\", "\\n": "\n", '\\"': '"'}
RATES = {"rate": "samples taken for each second", "value_rate": "sum of the samples for each second"}


class Names:
    """Names that the format allows, each of them once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def made(self, name: str, unit: str = "") -> str:
        """A name of a family.

        Args:
            name: Any text.
            unit: What it must end with.
        """
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        base = "x10_" + (re.sub(r"[^a-z0-9]+", "_", snake).strip("_") or "metric")
        number = 1
        while not self._taken.isdisjoint(made := variants("_".join(filter(None, (base, "" if number == 1 else str(number), unit))))):
            number += 1
        self._taken.update(made)
        return next(iter(made))


def variants(name: str) -> dict[str, None]:
    """A name, and what the format makes of it for its samples."""
    return dict.fromkeys([name, *[f"{name}_{suffix}" for suffix in ("total", "created", "count", "sum", *RATES)]])


def write(report: Report) -> str:
    """A report in this style."""
    names = Names()
    found: list[str] = []
    for name, facts in report.metrics.items():
        found += metric_lines(names, name, facts)
    groups: dict[str, list[tuple[str, int]]] = {}
    for name, value in report.counters.items():
        prefix, colons, rest = name.partition("::")
        groups.setdefault(prefix + colons, []).append((rest, value))
    for name, members in groups.items():
        family = names.made(name)
        found += [f"# TYPE {family} counter", f"# HELP {family} {escaped(name)}"]
        found += [f"{family}_total{label('name', rest) if name.endswith('::') else ''} {value}" for rest, value in members]
    return "\n".join([*found, "# EOF"])


def metric_lines(names: Names, name: str, facts: MetricFacts) -> Iterator[str]:
    """The families of one metric: a summary, and a gauge for each rate."""
    unit, scale = UNITS[facts.kind], SCALES[facts.kind]
    family = names.made(name, unit)
    yield f"# TYPE {family} summary"
    if unit:
        yield f"# UNIT {family} {unit}"
    yield f"# HELP {family} {escaped(name)}"
    for p, value in facts.percentiles.items():
        yield f"{family}{label('quantile', repr(p))} {number(value, scale)}"
    yield f"{family}_count {facts.total}"
    yield f"{family}_sum {number(facts.sum, scale)}"
    for rate, about in RATES.items():
        value: float | None = getattr(facts, rate)
        if value is not None:
            gauge = f"{family}_{rate}"
            yield f"# TYPE {gauge} gauge"
            yield f"# HELP {gauge} {about}"
            yield f"{gauge} {number(value, scale if rate == 'value_rate' else 0)}"


def label(name: str, value: str) -> str:
    """A label."""
    return f'{{{name}="{escaped(value)}"}}'


def escaped(text: str) -> str:
    """A text between quotes, or in a help."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def unescaped(text: str) -> str:
    """What `escaped` made."""
    return re.sub(r"\\[\\n\"]", lambda found: ESCAPED[found[0]], text)


def number(value: Number, scale: int) -> str:
    """A number, times a power of ten, with all its digits."""
    return format(Decimal(str(value)).scaleb(scale), "f")


def unscaled(text: str, scale: int) -> Number:
    """What `number` was given, or a number that another program wrote."""
    value = Decimal(text).scaleb(-scale)
    return int(value) if value == value.to_integral_value() else float(value)


class Family:
    """A family while it is read."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind
        self.unit, self.help = "", ""
        self.samples: list[tuple[str, str, str]] = []
        """Suffix, label and number of each."""

    def of(self, suffix: str) -> str | None:
        """The number of the sample with this suffix."""
        return next((text for ending, _, text in self.samples if ending == suffix), None)


def read(text: str) -> Report:
    """What a report in this style says, as `write` makes it.

    Raises:
        UsageError: A line is none of this style.
    """
    families: dict[str, Family] = {}
    family: Family | None = None
    rows = text.splitlines()
    for at, row in enumerate(rows, 1):
        if row == "# EOF":
            if any(each.strip() for each in rows[at:]):
                raise malformed(at + 1, rows[at], "nothing follows `# EOF`")
            break
        try:
            family = read_line(row, families, family)
        except (ValueError, InvalidOperation) as error:
            raise malformed(at, row, "a line of OpenMetrics describes a family, or is one of its samples") from error
    else:
        raise malformed(len(rows), rows[-1] if rows else "", "OpenMetrics end with `# EOF`")
    return report_of(families)


def read_line(row: str, families: dict[str, Family], family: Family | None) -> Family:
    """Take a line; returns the family that it belongs to."""
    if row.startswith("# "):
        _, what, name, rest = [*row.split(" ", 3), ""][:4]
        if what == "TYPE":
            family = families[name] = Family(name, rest)
        elif family is None or name != family.name:
            raise ValueError(row)
        elif what == "UNIT":
            family.unit = rest
        elif what == "HELP":
            family.help = unescaped(rest)
        else:
            raise ValueError(row)
        return family
    found = SAMPLE.fullmatch(row)
    if found is None or family is None or not found["name"].startswith(family.name):
        raise ValueError(row)
    Decimal(found["number"])
    family.samples.append((found["name"].removeprefix(family.name), unescaped(found["value"] or ""), found["number"]))
    return family


def report_of(families: dict[str, Family]) -> Report:
    """The report that the families make."""
    metrics: dict[str, MetricFacts] = {}
    counters: dict[str, int] = {}
    for family in families.values():
        name = family.help or family.name
        if family.kind == "counter":
            counters |= {name + rest: int(float(text)) for _, rest, text in family.samples}
        elif family.kind == "summary":
            metrics[name] = facts_of(family, families)
    return Report(metrics=metrics, counters=counters)


def facts_of(family: Family, families: dict[str, Family]) -> MetricFacts:
    """The metric that a summary tells of."""
    kinds: list[Kind] = [kind for kind, unit in UNITS.items() if unit == family.unit]
    kind: Kind = kinds[0] if kinds else "value"
    scale = SCALES[kind]

    def rate(name: str, scale: int) -> float | None:
        gauge = families.get(f"{family.name}_{name}")
        text = gauge and gauge.of("")
        return None if text is None else float(unscaled(text, scale))

    return MetricFacts(
        kind=kind,
        total=int(family.of("_count") or 0),
        sum=unscaled(family.of("_sum") or "0", scale),
        value_rate=rate("value_rate", scale),
        rate=rate("rate", 0),
        percentiles={float(p): unscaled(text, scale) for suffix, p, text in family.samples if not suffix},
    )


def malformed(at: int, row: str, rule: str) -> UsageError:
    """The error for a line."""
    return UsageError(f"Line {at} of a metrics report cannot be read: {rule}", got=repr(row))
