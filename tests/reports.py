"""Made-up metrics that reports are tested with."""

from hypothesis import strategies as st

from x10_jupyter.metrics.facts import Report, report_of
from x10_jupyter.metrics.instruments import CounterSnapshot, Metric, MetricSnapshot, Snapshot

PERCENTILES = (0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99)
PAGE = """\
Metric: CompileTime
  TotalSamples: 202
  Counter: 06m09s401ms746.001us
  ValueRate: 778ms572.062us / second
  Rate: 0.425201 / second
  Percentiles: 1%=001ms32.778us; 5%=001ms61.283us; 10%=001ms79.236us; 20%=001ms110.973us; 50%=001ms228.773us; 80%=001ms339.183us; \
90%=001ms434.305us; 95%=002ms921.063us; 99%=21s102ms853.173us
Counter: CachedSyncTensors
  Value: 395"""
"""The sample that the troubleshooting page has published, with microseconds that are not padded."""

MS = 1_000_000


def page_samples() -> MetricSnapshot:
    """A metric whose report is the page's, to the last digit that it shows."""
    shown = [1_032_778, 1_061_283, 1_079_236, 1_110_973, 1_228_773, 1_339_183, 1_434_305, 2_921_063, 21_102_853_173]
    total = 202
    places = [int(p * total) for p in PERCENTILES]
    # between two percentiles lies the lower one, again and again, and beyond the last one what is missing to the sum
    values = [shown[max(0, sum(place <= i for place in places) - 1)] for i in range(total)]
    sum_ns = 369_401_746_001
    values[-1] += sum_ns - sum(values)
    metric = Metric("time")
    span_ns = 475_069_400_000  # 202 samples at 0.425201 a second
    for i, value in enumerate(values):
        metric.add([value], [i * span_ns // (total - 1)])
    return metric.snapshot("CompileTime")


def mixed() -> Report:
    """One metric of each kind, and counters with names of each kind."""
    snapshots: list[Snapshot] = [CounterSnapshot("CachedCompile", 395), CounterSnapshot("x10::dot_general", 1200), CounterSnapshot("fallback::nonzero", 3)]
    for name, kind, values in (
        ("ExecuteTime", "time", [746_001, 1_234, 1_032_778, 86_400_000_000_000 + 7]),
        ("InboundData", "bytes", [0, 1024, 1536, 490_733_568]),
        ("TensorsGraphSize", "value", [4854, 17, 17, 30]),
        ("LazyTracing", "time", [1_700_000_000]),
    ):
        metric = Metric(kind)  # pyright: ignore[reportArgumentType] # as above
        for i, value in enumerate(values):
            metric.add([value], [i * 500 * MS])
        snapshots.append(metric.snapshot(name))
    return report_of(snapshots, PERCENTILES)


def metric(kind: str, samples: list[tuple[int, int]]) -> Metric:
    made = Metric(kind)  # pyright: ignore[reportArgumentType] # one of the kinds
    for end_ns, value in sorted(samples, key=lambda sample: sample[0]):
        made.add([value], [end_ns])
    return made


names = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)
samples = st.lists(st.tuples(st.integers(0, 10**13), st.integers(0, 10**14)), min_size=1, max_size=20)
metrics = st.builds(metric, st.sampled_from(["time", "bytes", "value"]), samples)
fractions = st.lists(st.sampled_from(PERCENTILES), min_size=1, unique=True).map(sorted)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Any report, with percentiles of one choice."""
    made: dict[str, Metric] = draw(st.dictionaries(names, metrics, max_size=4))
    counters = draw(st.dictionaries(st.one_of(names, names.map(lambda name: f"x10::{name}")), st.integers(1, 10**9), max_size=5))
    snapshots: list[Snapshot] = [one.snapshot(name) for name, one in made.items()]
    return report_of([*snapshots, *[CounterSnapshot(name, value) for name, value in counters.items()]], draw(fractions))
