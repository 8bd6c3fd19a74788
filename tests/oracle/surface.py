#!/usr/bin/env python3
"""Counts torch's public names that a library offers, module by module, with the same kind and signature.

A name counts if both have it as the same kind (class, callable, module, value) and, if both are written in Python,
with the same signature. Behaviour is checked by operators.py, modules.py and the tests.

  surface.py                                   a line of counts for each module
  surface.py --missing torch.nn                the names of one module that are missing or differ
  surface.py --keep tests/data/surface.txt     prints only the names of the file that are missing now
  surface.py --record tests/data/surface.txt   writes that file: all names that exist now
  surface.py --library torch                   checks this tool: everything must be there

Exit status: 0, or 1 if --keep found a lost name, 2 if the oracle (real torch 2.13) is missing.
"""

import argparse
import importlib
import inspect
import sys
import types
import warnings
from pathlib import Path

from requirement import need_oracle

MODULES = """torch torch.Tensor torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.parametrize
torch.nn.utils.parametrizations torch.nn.utils.rnn torch.nn.utils.stateless torch.nn.attention torch.nn.parallel
torch.optim torch.optim.lr_scheduler torch.optim.swa_utils torch.autograd torch.autograd.functional
torch.autograd.graph torch.autograd.forward_ad torch.autograd.profiler torch.func torch.linalg torch.fft torch.special
torch.sparse torch.nested torch.masked torch.random torch.distributions torch.distributions.constraints
torch.distributions.transforms torch.utils torch.utils.data torch.utils.checkpoint torch.utils.dlpack
torch.utils._pytree torch.utils.hooks torch.overrides torch.library torch.serialization torch.storage torch.types
torch.testing torch.amp torch.cuda torch.cuda.amp torch.cpu torch.backends torch.backends.cuda torch.backends.cudnn
torch.backends.mkl torch.backends.mps torch.futures torch.hub torch.jit torch.compiler torch.profiler
torch.signal.windows torch.version torch.accelerator torch.mps torch.xpu torch.multiprocessing torch.distributed
torch.export torch.fx torch.ao.quantization""".split()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default="mindtorch", metavar="MODULE", help="what is compared with torch")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--missing", metavar="MODULE", help="the names of a module that are missing or differ")
    what.add_argument("--keep", metavar="FILE", help="names that have to be offered, one a line")
    what.add_argument("--record", metavar="FILE", help="writes the names that are offered")
    parser.add_argument("--count", metavar="FILE", help="with --keep: `passed failed skipped`")
    return parser.parse_args()


def get_by_path(root, path):
    value = root
    for part in path.split(".")[1:]:
        inner = getattr(value, part, None)
        value = importlib.import_module(f"{value.__name__}.{part}") if inner is None else inner
    return value


def list_public_names(space):
    """Returns a class's own attributes and protocol methods, or a module's `__all__`, or else its members that are
    torch's."""
    if isinstance(space, type):
        return [name for name in dir(space) if is_part_of_a_class(name)]
    names = getattr(space, "__all__", None) or dir(space)
    return [name for name in names if not name.startswith("_") and is_of_torch(space, name)]


def is_part_of_a_class(name):
    return not name.startswith("_") or (name.startswith("__") and name not in dir(object))


def is_of_torch(space, name):
    try:
        value = getattr(space, name)
    except Exception:  # torch itself cannot provide the name on this machine
        return False
    if isinstance(value, types.ModuleType):
        return value.__name__.startswith("torch")
    home = getattr(value, "__module__", None)
    return home is None or str(home).startswith("torch") or not isinstance(value, (type, types.FunctionType))


def describe_kind(value):
    if isinstance(value, types.ModuleType):
        return "module"
    return "class" if isinstance(value, type) else "callable" if callable(value) else "value"


def describe_signature(value):
    """Returns names, kinds and plain defaults of the parameters; None if Python does not know them."""
    if not isinstance(value, (types.FunctionType, type)):
        return None
    try:
        parameters = inspect.signature(value).parameters.values()
    except (ValueError, TypeError):
        return None
    plain = (int, float, str, bool, type(None))
    return [
        (each.name, each.kind, repr(each.default) if isinstance(each.default, plain) else each.default is each.empty)
        for each in parameters
    ]


def has_other_signature(ours, theirs):
    if describe_kind(ours) != describe_kind(theirs):
        return True
    mine, other = describe_signature(ours), describe_signature(theirs)
    return mine is not None and other is not None and mine != other


class Module:
    """Groups the public names of one of torch's modules by how the library provides them."""

    def __init__(self, path, library, torch):
        self.path, self.offered, self.missing, self.differing = path, [], [], []
        space = get_by_path(torch, path)
        try:
            ours = get_by_path(library, path)
        except (ImportError, AttributeError):
            ours = None
        for name in list_public_names(space):
            try:
                mine = getattr(ours, name)
            except Exception:  # any error means that the name is missing
                self.missing.append(name)
                continue
            (self.differing if has_other_signature(mine, getattr(space, name)) else self.offered).append(name)

    def __len__(self):
        return len(self.offered) + len(self.missing) + len(self.differing)

    def full_names(self):
        return [f"{self.path}.{name}" for name in self.offered]

    def format_table_line(self):
        counts = f"{len(self.offered):5d} of {len(self):5d}"
        return f"{self.path:36s} {counts}   missing {len(self.missing):4d}  differs {len(self.differing):4d}"


def print_lost_names(options, modules):
    """Prints the recorded names that were lost, and their number."""
    recorded = Path(options.keep).read_text().split()
    offered = {name for module in modules for name in module.full_names()}
    lost = [name for name in recorded if name not in offered]
    for name in lost:
        print(f"lost, or with another signature than torch's: {name}")
    print(f"public names kept: {len(recorded) - len(lost)} of {len(recorded)}")
    if options.count:
        Path(options.count).write_text(f"{len(recorded) - len(lost)} {len(lost)} 0\n")
    return 1 if lost or not recorded else 0


def main():
    options = parse_arguments()
    need_oracle()
    import torch

    warnings.simplefilter("ignore")
    library = importlib.import_module(options.library)
    chosen = [options.missing] if options.missing else MODULES
    modules = [Module(path, library, torch) for path in chosen]
    if options.keep:
        return print_lost_names(options, modules)
    if options.record:
        names = sorted({name for module in modules for name in module.full_names()})
        Path(options.record).write_text("\n".join(names) + "\n")
        print(f"recorded {len(names)} names")
    elif options.missing:
        print(f"missing: {' '.join(modules[0].missing)}\ndiffers: {' '.join(modules[0].differing)}")
    else:
        print("\n".join(module.format_table_line() for module in modules))
        offered, total = (sum(map(count, modules)) for count in (lambda module: len(module.offered), len))
        print(f"public names: {offered} of {total} = {100 * offered / total:.2f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
