"""The processor's capabilities for `torch.cpu.get_capabilities`, as reported by Linux."""

import os
import platform
import re
from pathlib import Path

# torch's names of CPU features where they differ from those in /proc/cpuinfo.
_OF_LINUX = {
    "avx512_bw": "avx512bw",
    "avx512_cd": "avx512cd",
    "avx512_dq": "avx512dq",
    "avx512_f": "avx512f",
    "avx512_ifma": "avx512ifma",
    "avx512_vbmi": "avx512vbmi",
    "avx512_vl": "avx512vl",
    "bmi": "bmi1",
    "fma3": "fma",
    "lzcnt": "abm",
    "sha": "sha_ni",
    "sse3": "pni",
}
_X86 = """aes amx_bf16 amx_fp16 amx_int8 amx_tile avx avx10_1 avx10_2 avx2 avx512_4fmaps avx512_4vnniw avx512_bf16
    avx512_bitalg avx512_bw avx512_cd avx512_dq avx512_f avx512_fp16 avx512_ifma avx512_vbmi avx512_vbmi2 avx512_vl
    avx512_vnni avx512_vp2intersect avx512_vpopcntdq avx_ne_convert avx_vnni avx_vnni_int16 avx_vnni_int8 bmi bmi2
    clflush clflushopt clwb f16c fma3 fma4 lzcnt popcnt sha sse sse2 sse3 sse4_1 sse4_2 sse4a ssse3""".split()


def _cache_sizes():
    """Returns the bytes of the first core's caches, by (level, kind)."""
    sizes = {}
    for folder in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        factor = {"K": 1 << 10, "M": 1 << 20}.get(size[-1:], 1)
        sizes[int(level), kind] = int(size.rstrip("KM")) * factor
    return sizes


def describe_cpu_capabilities(cpu_flags):
    """Returns the dictionary of capabilities, given Linux's names of instruction sets."""
    text = Path("/proc/cpuinfo").read_text() if os.path.exists("/proc/cpuinfo") else ""
    sockets = re.findall(r"^physical id\s*: (\d+)", text, re.M)
    cores = set(zip(sockets, re.findall(r"^core id\s*: (\d+)", text, re.M), strict=False))
    name = re.search(r"^model name\s*: (.*)", text, re.M)
    logical, caches = os.cpu_count() or 1, _cache_sizes()
    known = {key: _OF_LINUX.get(key, key) in cpu_flags for key in _X86}
    return {
        **(known if platform.machine() in ("x86_64", "AMD64") else dict.fromkeys(sorted(cpu_flags), True)),
        "architecture": platform.machine(),
        "cpu_name": name.group(1).strip() if name else "",
        "l1d_cache_size": caches.get((1, "Data"), 0),
        "l2_cache_size": caches.get((2, "Unified"), 0),
        "num_logical_cores": logical,
        "num_physical_cores": len(cores) or logical,
        "num_sockets": len(set(sockets)) or 1,
    }
