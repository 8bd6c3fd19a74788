"""Times a statement, with warm-up and with one number of threads."""

import enum
import textwrap
import timeit

from ...._root import torch
from . import common

__all__ = ["Timer", "timer", "Language"]


def timer() -> float:
    """The time in seconds, once the accelerator, if there is one, has done its work."""
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
    return timeit.default_timer()


class Language(enum.Enum):
    """What a statement is written in."""

    PYTHON = 0
    CPP = 1


class CPPTimer:
    """The timer of C++ statements: there is no libtorch against which to build them."""

    def __init__(self, stmt, setup, global_setup, timer, globals) -> None:
        if globals:
            raise ValueError("C++ timing does not support globals.")

    def timeit(self, number: int) -> float:
        raise NotImplementedError("torch.utils.benchmark.Timer: there is no libtorch to build C++ statements against")


def _code(text) -> str:
    """A block of code without its indentation, and without empty lines around it."""
    return textwrap.dedent(text).removeprefix("\n").rstrip()


class Timer:
    """Times `stmt`, which sees `globals`, torch, and what `setup` defines.

    label, sub_label, description, env: names for tables: its title, row, column, and a mark of the row's group.
    num_threads: threads of torch while it runs.
    """

    _timer_cls = timeit.Timer

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer=timer,
        globals=None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        self._globals = dict(globals or {})
        extra = {}
        if language in (Language.PYTHON, "py", "python"):
            self._language = Language.PYTHON
            self._globals.setdefault("torch", torch)
            if global_setup:
                raise ValueError(
                    f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to "
                    "`setup`."
                )
        elif language in (Language.CPP, "cpp", "c++"):
            self._language = Language.CPP
            self._timer_cls = CPPTimer
            setup = "" if setup == "pass" else setup
            extra["global_setup"] = global_setup
        else:
            raise ValueError(f"Invalid language `{language}`.")
        stmt, setup = _code(stmt), _code(setup)
        self._timer = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=self._globals, **extra)
        self._task_spec = common.TaskSpec(
            stmt=stmt,
            setup=setup,
            global_setup=global_setup,
            label=label,
            sub_label=sub_label,
            description=description,
            env=env,
            num_threads=num_threads,
        )

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)  # a clock may not have moved

    def _measurement(self, number, times) -> common.Measurement:
        return common.Measurement(number_per_run=number, raw_times=times, task_spec=self._task_spec)

    def timeit(self, number: int = 1000000) -> common.Measurement:
        """One measurement of `number` runs, after a warm-up of a hundredth of them."""
        with common.set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return self._measurement(number, [self._timeit(number)])

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback=None) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _estimate_block_size(self, min_run_time: float) -> int:
        """How many runs make the clock's own cost small: a power of ten. Also the warm-up."""
        with common.set_torch_threads(self._task_spec.num_threads):
            overhead = torch.tensor([self._timeit(0) for _ in range(5)]).median().item()
            number = 1
            while True:
                taken = self._timeit(number)
                precise = overhead / taken <= 1e-4 and taken >= min_run_time / 1000
                if precise or taken > min_run_time or number * 10 > 2**31 - 1:
                    return number
                number *= 10

    def _measure(self, number, min_run_time, enough=None, max_run_time=None, callback=None) -> common.Measurement:
        times: list[float] = []
        total, done = 0.0, False
        with common.set_torch_threads(self._task_spec.num_threads):
            while total < min_run_time or not done:
                times.append(self._timeit(number))
                total += times[-1]
                if callback:
                    callback(number, times[-1])
                done = enough is None or enough(times)
                if max_run_time and total > max_run_time:
                    break
        return self._measurement(number, times)

    def blocked_autorange(self, callback=None, min_run_time: float = 0.2) -> common.Measurement:
        """Measurements for `min_run_time` seconds, each of so many runs that the clock's cost is small.

        callback: called with the number of runs and the time of each measurement.
        """
        return self._measure(self._estimate_block_size(min_run_time), min_run_time, callback=callback)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0, callback=None
    ) -> common.Measurement:
        """Measurements until their interquartile range is below this share of the median, or time is up."""
        number = self._estimate_block_size(min_run_time=0.05)

        def enough(times):
            return len(times) > 3 and self._measurement(number, list(times)).meets_confidence(threshold)

        return self._measure(number, min_run_time, enough, max_run_time, callback)

    def collect_callgrind(
        self,
        number: int = 100,
        *,
        repeats: int | None = None,
        collect_baseline: bool = True,
        retain_out_file: bool = False,
    ):
        if repeats is not None and repeats < 1:
            raise ValueError("If specified, `repeats` must be >= 1")
        raise NotImplementedError(
            "torch.utils.benchmark.Timer.collect_callgrind: instructions are not counted; run valgrind on a program"
        )
