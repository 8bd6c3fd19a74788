"""What a program pays before its first line of its own."""

from . import Group

# `torch.add` makes the program load the package: mindtorch's import alone defers that to the first use of a name.
IMPORT = "import time; start = time.perf_counter(); import torch; torch.add; print(time.perf_counter() - start)"
FIRST_OP = """
import time, torch
torch.add
start = time.perf_counter()
torch.ones(4) + torch.ones(4)
print(time.perf_counter() - start)
"""
RESIDENT = """
import torch
torch.add
print(int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) * 1024)
"""

start = Group("start", 0.15)
start.add_case("import torch", IMPORT)
start.add_case("first operator", FIRST_OP, at_most=0.3)
start.add_case("peak memory after import", RESIDENT, at_most=0.25, unit="B")
groups = (start,)
