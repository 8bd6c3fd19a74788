"""Draws the site's pictures as SVG: the house, and the measurements that bench/ keeps."""

import json
import statistics
import subprocess
from html import escape
from pathlib import Path

WIDTH = 480
INK, PAPER, FAINT, GOOD, SAME, BAD = "#1b2a2c", "#ffffff", "#c9d3d4", "#0b7a75", "#c98a1b", "#b3402f"
FONT = "font-family='system-ui, sans-serif'"
# Groups of bench/cases whose cases the picture "Programs" shows one by one, in the order of the report.
SINGLE = ("start", "models", "generation", "memory", "files")


def write_text(
    x: float, y: float, words: str, size: int = 12, anchor: str = "start", bold: bool = False, colour: str = INK
) -> str:
    weight = " font-weight='600'" if bold else ""
    place = f"x='{x:g}' y='{y:g}' font-size='{size}' text-anchor='{anchor}'"
    return f"<text {place} fill='{colour}'{weight}>{escape(words)}</text>"


def write_rectangle(x: float, y: float, width: float, height: float, fill: str, line: str = "none") -> str:
    return f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='3' fill='{fill}' stroke='{line}'/>"


def write_line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f"<line x1='{x1:g}' y1='{y1:g}' x2='{x2:g}' y2='{y2:g}' stroke='{colour}'/>"


def write_svg(height: float, title: str, parts: list[str]) -> str:
    size = f"viewBox='0 0 {WIDTH} {height:g}' width='{WIDTH}' height='{height:g}'"
    frame = f"<svg xmlns='http://www.w3.org/2000/svg' {size} {FONT} role='img'>"
    return "\n".join(
        [frame, f"<title>{escape(title)}</title>", write_rectangle(0, 0, WIDTH, height, PAPER), *parts, "</svg>", ""]
    )


def colour_of(ratio: float) -> str:
    return GOOD if ratio <= 0.95 else SAME if ratio <= 1.05 else BAD


def draw_bars(title: str, notes: list[str], rows: list[tuple[str, float, float, float]], unit: str) -> str:
    """A bar for each (name, ratio, lowest, highest); the line at 1 is torch's time."""
    left, right, line = 206, WIDTH - 44, 22
    top = 34 + 15 * len(notes) + 18
    most = max(1.1, *(min(high, 1.6) for *_, high in rows))

    def x(ratio: float) -> float:
        return left + (right - left) * min(ratio, most) / most

    height = top + line * len(rows) + 14
    parts = [write_text(12, 22, title, 14, bold=True)]
    parts += [write_text(12, 40 + 15 * i, note, 11, colour="#50605f") for i, note in enumerate(notes)]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(write_line(x(tick), top, x(tick), height - 10, INK if tick == 1 else FAINT))
        parts.append(write_text(x(tick), top - 5, "torch" if tick == 1 else f"{tick:g}", 10, "middle"))
    for i, (name, ratio, low, high) in enumerate(rows):
        y = top + line * i + 4
        parts.append(write_text(left - 8, y + 11, name if len(name) < 36 else name[:33] + "...", 11, "end"))
        parts.append(write_rectangle(left, y, x(ratio) - left, 14, colour_of(ratio)))
        if high > low:
            parts.append(write_line(x(low), y + 7, x(high), y + 7, INK))
        parts.append(write_text(WIDTH - 8, y + 11, f"{ratio:.2f}", 11, "end"))
    return write_svg(height, f"{title}: {unit}", parts)


def read_date_of_run(path: Path) -> str:
    """The day of the run: that of the change that kept it."""
    command = ["git", "-C", str(path.parent), "log", "-1", "--format=%as", "--", path.name]
    done = subprocess.run(command, capture_output=True, text=True)
    return f", {done.stdout.strip()}" if done.returncode == 0 and done.stdout.strip() else ""


def draw_measurements(path: Path, name: str) -> dict[str, str]:
    kept = json.loads(path.read_text(encoding="utf-8"))
    head = kept["head"]
    notes = [
        f"{head['CPU']}, {head['level']}{read_date_of_run(path)}; torch {head['torch'].split(',')[0]} in the same run.",
        "Time (start and memory: bytes too) over torch's: shorter is better.",
    ]
    groups: dict[str, dict[str, list[float]]] = {}
    for key, numbers in kept["ratios"].items():
        group, _, case = key.partition("/")
        groups.setdefault(group, {})[case] = numbers
    rows = []
    for group, cases in groups.items():
        ratios = [numbers[0] for numbers in cases.values()]
        rows.append((group, statistics.median(ratios), min(ratios), max(ratios)))
    spread = [*notes, "A bar is the median of a group's cases; its line runs from the best to the worst case."]
    made = {f"{name}-groups.svg": draw_bars("All groups", spread, rows, "ratio to torch's time")}
    single = [
        (f"{group}: {case}" if group in ("memory", "files") else case, *numbers)
        for group in SINGLE
        if group in groups
        for case, numbers in groups[group].items()
    ]
    quartiles = [*notes, "The line on a bar runs between the quartiles of the rounds."]
    made[f"{name}-programs.svg"] = draw_bars("Programs", quartiles, single, "ratio to torch's")
    return made


def draw_house() -> str:
    """The rooms, and the only direction in which they call."""
    parts, y = [write_text(12, 22, "The house: each room calls only what is below it", 14, bold=True)], 38
    floors = [
        [("python/", "the package: torch's modules")],
        [("bindings/python", "_C, the hot path"), ("bindings/mindtorch.i", "every SWIG language")],
        [("capi/", "the C ABI: handles, statuses, boxed values")],
        [
            ("impl/ops", "one operator, one file"),
            ("impl/layers", "autocast, pipeline"),
            ("impl/vmap", "mapping"),
            ("impl/npu", "devices"),
            ("impl/autograd", "graph, engine"),
        ],
        [("impl/rules", "what a family shares"), ("impl/definition", "how an operator is declared")],
        [("impl/dispatch", "schemas, keys, the call"), ("impl/cpu", "loops, products, threads")],
        [("impl/core", "dtypes, shapes, storages, tensors, errors")],
    ]
    for number, rooms in enumerate(floors):
        gap, room = 8, (WIDTH - 24 - 8 * (len(rooms) - 1)) / len(rooms)
        for i, (name, words) in enumerate(rooms):
            x = 12 + i * (room + gap)
            parts.append(write_rectangle(x, y, room, 44, "#e8f1f1" if number > 2 else "#f6ecd8", FAINT))
            parts.append(write_text(x + room / 2, y + 18, name, 12 if len(rooms) < 4 else 11, "middle", bold=True))
            parts.append(write_text(x + room / 2, y + 34, words, 11 if len(rooms) < 3 else 9, "middle"))
        y += 44
        if number + 1 < len(floors):
            middle = WIDTH / 2
            parts.append(f"<path d='M{middle:g} {y + 2:g} v12 m-4 -5 l4 5 l4 -5' fill='none' stroke='{INK}'/>")
            if number == 1:
                parts.append(write_text(middle + 12, y + 13, "public headers alone", 10))
            y += 18
    return write_svg(y + 10, "The house", parts)


def draw_all(root: Path) -> dict[str, str]:
    return {
        "house.svg": draw_house(),
        **draw_measurements(root / "bench/baseline.json", "avx512"),
        **draw_measurements(root / "bench/baseline-avx2.json", "avx2"),
    }
