"""Tables of measurements: a table per label, a column per description, a row per statement."""

from __future__ import annotations

import enum
from collections import defaultdict

from ...._root import torch
from . import common

__all__ = ["Colorize", "Compare"]

BEST, GOOD, BAD, VERY_BAD = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m"
BOLD, TERMINATE = "\033[1m", "\033[0m"


class Colorize(enum.Enum):
    """Among which times Compare searches for the best."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


def _colour_text(text, value, best) -> str:
    if value <= best * 1.01 or value <= best + 100e-9:
        start = BEST + BOLD
    elif value <= best * 1.1:
        start = GOOD + BOLD
    elif value >= best * 5:
        start = VERY_BAD + BOLD
    elif value >= best * 2:
        start = BAD
    else:
        return text
    return start + text + TERMINATE * 2


def _make_column_formatter(results, scale, trim, warn):
    """Makes a function that formats the times of one column, with their points aligned."""
    warn = warn and any(result.has_warnings for result in results)
    digits = [int(torch.tensor(result.median / scale).log10().ceil()) for result in results]
    decimals = 1
    if trim:
        decimals = min(max(r.significant_figures - before, 0) for before, r in zip(digits, results, strict=True))
    width = max(digits) + decimals + bool(decimals)
    template = f"{{:>{width}.{decimals}f}}{{:>{7 if warn else 0}}}"

    def format_time(result) -> str:
        if result is None:
            return " " * len(template.format(1, ""))
        value = result.median / scale
        if trim:
            value = common.trim_sigfig(value, result.significant_figures)
        marked = warn and result.has_warnings
        return template.format(value, f" (! {result.iqr / result.median * 100:.0f}%)" if marked else "")

    return format_time


def _make_row_names(rows):
    """The first column; if there are several environments, each is named where it begins."""
    envs = {env for _, env, _ in rows}
    width = 4 + (max(map(len, envs)) if len(envs) > 1 else 0)
    shown = None
    for threads, env, name in rows:
        begins = len(envs) > 1 and env and shown != (threads, env)
        yield "  " + (f"({env})" if begins else "").ljust(width) + name
        shown = threads, env


def _print_table(results, colorize, trim, warn) -> str:
    unit, scale = common.select_unit(min(result.median for result in results))
    cells = {((r.num_threads, r.env, r.as_row_name), r.description): r for r in results}
    rows = sorted(common.ordered_unique(row for row, _ in cells), key=lambda row: row[:2])
    titles = common.ordered_unique(title for _, title in cells)
    columns = [
        _make_column_formatter([r for (_, of), r in cells.items() if of == title], scale, trim, warn)
        for title in titles
    ]

    def times_of_row(row):
        return [column(cells.get((row, title))) for column, title in zip(columns, titles, strict=True)]

    def colour_cell(text, row, title) -> str:
        if colorize == Colorize.NONE or (row, title) not in cells:
            return text
        rivals = [
            result.median
            for (other, of), result in cells.items()
            if (other == row if colorize == Colorize.ROWWISE else of == title and other[0] == row[0])
        ]
        return _colour_text(text, cells[row, title].median, min(rivals))

    grid = [["", *titles], *([name, *times_of_row(row)] for name, row in zip(_make_row_names(rows), rows, strict=True))]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = ["  |  ".join(text.center(width) for text, width in zip(grid[0], widths, strict=True))]
    whole = len(lines[0])
    threads = None
    for row, (name, *texts) in zip(rows, grid[1:], strict=True):
        if row[0] != threads:
            threads = row[0]
            lines.append(f"{threads} threads: ".ljust(whole, "-"))
        centred = (text.center(width) for text, width in zip(texts, widths[1:], strict=True))
        lines.append("  |  ".join([name.ljust(widths[0]), *(map(colour_cell, centred, [row] * len(titles), titles))]))
    lines += ["", f"Times are in {common.unit_to_english(unit)}s ({unit})."]
    if warn and any(result.has_warnings for result in results):
        lines.append("(! XX%) Measurement has high variance, where XX is the IQR / median * 100.")
    return "\n".join([f"[{f' {results[0].label or str()} '.center(whole - 2, '-')}]", *lines, ""])


class Compare:
    """Tables of measurements, as str or by `print`: a table per label, a column per description, a row per task.

    Args:
        results (list of Measurement): the measurements; those of the same task are joined.

    Example:
        >>> from torch.utils.benchmark import Compare, Measurement, TaskSpec
        >>> spec = TaskSpec("f()", "pass", label="calls", description="now")
        >>> "calls" in str(Compare([Measurement(1, [1e-6, 2e-6], spec)]))
        True
    """

    def __init__(self, results: list[torch.utils.benchmark.utils.common.Measurement]) -> None:
        self._results: list[common.Measurement] = []
        self.extend_results(results)
        self._trim_significant_figures = self._highlight_warnings = False
        self._colorize = Colorize.NONE

    def __str__(self) -> str:
        return "\n".join(self._render())

    def extend_results(self, results) -> None:
        """Adds measurements.

        Args:
            results (list of Measurement): the measurements.

        Raises:
            ValueError: for other types.
        """
        for result in results:
            if not isinstance(result, common.Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Prints only the digits that the spread of the times supports."""
        self._trim_significant_figures = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colours times by their distance from the best.

        Args:
            rowwise (bool): compares within rows, not columns. Default: ``False``.
        """
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Highlights times with a large spread."""
        self._highlight_warnings = True

    def print(self) -> None:
        """Prints the tables."""
        print(str(self))

    def _render(self) -> list[str]:
        labels = defaultdict(list)
        for result in common.Measurement.merge(self._results):
            labels[result.label].append(result)
        options = self._colorize, self._trim_significant_figures, self._highlight_warnings
        return [_print_table(results, *options) for results in labels.values()]
