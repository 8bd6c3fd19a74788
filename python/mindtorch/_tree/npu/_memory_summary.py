"""memory_summary(): the caching allocator's statistics as a table of 75 columns."""

_RULE, _LINE = "=" * 75, "-" * 75
_BYTES = ("B  ", "KiB", "MiB", "GiB", "TiB", "PiB")
_COUNTS = (" ", "K", "M")
_COLUMNS = ("current", "peak", "allocated", "freed")
_METRICS = (
    ("allocated_bytes", "Allocated memory"),
    ("active_bytes", "Active memory"),
    ("requested_bytes", "Requested memory"),
    ("reserved_bytes", "NPU reserved memory"),
    ("inactive_split_bytes", "Non-releasable memory"),
    ("allocation", "Allocations"),
    ("active", "Active allocs"),
    ("segment", "NPU reserved segments"),
    ("inactive_split", "Non-releasable allocs"),
)
_OVERSIZE = (("oversize_allocations", "Oversize allocations"), ("oversize_segments", "Oversize NPU segments"))
_POOLS = (("large_pool", "      from large pool"), ("small_pool", "      from small pool"))


def _format_scaled(value: int, reference: float, base: int, limit: int, units) -> tuple[int, str]:
    """Formats a number in the unit of its reference, so that a column has one unit."""
    step = 0
    while step + 1 < len(units) and reference >= limit:
        step, value, reference = step + 1, value // base, reference / base
    return value, units[step]


def _print_size(value: int, reference: int) -> str:
    value, unit = _format_scaled(value, reference, 1024, 768 * 1024, _BYTES)
    return f"{value:6d} {unit}"


def _print_count(value: int, reference: int) -> str:
    value, unit = _format_scaled(value, reference, 1000, 750 * 1000, _COUNTS)
    return f"{value:7d} {unit} "


def _print_row(name: str, values, references, printed) -> str:
    cells = " | ".join(printed(value, reference) for value, reference in zip(values, references))
    return f" {name:<21} | {cells} "


def memory_table(stats: dict, device: int, abbreviated: bool) -> str:
    """Returns the table for one device's statistics, or its rows without the two pools."""

    def values_of(prefix):
        return [stats[f"{prefix}.{column}"] for column in _COLUMNS]

    lines = [
        _RULE,
        f"{'':17} PyTorch NPU memory summary, device ID {device:<18d} ",
        _LINE,
        f"{'':11} NPU OOMs: {stats['num_ooms']:<13d} | {'':6} npuMalloc retries: {stats['num_alloc_retries']:<9d}  ",
        _RULE,
        "        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ",
    ]
    for key, name in _METRICS:
        printed = _print_size if key.endswith("bytes") else _print_count
        totals = values_of(f"{key}.all")
        lines += [_LINE, _print_row(name, totals, totals, printed)]
        if not abbreviated:
            lines += [_print_row(label, values_of(f"{key}.{pool}"), totals, printed) for pool, label in _POOLS]
    for key, name in _OVERSIZE:
        lines += [_LINE, _print_row(name, values_of(key), values_of(key), _print_count)]
    lines.append(_RULE)
    return "".join(f"|{line}|\n" for line in lines)
