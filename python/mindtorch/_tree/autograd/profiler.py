"""The profiler: what operators and named ranges of a block took, and where they ran."""

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

from .._lending import lends
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

# Whether a recording runs in this process.
_is_profiler_enabled: bool = False

# Kinds of events, as the library and its Python side number them.
_BACKWARD, _USER, _MEMORY, _PYTHON, _MODULE = 1, 7, 8, 9, 10
_ACTIVITIES = {_USER: "user_annotation", _PYTHON: "python_function", _MODULE: "python_function"}
# What C++ calls the elements of a tensor.
_TYPES: dict[Any, str] = {
    0: "unsigned char", 1: "signed char", 2: "short int", 3: "int", 4: "long int", 5: "c10::Half", 6: "float",
    7: "double", 8: "c10::complex<c10::Half>", 9: "c10::complex<float>", 10: "c10::complex<double>", 11: "bool",
    15: "c10::BFloat16",
}  # fmt: skip


class _ExperimentalConfig:
    """Rarely used switches: `verbose` gives operators their Python stacks, `capture_overload_names` their overloads."""

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


def _flops(name, dims, values):
    """Floating point operations of the operators that have a formula."""
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
    """What the library recorded, and its two ways out: events, and a Chrome trace."""

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

    def parents(self, event):
        """From the innermost: places of what the event happened in."""
        while event[5] >= 0:
            place = self.numbers[event[5]]
            yield place
            event = self.raw[place]

    def events(self):
        owner = self.owner
        memory = [0] * len(self.raw)
        outside = []
        for event in self.memory:
            around = list(self.parents(event))
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
                stack = [self.names[at] for at in self.parents(event) if self.raw[at][2] >= _PYTHON]
            found.append(
                self._event(
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
                    flops=_flops(name, dims, values) if owner.with_flops else 0,
                    is_user_annotation=kind == _USER,
                    is_python_function=kind >= _PYTHON,
                    activity_type=_ACTIVITIES.get(kind, "cpu_op"),
                    metadata_json="",
                    external_id=place + 1,
                )
            )
        for number, event in enumerate(outside):
            found.append(
                self._event(event, id=len(self.raw) + 1 + number, name=MEMORY_EVENT_NAME, fwd_thread=event[7],
                            input_shapes=[], stack=[], cpu_memory_usage=event[10])
            )  # fmt: skip
        found.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
        return found

    def _event(self, event, **fields):
        start, end = ((moment - self.start_ns) / 1000 for moment in event[3:5])
        return FunctionEvent(thread=event[7], start_us=start, end_us=end, device_type=DeviceType.CPU, kwinputs={},
                             device_index=event[8], device_resource_id=event[8], **fields)  # fmt: skip

    def save(self, path):
        if self.saved:
            raise RuntimeError("Trace is already saved.")
        self.saved = True
        pid = os.getpid()
        unix = time.time_ns() - time.monotonic_ns()  # of the clock's zero
        quarter = 7889238 * 10**9
        base = (unix + self.start_ns) // quarter * quarter
        entries: list[dict] = []

        def add(ph, name, tid, moment, pid=pid, **more):
            since = (moment + unix - base) / 1000
            entries.append({"ph": ph, "name": name, "pid": pid, "tid": tid, "ts": since, **more})

        def add_span(name, tid, start, end, cat, args, pid=pid):
            add("X", name, tid, start, pid, cat=cat, dur=(end - start) / 1000, args=args)

        def add_label(name, value, tid=0, pid=pid):
            add("M", name, tid, self.start_ns, pid, args={name.removeprefix("process_").removeprefix("thread_"): value})

        program = os.path.basename(sys.executable or "python")
        add_label("process_name", program)
        add_label("process_labels", "CPU")
        add_label("process_sort_index", pid)
        for thread in sorted({event[8] for event in self.raw + self.memory}):
            add_label("thread_name", f"thread {thread} ({program})", thread)
            add_label("thread_sort_index", thread, thread)
        forward: dict = {}
        backward = []
        for place, event in enumerate(self.raw):
            kind = event[2]
            args: dict[str, Any] = {}
            if kind >= _PYTHON:
                outer = [at for at in self.parents(event) if self.raw[at][2] >= _PYTHON]
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
        add_label("process_sort_index", 0x20000000, pid="Spans")
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
    profiler_prepare_call_duration_us: int = 0
    profiler_enable_call_duration_us: int = 0
    profiler_disable_call_duration_us: int = 0
    parse_kineto_call_duration_us: int = 0
    function_events_build_tree_call_duration_us: int = 0


class profile:
    """Profiles a block. torch.profiler has schedules besides."""

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
        return uuid.uuid4().hex.upper()

    def create_trace_id(self):
        return self.custom_trace_id_callback() if self.custom_trace_id_callback else self.default_trace_id()

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._prepare_trace()
        self._start_trace()
        return self

    def _prepare_trace(self):
        self.entered = True
        self.trace_id = self.create_trace_id()

    def _start_trace(self):
        global _is_profiler_enabled
        self.entered = True
        _native.stop()  # as in torch, the latest recording wins
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
        """The EventList of what ran; empty inside the block."""
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
        return self.function_events.table(
            sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width, header,
            top_level_events_only,
        )  # fmt: skip

    def export_chrome_trace(self, path, metadata=None, use_python_export=False):
        self.kineto_results.save(path)  # None before the end, as the attribute error says

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total"):
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        return self.function_events.export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled, activities):
        raise NotImplementedError("torch.autograd.profiler.profile.toggle_collection_dynamic is not available")

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """Sums by name; also by shapes or stacks, if asked to."""
        events = self.function_events
        events._tree_built = True
        return events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self):
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self):
        """Microseconds spent on the CPU, each counted once."""
        return self.function_events.self_cpu_time_total


class record_function:
    """Names a range of code in the profile; a context and a decorator. Costs next to nothing while none runs."""

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
        def wrapped(*args, **kwargs):
            with record_function(self.name, self.args):
                return func(*args, **kwargs)

        return wrapped

    def _call_end_callbacks_on_future(self, fut):
        """Ends the range when the future completes."""
        if not self.run_callbacks_on_exit:
            raise RuntimeError("_call_end_callbacks_on_future can only be called once.")
        self.run_callbacks_on_exit = False

        def finish(completed):
            _native.exit(self.record)
            return completed.value()

        return fut.then(finish)


@lends("__init__")
class _Emit:
    """Marks for an external profiler, which none reads here."""

    _name = ""

    def __init__(self, enabled=True, record_shapes=False):
        self.enabled = enabled
        self.entered = False
        self.record_shapes = record_shapes

    def _begin(self):
        raise NotImplementedError(f"torch.autograd.profiler.{type(self).__name__} is not available")

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError(f"{self._name} annotation context manager is not reentrant")
        self.entered = True
        self._begin()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        return None


class emit_itt(_Emit):
    """Ranges for Intel's ITT; raises: not here."""

    _name = "ITT"


class emit_nvtx(_Emit):
    """Ranges for NVTX; raises: no CUDA here."""

    _name = "NVTX"

    def _begin(self):
        from .. import cuda

        cuda.synchronize()


def load_nvprof(path):
    """Raises: not available here."""
    return EventList(parse_nvprof_trace(path))


def parse_nvprof_trace(path):
    """Raises: not available here."""
    raise NotImplementedError("torch.autograd.profiler.parse_nvprof_trace is not available")


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
        furthest = max(cls._step_dict.values())
        if furthest - cls._current_step > 1:
            text = "Profiler step count has increased more than 1 - "
            warn(f"{text}current_step = {cls._current_step} step dict =  {cls._step_dict}", stacklevel=2)
        cls._current_step = max(cls._current_step, furthest)
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        return cls._current_step


def kineto_available() -> bool:
    """Whether traces can be recorded: True."""
    return True
