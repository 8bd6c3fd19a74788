"""Tables of measurements: a table per label, a column per description, a row per statement."""

import enum
from collections import defaultdict

from ...._root import torch
from . import common

__all__ = ["Colorize", "Compare"]

BEST = "\033[92m"
GOOD = "\033[34m"
BAD = "\033[2m\033[91m"
VERY_BAD = "\033[31m"
BOLD = "\033[1m"
TERMINATE = "\033[0m"


class Colorize(enum.Enum):
    """Among which times the best is looked for."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


def _coloured(text, value, best) -> str:
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


class _Column:
    """How the times of one column are written."""

    def __init__(self, results, scale, trim, warn) -> None:
        self._trim, self._scale = trim, scale
        self._warn = warn and any(result.has_warnings for result in results)
        digits = [int(torch.tensor(result.median / scale).log10().ceil()) for result in results]
        decimals = 1
        if trim:
            needed = (result.significant_figures - before for before, result in zip(digits, results, strict=True))
            decimals = min(max(count, 0) for count in needed)
        width = max(digits) + decimals + (1 if decimals else 0)
        self._template = f"{{:>{width}.{decimals}f}}{{:>{7 if self._warn else 0}}}"

    def text(self, result) -> str:
        if result is None:
            return " " * len(self._template.format(1, ""))
        value = result.median / self._scale
        if self._trim:
            value = common.trim_sigfig(value, result.significant_figures)
        spread = f" (! {result.iqr / result.median * 100:.0f}%)" if self._warn and result.has_warnings else ""
        return self._template.format(value, spread)


class Table:
    """The measurements of one label."""

    def __init__(self, results, colorize, trim_significant_figures, highlight_warnings) -> None:
        self._results, self._colorize, self._warn = results, colorize, highlight_warnings
        self._unit, scale = common.select_unit(min(result.median for result in results))
        rows = common.ordered_unique((r.num_threads, r.env, r.as_row_name) for r in results)
        self._rows = sorted(rows, key=lambda row: row[:2])
        self._titles = common.ordered_unique(result.description for result in results)
        self._cells = {(r.num_threads, r.env, r.as_row_name, r.description): r for r in results}
        shown = list(self._cells.values())
        self._columns = [
            _Column([r for r in shown if r.description == title], scale, trim_significant_figures, highlight_warnings)
            for title in self._titles
        ]

    def _names(self):
        """The first column; an environment is named where it begins, if there are several."""
        envs = {env for _, env, _ in self._rows}
        several = len(envs) > 1
        width = 4 + (max(map(len, envs)) if several else 0)
        before = None
        for threads, env, name in self._rows:
            begins = several and before != (threads, env)
            yield "  " + (f"({env})" if begins else "").ljust(width) + name
            before = threads, env

    def _best(self, row, title):
        if self._colorize == Colorize.ROWWISE:
            rivals = (self._cells.get((*row, other)) for other in self._titles)
        else:
            rivals = (self._cells.get((*other, title)) for other in self._rows if other[0] == row[0])
        return min(rival.median for rival in rivals if rival is not None)

    def _cell(self, text, row, title) -> str:
        result = self._cells.get((*row, title))
        if self._colorize == Colorize.NONE or result is None:
            return text
        return _coloured(text, result.median, self._best(row, title))

    def render(self) -> str:
        """The table as text."""
        grid = [["", *self._titles]]
        for name, row in zip(self._names(), self._rows, strict=True):
            times = (
                column.text(self._cells.get((*row, title)))
                for column, title in zip(self._columns, self._titles, strict=True)
            )
            grid.append([name, *times])
        widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
        lines = ["  |  ".join(text.center(width) for text, width in zip(grid[0], widths, strict=True))]
        whole = len(lines[0])
        threads = None
        for row, (name, *texts) in zip(self._rows, grid[1:], strict=True):
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(whole, "-"))
            cells = (
                self._cell(text.center(width), row, title)
                for text, width, title in zip(texts, widths[1:], self._titles, strict=True)
            )
            lines.append("  |  ".join([name.ljust(widths[0]), *cells]))
        title = f" {self._results[0].label or ''} ".center(whole - 2, "-")
        footer = [f"Times are in {common.unit_to_english(self._unit)}s ({self._unit}).", ""]
        if self._warn and any(result.has_warnings for result in self._results):
            footer.insert(1, "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.")
        return "\n".join([f"[{title}]", *lines, "", *footer])


class Compare:
    """Tables of measurements, as `str` or by `print`; those of the same task are one."""

    def __init__(self, results) -> None:
        self._results: list[common.Measurement] = []
        self.extend_results(results)
        self._trim_significant_figures = False
        self._colorize = Colorize.NONE
        self._highlight_warnings = False

    def __str__(self) -> str:
        return "\n".join(self._render())

    def extend_results(self, results) -> None:
        """Adds measurements."""
        for result in results:
            if not isinstance(result, common.Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Writes only the figures that the spread of the times supports."""
        self._trim_significant_figures = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colours times by their distance from the best of their column, or of their row."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Marks times that vary much."""
        self._highlight_warnings = True

    def print(self) -> None:
        """Prints the tables."""
        print(str(self))

    def _render(self) -> list[str]:
        groups = defaultdict(list)
        for result in common.Measurement.merge(self._results):
            groups[result.label].append(result)
        options = self._colorize, self._trim_significant_figures, self._highlight_warnings
        return [Table(group, *options).render() for group in groups.values()]
