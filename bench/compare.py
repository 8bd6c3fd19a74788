"""The baseline: the ratios of an earlier run, and what got slower since. AVX2's kernels have one of their own."""

import json
from pathlib import Path

NOISE = 1.1  # ratios of two runs on one machine differ by less where nothing changed


def baseline_path(cpu_capability):
    return Path(__file__).parent / ("baseline-avx2.json" if cpu_capability == "AVX2" else "baseline.json")


def write_baseline(about, records):
    """Writes the records as the baseline; cases that this run left out keep what they had."""
    measured = (record for record in records if "ratio" in record)
    ratios = {record["key"]: [round(x, 3) for x in (record["ratio"], *record["spread"])] for record in measured}
    path = baseline_path(about["level"])
    earlier = json.loads(path.read_text())["ratios"] if path.exists() else {}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in {**earlier, **ratios}.items()]
    text = '{{\n "head": {},\n "ratios": {{\n{}\n }}\n}}\n'.format(json.dumps(about), ",\n".join(lines))
    path.write_text(text)


def read_baseline_header(cpu_capability):
    """What the baseline was measured on and with; empty where there is none."""
    return (
        json.loads(baseline_path(cpu_capability).read_text())["head"] if baseline_path(cpu_capability).exists() else {}
    )


def find_slower_cases(cpu_capability, records):
    """(key, ratio before, ratio now) where the ratio grew by more than the noise of both runs, the worst first."""
    ratios = json.loads(baseline_path(cpu_capability).read_text())["ratios"]
    found = []
    for record in records:
        if "ratio" not in record or record["key"] not in ratios:
            continue
        before, _, high = ratios[record["key"]]
        if record["ratio"] > NOISE * before and record["spread"][0] > high:
            found.append((record["key"], before, record["ratio"]))
    return sorted(found, key=lambda item: item[1] / item[2])
