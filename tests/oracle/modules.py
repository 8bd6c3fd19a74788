#!/usr/bin/env python3
"""Compares a library's modules and optimizers with real torch's, on torch's own databases of them.

Both sides get the same constructor arguments and seed. For a module: initial parameters must have the same bits,
state_dict the same keys, repr the same text; then ours loads torch's state, and outputs and gradients (of inputs and
of parameters) are compared, in training and in evaluation. For an optimizer: parameters after five steps, and the
contents of its state. A check that torch itself cannot run does not count.

  modules.py                       everything
  modules.py --only LSTM           modules and optimizers whose names contain a word
  modules.py --every 3             every third check of each class, its first one included
  modules.py --library torch       checks this tool: everything must pass

Exit status: 0 if all checks passed, 1 if not, 2 if the oracle (real torch 2.13) is missing.
"""

import argparse
import collections
import sys
import warnings
from pathlib import Path

from comparison import Mismatch, call_and_catch, compare, make_incoming_gradients, yield_tensors
from library import Library, get_by_path
from requirement import need_oracle

STEPS = 5


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default="mindtorch", metavar="MODULE", help="what is compared with torch")
    parser.add_argument("--only", default="", metavar="WORD", help="modules and optimizers whose names contain it")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one check of N, class by class")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of torch's samples")
    parser.add_argument("--count", metavar="FILE", help="`passed failed skipped`")
    return parser.parse_args()


def find_counterpart_class(library, kind):
    """Returns the library's class for one of torch's."""
    for space in ("nn", "nn.modules", "nn.quantized", "ao.nn.quantized", "optim"):
        try:
            return getattr(get_by_path(library.mt, space), kind.__name__)
        except AttributeError:
            continue
    return get_by_path(library.mt, f"{kind.__module__}.{kind.__qualname__}".removeprefix("torch."))


class Case:
    """One check, to be run on a library and on the reference (real torch)."""

    def __init__(self, name, kind, sample):
        self.name, self.kind, self.sample = name, kind, sample

    def build_module(self, library, given):
        library.set_seed(3)
        return find_counterpart_class(library, self.kind)(*library(given.args), **library(given.kwargs))


class ModuleCase(Case):
    what = "module"

    def __init__(self, name, kind, sample, training):
        super().__init__(name, kind, sample)
        self.training = training

    def check(self, library, reference):
        torch = reference.torch
        given = self.sample.constructor_input
        theirs, ours = (self.build_module(side, given).train(self.training) for side in (reference, library))
        state = theirs.state_dict()
        compare_initial_states(torch, library, ours, theirs, state)
        ours.load_state_dict({key: library(value) for key, value in state.items()})
        if self.sample.forward_input is None:
            return
        want, their_gradients = self.run_forward(reference, theirs)
        got, my_gradients = self.run_forward(library, ours)
        compare(torch, library.convert_back(got), want)
        if not any(found.is_sparse for found in yield_tensors(want, torch.Tensor)):
            compare(
                torch,
                library.convert_back(my_gradients(), copy=True),
                their_gradients(),
                path="gradients",
                strides=False,
            )

    def run_forward(self, library, module):
        """Returns the output, and a function that computes the gradients."""
        given, lib = self.sample.forward_input, library.mt
        args, kwargs = library(given.args), library(given.kwargs)
        library.set_seed(5)
        out = module(*args, **kwargs)

        def compute_gradients():
            outs = [found for found in yield_tensors(out, lib.Tensor) if found.requires_grad]
            inputs = [
                found for found in yield_tensors((args, kwargs), lib.Tensor) if found.requires_grad and found.is_leaf
            ]
            leaves = inputs + [parameter for parameter in module.parameters() if parameter.requires_grad]
            if not outs or not leaves:
                return []
            return list(
                lib.autograd.grad(outs, leaves, make_incoming_gradients(lib, outs, 0.3, 1.7), allow_unused=True)
            )

        return out, compute_gradients


def compare_initial_states(torch, library, ours, theirs, state):
    mine = ours.state_dict()
    if list(mine) != list(state):
        raise Mismatch(f"state_dict keys {list(mine)} for {list(state)}")
    for key, value in state.items():
        is_written = isinstance(value, torch.Tensor) and not torch.isnan(value.float()).any()
        if is_written and not torch.equal(library.convert_back(mine[key]), value.detach()):
            raise Mismatch(f"initial {key} has other bits")
    if repr(ours) != repr(theirs):
        raise Mismatch(f"repr {repr(ours)[:100]!r} for {repr(theirs)[:100]!r}")


class OptimizerCase(Case):
    what = "optimizer"

    def check(self, library, reference):
        want, got = self.train_and_describe(reference), self.train_and_describe(library)
        compare(reference.torch, library.convert_back(got[0]), want[0], path="parameters")
        if got[1:] != want[1:]:
            raise Mismatch(f"state {got[1:]} for {want[1:]}"[:300])

    def train_and_describe(self, library):
        """Returns the parameters after some steps on a small curved loss, the names of the groups' options and of the
        states, and the repr."""
        lib = library.mt
        library.set_seed(4)
        matrix = lib.nn.Parameter(lib.linspace(-1, 1, 12, dtype=lib.float64).reshape(3, 4))
        vector = lib.nn.Parameter(lib.linspace(0.5, 2, 5, dtype=lib.float64))
        optimizer = find_counterpart_class(library, self.kind)([matrix, vector], **library(self.sample.kwargs))

        def closure():
            optimizer.zero_grad()
            loss = (matrix**2).sum() + (vector.sin() * vector).sum() + matrix.sum() * vector.sum() * 0.1
            loss.backward()
            return loss

        for _ in range(STEPS):
            optimizer.step(closure)
        state = optimizer.state_dict()
        states = [sorted(map(str, found)) for found in state["state"].values()]
        return [matrix, vector], sorted(state["param_groups"][0]), states, repr(optimizer).splitlines()[0]


def yield_cases(torch, options):
    """Yields all checks of the databases, class by class."""
    from torch.testing._internal.common_modules import module_db
    from torch.testing._internal.common_optimizers import optim_db

    for info in (info for info in module_db if options.only in info.name):
        found = []
        for training in (True, False):
            for dtype in (torch.float32, torch.float64):
                wanted = {"device": "cpu", "dtype": dtype, "requires_grad": True, "training": training}
                torch.manual_seed(options.seed)
                samples, _ = call_and_catch(
                    lambda info=info, wanted=wanted: list(info.module_inputs_func(info, **wanted))
                )
                mode = "train" if training else "eval"
                for index, sample in enumerate(samples or []):
                    name = f"{info.name} {dtype} {mode} sample {index}"
                    found.append(ModuleCase(name, info.module_cls, sample, training))
        yield from found[:: options.every]
    for info in (info for info in optim_db if options.only in info.optim_cls.__name__):
        samples = enumerate(info.optim_inputs_func(device="cpu"))
        names = [(f"{info.optim_cls.__name__} {sample.desc or index}", sample) for index, sample in samples]
        yield from [OptimizerCase(name, info.optim_cls, sample) for name, sample in names][:: options.every]


def main():
    options = parse_arguments()
    need_oracle()
    import torch

    warnings.simplefilter("ignore")
    library, reference = Library(options.library), Library("torch")
    tally = collections.Counter()
    for case in yield_cases(torch, options):
        if call_and_catch(lambda case=case: case.check(reference, reference))[1] is not None:
            continue
        _, error = call_and_catch(lambda case=case: case.check(library, reference))
        tally[case.what, error is None] += 1
        if error is not None:
            print(f"{case.what} {case.name}: {type(error).__name__}: {' '.join(str(error).split())[:220]}", flush=True)
    for what in ("module", "optimizer"):
        print(f"{what}: {tally[what, True]} of {tally[what, True] + tally[what, False]} checks")
    passed, failed = (sum(tally[what, good] for what in ("module", "optimizer")) for good in (True, False))
    if options.count:
        Path(options.count).write_text(f"{passed} {failed} 0\n")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
