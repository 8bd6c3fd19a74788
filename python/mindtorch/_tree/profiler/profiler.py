"""torch.profiler.profile: records some of a program's steps and passes each recording to a callback."""

from __future__ import annotations

import bisect
import gzip
import itertools
import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, Self
from warnings import warn

from ..autograd import profiler as prof
from ..autograd.profiler_util import ProfilerActivity

__all__ = ["supported_activities", "ProfilerAction", "schedule", "tensorboard_trace_handler", "profile",
           "ExecutionTraceObserver"]  # fmt: skip

PROFILER_STEP_NAME = "ProfilerStep"
_warned_of_cleared_events = False


def supported_activities():
    """Returns the kinds of devices that can be profiled.

    Returns:
        set of ProfilerActivity: here the CPU.

    Example:
        >>> torch.profiler.ProfilerActivity.CPU in torch.profiler.supported_activities()
        True
    """
    return {ProfilerActivity.CPU}


class ProfilerAction(Enum):
    """What the profiler does during a step.

    NONE skips it, WARMUP prepares, RECORD records, RECORD_AND_SAVE records and then calls
    `on_trace_ready`. DEVICE_STOPPED is internal.
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable:
    """Returns a function from step to action, for `torch.profiler.profile`: skip, then repeat a cycle.

    The first `skip_first` steps are skipped; a cycle is `wait` idle steps, `warmup` steps, and `active`
    recorded ones, the last of which saves.

    Args:
        wait (int): idle steps of a cycle.
        warmup (int): steps that prepare; 0 warns.
        active (int): recorded steps, at least 1.
        repeat (int): number of cycles, 0 for no end. Default: ``0``.
        skip_first (int): steps before the first cycle. Default: ``0``.
        skip_first_wait (int): when not 0, the first cycle has no wait. Default: ``0``.

    Returns:
        callable: from the number of a step to a `ProfilerAction`.

    Raises:
        AssertionError: when a number is out of its range.

    Example:
        >>> plan = torch.profiler.schedule(wait=1, warmup=1, active=2)
        >>> [plan(step).name for step in range(4)]
        ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)

    # A cycle of the schedule has four phases. `ends` has, for each, the number of steps from the cycle's start to its
    # end, where the next phase begins.
    actions = (ProfilerAction.NONE, ProfilerAction.WARMUP, ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
    ends = list(itertools.accumulate((wait, warmup, active - 1, 1)))
    begin = -skip_first if skip_first_wait == 0 else wait - skip_first

    def choose_action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        done, length = begin + step, ends[-1]
        is_idle = step < skip_first or 0 < repeat * length <= done
        return ProfilerAction.NONE if is_idle else actions[bisect.bisect_right(ends, done % length)]

    return choose_action


def _default_schedule_fn(_: int) -> ProfilerAction:
    return ProfilerAction.RECORD


def tensorboard_trace_handler(dir_name: str, worker_name: str | None = None, use_gzip: bool = False):
    """Returns a callback for `on_trace_ready` that writes recordings into a folder, as TensorBoard reads them.

    Args:
        dir_name (str): the folder, made where missing.
        worker_name (str, optional): first part of file names. Default: host name and process id.
        use_gzip (bool): compresses the files. Default: ``False``.

    Returns:
        callable: takes the profiler.

    Raises:
        RuntimeError: in the callback, when the folder cannot be made.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     handler = torch.profiler.tensorboard_trace_handler(folder, worker_name="main")
        ...     with torch.profiler.profile(on_trace_ready=handler):
        ...         _ = torch.ones(2).sum()
        ...     [name.startswith("main.") for name in os.listdir(folder)]
        [True]
    """

    def handler_fn(recorded) -> None:
        if not os.path.isdir(dir_name):
            try:
                os.makedirs(dir_name, exist_ok=True)
            except Exception as error:
                raise RuntimeError("Can't create directory: " + dir_name) from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        suffix = ".pt.trace.json" + (".gz" if use_gzip else "")
        recorded.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns()}{suffix}"))

    return handler_fn


def _parse_activities(given):
    activities: set[ProfilerActivity] = set()
    filters: dict[ProfilerActivity, set[str]] = {}
    for item in given:
        if not isinstance(item, (ProfilerActivity, dict)):
            raise TypeError(f"Expected ProfilerActivity or dict, got {type(item)}")
        for activity in item if isinstance(item, dict) else (item,):
            if activity in activities:
                raise ValueError(f"Activity {activity} specified more than once")
            activities.add(activity)
            if isinstance(item, dict):
                filters[activity] = set(item[activity])
    return activities, filters


# Options of torch.profiler.profile that are passed on to autograd's profiler under the same names.
_PASSED_ON = (
    "use_device",
    "record_shapes",
    "profile_memory",
    "with_flops",
    "with_stack",
    "with_modules",
    "experimental_config",
    "acc_events",
    "custom_trace_id_callback",
    "post_processing_timeout_s",
)


class _KinetoProfile:
    """Profiles one stretch of a program, without a schedule; the base of `torch.profiler.profile`.

    Args:
        activities (iterable, optional): kinds of devices. Default: `supported_activities()`.
        record_shapes (bool): records the shapes of inputs. Default: ``False``.
        profile_memory (bool): records allocated memory. Default: ``False``.
        with_stack (bool): records Python stacks. Default: ``False``.
        with_flops (bool): estimates floating-point operations. Default: ``False``.
        with_modules (bool): noted in the trace. Default: ``False``.
        experimental_config (optional): rarely used switches.
        execution_trace_observer (ExecutionTraceObserver, optional): started and stopped along.
        acc_events (bool): keeps events of earlier recordings. Default: ``False``.
        custom_trace_id_callback (callable, optional): makes the recording's id.
        post_processing_timeout_s (float, optional): stored as it is.
    """

    def __init__(
        self,
        *,
        activities: Iterable | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        self.activities, self.activity_filters = _parse_activities(
            supported_activities() if activities is None else activities
        )
        self.record_shapes, self.profile_memory, self.with_flops = record_shapes, profile_memory, with_flops
        self.with_stack, self.with_modules = with_stack, with_modules
        self.acc_events, self.custom_trace_id_callback = acc_events, custom_trace_id_callback
        self.experimental_config, self.post_processing_timeout_s = experimental_config, post_processing_timeout_s
        self.execution_trace_observer = execution_trace_observer
        self.profiler: prof.profile | None = None
        self.use_device = next((name.lower() for name in ("CUDA", "XPU", "MTIA", "HPU")
                                if ProfilerActivity[name] in self.activities), None)  # fmt: skip
        self.preset_metadata: dict[str, str] = {}

    def start(self) -> None:
        """Prepares and starts recording."""
        self.prepare_trace()
        self.start_trace()

    def stop(self) -> None:
        """Ends recording."""
        self.stop_trace()

    def prepare_trace(self) -> None:
        """Creates the recorder; warns once if that drops the events of an earlier cycle."""
        global _warned_of_cleared_events
        if self.profiler is not None and not self.acc_events and not _warned_of_cleared_events:
            _warned_of_cleared_events = True
            warn(
                "Warning: Profiler clears events at the end of each cycle. Only events from the current cycle will be "
                "reported. To keep events across cycles, set acc_events=True.",
                stacklevel=2,
            )
        if self.profiler is None or not self.acc_events:
            self.profiler = prof.profile(
                use_cpu=ProfilerActivity.CPU in self.activities,
                use_kineto=True,
                activity_filters=self.activity_filters or None,
                **{option: getattr(self, option) for option in _PASSED_ON},
            )
        self.profiler._prepare_trace()

    def start_trace(self) -> None:
        """Starts recording and writes the options to the trace."""
        if self.execution_trace_observer:
            self.execution_trace_observer.start()
        self._require_initialized_profiler("starting trace")._start_trace()
        for name in ("profile_memory", "with_stack", "record_shapes", "with_modules", "with_flops"):
            if getattr(self, name):
                self.add_metadata_json(name, "1")
        for key, value in self.preset_metadata.items():
            self.add_metadata_json(key, value)

    def stop_trace(self) -> None:
        """Ends recording."""
        if self.execution_trace_observer:
            self.execution_trace_observer.stop()
        self._require_initialized_profiler("stopping trace").__exit__(None, None, None)

    def _require_initialized_profiler(self, before) -> prof.profile:
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {before}")
        return self.profiler

    def export_chrome_trace(self, path: str, use_python_export: bool = False):
        """Writes the recording as JSON for chrome://tracing and Perfetto, compressed where `path` ends in .gz.

        Args:
            path (str): file to write.
            use_python_export (bool): ignored. Default: ``False``.
        """
        recorded = self._require_initialized_profiler("exporting chrome trace")
        if not path.endswith(".gz"):
            return recorded.export_chrome_trace(path)
        with tempfile.NamedTemporaryFile(suffix=".json") as plain:
            recorded.export_chrome_trace(plain.name)
            with open(plain.name, "rb") as source, gzip.open(path, "wb") as target:
                shutil.copyfileobj(source, target)
        return None

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total"):
        """Writes a line per event with its stack, for flame graphs; needs ``with_stack=True``.

        Args:
            path (str): file to write.
            metric (str): time to write. Default: ``"self_cpu_time_total"``.
        """
        return self._require_initialized_profiler("exporting stacks").export_stacks(path, metric)

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Raises NotImplementedError while recording; does nothing before.

        Args:
            enable (bool): whether to record.
            activities (iterable): the kinds of activity to record.
        """
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ):
        """Returns sums over events of the same name.

        Args:
            group_by_input_shape (bool): also by input shapes. Default: ``False``.
            group_by_stack_n (int): also by the innermost n stack frames. Default: ``0``.
            group_by_overload_name (bool): also by overload. Default: ``False``.

        Returns:
            EventList: of `FunctionEventAvg`; its `table` prints it.
        """
        recorded = self._require_initialized_profiler("getting key averages")
        return recorded.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def events(self):
        """Returns all events of the recording.

        Returns:
            EventList: of `FunctionEvent`.
        """
        return self._require_initialized_profiler("accessing events").function_events

    def add_metadata(self, key: str, value: str) -> None:
        """Notes a string in the trace of the running recording.

        Args:
            key (str): its name.
            value (str): the string.
        """
        self.add_metadata_json(key, json.dumps(value))

    def add_metadata_json(self, key: str, value: str) -> None:
        """Notes a value in the trace of the running recording; without one it does nothing.

        Args:
            key (str): its name.
            value (str): JSON.
        """
        if self.profiler is not None:
            self.profiler._metadata[key] = json.loads(value)

    def preset_metadata_json(self, key: str, value: str) -> None:
        """Notes a value in the traces of all recordings that start from now on.

        Args:
            key (str): its name.
            value (str): JSON.
        """
        self.preset_metadata[key] = value

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        """Raises NotImplementedError; deprecated in torch, too.

        Args:
            path (str): file to write.
            device (str, optional): the device.

        Raises:
            ValueError: when shapes, memory and stacks were not all recorded.
        """
        warn(
            "`export_memory_timeline` is deprecated and will be removed in a future version. Please use "
            "`torch.cuda.memory._record_memory_history` and `torch.cuda.memory._export_memory_snapshot` instead.",
            FutureWarning,
            stacklevel=2,
        )
        needed = ("record_shapes", "profile_memory", "with_stack")
        missing = [f"{name}=True" for name in needed if not getattr(self, name)]
        if missing:
            raise ValueError(f"{', '.join(missing)} required for memory profiling.")
        raise NotImplementedError("torch.profiler.profile.export_memory_timeline is not available")


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class profile(_KinetoProfile):
    """Profiles a block whose steps `step()` separates, recording those that a schedule selects.

    Args:
        activities (iterable, optional): kinds of devices. Default: `supported_activities()`.
        schedule (callable, optional): from step to `ProfilerAction`, as `torch.profiler.schedule`
            makes. Default: records everything.
        on_trace_ready (callable, optional): called with the profiler after each recording.
        record_shapes (bool): records the shapes of inputs. Default: ``False``.
        profile_memory (bool): records allocated memory. Default: ``False``.
        with_stack (bool): records Python stacks. Default: ``False``.
        with_flops (bool): estimates floating-point operations of matrix products and convolutions.
            Default: ``False``.
        with_modules (bool): noted in the trace. Default: ``False``.
        experimental_config (optional): rarely used switches.
        execution_trace_observer (ExecutionTraceObserver, optional): started and stopped along.
        acc_events (bool): keeps events of earlier cycles. Default: ``False``.
        use_cuda (bool, optional): deprecated; use `activities`.
        custom_trace_id_callback (callable, optional): makes the recording's id.
        post_processing_timeout_s (float, optional): stored as it is.

    Raises:
        AssertionError: when no activity is valid.
        ValueError: when an activity is given twice.

    Example:
        >>> with torch.profiler.profile() as recorded:
        ...     _ = torch.ones(2, 2) @ torch.ones(2, 2)
        >>> "aten::mm" in [average.key for average in recorded.key_averages()]
        True
    """

    def __init__(
        self,
        *,
        activities: Iterable | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        activities = supported_activities() if activities is None else list(activities)
        if use_cuda is not None:
            warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2)
            if use_cuda:
                activities = [*activities, ProfilerActivity.CUDA]
        if not any(isinstance(item, (ProfilerActivity, dict)) for item in activities):
            raise AssertionError("No valid profiler activities found")
        super().__init__(
            activities=activities,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback,
            post_processing_timeout_s=post_processing_timeout_s,
            execution_trace_observer=execution_trace_observer,
            experimental_config=experimental_config,
        )
        self.record_steps = schedule is not None
        self.schedule = schedule or _default_schedule_fn
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self._scheduled_action(0)
        self.step_rec_fn: prof.record_function | None = None

    def _scheduled_action(self, step):
        action = self.schedule(step)
        if action == ProfilerAction.DEVICE_STOPPED:
            raise ValueError(
                "ProfilerAction.DEVICE_STOPPED is set internally by the profiler and must not be returned by a "
                "user-provided schedule"
            )
        return action

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.stop()
        prof.KinetoStepTracker.erase_step_count(PROFILER_STEP_NAME)

    def start(self) -> None:
        """Starts; with a schedule, with the action of step 0."""
        prof.KinetoStepTracker.init_step_count(PROFILER_STEP_NAME)
        self._change_action(ProfilerAction.NONE, self.current_action)
        self._open_step()

    def stop(self) -> None:
        """Stops, and calls `on_trace_ready` if a recording was running."""
        self._close_step()
        self._change_action(self.current_action, None)

    def step(self) -> None:
        """Announces the next step; the schedule decides what happens in it."""
        self._close_step()
        former, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self._scheduled_action(self.step_num)
        self._change_action(former, self.current_action)
        prof.KinetoStepTracker.increment_step(PROFILER_STEP_NAME)
        self._open_step()

    def set_custom_trace_id_callback(self, callback) -> None:
        """Sets the function that makes ids of recordings.

        Args:
            callback (callable): returns a str.
        """
        self.custom_trace_id_callback = callback
        if self.profiler is not None:
            self.profiler.custom_trace_id_callback = callback

    def get_trace_id(self):
        """Returns the id of the recording.

        Returns:
            str: the id; None before a recording.
        """
        return None if self.profiler is None else self.profiler.trace_id

    def _stats(self):
        return None if self.profiler is None else self.profiler._stats

    def _trace_ready(self) -> None:
        if self.on_trace_ready:
            self.on_trace_ready(self)

    def _change_action(self, former, now) -> None:
        """Makes the transition between two steps; `now` is None at the end."""
        none, warmup, record, save = list(ProfilerAction)[:4]
        if former in (warmup, record) and now == none or (former, now) == (record, warmup):
            warn(f"Incorrect schedule: {former.name} followed by {now.name}", stacklevel=3)
        if former == none and now not in (none, None) or former == save and now not in (none, None):
            prepares = True
        else:
            prepares = (former, now) == (record, warmup)
        if former == save or former == record and now not in _RECORDING:
            self.stop_trace()
            if former == save or now is None:
                self._trace_ready()
        if prepares:
            self.prepare_trace()
        if now in _RECORDING and former != record:
            self.start_trace()

    def _open_step(self):
        if self.record_steps:
            self.step_rec_fn = prof.record_function(f"{PROFILER_STEP_NAME}#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _close_step(self):
        if self.record_steps and self.step_rec_fn:
            self.step_rec_fn.__exit__(None, None, None)


class ExecutionTraceObserver:
    """Would write an execution trace; this library has none, and `register_callback` says so.

    Example:
        >>> torch.profiler.ExecutionTraceObserver().is_running()
        False
    """

    def register_callback(self, output_file_path: str) -> Self:
        """Raises NotImplementedError.

        Args:
            output_file_path (str): file to write.

        Returns:
            Nothing, since it always raises.
        """
        raise NotImplementedError("torch.profiler.ExecutionTraceObserver is not available")

    is_registered = property(lambda self: False)

    def is_running(self):
        """Returns whether a trace is being written: False.

        Returns:
            bool: always False.
        """
        return False

    def get_output_file_path(self) -> str | None:
        """Returns the file that is written: None.

        Returns:
            str: always None here.
        """
        return None

    def start(self) -> None:
        """Does nothing, since nothing can be registered."""

    unregister_callback = stop = cleanup = start
