"""Part 4: describes the libraries and the processor."""

import importlib.metadata
import os
import platform
import resource

import torch


def versions():
    """Returns name and version of the distributions that provide `import torch`, and of the libraries on top."""
    names = ("mindtorch", "torch", "transformers", "tokenizers", "safetensors", "numpy")
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def abi_version():
    """Returns the version of the C ABI, if this torch has one."""
    version = getattr(torch._C, "_mt_abi_version", None)
    return version() if version else None


def blas():
    """Returns the lines of the build description that name the BLAS and the instruction set."""
    words = ("blas", "mkl", "mkldnn", "capability", "kernel")
    lines = [line.strip(" -\t") for line in torch.__config__.show().splitlines()]
    found = [line for line in lines if any(word in line.lower() for word in words) and len(line) < 160]
    return "; ".join(found) or "unknown"


def report():
    return {
        "python": platform.python_version(),
        "torch.__version__": torch.__version__,
        "packages": versions(),
        "abi": abi_version(),
        "threads": torch.get_num_threads(),
        "processors": len(os.sched_getaffinity(0)),
        "capability": torch.backends.cpu.get_cpu_capability(),
        "blas": blas(),
        "peak memory (MB)": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def show(facts, seconds):
    for name, value in facts.items():
        if name == "packages":
            value = ", ".join(f"{package} {version}" for package, version in value.items())
        if value is not None:
            print(f"{name + ':':20s} {value}")
    print("time:" + " " * 15, ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items()))
