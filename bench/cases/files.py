"""Reading and writing 400 MB of weights (the page cache is warm). Only the first case waits for a disk."""

import os
import tempfile

from . import Group

group = Group("files", 1.0)


def make_state_dict(torch):
    return {f"layer.{i}.weight": torch.rand(1024, 1024) for i in range(100)}


def make_temporary_folder(parent=None):
    return tempfile.TemporaryDirectory(prefix="mindtorch-bench-", dir=parent)


@group.register_case("torch.save 400 MB")
def prepare_torch_save(torch):
    weights, where = make_state_dict(torch), make_temporary_folder()
    return lambda: torch.save(weights, os.path.join(where.name, "weights.pt"))


@group.register_case("torch.save 400 MB, in memory")
def prepare_torch_save_in_memory(torch):
    weights, where = make_state_dict(torch), make_temporary_folder("/dev/shm")
    return lambda: torch.save(weights, os.path.join(where.name, "weights.pt"))


@group.register_case("torch.load 400 MB")
def prepare_torch_load(torch):
    where = make_temporary_folder()  # which lives as long as the function that names it
    torch.save(make_state_dict(torch), os.path.join(where.name, "weights.pt"))

    def run_measured_call():
        return torch.load(os.path.join(where.name, "weights.pt"))["layer.99.weight"]

    return run_measured_call


@group.register_case("safetensors load 400 MB")
def prepare_safetensors_load(torch):
    from safetensors.torch import load_file, save_file

    where = make_temporary_folder()
    save_file(make_state_dict(torch), os.path.join(where.name, "weights.safetensors"))

    def run_measured_call():
        return load_file(os.path.join(where.name, "weights.safetensors"))["layer.99.weight"]

    return run_measured_call
