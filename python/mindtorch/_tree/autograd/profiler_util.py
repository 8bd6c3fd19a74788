"""The contents of a profile: events, their averages and the printed table."""

import enum
import math
from collections import defaultdict, namedtuple
from operator import attrgetter
from warnings import warn

__all__ = [
    "EventList", "FormattedTimesMixin", "Interval", "Kernel", "FunctionEvent", "FunctionEventAvg", "StringTable",
    "MemRecordsAcc",
]  # fmt: skip

MEMORY_EVENT_NAME = "[memory]"
OUT_OF_MEMORY_EVENT_NAME = "[OutOfMemory]"
_BACKWARD = 1  # the scope of a running node


class ProfilerActivity(enum.Enum):
    """Kinds of devices that can be profiled; here the CPU."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class DeviceType(enum.Enum):
    """Kinds of devices on which an event can occur."""

    CPU = 0
    CUDA = 1


ProfilerActivity.__module__ = "torch._C._profiler"
DeviceType.__module__ = "torch._C._autograd"
Kernel = namedtuple("Kernel", ["name", "device", "duration"])
Kernel.__doc__ = """What an operator ran on a device.

Args:
    name (str): its name.
    device (int): number of the device.
    duration (float): how long it took, in microseconds.

Example:
    >>> from torch.autograd.profiler_util import Kernel
    >>> Kernel("sum", 0, 1.5).duration
    1.5
"""


class StringTable(defaultdict):
    """A dict of readable names by mangled ones; an unknown name maps to itself."""

    def __missing__(self, key):
        self[key] = key
        return key


class MemRecordsAcc:
    """Sorts records of memory by time.

    Args:
        mem_records (list): the records.

    Example:
        >>> from torch.autograd.profiler_util import MemRecordsAcc
        >>> list(MemRecordsAcc([]).in_interval(0, 1))
        []
    """

    def __init__(self, mem_records):
        self._mem_records = sorted(mem_records, key=lambda record: record[0].start_ns())

    def in_interval(self, start_ns, end_ns):
        """Yields the records of an interval.

        Args:
            start_ns, end_ns (int): the interval, both ends included.
        """
        return (record for record in self._mem_records if start_ns <= record[0].start_ns() <= end_ns)


def _format_time(time_us):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if time_us >= size:
            return f"{time_us / size:.3f}{unit}"
    return f"{time_us:.3f}us"


def _format_time_share(time_us, total_time_us):
    if total_time_us != 0:
        return f"{time_us * 100.0 / total_time_us:.2f}%"
    if time_us != 0:
        raise AssertionError(f"Expected time_us == 0 but got {time_us}")
    return "NaN"


def _format_memory(nbytes):
    for unit, shift in (("GB", 30), ("MB", 20), ("KB", 10)):
        if abs(nbytes) >= 1 << shift:
            return f"{nbytes / (1 << shift):.2f} {unit}"
    return f"{nbytes} B"


def _rename_property(name):
    """A deprecated property, named for one kind of device."""
    new = name.replace("cuda", "device")

    def get(self):
        warn(f"`{name}` is deprecated. Use `{new}` instead.", FutureWarning, stacklevel=2)
        return getattr(self, new)

    return property(get)


class Interval:
    """An interval of time in microseconds since the profile began.

    Args:
        start, end (float): the ends.

    Example:
        >>> from torch.autograd.profiler_util import Interval
        >>> Interval(1.0, 3.5).elapsed_us()
        2.5
    """

    def __init__(self, start, end):
        self.start = start
        self.end = end

    def elapsed_us(self):
        """Returns the length in microseconds.

        Returns:
            float: the length.
        """
        return self.end - self.start


class FormattedTimesMixin:
    """Adds averages per call and formatted times to events."""

    @property
    def cpu_time(self):
        return 0.0 if self.count == 0 else 1.0 * self.cpu_time_total / self.count

    @property
    def device_time(self):
        return 0.0 if self.count == 0 else 1.0 * self.device_time_total / self.count

    cuda_time = _rename_property("cuda_time")


for _name in ("cpu_time", "device_time", "cpu_time_total", "device_time_total", "self_cpu_time_total",
              "self_device_time_total"):  # fmt: skip
    setattr(FormattedTimesMixin, _name + "_str", property(lambda self, name=_name: _format_time(getattr(self, name))))


class FunctionEvent(FormattedTimesMixin):
    """One call of an operator, or one named range.

    Attributes are those of the constructor, and `time_range`, `cpu_time_total`, `self_cpu_time_total`,
    `cpu_memory_usage`, `cpu_children` and `cpu_parent`; times are in microseconds, memory in bytes.

    Args:
        id (int): number of the event.
        name, overload_name (str): the operator or range, and its overload.
        thread, fwd_thread (int): where it ran, and where its forward ran.
        start_us, end_us (float): the interval.
        input_shapes, concrete_inputs, kwinputs (optional): what it was called with, where recorded.
        stack (list of str, optional): Python frames, the innermost first.
        scope (int): 0 for operators and forward, 1 for backward nodes.
        use_device, device_type, device_index, device_resource_id (optional): where it ran.
        cpu_memory_usage, device_memory_usage (int): bytes allocated minus bytes freed.
        is_async, is_remote, is_legacy, is_user_annotation, is_python_function (bool): kinds of events.
        sequence_nr (int): joins a backward node with its forward.
        node_id (int): process of a distributed program.
        flops (int, optional): floating-point operations.
        trace_name, activity_type, metadata_json, external_id, linked_correlation_id (optional): for
            traces.
        flow_id, flow_type, flow_start, extra_meta (optional): for traces.
        structured_input_shapes, structured_input_strides, input_dtypes (optional): details of inputs.
        python_id, python_parent_id, python_module_id (int): of events of Python calls.

    Example:
        >>> with torch.autograd.profiler.profile() as recorded:
        ...     _ = torch.ones(2) + 1
        >>> type(recorded.function_events[0]).__name__
        'FunctionEvent'
    """

    device_time_total = self_device_time_total = self_device_memory_usage = 0
    cuda_time_total = _rename_property("cuda_time_total")
    self_cuda_time_total = _rename_property("self_cuda_time_total")
    self_cuda_memory_usage = _rename_property("self_cuda_memory_usage")

    def __init__(
        self, id, name, thread, start_us, end_us, overload_name=None, fwd_thread=None, input_shapes=None, stack=None,
        scope=0, use_device=None, cpu_memory_usage=0, device_memory_usage=0, is_async=False, is_remote=False,
        sequence_nr=-1, node_id=-1, device_type=DeviceType.CPU, device_index=0, device_resource_id=None,
        is_legacy=False, flops=None, trace_name=None, concrete_inputs=None, kwinputs=None, is_user_annotation=False,
        is_python_function=False, activity_type=None, metadata_json=None, flow_id=None, flow_type=None, flow_start=None,
        external_id=0, linked_correlation_id=0, extra_meta=None, structured_input_shapes=None,
        structured_input_strides=None, input_dtypes=None, python_id=-1, python_parent_id=-1, python_module_id=-1,
    ):  # fmt: skip
        given = dict(locals())
        for taken in ("self", "start_us", "end_us", "metadata_json", "extra_meta"):
            del given[taken]
        self.__dict__.update(given)
        self.trace_name = name if trace_name is None else trace_name
        self.time_range = Interval(start_us, end_us)
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.metadata_json = metadata_json
        self.kernels: list[Kernel] = []
        self.count = 1
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.self_cpu_percent = self.total_cpu_percent = self.total_device_percent = -1
        self.event_metadata = None

    def append_kernel(self, name, device, duration):
        """Adds a kernel that the call ran on a device.

        Args:
            name (str): name of the kernel.
            device (int): index of the device.
            duration (float): time in microseconds.
        """
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child):
        """Adds an event that happened within this one.

        Args:
            child (FunctionEvent): the inner event.
        """
        if not isinstance(child, FunctionEvent):
            raise AssertionError("Expected child to be a FunctionEvent")
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent):
        """Sets the event that this one happened in.

        Args:
            parent (FunctionEvent): the outer event.
        """
        if not isinstance(parent, FunctionEvent):
            raise AssertionError("Expected parent to be a FunctionEvent")
        self.cpu_parent = parent

    @property
    def key(self):
        return self.name

    @property
    def cpu_time_total(self):
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        return 0 if self.is_async else self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self):
        if self.is_async:
            return 0
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self):
        device = self.use_device
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
            f"device_type={self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} {device}_time={self.device_time_str} "
            f"name={self.name} thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} {device}_memory_usage={self.device_memory_usage} "
            f"is_async={self.is_async} is_remote={self.is_remote} seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


class FunctionEventAvg(FormattedTimesMixin):
    """Sums over events with the same key."""

    _of_first = ("node_id", "is_async", "is_remote", "cpu_parent", "cpu_children", "overload_name", "input_shapes",
                 "stack", "scope", "device_type", "is_legacy", "use_device", "is_user_annotation")  # fmt: skip
    _summed = ("count", "cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total",
               "cpu_memory_usage", "device_memory_usage", "self_cpu_memory_usage",
               "self_device_memory_usage")  # fmt: skip

    def __init__(self) -> None:
        self.key = None
        self.__dict__.update(dict.fromkeys(self._of_first), node_id=0, is_async=False, is_remote=False, is_legacy=False)
        self.__dict__.update(dict.fromkeys(self._summed, 0), flops=0)
        self.device_type = DeviceType.CPU

    def add(self, other):
        """Adds an event, or other sums of the same key.

        Args:
            other (FunctionEvent or FunctionEventAvg): what to add.

        Returns:
            FunctionEventAvg: itself.
        """
        if self.key is None:
            self.key = other.key
            for name in self._of_first:
                setattr(self, name, getattr(other, name))
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)):
            raise AssertionError("Expected other to be a FunctionEvent or FunctionEventAvg")
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in self._summed:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.flops += other.flops or 0
        return self

    __iadd__ = add

    def __repr__(self):
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  self_{device}_time={self.self_device_time_total_str} "
            f"{device}_time={self.device_time_str} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
            f"{device}_memory_usage={self.device_memory_usage}>"
        )


def _fit_width(texts, limit):
    """Returns the width of a column: that of its longest text, up to a limit."""
    longest = max(map(len, texts)) + 4
    return longest if limit is None else min(longest, limit)


def _clip_path(stack, depth, width):
    """Returns the end of an entry of a stack, as much as fits a width; empty below the stack."""
    path = stack[depth] if stack and depth < len(stack) else ""
    return path if len(path) <= width else "..." + path[len(path) - width + 3 :]


def _make_flops_column(events):
    """Returns a list with the column of FLOPs, in a unit that suits the smallest; empty if no event counted any."""
    smallest = min((event.flops for event in events if event.flops), default=0)
    if not smallest:
        return []
    power = max(0, min(int(math.log10(smallest) / 3), 5))
    scale = 1000.0**-power
    title = f"Total {' KMGTP'[power].strip()}FLOPs"
    return [(title, 12, lambda e: f"{e.flops * scale:8.3f}" if e.flops else "--")]


def _print_row(cells, sizes):
    """Returns cells padded to their sizes; those with a negative size are aligned left."""
    sized = zip(cells, sizes, strict=True)
    return "".join((cell.ljust(-size) if size < 0 else cell.rjust(size)) + "  " for cell, size in sized)


def _print_columns(columns, events, titles, has_stacks):
    """Returns a table of columns (name, size, function of an event), the rest of each event's stack below its row."""
    sizes = [size for _, size, _ in columns]
    rule = _print_row(["-" * abs(size) for size in sizes], sizes)
    lines = []
    for title in titles:
        lines += ["=" * (len(rule) - 2), title]
    lines += [rule, _print_row([name for name, _, _ in columns], sizes), rule]
    for event in events:
        lines.append(_print_row([cell(event) for _, _, cell in columns], sizes))
        for depth in range(1, max(len(event.stack or ()), 1) + 1) if has_stacks else ():
            sources = [
                _clip_path(event.stack, depth, -size) if name == "Source Location" else "" for name, size, _ in columns
            ]
            lines.append(_print_row(sources, sizes))
    return "\n".join([*lines, rule])


class EventList(list):
    """A list of events, or of sums over them, with tables and exports.

    Args:
        *args: as for `list`.
        **kwargs: ``profile_memory``, ``with_flops`` and the like: which columns a table shows.
    """

    def __init__(self, *args, **kwargs):
        self._use_device = kwargs.pop("use_device", None)
        self._profile_memory = kwargs.pop("profile_memory", False)
        self._with_flops = kwargs.pop("with_flops", False)
        super().__init__(*args, **kwargs)
        self._tree_built = False

    def _make_list_like(self, events):
        return EventList(
            events, use_device=self._use_device, profile_memory=self._profile_memory, with_flops=self._with_flops
        )

    def _build_tree(self):
        """Nests the events of each thread by their times."""
        ordered = sorted(
            (event for event in self if not event.is_async),
            key=lambda event: (event.thread, event.node_id, event.time_range.start, -event.time_range.end),
        )
        around: list[FunctionEvent] = []
        for event in ordered:
            while around and (
                around[-1].thread != event.thread
                or event.time_range.start >= around[-1].time_range.end
                or event.time_range.end > around[-1].time_range.end
            ):
                around.pop()
            if around:
                around[-1].append_cpu_child(event)
                event.set_cpu_parent(around[-1])
            around.append(event)
        self._remove_dup_nodes()
        self._set_backward_stacktraces()
        self._tree_built = True

    def _remove_dup_nodes(self):
        """Merges a call with its only part if both have the same name."""
        kept = []
        for event in self:
            parent = event.cpu_parent
            if parent is None or parent.name != event.name or len(parent.cpu_children) != 1:
                kept.append(event)
                continue
            parent.cpu_children, parent.kernels = event.cpu_children, event.kernels
            for child in event.cpu_children:
                child.cpu_parent = parent
        self[:] = kept

    def _set_backward_stacktraces(self):
        """Adds backward events to the operator that was called forward."""
        nodes = {}  # by identity of the event
        stacks: dict = {}
        for event in self:
            node = event
            while node is not None and node.scope != _BACKWARD:
                node = node.cpu_parent
            nodes[id(event)] = node
            if node is None and event.stack is not None:
                stacks.setdefault((event.sequence_nr, event.thread), event.stack)
        for event in self:
            node = nodes[id(event)]
            if node is not None:
                event.stack = stacks.get((node.sequence_nr, node.fwd_thread), [])

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    def __str__(self):
        return self.table()

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
        """Returns the events as a table.

        Args:
            sort_by (str, optional): attribute to sort by, largest first, such as ``"cpu_time_total"``.
                Default: in order of time.
            row_limit (int): number of rows. Default: ``100``.
            max_src_column_width, max_name_column_width, max_shapes_column_width (int): widths of columns.
            header (str, optional): a line above.
            top_level_events_only (bool): leaves out calls inside others. Default: ``False``.
            time_unit (str, optional): ``"s"``, ``"ms"`` or ``"us"``. Default: by size.

        Returns:
            str: the table; empty without events.
        """
        if not self:
            return ""
        events = list(self)
        if sort_by is not None:
            for name in ("cuda", "xpu", "privateuse1"):
                sort_by = sort_by.replace(name, "device")
            events.sort(key=attrgetter(sort_by), reverse=True)

        def shorten_name(name):
            limit = max_name_column_width
            return name if limit is None or len(name) < limit - 3 else name[: limit - 3] + "..."

        def format_in_unit(value):
            size = {"s": 1e6, "ms": 1e3, "us": 1}.get(time_unit)
            return _format_time(value) if size is None else f"{value / size:.3f}{time_unit}"

        total = sum(event.self_cpu_time_total for event in events)
        name_width = _fit_width([event.key for event in events], max_name_column_width)
        columns = [("Name", name_width, lambda e: shorten_name(e.key))]
        if any(event.overload_name for event in events):
            columns.append(("Overload Name", name_width, lambda e: shorten_name(e.overload_name)))
        columns += [
            ("Self CPU %", 12, lambda e: _format_time_share(e.self_cpu_time_total, total)),
            ("Self CPU", 12, lambda e: format_in_unit(e.self_cpu_time_total)),
            ("CPU total %", 12, lambda e: "0" if e.is_async else _format_time_share(e.cpu_time_total, total)),
            ("CPU total", 12, lambda e: format_in_unit(e.cpu_time_total)),
            ("CPU time avg", 12, lambda e: format_in_unit(e.cpu_time)),
        ]
        if self._profile_memory:
            columns += [
                ("CPU Mem", 12, lambda e: _format_memory(e.cpu_memory_usage)),
                ("Self CPU Mem", 12, lambda e: _format_memory(e.self_cpu_memory_usage)),
            ]
        columns.append(("# of Calls", 12, lambda e: str(e.count)))
        if any(event.input_shapes for event in events):
            shapes_width = _fit_width([str(event.input_shapes) for event in events], max_shapes_column_width)
            columns.append(("Input Shapes", shapes_width, lambda e: str(e.input_shapes)[:shapes_width]))
        stacks = [entry for event in events for entry in event.stack or ()]
        if stacks:
            source_width = _fit_width(stacks, max_src_column_width)
            columns.append(("Source Location", -source_width, lambda e: _clip_path(e.stack, 0, source_width)))
        if self._with_flops:
            columns += _make_flops_column(events)
        titles = [] if header is None else [header]
        if top_level_events_only:
            titles.append("This report only display top-level ops statistics")
            events = [event for event in events if event.cpu_parent is None]
        table = _print_columns(columns, events if row_limit < 0 else events[:row_limit], titles, bool(stacks))
        return f"{table}\nSelf CPU time total: {format_in_unit(total)}\n"

    def export_chrome_trace(self, path):
        """Writes the events as JSON for chrome://tracing.

        Args:
            path (str): file to write.
        """
        import json

        entries = [
            {"name": event.trace_name, "ph": "X", "ts": event.time_range.start, "dur": event.time_range.elapsed_us(),
             "tid": event.thread, "pid": "CPU functions", "args": {}}
            for event in self if event.trace_name is not None
        ]  # fmt: skip
        with open(path, "w") as file:
            file.write("[" + ", ".join(map(json.dumps, entries)) + "]")

    def supported_export_stacks_metrics(self):
        """Returns the metrics that `export_stacks` supports.

        Returns:
            list of str: their names.
        """
        return [f"self_{device}_time_total" for device in ("cpu", "cuda", "xpu", "privateuse1")]

    def export_stacks(self, path: str, metric: str):
        """Writes a line per event with its stack, for flame graphs.

        Args:
            path (str): file to write.
            metric (str): time to write, one of `supported_export_stacks_metrics`.

        Raises:
            ValueError: when the metric is unknown.
        """
        if metric not in self.supported_export_stacks_metrics():
            raise ValueError("metric should be one of: " + str(self.supported_export_stacks_metrics()))
        name = "self_cpu_time_total" if metric == "self_cpu_time_total" else "self_device_time_total"
        clean = str.maketrans(" ;\t\n", "____")
        with open(path, "w") as file:
            for event in self:
                value = int(getattr(event, name))
                if event.stack and value > 0:
                    file.write(";".join(entry.translate(clean) for entry in reversed(event.stack)) + f" {value}\n")

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """Returns sums over events of the same name, in order of first appearance.

        Args:
            group_by_input_shapes (bool): also by input shapes. Default: ``False``.
            group_by_stack_n (int): also by the innermost n stack frames. Default: ``0``.
            group_by_overload_name (bool): also by overload. Default: ``False``.

        Returns:
            EventList: of `FunctionEventAvg`.
        """
        if not self._tree_built:
            raise AssertionError("Expected tree to be built before calling key_averages")
        groups: dict = defaultdict(FunctionEventAvg)
        for event in self:
            groups[
                event.key,
                event.is_user_annotation,
                event.overload_name if group_by_overload_name else "",
                str(event.input_shapes) if group_by_input_shapes else "",
                *(event.stack or [])[:group_by_stack_n],
            ].add(event)
        averages = self._make_list_like(groups.values())
        for average in averages:
            average.stack = (average.stack or [])[:group_by_stack_n]
            if not group_by_input_shapes:
                average.input_shapes = ""
            if not group_by_overload_name:
                average.overload_name = ""
        return averages

    def total_average(self):
        """Returns the sum over all events.

        Returns:
            FunctionEventAvg: with the key ``"Total"``.
        """
        total = FunctionEventAvg()
        for event in self:
            total.key = None
            total.add(event)
        total.key = "Total"
        return total
