"""Times a statement, with warm-up and with one number of threads."""

from __future__ import annotations

import enum
import textwrap
import timeit
from collections.abc import Callable
from typing import Any, NoReturn

from ...._root import torch
from . import common

__all__ = ["Timer", "timer", "Language"]


def timer() -> float:
    """Returns a time in seconds, once the accelerator, if there is one, has done its work.

    Returns:
        float: the time.

    Example:
        >>> isinstance(torch.utils.benchmark.timer(), float)
        True
    """
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
    return timeit.default_timer()


class Language(enum.Enum):
    """The languages of statements; only Python is supported."""

    PYTHON = 0
    CPP = 1


class Timer:
    """Times a statement, with warm-up and on a fixed number of threads.

    Args:
        stmt (str): the statement. Default: ``"pass"``.
        setup (str): runs once before. Default: ``"pass"``.
        global_setup (str): for C++ only. Default: ``""``.
        timer (callable): returns seconds. Default: `timer`.
        globals (dict, optional): names for the statement, besides torch.
        label, sub_label, description, env (str, optional): names of the table, the row, the column
            and a group of rows in Compare.
        num_threads (int): number of threads. Default: ``1``.
        language (Language or str): Python only. Default: ``Language.PYTHON``.

    Raises:
        ValueError: when an argument is not valid.
        NotImplementedError: for C++.

    Example:
        >>> timer = torch.utils.benchmark.Timer("x + 1", globals={"x": torch.ones(2)})
        >>> timer.timeit(10).median > 0
        True
    """

    _timer_cls = timeit.Timer

    def __init__(
        self, stmt: str = "pass", setup: str = "pass", global_setup: str = "", timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None, label: str | None = None, sub_label: str | None = None,
        description: str | None = None, env: str | None = None, num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:  # fmt: skip
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language in (Language.CPP, "cpp", "c++"):
            if globals:
                raise ValueError("C++ timing does not support globals.")
            raise NotImplementedError("torch.utils.benchmark.Timer: there is no libtorch to build C++ statements with")
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
            )
        self._globals = {"torch": torch, **(globals or {})}
        stmt, setup = (textwrap.dedent(code).removeprefix("\n").rstrip() for code in (stmt, setup))
        self._timer = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=self._globals)
        names = label, sub_label, description, env
        self._task_spec = common.TaskSpec(stmt, setup, global_setup, *names, num_threads)

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)  # the clock may not have advanced

    def _make_measurement(self, number, times):
        return common.Measurement(number_per_run=number, raw_times=times, task_spec=self._task_spec)

    def timeit(self, number: int = 1000000) -> torch.utils.benchmark.utils.common.Measurement:
        """Measures a number of runs once, after a warm-up of a hundredth of them.

        Args:
            number (int): how many. Default: ``1000000``.

        Returns:
            Measurement: with one time.
        """
        with common.set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return self._make_measurement(number, [self._timeit(number)])

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """Raises NotImplementedError: use `blocked_autorange`.

        Args:
            repeat, number (int): ignored.
        """
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable[[int, float], NoReturn] | None = None) -> None:
        """Raises NotImplementedError: use `blocked_autorange`.

        Args:
            callback (callable, optional): ignored.
        """
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _estimate_block_size(self, min_run_time: float) -> int:
        # Returns the power of ten of runs from which on the clock's own cost is negligible.
        with common.set_torch_threads(self._task_spec.num_threads):
            overhead = torch.tensor([self._timeit(0) for _ in range(5)]).median().item()
            for exponent in range(10):  # runs are counted in 32 bits
                taken = self._timeit(10**exponent)
                is_precise = overhead / taken <= 1e-4 and taken >= min_run_time / 1000
                if is_precise or taken > min_run_time:
                    break
        return 10**exponent

    def _measure(self, number, min_run_time, enough, max_run_time=None, callback=None):
        times: list[float] = []
        total, done = 0.0, False
        with common.set_torch_threads(self._task_spec.num_threads):
            while total < min_run_time or not done:
                times.append(self._timeit(number))
                total += times[-1]
                if callback:
                    callback(number, times[-1])
                done = enough(times)
                if max_run_time and total > max_run_time:
                    break
        return self._make_measurement(number, times)

    def blocked_autorange(
        self, callback: Callable[[int, float], NoReturn] | None = None, min_run_time: float = 0.2
    ) -> torch.utils.benchmark.utils.common.Measurement:
        """Measures for some time, each time so many runs that the clock's own cost is small.

        Args:
            callback (callable, optional): ``callback(number, seconds)`` after each measurement.
            min_run_time (float): seconds. Default: ``0.2``.

        Returns:
            Measurement: the times.
        """
        number = self._estimate_block_size(min_run_time)
        return self._measure(number, min_run_time, lambda times: True, callback=callback)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
        callback: Callable[[int, float], NoReturn] | None = None,
    ) -> torch.utils.benchmark.utils.common.Measurement:
        """Measures until the interquartile range is below a share of the median, or the time is up.

        Args:
            threshold (float): the share. Default: ``0.1``.
            min_run_time, max_run_time (float): seconds. Default: ``0.01`` and ``10.0``.
            callback (callable, optional): ``callback(number, seconds)`` after each measurement.

        Returns:
            Measurement: the times.
        """
        number = self._estimate_block_size(0.05)

        def is_confident(times):
            return len(times) > 3 and self._make_measurement(number, times).meets_confidence(threshold)

        return self._measure(number, min_run_time, is_confident, max_run_time, callback)

    def collect_callgrind(
        self,
        number: int = 100,
        *,
        repeats: int | None = None,
        collect_baseline: bool = True,
        retain_out_file: bool = False,
    ) -> Any:
        """Raises NotImplementedError: run the program under valgrind.

        Args:
            number (int): ignored.
            repeats (int, optional): at least 1.
            collect_baseline, retain_out_file (bool): ignored.
        """
        if repeats is not None and repeats < 1:
            raise ValueError("If specified, `repeats` must be >= 1")
        raise NotImplementedError("torch.utils.benchmark.Timer.collect_callgrind: run the program under valgrind")
