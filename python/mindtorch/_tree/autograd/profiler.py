"""The profiler: times of named ranges, by thread, as they nest."""

import functools
import threading
import time
from typing import Any

__all__ = ["profile", "record_function", "emit_itt", "emit_nvtx", "load_nvprof", "EnforceUnique",
           "parse_nvprof_records", "KinetoStepTracker"]  # fmt: skip

# The session that records, or None; one at a time.
_session = None


class _Range:
    """One finished call: what ran where and when, in nanoseconds."""

    __slots__ = ("name", "start", "end", "thread", "depth", "shapes", "is_user", "sequence")

    def __init__(self, name, thread, depth, shapes, is_user):
        self.name, self.thread, self.depth, self.shapes, self.is_user = name, thread, depth, shapes, is_user
        self.start = time.perf_counter_ns()
        self.end = self.start


class _Session:
    """Collects ranges from all threads while it is active."""

    def __init__(self, record_shapes: bool) -> None:
        self.record_shapes = record_shapes
        self.ranges: list[_Range] = []
        self.local = threading.local()
        self.started = time.perf_counter_ns()
        self.ended = None

    def enter(self, name, args, is_user) -> _Range:
        stack = self.local.__dict__.setdefault("stack", [])
        shapes = [list(getattr(arg, "shape", ())) for arg in args] if self.record_shapes and args else []
        opened = _Range(name, threading.get_ident(), len(stack), shapes, is_user)
        stack.append(opened)
        return opened

    def exit(self, opened: _Range) -> None:
        opened.end = time.perf_counter_ns()
        stack = self.local.__dict__.get("stack", [])
        while stack and stack.pop() is not opened:
            pass
        self.ranges.append(opened)


def _start(record_shapes: bool) -> _Session:
    global _session
    if _session is not None:
        raise RuntimeError("Profiler is already enabled on this thread")
    _session = _Session(record_shapes)
    return _session


def _stop() -> _Session:
    global _session
    finished, _session = _session, None
    finished.ended = time.perf_counter_ns()
    return finished


class record_function:
    """Names a range of code in the profile; a context and a decorator. Costs next to nothing while none runs."""

    def __init__(self, name: str, args: str | None = None):
        self.name = name
        self.args = args
        self.record = None

    def __enter__(self):
        if _session is not None:
            self.record = (_session, _session.enter(self.name, (), is_user=True))
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any):
        if self.record is not None:
            session, opened = self.record
            self.record = None
            session.exit(opened)

    def __call__(self, func):
        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            with record_function(self.name, self.args):
                return func(*args, **kwargs)

        return wrapped

    def _call_end_callbacks_on_future(self, fut):
        """Ends the range when the future completes."""
        record, self.record = self.record, None

        def finish(completed):
            if record is not None:
                record[0].exit(record[1])
            return completed.value()

        return fut.then(finish)


class profile:
    """Profiles a block."""

    def __init__(
        self,
        enabled=True,
        *,
        use_cuda=False,
        use_device=None,
        record_shapes=False,
        with_flops=False,
        profile_memory=False,
        with_stack=False,
        with_modules=False,
        use_kineto=False,
        use_cpu=True,
        experimental_config=None,
        acc_events=False,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
        activity_filters=None,
    ):
        for option, wanted in (
            ("use_cuda", use_cuda),
            ("use_device", use_device),
            ("with_flops", with_flops),
            ("profile_memory", profile_memory),
            ("with_stack", with_stack),
            ("with_modules", with_modules),
        ):
            if enabled and wanted:
                raise NotImplementedError(f"torch.autograd.profiler.profile: {option} is not available")
        self.enabled = enabled
        self.record_shapes = record_shapes
        self.entered = False
        self.function_events = None
        self._session = None

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self._session = _start(self.record_shapes)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        if not self.enabled:
            return None
        from .profiler_util import EventList

        self.function_events = EventList.from_session(_stop())
        return False

    def _check_finish(self):
        if self.function_events is None:
            raise RuntimeError("Profiler didn't finish running")

    def __repr__(self):
        return "<unfinished torch.autograd.profile>" if self.function_events is None else repr(self.function_events)

    def __str__(self):
        return "<unfinished torch.autograd.profile>" if self.function_events is None else str(self.function_events)

    def table(
        self,
        sort_by=None,
        row_limit=100,
        max_src_column_width=75,
        max_name_column_width=55,
        max_shapes_column_width=80,
        header=None,
        top_level_events_only=False,
        time_unit=None,
    ):
        self._check_finish()
        return self.function_events.table(
            sort_by=sort_by,
            row_limit=row_limit,
            max_name_column_width=max_name_column_width,
            max_shapes_column_width=max_shapes_column_width,
            header=header,
            top_level_events_only=top_level_events_only,
        )

    def export_chrome_trace(self, path):
        self._check_finish()
        return self.function_events.export_chrome_trace(path)

    def key_averages(
        self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False
    ):
        self._check_finish()
        return self.function_events.key_averages(group_by_input_shape)

    def total_average(self):
        self._check_finish()
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self):
        """Microseconds spent on the CPU, each counted once."""
        self._check_finish()
        return self.function_events.self_cpu_time_total


class _Emit:
    """Marks for an external profiler, which this build is not made with."""

    def __init__(self, enabled=True, record_shapes=False):
        if enabled:
            raise NotImplementedError(f"torch.autograd.profiler.{type(self).__name__} is not available")

    def __enter__(self):
        return None

    def __exit__(self, exc_type, exc_val, exc_tb):
        return None


class emit_itt(_Emit):
    pass


class emit_nvtx(_Emit):
    pass


def load_nvprof(path):
    raise NotImplementedError("torch.autograd.profiler.load_nvprof is not available")


def parse_nvprof_records(path):
    raise NotImplementedError("torch.autograd.profiler.parse_nvprof_records is not available")


class EnforceUnique:
    """Raises where a key is seen twice."""

    def __init__(self):
        self.seen = set()

    def see(self, *key):
        if key in self.seen:
            raise RuntimeError("duplicate key: " + str(key))
        self.seen.add(key)


class KinetoStepTracker:
    """Counts steps of whoever reports them; the profiler's step is the furthest of all."""

    _current_step = 0
    _step_dict: dict[str, int] = {}

    @classmethod
    def init_step_count(cls, requester: str):
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        cls._step_dict[requester] = cls._step_dict.get(requester, cls._current_step) + 1
        cls._current_step = max(cls._current_step, max(cls._step_dict.values()))
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        return cls._current_step


def kineto_available() -> bool:
    return False
