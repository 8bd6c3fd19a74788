"""What a profile consists of: events, their averages, the printed table and the Chrome trace."""

import json
import os
from collections import defaultdict

__all__ = ["EventList", "FormattedTimesMixin", "Interval", "FunctionEvent", "FunctionEventAvg", "StringTable"]


class StringTable(defaultdict):
    """Readable names by mangled ones."""

    def __missing__(self, key):
        self[key] = key
        return key


def _format_time(time_us):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if time_us >= size:
            return f"{time_us / size:.3f}{unit}"
    return f"{time_us:.3f}us"


def _format_time_share(time_us, total_time_us):
    if total_time_us == 0:
        return "NaN" if time_us else "0.00%"
    return f"{time_us * 100.0 / total_time_us:.2f}%"


class Interval:
    """Microseconds since the profile began."""

    def __init__(self, start, end):
        self.start = start
        self.end = end

    def elapsed_us(self):
        return self.end - self.start


class FormattedTimesMixin:
    """Times as text."""

    @property
    def cpu_time(self):
        return 0.0 if self.count == 0 else self.cpu_time_total / self.count

    @property
    def device_time(self):
        return 0.0

    device_time_total = self_device_time_total = 0.0
    cpu_time_str = property(lambda self: _format_time(self.cpu_time))
    cpu_time_total_str = property(lambda self: _format_time(self.cpu_time_total))
    self_cpu_time_total_str = property(lambda self: _format_time(self.self_cpu_time_total))


class FunctionEvent(FormattedTimesMixin):
    """One call of an operator, or one range."""

    def __init__(self, id, name, thread, start_us, end_us, input_shapes=None, is_user_annotation=False):
        self.id = id
        self.name = self.trace_name = name
        self.thread = thread
        self.time_range = Interval(start_us, end_us)
        self.input_shapes = input_shapes or []
        self.is_user_annotation = is_user_annotation
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.count = 1

    @property
    def key(self):
        return self.name

    @property
    def cpu_time_total(self):
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    def append_cpu_child(self, child):
        self.cpu_children.append(child)
        child.cpu_parent = self

    def __repr__(self):
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"cpu_start_us={self.time_range.start} cpu_end_us={self.time_range.end} thread={self.thread} "
            f"input_shapes={self.input_shapes}>"
        )


class FunctionEventAvg(FormattedTimesMixin):
    """Events of one name taken together."""

    def __init__(self):
        self.key = None
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0
        self.input_shapes = None
        self.is_user_annotation = False

    def add(self, other):
        if self.key is None:
            self.key = other.key
            self.input_shapes = other.input_shapes
            self.is_user_annotation = other.is_user_annotation
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.count += other.count
        return self

    __iadd__ = add

    def __repr__(self):
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} count={self.count} input_shapes={self.input_shapes}>"
        )


_COLUMNS = ("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls")
_COLUMN_WIDTH = 12


class EventList(list):
    @classmethod
    def from_session(cls, session):
        """Nests the collected ranges by thread and time."""
        events = cls()
        ordered = sorted(session.ranges, key=lambda found: (found.thread, found.start, -found.end))
        open_events: list[FunctionEvent] = []
        for number, found in enumerate(ordered):
            start, end = ((moment - session.started) / 1000 for moment in (found.start, found.end))
            event = FunctionEvent(number, found.name, found.thread, start, end, found.shapes, found.is_user)
            while open_events and (
                open_events[-1].thread != event.thread or open_events[-1].time_range.end < event.time_range.end
            ):
                open_events.pop()
            if open_events:
                open_events[-1].append_cpu_child(event)
            open_events.append(event)
            events.append(event)
        return events

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    def __str__(self):
        return self.table()

    def total_average(self):
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        total.key = None
        return total

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """One entry per name, in the order of first appearance."""
        groups: dict = {}
        for event in self:
            key = (event.key, str(event.input_shapes) if group_by_input_shapes else "")
            groups.setdefault(key, FunctionEventAvg()).add(event)
        averages = EventList(groups.values())
        for average in averages:
            if not group_by_input_shapes:
                average.input_shapes = ""
        return averages

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
        if not self:
            return ""
        events = list(self)
        if sort_by is not None:
            events.sort(key=lambda event: getattr(event, sort_by), reverse=True)
        total = self.self_cpu_time_total
        if top_level_events_only:
            events = [event for event in events if getattr(event, "cpu_parent", None) is None]
        if row_limit >= 0:
            events = events[:row_limit]
        width = min(max(len(str(event.key)) for event in events) + 4, max_name_column_width)
        shapes = any(event.input_shapes for event in events)
        names = ["Name", *_COLUMNS] + (["Input Shapes"] if shapes else [])
        widths = [width] + [_COLUMN_WIDTH] * len(_COLUMNS) + ([max_shapes_column_width] if shapes else [])
        rule = "  ".join("-" * size for size in widths)
        lines = [header] if header else []
        lines += [rule, "  ".join(name.rjust(size) for name, size in zip(names, widths)), rule]
        for event in events:
            name = str(event.key)
            cells = [
                name if len(name) <= width else name[: width - 3] + "...",
                _format_time_share(event.self_cpu_time_total, total),
                event.self_cpu_time_total_str,
                _format_time_share(event.cpu_time_total, total),
                event.cpu_time_total_str,
                event.cpu_time_str,
                str(event.count),
            ]
            if shapes:
                cells.append(str(event.input_shapes)[:max_shapes_column_width])
            lines.append("  ".join(cell.rjust(size) for cell, size in zip(cells, widths)))
        lines += [rule, f"Self CPU time total: {_format_time(total)}", ""]
        return "\n".join(lines)

    def export_chrome_trace(self, path):
        """Writes a file for chrome://tracing and Perfetto."""
        entries = [
            {
                "ph": "X",
                "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
                "name": event.name,
                "pid": os.getpid(),
                "tid": event.thread,
                "ts": event.time_range.start,
                "dur": event.cpu_time_total,
                "args": {"Input Dims": event.input_shapes} if event.input_shapes else {},
            }
            for event in self
        ]
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": entries}, file)
