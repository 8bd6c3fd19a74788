"""What was measured, the times, and how they are written."""

import contextlib
import dataclasses
import textwrap
from collections import defaultdict
from typing import Any

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

_MAX_SIGNIFICANT_FIGURES = 4
_MIN_CONFIDENCE_INTERVAL = 25e-9
_IQR_WARN_THRESHOLD = 0.1
_IQR_GROSS_WARN_THRESHOLD = 0.25


def _indented(text) -> str:
    return textwrap.indent(text, "  ")


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
        name = self.label if self.label is not None else self.stmt
        if self.label is None and "\n" in name:
            return f"stmt:{f' ({self.sub_label})' if self.sub_label else ''}\n{_indented(name)}"
        return f"{name}: {self.sub_label}" if self.sub_label else name

    def setup_str(self) -> str:
        """The setup as shown; nothing where it does nothing."""
        if not self.setup or self.setup == "pass":
            return ""
        return f"setup:\n{_indented(self.setup)}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup, a line or a paragraph each."""
        parts = (self.title, self.description, self.setup_str())
        return "\n".join(part + "\n" if "\n" in part else part for part in parts if part)


_TASKSPEC_FIELDS = tuple(field.name for field in dataclasses.fields(TaskSpec))


@dataclasses.dataclass(repr=False)
class Measurement:
    """Times of one task, and their statistics for one run; the task's fields are attributes, too."""

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __post_init__(self) -> None:
        self._sorted_times: tuple[float, ...] = ()
        self._warnings: tuple[str, ...] = ()
        self._median = self._mean = self._p25 = self._p75 = -1.0

    def __getattr__(self, name):
        if name in _TASKSPEC_FIELDS:
            return getattr(self.task_spec, name)
        return super().__getattribute__(name)

    @property
    def times(self) -> list[float]:
        """Seconds of one run, for each measurement."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def median(self) -> float:
        self._lazy_init()
        return self._median

    @property
    def mean(self) -> float:
        self._lazy_init()
        return self._mean

    @property
    def iqr(self) -> float:
        """The distance between the first and the third quartile."""
        self._lazy_init()
        return self._p75 - self._p25

    @property
    def significant_figures(self) -> int:
        """How many figures of the median the middle half of the times supports, 1 to 4."""
        self._lazy_init()
        count = len(self._sorted_times)
        middle = torch.tensor(self._sorted_times[count // 4 : -(-3 * count // 4)])
        spread = middle.std(unbiased=False).item() / torch.tensor(len(middle)).sqrt().item()
        interval = max(1.645 * spread, _MIN_CONFIDENCE_INTERVAL)  # 90 % of a normal distribution
        figures = int(torch.tensor(self._median / interval).log10().floor())
        return min(max(figures, 1), _MAX_SIGNIFICANT_FIGURES)

    @property
    def has_warnings(self) -> bool:
        self._lazy_init()
        return bool(self._warnings)

    def _lazy_init(self) -> None:
        if not self.raw_times or self._sorted_times:
            return
        self._sorted_times = tuple(sorted(self.times))
        times = torch.tensor(self._sorted_times, dtype=torch.float64)
        self._p25, self._median, self._p75 = (times.quantile(share).item() for share in (0.25, 0.5, 0.75))
        self._mean = times.mean().item()
        if self.meets_confidence():
            return
        gross = not self.meets_confidence(_IQR_GROSS_WARN_THRESHOLD)
        self._warnings += (
            f"  WARNING: Interquartile range is {self.iqr / self.median * 100:.1f}% of the median measurement.\n"
            + " " * 11
            + (
                "This suggests significant environmental influence."
                if gross
                else "This could indicate system fluctuation."
            ),
        )

    def meets_confidence(self, threshold: float = _IQR_WARN_THRESHOLD) -> bool:
        """Whether the interquartile range is below this share of the median."""
        return self.iqr / self.median < threshold

    @property
    def title(self) -> str:
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """The first column of Compare's table."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        self._lazy_init()
        count = len(self._sorted_times)
        unit, scale = select_unit(self._median)
        several = count > 1
        lines = [
            super().__repr__(),
            self.task_spec.summarize(),
            f"  {'Median: ' if several else ''}{self._median / scale:.2f} {unit}",
            f"  IQR:    {self.iqr / scale:.2f} {unit} ({self._p25 / scale:.2f} to {self._p75 / scale:.2f})",
            f"  {count} measurement{'s' if several else ''}, {self.number_per_run} runs "
            f"{'per measurement,' if several else ','} {self.num_threads} thread{'s' if self.num_threads > 1 else ''}",
            *self._warnings,
        ]
        if count < 4:
            del lines[3]
        return "\n".join(lines)

    @staticmethod
    def merge(measurements) -> "list[Measurement]":
        """One measurement per task, with the times of one run of all that are of that task."""
        times = defaultdict(list)
        for measurement in measurements:
            times[measurement.task_spec].extend(measurement.times)
        return [Measurement(number_per_run=1, raw_times=all_of, task_spec=task) for task, all_of in times.items()]


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


def ordered_unique(elements) -> list[Any]:
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
