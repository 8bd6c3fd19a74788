"""The measured statement, its times, and how they are printed."""

from __future__ import annotations

import contextlib
import dataclasses
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
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


@dataclasses.dataclass(repr=False, frozen=True)
class TaskSpec:
    """What a Timer runs, and the names under which its times are shown.

    Args:
        stmt (str): the statement.
        setup (str): what runs before.
        global_setup (str): for C++ only. Default: ``""``.
        label, sub_label, description, env (str, optional): names of the table, the row, the column
            and a group of rows in Compare.
        num_threads (int): number of threads. Default: ``1``.

    Example:
        >>> torch.utils.benchmark.TaskSpec("x + 1", "x = 1", label="add").title
        'add'
    """

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
        """Returns the label, or else the statement, with the sub-label."""
        if self.label is None and "\n" in self.stmt:
            mark = f" ({self.sub_label})" if self.sub_label else ""
            return f"stmt:{mark}\n{textwrap.indent(self.stmt, '  ')}"
        name = self.stmt if self.label is None else self.label
        return f"{name}: {self.sub_label}" if self.sub_label else name

    def setup_str(self) -> str:
        """Returns the setup as it is shown; nothing where it does nothing.

        Returns:
            str: the text.
        """
        if self.setup in ("", "pass"):
            return ""
        return "setup:\n" + textwrap.indent(self.setup, "  ") if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Returns title, description and setup, a line or a paragraph each.

        Returns:
            str: the text.
        """
        parts = (self.title, self.description, self.setup_str())
        return "\n".join(part + "\n" if "\n" in part else part for part in parts if part)


@dataclasses.dataclass(repr=False)
class Measurement:
    """Times of one task and their statistics; the fields of the task are attributes, too.

    Args:
        number_per_run (int): runs of the statement per time.
        raw_times (list of float): the times, in seconds.
        task_spec (TaskSpec): the task.
        metadata (dict, optional): stored as it is.

    Attributes:
        times (list of float): seconds of one run.
        median, mean, iqr (float): of `times`; the last is the interquartile range.

    Example:
        >>> from torch.utils.benchmark import Measurement, TaskSpec
        >>> Measurement(10, [1.0, 2.0, 3.0], TaskSpec("f()", "pass")).median
        0.2
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict | None = None

    def __post_init__(self) -> None:
        self._sorted_times: tuple[float, ...] = ()
        self._warnings: tuple[str, ...] = ()
        self._median = self._mean = self._p25 = self._p75 = -1.0

    def __getattr__(self, name: str) -> Any:
        if name in TaskSpec.__dataclass_fields__:
            return getattr(self.task_spec, name)
        return super().__getattribute__(name)

    @property
    def times(self) -> list[float]:
        """The seconds of one run, for each measurement."""
        return [time / self.number_per_run for time in self.raw_times]

    median = property(lambda self: self._evaluate()._median)
    mean = property(lambda self: self._evaluate()._mean)
    iqr = property(lambda self: self._evaluate()._p75 - self._p25)
    has_warnings = property(lambda self: bool(self._evaluate()._warnings))
    title = property(lambda self: self.task_spec.title)
    as_row_name = property(lambda self: self.sub_label or self.stmt or "[Unknown]")

    @property
    def significant_figures(self) -> int:
        """The number of digits of the median that the interquartile range of the times supports: 1 to 4."""
        times = self._evaluate()._sorted_times
        middle = torch.tensor(times[len(times) // 4 : -(-3 * len(times) // 4)])
        spread = middle.std(unbiased=False).item() / torch.tensor(len(middle)).sqrt().item()
        interval = max(1.645 * spread, 25e-9)  # 90 % of a normal distribution
        return min(max(int(torch.tensor(self._median / interval).log10().floor()), 1), 4)

    def _evaluate(self) -> "Measurement":
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
        """Returns whether the interquartile range is below a share of the median.

        Args:
            threshold (float): the share. Default: ``0.1``.

        Returns:
            bool: whether it is.
        """
        return self.iqr / self.median < threshold

    def __repr__(self) -> str:
        count = len(self._evaluate()._sorted_times)
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
    def merge(measurements: Iterable[Measurement]) -> "list[Measurement]":
        """Joins measurements of the same task.

        Args:
            measurements (iterable of Measurement): the measurements.

        Returns:
            list of Measurement: one per task, with times of single runs.
        """
        times = defaultdict(list)
        for measurement in measurements:
            times[measurement.task_spec].extend(measurement.times)
        return [Measurement(1, of_task, task) for task, of_task in times.items()]


def select_unit(t: float) -> tuple[str, float]:
    """Returns the unit in which a time has one to three digits before the point.

    Args:
        t (float): the time, in seconds.

    Returns:
        tuple: name of the unit, and its length in seconds.

    Example:
        >>> torch.utils.benchmark.select_unit(2e-5)
        ('us', 1e-06)
    """
    thousands = int(torch.tensor(t).log10().item() // 3)
    return {-3: ("ns", 1e-9), -2: ("us", 1e-6), -1: ("ms", 1e-3)}.get(thousands, ("s", 1))


def unit_to_english(u: str) -> str:
    """Returns the name of a unit in words.

    Args:
        u (str): ``"ns"``, ``"us"``, ``"ms"`` or ``"s"``.

    Returns:
        str: the name.

    Example:
        >>> torch.utils.benchmark.unit_to_english("us")
        'microsecond'
    """
    return {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}[u]


def trim_sigfig(x: float, n: int) -> float:
    """Rounds a number to significant figures.

    Args:
        x (float): the number.
        n (int): how many figures.

    Returns:
        float: the rounded number.

    Example:
        >>> round(torch.utils.benchmark.trim_sigfig(3.14159, 2), 4)
        3.1
    """
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10 ** (int(torch.tensor(x).abs().log10().ceil().item()) - n)
    return float(torch.tensor(x / scale).round() * scale)


def ordered_unique(elements: Iterable[Any]) -> list:
    """Returns the distinct elements in the order in which they first come.

    Args:
        elements (iterable): the elements.

    Returns:
        list: the distinct ones.

    Example:
        >>> torch.utils.benchmark.ordered_unique([2, 1, 2])
        [2, 1]
    """
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Runs a block with a number of threads.

    Args:
        n (int): the number.

    Returns:
        A context manager.

    Example:
        >>> with torch.utils.benchmark.set_torch_threads(1):
        ...     torch.get_num_threads()
        1
    """
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(n)
        yield
    finally:
        torch.set_num_threads(before)
