"""Calls made from torch's own sample inputs with one invalid argument at a time."""

import functools
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Call:
    """One call: the path of the callable, the change to the sample, and real torch's arguments."""

    path: str
    label: str
    args: tuple
    kwargs: dict

    def __str__(self):
        return f"{self.path}: {self.label}"


def get_by_path(torch, path):
    for part in path.split("."):
        torch = getattr(torch, part)
    return torch


def list_operator_paths(torch, name):
    """Returns the function, method and in-place form that torch has for an operator of its database."""
    last = name.split(".")[-1]
    for path in (name, f"Tensor.{last}", f"Tensor.{last}_"):
        if "." in name and path.startswith("Tensor"):
            continue
        try:
            if callable(get_by_path(torch, path)):
                yield path
        except AttributeError:
            pass


def list_small_samples(torch, operator, max_count):
    """Returns small sample inputs, float32 if the operator accepts it."""
    dtype = torch.float32 if torch.float32 in operator.dtypes else sorted(operator.dtypes, key=str)[0]
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = 0
        for sample in operator.sample_inputs("cpu", dtype, requires_grad=False):
            numbers = [
                t.numel() for t in (sample.input, *sample.args, *sample.kwargs.values()) if isinstance(t, torch.Tensor)
            ]
            if sum(numbers) > 600:
                continue
            yield (sample.input, *sample.args), dict(sample.kwargs)
            found += 1
            if found == max_count:
                return


def make_wrong_values(torch):
    """Values to pass in place of a valid argument."""
    yield from (
        ("a str", "x"),
        ("None", None),
        ("9", 9),
        ("-9", -9),
        ("1.5", 1.5),
        ("True", True),
        ("1j", 1j),
        ("[1, -1]", [1, -1]),
    )
    yield from (
        ("[]", []),
        ("['x']", ["x"]),
        ("an object", object),
        ("a dtype", torch.float64),
        ("a tensor", torch.ones(2, 1)),
    )


def make_other_tensors(torch, tensor):
    """Returns variants of a tensor with one property changed."""
    for dtype in ("bool", "uint8", "int64", "bfloat16", "float64", "complex64"):
        if str(tensor.dtype) != f"torch.{dtype}":
            yield dtype, tensor.to(getattr(torch, dtype))
    yield "meta", tensor.to("meta")
    yield "no dimension", torch.ones((), dtype=tensor.dtype)
    yield "no element", torch.empty((0, *tensor.shape[1:]), dtype=tensor.dtype)
    yield "a dimension more", tensor.unsqueeze(0)
    yield (
        "one row more",
        torch.cat((tensor, tensor[:1])) if tensor.dim() and tensor.shape[0] else torch.ones(3, dtype=tensor.dtype),
    )
    if tensor.dim() > 1:
        yield "transposed", tensor.transpose(0, 1)
        yield "non-contiguous", torch.stack((tensor, tensor), -1)[..., 0]
    if tensor.is_floating_point():
        yield "NaN", torch.full_like(tensor, float("nan"))
        yield "requires grad", tensor.clone().requires_grad_()


def yield_spoiled_calls(torch, path, args, kwargs):
    """Yields calls that differ from a valid one in one argument."""
    yield Call(path, "as it is", args, kwargs)
    yield Call(path, "unknown keyword", args, {**kwargs, "bogus": 1})
    yield Call(path, "no argument", (), {})
    yield Call(path, "one argument more", (*args, 3), kwargs)
    yield Call(path, "twice the first", args, {**kwargs, "input": args[0]})
    for place in range(1, len(args)):
        yield Call(path, f"only {place} arguments", args[:place], kwargs)
    places = [*range(len(args)), *kwargs]
    for place in places:
        value = args[place] if isinstance(place, int) else kwargs[place]
        others = [(f"{label}", other) for label, other in make_wrong_values(torch)]
        if isinstance(value, torch.Tensor):
            others += list(make_other_tensors(torch, value))
        for label, other in others:
            if place == 0 and path.startswith("Tensor.") and not isinstance(other, torch.Tensor):
                continue  # a method of another object
            if isinstance(place, int):
                yield Call(path, f"argument {place} {label}", (*args[:place], other, *args[place + 1 :]), kwargs)
            else:
                yield Call(path, f"{place}={label}", args, {**kwargs, place: other})
    if not path.startswith("Tensor."):
        yield from yield_calls_with_out(torch, path, args, kwargs)


def yield_calls_with_out(torch, path, args, kwargs):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(0)
            result = get_by_path(torch, path)(*args, **kwargs)
    except Exception:
        return
    if not isinstance(result, torch.Tensor) or result.layout != torch.strided:
        return
    for dtype in ("float32", "int64", "bool", "complex64"):
        yield Call(
            path, f"out={dtype}", args, {**kwargs, "out": torch.zeros(result.shape, dtype=getattr(torch, dtype))}
        )
    like = {"dtype": result.dtype}
    yield Call(path, "out= of another shape", args, {**kwargs, "out": torch.zeros((*result.shape, 2), **like)})
    yield Call(path, "out= without elements", args, {**kwargs, "out": torch.zeros(0, **like)})
    yield Call(path, "out= that requires grad", args, {**kwargs, "out": torch.zeros(result.shape).requires_grad_()})
    yield Call(path, "out= on meta", args, {**kwargs, "out": torch.zeros(result.shape, **like, device="meta")})
    if result.dim():
        yield Call(
            path,
            "out= expanded",
            args,
            {**kwargs, "out": torch.zeros((1,) * result.dim(), **like).expand(result.shape)},
        )
    if isinstance(args[0], torch.Tensor) and args[0].dtype == result.dtype and args[0].shape == result.shape:
        yield Call(path, "out= the first argument", args, {**kwargs, "out": args[0]})
    yield Call(path, "out= a list", args, {**kwargs, "out": [1]})


def copy_arguments(torch, value):
    """Copies the arguments to new memory; arguments that alias each other still do."""
    seen = {}

    def copy_item(item):
        if isinstance(item, torch.Tensor):
            if id(item) not in seen:
                made = torch.empty_strided(item.shape, item.stride(), dtype=item.dtype, device=item.device)
                if not item.is_meta:
                    span = (
                        1 + sum((n - 1) * s for n, s in zip(item.shape, item.stride(), strict=True))
                        if item.numel()
                        else 0
                    )
                    memory = torch.as_strided(item.detach(), (span,), (1,), item.storage_offset()).clone()
                    made = memory.as_strided(item.shape, item.stride()).detach() if span else made
                seen[id(item)] = made.requires_grad_(item.requires_grad)
            return seen[id(item)]
        if isinstance(item, dict):
            return {key: copy_item(part) for key, part in item.items()}
        if isinstance(item, (list, tuple)) and not hasattr(item, "_fields"):
            return type(item)(copy_item(part) for part in item)
        return item

    return copy_item(value)


# Operators with uninitialised results.
UNWRITTEN = {
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "new_empty",
    "new_empty_strided",
    "resize_",
    "resize_as_",
}


@functools.cache
def list_unwritten_operators():
    """Calls for which torch returns uninitialised memory, or crashes: there is no result to compare."""
    lines = (Path(__file__).parent / "unwritten.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def yield_calls(torch, operator, max_samples=1):
    """Yields all invalid calls of one operator of torch's database; sparse tensors have their own tests
    (tests/python)."""
    for args, kwargs in list_small_samples(torch, operator, max_samples):
        if any(isinstance(arg, torch.Tensor) and arg.layout != torch.strided for arg in args):
            continue
        for path in list_operator_paths(torch, operator.name):
            yield from (
                call
                for call in yield_spoiled_calls(torch, path, args, kwargs)
                if str(call) not in list_unwritten_operators()
            )


def is_call_sampled(call):
    """Whether every run makes this call: a fixed quarter of all calls."""
    return zlib.crc32(str(call).encode()) % 4 == 0
