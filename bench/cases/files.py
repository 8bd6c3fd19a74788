"""Reading and writing 400 MB of weights (the page cache is warm). A disk's own pauses are in the times of the first case only."""

import os
import tempfile

from . import Group

group = Group("files", 1.0)


def state(torch):
    return {f"layer.{i}.weight": torch.rand(1024, 1024) for i in range(100)}


def folder(parent=None):
    return tempfile.TemporaryDirectory(prefix="mindtorch-bench-", dir=parent)


@group.case("torch.save 400 MB")
def save(torch):
    weights, where = state(torch), folder()
    return lambda: torch.save(weights, os.path.join(where.name, "weights.pt"))


@group.case("torch.save 400 MB, in memory")
def save_in_memory(torch):
    weights, where = state(torch), folder("/dev/shm")
    return lambda: torch.save(weights, os.path.join(where.name, "weights.pt"))


@group.case("torch.load 400 MB")
def load(torch):
    where = folder()  # which lives as long as the function that names it
    torch.save(state(torch), os.path.join(where.name, "weights.pt"))

    def run():
        return torch.load(os.path.join(where.name, "weights.pt"))["layer.99.weight"]

    return run


@group.case("safetensors load 400 MB")
def safetensors_load(torch):
    from safetensors.torch import load_file, save_file

    where = folder()
    save_file(state(torch), os.path.join(where.name, "weights.safetensors"))

    def run():
        return load_file(os.path.join(where.name, "weights.safetensors"))["layer.99.weight"]

    return run
