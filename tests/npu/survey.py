"""Compares one operator of torch's database on a device and on the CPU, and lists the kernels that it lacks.

python tests/npu/survey.py [OPERATOR...]   prints the lines of absent.txt, and differences
"""

import os
import re
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "contract"))

from carried import Carrier  # noqa: E402
from generated import get_by_path  # noqa: E402

MOST_SAMPLES = 4
NO_KERNEL = re.compile(r"Could not run 'aten::([\w.]+)' with arguments|(aclnn\w+) is not in|lazy (conjugation)")
ON_HOST = ("tensor_split",)  # as in torch, positions must be on the CPU
UNWRITTEN = ("new_empty", "new_empty_strided", "empty", "empty_like", "empty_permuted", "empty_strided")


def list_kernels():
    """The names, in torch's database, of operators whose results must agree."""
    return (HERE.parent / "data" / "opinfo-clean.txt").read_text().split()


def read_absent_kernels():
    """Maps operators to the kernels that they lack on a device, under headings that give the reason."""
    lines = [line for line in (HERE / "absent.txt").read_text().splitlines() if line and not line.startswith("#")]
    return {name: set(kernels.split()) for name, _, kernels in (line.partition(": ") for line in lines)}


def full_name_of(operator):
    return ".".join(filter(None, (operator.name, operator.variant_test_name)))


def find_callable(mt, name):
    for path in (name, f"Tensor.{name.split('.')[-1]}"):
        try:
            found = get_by_path(mt, path)
        except AttributeError:
            continue
        if callable(found):
            return found
    return None


def list_small_samples(torch, operator, most):
    """Returns small samples: float32 and gradients if the operator supports them."""
    dtype = torch.float32 if torch.float32 in operator.dtypes else sorted(operator.dtypes, key=str)[0]
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = operator.sample_inputs(
            "cpu", dtype, requires_grad=operator.supports_autograd and dtype.is_floating_point
        )
        for number, sample in enumerate(every):
            if number == most:
                return
            yield (sample.input, *sample.args), dict(sample.kwargs)


def move_to_device(mt, value, device):
    """Moves the arguments' tensors to the device, as leaves."""
    if isinstance(value, mt.Tensor):
        return value.detach().to(device).requires_grad_(value.requires_grad)
    if isinstance(value, mt.device):
        return mt.device(device)
    if value == "cpu":
        return device
    if isinstance(value, (list, tuple)):
        items = [move_to_device(mt, item, device) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: move_to_device(mt, item, device) for key, item in value.items()}
    return value


def list_tensors(mt, value):
    if isinstance(value, mt.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in list_tensors(mt, item)] if isinstance(value, (list, tuple)) else []


def run_and_list_values(mt, run, arguments, device, seed):
    """Returns results and gradients as CPU tensors, or the error."""
    args, kwargs = move_to_device(mt, arguments, device)
    mt.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results = run(*args, **kwargs)
            found = list_tensors(mt, results)
            graded = [t for t in found if t.requires_grad and t.dtype.is_floating_point]
            leaves = [t for t in list_tensors(mt, (args, kwargs)) if t.requires_grad]
            grads = ()
            if graded and leaves:
                grads = mt.autograd.grad(graded, leaves, [mt.ones_like(t) for t in graded], allow_unused=True)
            values = [t if t is None else t.detach().cpu() for t in (*found, *grads)]
        except Exception as error:
            return error
    return values if found else [results]


def assert_same_value(mt, ours, theirs, values=True):
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        assert type(ours) is type(theirs), repr(ours)
        return
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        if isinstance(other, mt.Tensor):
            assert one.shape == other.shape and one.dtype == other.dtype
            if other.dtype == mt.complex32:  # not compared
                one, other = one.to(mt.complex64), other.to(mt.complex64)
            if values:
                mt.testing.assert_close(one, other, equal_nan=True)
        else:
            assert one == other or not values


def survey_operator(torch, mt, operator, most=MOST_SAMPLES):
    """Returns the kernels that the device lacks, and the number of samples that ran; AssertionError if results
    differ."""
    run, carrier, lacking, count = find_callable(mt, operator.name), Carrier(torch, mt), set(), 0
    if run is None or operator.name in ON_HOST:
        return lacking, count
    for arguments in list_small_samples(torch, operator, most):
        try:
            arguments = carrier(arguments)
        except LookupError:
            continue
        theirs = run_and_list_values(mt, run, arguments, "cpu", 1)
        if isinstance(theirs, NotImplementedError):
            continue
        ours = run_and_list_values(mt, run, arguments, "npu:0", 1)
        missing = NO_KERNEL.search(str(ours)) if isinstance(ours, NotImplementedError) else None
        if missing:
            lacking.add(missing[1] or missing[2] or missing[3])
            continue
        again = run_and_list_values(mt, run, arguments, "cpu", 2)
        try:
            assert_same_value(mt, again, theirs)
            is_random = False
        except AssertionError:
            is_random = True
        assert_same_value(mt, ours, theirs, values=not is_random and operator.name not in UNWRITTEN)
        count += 1
    return lacking, count


def run_in_child(work):
    """Returns the output of work(), and the signal if a memory error killed it."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        work()
        sys.stdout.flush()
        os._exit(0)
    return os.waitpid(child, 0)[1]


def print_survey(torch, mt, operator, name):
    try:
        lacking, count = survey_operator(torch, mt, operator)
    except AssertionError as error:
        print(f"# {name}: {' '.join(str(error).split())[:300]}")
        return
    if lacking:
        print(f"{name}: {' '.join(sorted(lacking))}")
    elif not count:
        print(f"# {name}: no sample ran")


def main():
    import conftest  # noqa: F401  puts the simulator in the device's place
    import mindtorch as mt
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    wanted = sys.argv[1:] or list_kernels()
    for operator in op_db:
        name = full_name_of(operator)
        if name in wanted:
            status = run_in_child(lambda operator=operator, name=name: print_survey(torch, mt, operator, name))
            if status:
                print(f"# {name}: died with status {status}")


if __name__ == "__main__":
    main()
