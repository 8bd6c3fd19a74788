"""The profiler: times of a block's operators and named ranges, and the devices that they ran on."""

from __future__ import annotations

import functools
import json
import os
import socket
import sys
import time
import uuid
from dataclasses import dataclass
from math import prod
from typing import Any
from warnings import warn

from .._method_copies import copies_methods
from .. import _C
from .profiler_util import (
    MEMORY_EVENT_NAME,
    DeviceType,
    EventList,
    FunctionEvent,
    MemRecordsAcc,
    ProfilerActivity,
)

__all__ = ["profile", "record_function", "emit_itt", "emit_nvtx", "load_nvprof", "EnforceUnique", "parse_nvprof_trace",
           "KinetoStepTracker", "EventList", "FunctionEvent", "MemRecordsAcc"]  # fmt: skip

_native = _C._profiler
_profiler_enabled = _native.enabled

# Whether a recording is in progress in this process.
_is_profiler_enabled: bool = False

# Kinds of events, with the numbers that the library and its Python side use.
_BACKWARD, _USER, _MEMORY, _PYTHON, _MODULE = 1, 7, 8, 9, 10
_ACTIVITIES = {_USER: "user_annotation", _PYTHON: "python_function", _MODULE: "python_function"}
# C++ names of tensors' element types.
_TYPES: dict[Any, str] = {
    0: "unsigned char", 1: "signed char", 2: "short int", 3: "int", 4: "long int", 5: "c10::Half", 6: "float",
    7: "double", 8: "c10::complex<c10::Half>", 9: "c10::complex<float>", 10: "c10::complex<double>", 11: "bool",
    15: "c10::BFloat16",
}  # fmt: skip


class _ExperimentalConfig:
    """Holds rarely used switches of the profiler.

    Args:
        profiler_metrics, performance_events (sequence): ignored; for devices that this library lacks.
        profiler_measure_per_kernel, enable_cuda_sync_events, adjust_profiler_step (bool): ignored.
        verbose (bool): records Python stacks with operators. Default: ``False``.
        disable_external_correlation, record_python_gc_info, expose_kineto_event_metadata (bool):
            ignored.
        profile_all_threads (bool): must be False.
        capture_overload_names (bool): records the overload of each operator. Default: ``False``.
        custom_profiler_config (str): stored as it is. Default: ``""``.
        trace_only (bool): stored as it is. Default: ``False``.
    """

    def __init__(
        self,
        profiler_metrics=(),
        profiler_measure_per_kernel=False,
        verbose=False,
        performance_events=(),
        enable_cuda_sync_events=False,
        adjust_profiler_step=False,
        disable_external_correlation=False,
        profile_all_threads=False,
        capture_overload_names=False,
        record_python_gc_info=False,
        expose_kineto_event_metadata=False,
        custom_profiler_config="",
        trace_only=False,
    ):
        if profile_all_threads:
            raise NotImplementedError("torch._C._profiler._ExperimentalConfig: profile_all_threads is not available")
        self.verbose = verbose
        self.capture_overload_names = capture_overload_names
        self.custom_profiler_config = custom_profiler_config
        self.trace_only = trace_only


_ExperimentalConfig.__module__ = "torch._C._profiler"
_native._ExperimentalConfig = _ExperimentalConfig
_native.ProfilerActivity = ProfilerActivity


def _count_flops(name, dims, values):
    """Counts floating-point operations of the operators that have a formula."""
    if name in ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"):
        left, right = dims[-4:-2] if "add" in name else dims[:2]
        return 2 * prod(left) * right[-1] if left and right else 0
    if name in ("aten::add", "aten::mul") and dims:
        return prod(dims[0])
    if name == "aten::conv2d" and len(dims) > 6 and isinstance(values[4], list):
        if len(dims[0]) != 4 or len(dims[1]) != 4:
            return 0
        outputs = dims[0][0] * prod(
            (size + 2 * pad - gap * (kernel - 1) - 1) // stride + 1
            for size, pad, gap, kernel, stride in zip(dims[0][2:], values[4], values[5], dims[1][2:], values[3])
        )
        return 2 * outputs * prod(dims[1])
    return 0


class _Recording:
    """A recording of the library, and its two outputs: events, and a Chrome trace."""

    def __init__(self, owner, raw, start_ns, metadata):
        self.owner, self.start_ns, self.end_ns, self.metadata = owner, start_ns, time.monotonic_ns(), metadata
        self.raw = [event for event in raw or () if event[2] != _MEMORY]
        self.memory = [event for event in raw or () if event[2] == _MEMORY]
        places = [place for place, event in enumerate(raw or ()) if event[2] != _MEMORY]
        self.numbers = {place: number for number, place in enumerate(places)}
        self.names = self._readable_names()
        self.saved = False

    def _readable_names(self):
        prefixes = sorted({os.path.join(path, "") for path in sys.path if path}, key=len, reverse=True)
        modules: dict[str, dict[str, int]] = {}
        names = []
        for name, _, kind, *_ in self.raw:
            if kind == _PYTHON:
                name = name.removeprefix(next(filter(name.startswith, prefixes), ""))
            elif kind == _MODULE:
                owner, _, place = name.partition("@")
                known = modules.setdefault(owner, {})
                name = f"{owner}_{known.setdefault(place, len(known))}"
            names.append(name)
        return names

    def enclosing_events(self, event):
        """Returns the indices of the enclosing events, innermost first."""
        while event[5] >= 0:
            place = self.numbers[event[5]]
            yield place
            event = self.raw[place]

    def events(self):
        owner = self.owner
        memory = [0] * len(self.raw)
        outside = []
        for event in self.memory:
            around = list(self.enclosing_events(event))
            for place in around:
                memory[place] += event[10]
            if not around:
                outside.append(event)
        found = []
        for place, event in enumerate(self.raw):
            kind, inputs = event[2], event[13]
            name = self.names[place]
            values = [value for *_, value in inputs]
            dims = [sizes if type_ != "TensorList" else [] for type_, sizes, *_ in inputs]
            stack = []
            if owner.experimental_config.verbose:
                stack = [self.names[at] for at in self.enclosing_events(event) if self.raw[at][2] >= _PYTHON]
            found.append(
                self._make_event(
                    event,
                    id=place + 1,
                    name="ProfilerStep*" if name.startswith("ProfilerStep#") else name,
                    trace_name=name,
                    overload_name=event[1] if owner.experimental_config.capture_overload_names else "",
                    fwd_thread=event[9],
                    input_shapes=dims,
                    concrete_inputs=values,
                    structured_input_shapes=[sizes for _, sizes, *_ in inputs],
                    structured_input_strides=[strides for _, _, strides, _ in inputs],
                    input_dtypes=[_TYPES.get(type_, type_) for type_, *_ in inputs],
                    stack=stack,
                    scope=0 if kind >= _MEMORY else kind,
                    cpu_memory_usage=memory[place],
                    sequence_nr=event[6],
                    flops=_count_flops(name, dims, values) if owner.with_flops else 0,
                    is_user_annotation=kind == _USER,
                    is_python_function=kind >= _PYTHON,
                    activity_type=_ACTIVITIES.get(kind, "cpu_op"),
                    metadata_json="",
                    external_id=place + 1,
                )
            )
        for number, event in enumerate(outside):
            found.append(
                self._make_event(event, id=len(self.raw) + 1 + number, name=MEMORY_EVENT_NAME, fwd_thread=event[7],
                            input_shapes=[], stack=[], cpu_memory_usage=event[10])
            )  # fmt: skip
        found.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
        return found

    def _make_event(self, event, **fields):
        start, end = ((moment - self.start_ns) / 1000 for moment in event[3:5])
        return FunctionEvent(thread=event[7], start_us=start, end_us=end, device_type=DeviceType.CPU, kwinputs={},
                             device_index=event[8], device_resource_id=event[8], **fields)  # fmt: skip

    def save(self, path):
        if self.saved:
            raise RuntimeError("Trace is already saved.")
        self.saved = True
        pid = os.getpid()
        unix = time.time_ns() - time.monotonic_ns()  # origin of the clock
        quarter = 7889238 * 10**9
        base = (unix + self.start_ns) // quarter * quarter
        entries: list[dict] = []

        def add(ph, name, tid, moment, pid=pid, **more):
            since = (moment + unix - base) / 1000
            entries.append({"ph": ph, "name": name, "pid": pid, "tid": tid, "ts": since, **more})

        def add_span(name, tid, start, end, cat, args, pid=pid):
            add("X", name, tid, start, pid, cat=cat, dur=(end - start) / 1000, args=args)

        def add_trace_metadata(name, value, tid=0, pid=pid):
            add("M", name, tid, self.start_ns, pid, args={name.removeprefix("process_").removeprefix("thread_"): value})

        program = os.path.basename(sys.executable or "python")
        add_trace_metadata("process_name", program)
        add_trace_metadata("process_labels", "CPU")
        add_trace_metadata("process_sort_index", pid)
        for thread in sorted({event[8] for event in self.raw + self.memory}):
            add_trace_metadata("thread_name", f"thread {thread} ({program})", thread)
            add_trace_metadata("thread_sort_index", thread, thread)
        forward: dict = {}
        backward = []
        for place, event in enumerate(self.raw):
            kind = event[2]
            args: dict[str, Any] = {}
            if kind >= _PYTHON:
                outer = [at for at in self.enclosing_events(event) if self.raw[at][2] >= _PYTHON]
                args |= {"Python parent id": outer[0] + 1 if outer else None, "Python id": place + 1}
                if kind == _MODULE:
                    args["Python module id"] = int(self.names[place].rpartition("_")[2])
            else:
                args["External id"] = place + 1
                if event[6] >= 0:
                    args |= {"Sequence number": event[6], "Fwd thread id": event[9]}
                    if kind == _BACKWARD:
                        backward.append(event)
                    elif not event[9]:
                        forward[event[7], event[6]] = event
                args["Record function id"] = 0
                if event[13]:
                    types, dims, strides, values = zip(*event[13])
                    args["Concrete Inputs"] = ["" if value is None else str(value) for value in values]
                    args["Input type"] = [_TYPES.get(type_, type_) for type_ in types]
                    args |= {"Input Strides": strides, "Input Dims": dims}
            args["Ev Idx"] = place
            add_span(self.names[place], event[8], event[3], event[4], _ACTIVITIES.get(kind, "cpu_op"), args)
        for place, event in enumerate(self.memory, len(self.raw)):
            args = {"Total Reserved": 0, "Total Allocated": event[11], "Bytes": event[10], "Device Id": -1,
                    "Device Type": 0, "Addr": event[12], "Ev Idx": place}  # fmt: skip
            add("i", MEMORY_EVENT_NAME, event[8], event[3], cat="cpu_instant_event", s="t", args=args)
        for number, event in enumerate(backward, 1):
            source = forward.get((event[9], event[6]))
            if source is not None:
                add("s", "fwdbwd", source[8], source[3], cat="fwdbwd", id=number)
                add("f", "fwdbwd", event[8], event[3], cat="fwdbwd", id=number, bp="e")
        whole = "PyTorch Profiler"
        add_span(f"{whole} (0)", whole, self.start_ns, self.end_ns, "Trace", {"Op count": 0}, "Spans")
        add_trace_metadata("process_sort_index", 0x20000000, pid="Spans")
        add("i", f"Iteration Start: {whole}", f"Trace {whole}", self.start_ns, "Traces", s="g")
        add("i", "Record Window End", "", self.end_ns, "", s="g")
        trace = {"schemaVersion": 1, "deviceProperties": [], "trace_id": self.owner.trace_id, **self.metadata,
                 "host_name": socket.gethostname(), "displayTimeUnit": "ms", "baseTimeNanoseconds": base,
                 "traceEvents": entries, "traceName": path}  # fmt: skip
        with open(path, "w") as file:
            json.dump(trace, file)


@dataclass
class _ProfilerStats:
    """How long the profiler itself took."""

    profiling_window_duration_sec: float = 0
    number_of_events: int = 0
    # Microseconds of the profiler's own steps, in order.
    profiler_prepare_call_duration_us: int = 0
    profiler_enable_call_duration_us: int = 0
    profiler_disable_call_duration_us: int = 0
    # The time to convert records to events.
    parse_kineto_call_duration_us: int = 0
    function_events_build_tree_call_duration_us: int = 0


class profile:
    """Profiles a block: records each operator and named range with its time.

    `torch.profiler.profile` also has schedules of steps.

    Args:
        enabled (bool): False makes it do nothing. Default: ``True``.
        use_cuda (bool): deprecated; no CUDA here. Default: ``False``.
        use_device (str, optional): another device to profile; warns where it does not exist.
        record_shapes (bool): records the shapes of inputs. Default: ``False``.
        with_flops (bool): estimates floating-point operations of matrix products and convolutions.
            Default: ``False``.
        profile_memory (bool): records allocated memory. Default: ``False``.
        with_stack (bool): records Python stacks. Default: ``False``.
        with_modules (bool): stored as it is. Default: ``False``.
        use_kineto (bool): stored for torch's sake: there is one kind of recording. Default: ``False``.
        use_cpu (bool): records the CPU. Default: ``True``.
        experimental_config (optional): rarely used switches.
        acc_events (bool): keeps events of earlier recordings. Default: ``False``.
        custom_trace_id_callback (callable, optional): makes the recording's id.
        post_processing_timeout_s (float, optional): stored as it is.
        activity_filters (dict, optional): stored as it is.

    Attributes:
        function_events (EventList): what was recorded, once the block is left.

    Example:
        >>> with torch.autograd.profiler.profile() as recorded:
        ...     _ = torch.ones(2) + 1
        >>> "aten::add" in [event.name for event in recorded.function_events]
        True
    """

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
        post_processing_timeout_s: float | None = None,
        activity_filters=None,
    ):
        self.enabled = enabled
        if not enabled:
            return
        self.use_cuda = use_cuda
        if use_cuda:
            text = "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead."
            warn(text, FutureWarning, stacklevel=2)
            use_device = "cuda"
        self._function_events = None
        self._earlier: list[FunctionEvent] = []
        self.entered = False
        self.record_shapes = record_shapes or with_flops
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.use_cpu = use_cpu
        self.acc_events = acc_events
        self.experimental_config = experimental_config or _ExperimentalConfig()
        self.kineto_results: _Recording | None = None
        self._stats = _ProfilerStats()
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.activity_filters = activity_filters or {}
        self.trace_id = ""
        self._metadata: dict[str, Any] = {}
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        if use_device is not None:
            self.use_cuda = False
            absent = {"cuda": "CUDA", "xpu": "XPU", "hpu": "HPU"}.get(use_device)
            if absent:
                warn(f"{absent} is not available, disabling {absent} profiling", stacklevel=2)
            else:
                warn(f"The {use_device} is not a valid device option.", stacklevel=2)
        self.use_device = None
        self.kineto_activities = {ProfilerActivity.CPU} if use_cpu else set()
        if not self.kineto_activities:
            raise AssertionError("No activities specified for the profiler")

    def default_trace_id(self):
        """Returns a new random id for a recording.

        Returns:
            str: 32 hexadecimal digits.
        """
        return uuid.uuid4().hex.upper()

    def create_trace_id(self):
        """Returns an id for a recording, by the callback where there is one.

        Returns:
            str: the id.
        """
        return self.custom_trace_id_callback() if self.custom_trace_id_callback else self.default_trace_id()

    def __enter__(self):
        if self.enabled:
            if self.entered:
                raise RuntimeError("Profiler context manager is not reentrant")
            self._prepare_trace()
            self._start_trace()
        return self if self.enabled else None

    def _prepare_trace(self):
        self.entered = True
        self.trace_id = self.create_trace_id()

    def _start_trace(self):
        global _is_profiler_enabled
        self.entered = True
        _native.stop()  # as in torch, the latest recording counts
        self._start_ns = time.monotonic_ns()
        _native.start(self.record_shapes, self.profile_memory, self.with_stack)
        self._metadata = {}
        _is_profiler_enabled = True

    def __exit__(self, exc_type, exc_val, exc_tb):
        global _is_profiler_enabled
        if not self.enabled:
            return None
        stopping = time.perf_counter_ns()
        self.kineto_results = _Recording(self, _native.stop(), self._start_ns, self._metadata)
        _is_profiler_enabled = False
        if self.acc_events and self._function_events is not None:
            self._earlier = list(self._function_events)
        self._function_events = None
        stats = self._stats
        stats.number_of_events = len(self.kineto_results.raw)
        stats.profiling_window_duration_sec = (self.kineto_results.end_ns - self._start_ns) / 1e9
        stats.profiler_disable_call_duration_us = (time.perf_counter_ns() - stopping) // 1000
        if self.acc_events:
            self._ensure_function_events()
        return False

    def _ensure_function_events(self):
        if self._function_events is not None:
            return
        events = self.kineto_results.events() if self.kineto_results else []
        self._function_events = EventList(events, profile_memory=self.profile_memory, with_flops=self.with_flops)
        self._function_events._build_tree()
        self._function_events += self._earlier

    @property
    def function_events(self):
        """The EventList of the recording; empty inside the block."""
        if self.kineto_results is None:
            return EventList(profile_memory=self.profile_memory, with_flops=self.with_flops)
        self._ensure_function_events()
        return self._function_events

    def __repr__(self):
        return "<unfinished torch.autograd.profile>" if self.kineto_results is None else repr(self.function_events)

    def __str__(self):
        return "<unfinished torch.autograd.profile>" if self.kineto_results is None else str(self.function_events)

    def table(
        self,
        sort_by=None,
        row_limit=100,
        max_src_column_width=75,
        max_name_column_width=55,
        max_shapes_column_width=80,
        header=None,
        top_level_events_only=False,
    ):
        """Returns the events as a table; see `EventList.table`.

        Args:
            sort_by (str, optional): attribute to sort by, largest first.
            row_limit (int): number of rows. Default: ``100``.
            max_src_column_width, max_name_column_width, max_shapes_column_width (int): widths of columns.
            header (str, optional): a line above.
            top_level_events_only (bool): leaves out calls inside others. Default: ``False``.

        Returns:
            str: the table.
        """
        return self.function_events.table(
            sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width, header,
            top_level_events_only,
        )  # fmt: skip

    def export_chrome_trace(self, path, metadata=None, use_python_export=False):
        """Writes the recording as JSON for chrome://tracing and Perfetto.

        Args:
            path (str): file to write.
            metadata, use_python_export: ignored.
        """
        self.kineto_results.save(path)  # None before the end, as the attribute error states

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total"):
        """Writes a line per event with its stack, for flame graphs; needs ``with_stack=True``.

        Args:
            path (str): file to write.
            metric (str): time to write. Default: ``"self_cpu_time_total"``.
        """
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        return self.function_events.export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled: bool, activities):
        """Raises NotImplementedError: recording cannot be switched within a block.

        Args:
            enabled (bool): whether to record.
            activities (iterable): the kinds of activity to record.
        """
        raise NotImplementedError("torch.autograd.profiler.profile.toggle_collection_dynamic is not available")

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """Returns sums over events of the same name.

        Args:
            group_by_input_shape (bool): also by input shapes. Default: ``False``.
            group_by_stack_n (int): also by the innermost n stack frames. Default: ``0``.
            group_by_overload_name (bool): also by overload. Default: ``False``.

        Returns:
            EventList: of `FunctionEventAvg`.
        """
        events = self.function_events
        events._tree_built = True
        return events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self):
        """Returns the sum over all events.

        Returns:
            FunctionEventAvg: with the key ``"Total"``.
        """
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self):
        """Microseconds spent on the CPU, each counted once."""
        return self.function_events.self_cpu_time_total


class record_function:
    """Names a range of code in profiles; a context or a decorator.

    It costs next to nothing while no profiler runs.

    Args:
        name (str): name of the range.
        args (str, optional): stored as an attribute. Default: ``None``.

    Example:
        >>> with torch.autograd.profiler.profile() as recorded:
        ...     with torch.autograd.profiler.record_function("my range"):
        ...         _ = torch.ones(2) + 1
        >>> "my range" in [event.name for event in recorded.function_events]
        True
    """

    def __init__(self, name: str, args: str | None = None):
        self.name = name
        self.args = args
        self.run_callbacks_on_exit = True
        self.record = None

    def __enter__(self):
        self.record = _native.enter(self.name)
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any):
        if self.run_callbacks_on_exit and self.record is not None:
            _native.exit(self.record)
            self.record = None

    def __call__(self, func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            with record_function(self.name, self.args):
                return func(*args, **kwargs)

        return wrapper

    def _call_end_callbacks_on_future(self, fut):
        """Ends the range when the future completes."""
        if not self.run_callbacks_on_exit:
            raise RuntimeError("_call_end_callbacks_on_future can only be called once.")
        self.run_callbacks_on_exit = False

        def end_range_on_completion(completed):
            _native.exit(self.record)
            return completed.value()

        return fut.then(end_range_on_completion)


@copies_methods("__init__")
class _Emit:
    """Markers for an external profiler; none reads them here."""

    _name = ""

    def __init__(self, enabled=True, record_shapes=False):
        self.enabled = enabled
        self.entered = False
        self.record_shapes = record_shapes

    def _enter_range(self):
        raise NotImplementedError(f"torch.autograd.profiler.{type(self).__name__} is not available")

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError(f"{self._name} annotation context manager is not reentrant")
        self.entered = True
        self._enter_range()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        return None


class emit_itt(_Emit):
    """Ranges for Intel's ITT; entering it raises NotImplementedError, since this build has none.

    Args:
        enabled (bool): False makes it do nothing. Default: ``True``.
        record_shapes (bool): stored as it is. Default: ``False``.

    Example:
        >>> with torch.autograd.profiler.emit_itt(enabled=False):
        ...     _ = torch.ones(2) + 1
    """

    _name = "ITT"


class emit_nvtx(_Emit):
    """Ranges for NVTX; entering it raises, since there is no CUDA.

    Args:
        enabled (bool): False makes it do nothing. Default: ``True``.
        record_shapes (bool): stored as it is. Default: ``False``.

    Example:
        >>> with torch.autograd.profiler.emit_nvtx(enabled=False):
        ...     _ = torch.ones(2) + 1
    """

    _name = "NVTX"

    def _enter_range(self):
        from .. import cuda

        cuda.synchronize()


def load_nvprof(path):
    """Raises NotImplementedError: traces of nvprof are not read here.

    Args:
        path (str): the trace.

    Returns:
        Nothing, since it always raises.

    Example:
        >>> torch.autograd.profiler.load_nvprof("trace.db")
        Traceback (most recent call last):
        NotImplementedError: torch.autograd.profiler.parse_nvprof_trace is not available
    """
    return EventList(parse_nvprof_trace(path))


def parse_nvprof_trace(path):
    """Raises NotImplementedError: traces of nvprof are not read here.

    Args:
        path (str): the trace.

    Returns:
        Nothing, since it always raises.

    Example:
        >>> torch.autograd.profiler.parse_nvprof_trace("trace.db")
        Traceback (most recent call last):
        NotImplementedError: torch.autograd.profiler.parse_nvprof_trace is not available
    """
    raise NotImplementedError("torch.autograd.profiler.parse_nvprof_trace is not available")


class EnforceUnique:
    """Raises where a key is seen twice.

    Example:
        >>> unique = torch.autograd.profiler.EnforceUnique()
        >>> unique.see("a", 1)
    """

    def __init__(self):
        self.seen = set()

    def see(self, *key):
        """Notes a key.

        Args:
            *key: parts of the key.

        Raises:
            RuntimeError: when it was seen before.
        """
        if key in self.seen:
            raise RuntimeError("duplicate key: " + str(key))
        self.seen.add(key)


class KinetoStepTracker:
    """Counts the steps of several reporters; the profiler's step is the furthest of all.

    Example:
        >>> isinstance(torch.autograd.profiler.KinetoStepTracker.current_step(), int)
        True
    """

    _current_step = 0
    _step_dict: dict[str, int] = {}

    @classmethod
    def init_step_count(cls, requester: str):
        """Lets a reporter begin at the current step.

        Args:
            requester (str): its name.
        """
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Forgets a reporter.

        Args:
            requester (str): its name.

        Returns:
            bool: whether it was known.
        """
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Moves a reporter one step on; the common step follows the furthest.

        Args:
            requester (str): its name.

        Returns:
            int: the common step.
        """
        cls._step_dict[requester] = cls._step_dict.get(requester, cls._current_step) + 1
        furthest = max(cls._step_dict.values())
        if furthest - cls._current_step > 1:
            text = "Profiler step count has increased more than 1 - "
            warn(f"{text}current_step = {cls._current_step} step dict =  {cls._step_dict}", stacklevel=2)
        cls._current_step = max(cls._current_step, furthest)
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """Returns the common step.

        Returns:
            int: the step.
        """
        return cls._current_step


def kineto_available() -> bool:
    """Returns whether traces can be recorded.

    Returns:
        bool: always True here.

    Example:
        >>> torch.autograd.profiler.kineto_available()
        True
    """
    return True
