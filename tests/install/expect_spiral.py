"""Checks the output of a spiral example against torch's own figures for the same network, data and seed.

From torch 2.13.0 (CPU): manual_seed(7), randn(64, 2), randn(3, 64) * 0.125, zero biases, tanh between, cross entropy,
full-batch SGD with learning rate 1.
"""

import re
import sys

EXPECTED = {1: 1.254372, 100: 0.269804, 200: 0.125594, 300: 0.084501, 400: 0.065821}

text = open(sys.argv[1], encoding="utf-8").read()
print(text)
found = {int(step): float(loss) for step, loss in re.findall(r"^step (\d+): loss ([\d.]+)", text, re.M)}
bad = [step for step, loss in EXPECTED.items() if abs(found.get(step, 0) - loss) > 1e-3 * loss]
sys.exit(f"losses differ from torch's at steps {bad}" if bad else 0)
