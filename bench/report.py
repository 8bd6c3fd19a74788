"""Measures mindtorch and torch in turn, and reports the ratios as a table, Markdown, JSON and a picture."""

import argparse
import json
import os
import platform
import sys
from pathlib import Path

import cases
import compare
import shortfalls
from sides import AVX2, Sides

TITLES = ("mindtorch", "torch", "ratio", "quartiles", "at most", "beside", "")
COLUMNS = "{:52.51s}{:>11s}{:>11s}{:>7s}{:>12s}{:>9s}  {:24s}{}"
OUTPUT = Path(__file__).parent.parent / "build" / "bench"


def format_with_unit(value, unit):
    if unit == "B":
        return f"{value / 1e6:.0f} MB"
    if unit == "x":
        return f"{value:.2f}"
    for name, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * factor >= 1:
            return f"{value * factor:.2f} {name}"
    return f"{value * 1e9:.0f} ns"


def describe_cpu():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {len(names)} processors"


def is_within_promise(record):
    return "ratio" in record and "error" not in record and record["ratio"] <= record["at_most"]


def make_table_row(record):
    """The cells of one record, in the order of TITLES, after its name."""
    promise = f"{record['at_most']:.2f}"
    if "ratio" not in record:
        return record["name"], "", "", "", "", promise, "", record["error"]
    numbers = [format_with_unit(record[side], record["unit"]) for side in ("mindtorch", "torch")]
    spread = "{:.2f}-{:.2f}".format(*record["spread"])
    beside = ", ".join(f"{side} {format_with_unit(value, record['unit'])}" for side, value in record["beside"].items())
    remark = record.get("error") or (
        "" if is_within_promise(record) else shortfalls.find_reason(record["key"], record["level"])
    )
    return record["name"], *numbers, f"{record['ratio']:.2f}", spread, promise, beside, remark


def make_markdown(records, head):
    rows = ["# mindtorch against torch", "", *(f"- {name}: {value}" for name, value in head.items()), ""]
    group = None
    for record in records:
        if record["group"] != group:
            group = record["group"]
            rules = "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |"
            rows += ["", f"## {group}", "", f"| case | {' | '.join(TITLES)} |", rules]
        rows.append("| " + " | ".join(make_table_row(record)) + " |")
    return "\n".join(rows) + "\n"


def draw_ratios(records, path):
    """One bar per case: the ratio; a tick where the promise stands."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    records = [record for record in records if "ratio" in record][::-1]
    if not records:
        return
    figure, axes = pyplot.subplots(figsize=(9, 1 + 0.2 * len(records)), layout="constrained")
    names = [f"{record['group']}: {record['name']}" for record in records]
    colours = ["tab:green" if is_within_promise(record) else "tab:red" for record in records]
    axes.barh(names, [min(record["ratio"], 3) for record in records], color=colours)
    axes.scatter([record["at_most"] for record in records], names, marker="|", color="black", label="promise", zorder=3)
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xlabel("time of mindtorch / time of torch (lower is faster; cut at 3)")
    axes.tick_params(labelsize=7)
    axes.margins(y=0.005)
    figure.savefig(path)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/run", description=__doc__)
    parser.add_argument(
        "--only", action="append", default=[], metavar="GROUP", help="cases whose group, or group/name, begins so"
    )
    parser.add_argument("--rounds", type=int, default=9, help="measurements of each side in turn (default 9)")
    parser.add_argument("--threads", type=int, default=2, help="threads and cores of either side (default 2)")
    parser.add_argument("--json", metavar="FILE", help="write the records there as well")
    parser.add_argument("--compare", action="store_true", help="print what got slower than in the baseline")
    parser.add_argument("--keep", action="store_true", help="make this run's ratios the baseline")
    parser.add_argument("--list", action="store_true", help="name the cases")
    parser.add_argument("--avx2", action="store_true", help="limit both sides to AVX2")
    return parser.parse_args()


def print_slower(head, records):
    baseline = compare.read_baseline_header(head["level"])
    if not baseline:
        print("there is no baseline yet: --keep makes this run one")
        return
    for name in ("CPU", "threads"):
        if baseline[name] != head[name]:
            print(f"the baseline has another {name}: {baseline[name]}, and here it is {head[name]}")
    found = compare.find_slower_cases(head["level"], records)
    for key, before, now in found:
        print(f"slower than the baseline: {key}: {before:.2f} before, {now:.2f} now")
    if not found:
        print("nothing is slower than the baseline")


def main():
    args = parse_arguments()
    chosen = cases.select_cases(args.only)
    if args.list or not chosen:
        print("\n".join(case.key for case in chosen or cases.select_cases()))
        return 0 if args.list else f"no case begins with {' or '.join(args.only)}"
    if args.avx2:
        os.environ.update(AVX2)
    threads = min(args.threads, len(os.sched_getaffinity(0)))
    sides = Sides(threads, args.rounds)
    head = {"CPU": describe_cpu(), "threads": threads, "rounds": args.rounds}
    for side in ("mindtorch", "torch"):
        about = sides.worker_of_side(side).about
        head[side] = f"{about['version']}, kernels {about['capability']}"
    head["level"] = sides.worker_of_side("mindtorch").about["capability"]
    records, group = [], None
    print(*(f"{name}: {value}" for name, value in head.items()), sep="\n")
    for case in chosen:
        if case.group != group:
            group = case.group
            print(f"\n{group}\n" + COLUMNS.format("", *TITLES))
        records.append({**sides.measure_case(case), "level": head["level"]})
        print(COLUMNS.format(*make_table_row(records[-1])), flush=True)
    sides.close()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    (OUTPUT / "report.md").write_text(make_markdown(records, head))
    content = json.dumps({"head": head, "records": records}, indent=1)
    for path in (OUTPUT / "report.json", *([Path(args.json)] if args.json else [])):
        path.write_text(content)
    draw_ratios(records, OUTPUT / "ratios.svg")
    if args.compare:
        print_slower(head, records)
    if args.keep:
        compare.write_baseline(head, records)
    kept = sum(map(is_within_promise, records))
    print(f"\n{kept} of {len(records)} within the promise; build/bench/report.md, report.json, ratios.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
