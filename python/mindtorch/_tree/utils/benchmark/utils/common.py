"""What was measured, the times, and how they are written."""

import contextlib
import dataclasses
import textwrap
from collections import defaultdict

from ...._root import torch

__all__ = [
    "TaskSpec",
    "Measurement",
    "select_unit",
    "unit_to_english",
    "trim_sigfig",
    "ordered_unique",
    "set_torch_threads",
]


@dataclasses.dataclass(repr=False, frozen=True)
class TaskSpec:
    """What a Timer runs, and by which names its times are shown."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or else the statement, with the sub-label."""
        if self.label is None and "\n" in self.stmt:
            mark = f" ({self.sub_label})" if self.sub_label else ""
            return f"stmt:{mark}\n{textwrap.indent(self.stmt, '  ')}"
        name = self.stmt if self.label is None else self.label
        return f"{name}: {self.sub_label}" if self.sub_label else name

    def setup_str(self) -> str:
        """The setup as shown; nothing where it does nothing."""
        if self.setup in ("", "pass"):
            return ""
        return "setup:\n" + textwrap.indent(self.setup, "  ") if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup, a line or a paragraph each."""
        parts = (self.title, self.description, self.setup_str())
        return "\n".join(part + "\n" if "\n" in part else part for part in parts if part)


@dataclasses.dataclass(repr=False)
class Measurement:
    """Times of one task, and their statistics for one run; the task's fields are attributes, too."""

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict | None = None

    def __post_init__(self) -> None:
        self._sorted_times: tuple[float, ...] = ()
        self._warnings: tuple[str, ...] = ()
        self._median = self._mean = self._p25 = self._p75 = -1.0

    def __getattr__(self, name):
        if name in TaskSpec.__dataclass_fields__:
            return getattr(self.task_spec, name)
        return super().__getattribute__(name)

    @property
    def times(self) -> list[float]:
        """Seconds of one run, for each measurement."""
        return [time / self.number_per_run for time in self.raw_times]

    median = property(lambda self: self._evaluated()._median)
    mean = property(lambda self: self._evaluated()._mean)
    iqr = property(lambda self: self._evaluated()._p75 - self._p25)
    has_warnings = property(lambda self: bool(self._evaluated()._warnings))
    title = property(lambda self: self.task_spec.title)
    as_row_name = property(lambda self: self.sub_label or self.stmt or "[Unknown]")

    @property
    def significant_figures(self) -> int:
        """How many figures of the median the middle half of the times supports: 1 to 4."""
        times = self._evaluated()._sorted_times
        middle = torch.tensor(times[len(times) // 4 : -(-3 * len(times) // 4)])
        spread = middle.std(unbiased=False).item() / torch.tensor(len(middle)).sqrt().item()
        interval = max(1.645 * spread, 25e-9)  # 90 % of a normal distribution
        return min(max(int(torch.tensor(self._median / interval).log10().floor()), 1), 4)

    def _evaluated(self) -> "Measurement":
        if self._sorted_times or not self.raw_times:
            return self
        self._sorted_times = tuple(sorted(self.times))
        times = torch.tensor(self._sorted_times, dtype=torch.float64)
        self._p25, self._median, self._p75 = (times.quantile(share).item() for share in (0.25, 0.5, 0.75))
        self._mean = times.mean().item()
        if not self.meets_confidence():
            doubt = "could indicate system fluctuation"
            if not self.meets_confidence(0.25):
                doubt = "suggests significant environmental influence"
            share = f"{self.iqr / self.median * 100:.1f}% of the median measurement"
            self._warnings = (f"  WARNING: Interquartile range is {share}.\n           This {doubt}.",)
        return self

    def meets_confidence(self, threshold: float = 0.1) -> bool:
        """Whether the interquartile range is below this share of the median."""
        return self.iqr / self.median < threshold

    def __repr__(self) -> str:
        count = len(self._evaluated()._sorted_times)
        unit, scale = select_unit(self._median)
        middle, low, high = (f"{time / scale:.2f}" for time in (self.iqr, self._p25, self._p75))
        total = f"{count} measurements" if count > 1 else f"{count} measurement"
        runs = f"{self.number_per_run} runs {'per measurement,' if count > 1 else ','}"
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        lines = [
            super().__repr__(),
            self.task_spec.summarize(),
            f"  {'Median: ' if count > 1 else ''}{self._median / scale:.2f} {unit}",
            *([f"  IQR:    {middle} {unit} ({low} to {high})"] if count >= 4 else []),
            f"  {total}, {runs} {threads}",
        ]
        return "\n".join([*lines, *self._warnings])

    @staticmethod
    def merge(measurements) -> "list[Measurement]":
        """One measurement per task, with the times of single runs of all that are of that task."""
        times = defaultdict(list)
        for measurement in measurements:
            times[measurement.task_spec].extend(measurement.times)
        return [Measurement(1, of_task, task) for task, of_task in times.items()]


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time has one to three digits before the point, and its length in seconds."""
    thousands = int(torch.tensor(t).log10().item() // 3)
    return {-3: ("ns", 1e-9), -2: ("us", 1e-6), -1: ("ms", 1e-3)}.get(thousands, ("s", 1))


def unit_to_english(u: str) -> str:
    """The name of a unit of `select_unit`."""
    return {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}[u]


def trim_sigfig(x: float, n: int) -> float:
    """`x` rounded to `n` significant figures: 3.14159 to two is 3.1."""
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10 ** (int(torch.tensor(x).abs().log10().ceil().item()) - n)
    return float(torch.tensor(x / scale).round() * scale)


def ordered_unique(elements) -> list:
    """The elements, each where it comes first."""
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int):
    """Runs a block with this many threads."""
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(n)
        yield
    finally:
        torch.set_num_threads(before)
