"""Numbers with units as text; the only place that rounds."""


def duration(ns: int | float) -> str:
    """A duration in nanoseconds with three significant digits: ``950 ns``, ``1.24 ms``, ``2 m 05 s``."""
    seconds = ns / 1e9
    if seconds >= 59.95:
        whole = round(seconds)
        return f"{whole // 60} m {whole % 60:02d} s"
    for size, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size * 0.9995:
            return f"{three(seconds / size)} {unit}"
    return f"{ns:.0f} ns"


def three(value: float) -> str:
    """A number below 1,000 with three significant digits."""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def size(count_bytes: int) -> str:
    """A size in bytes with three significant digits and binary units: ``512 B``, ``1.50 KiB``."""
    value = float(count_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 999.5:
            return f"{value:.0f} B" if unit == "B" else f"{three(value)} {unit}"
        value /= 1024
    return f"{three(value)} TiB"


def amount(number: int, unit: str) -> str:
    """A large number of something with three significant digits and decimal prefixes: ``512 FLOP``, ``1.20 GFLOP``."""
    value = float(number)
    for prefix in ("", "k", "M", "G", "T"):
        if value < 999.5:
            return f"{number:,} {unit}" if not prefix else f"{three(value)} {prefix}{unit}"
        value /= 1000
    return f"{three(value)} P{unit}"


def count(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun: ``1 step``, ``1,000 steps``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def share(part: float) -> str:
    """A share in [0, 1] as a percentage without decimals: ``97 %``; what is small but not nothing is ``<1 %``."""
    percent = part * 100
    return "<1 %" if 0 < percent <= 0.5 else f"{percent:.0f} %"
