"""Describes the outcome of a call, so that tests can compare two libraries exactly."""

import math
import re
import warnings
from dataclasses import dataclass, field

# Rounding errors are not part of the contract: relative and absolute tolerance of torch's own tests, by dtype.
TOLERANCE = {
    "float16": (1e-3, 1e-3),
    "bfloat16": (1.6e-2, 1e-2),
    "float32": (1.3e-5, 1e-5),
    "complex64": (1.3e-5, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex128": (1e-7, 1e-7),
}


def normalise_error_text(text):
    """Normalises platform-specific text for all tests: addresses, the root's name, C++ source locations."""
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = re.sub(r" \(Triggered internally at .*?\)", "", text)
    text = re.sub(r"\nException raised from .*", "", text, flags=re.S)
    text = re.sub(r"(is only available for these backends: \[).*", r"\1", text, flags=re.S)  # and names of source files
    text = re.sub(r"registered at [^;\s]+", "registered at", text)
    text = re.sub(r"(<module '[\w.]+' from )'[^']*'", r"\1''", text)
    return re.sub(r"\bmindtorch\b", "torch", text)


@dataclass
class Outcome:
    """The value or the error of one call, its warnings, and its arguments afterwards."""

    value: object = None
    error: tuple | None = None
    warnings: list = field(default_factory=list)
    arguments: object = None


def list_base_class_names(error):
    return [normalise_error_text(f"{base.__module__}.{base.__qualname__}") for base in type(error).__mro__]


def record_outcome(torch, call, arguments=()):
    """Calls `call()` and describes its outcome; `arguments` are those of the call, described again afterwards."""
    assert torch.is_warn_always_enabled(), "a warning given once per process would depend on which case came first"
    outcome = Outcome()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = call()
        except Exception as error:
            outcome.error = (list_base_class_names(error), normalise_error_text(str(error)))
        else:
            outcome.value = describe_value(value, torch, arguments)
    # Keeps only one of several equal warnings: set_warn_always makes torch emit each time a warning that programs see
    # once.
    given = ((item.category.__name__, normalise_error_text(str(item.message))) for item in caught)
    outcome.warnings = list(dict.fromkeys(given))
    outcome.arguments = describe_value(arguments, torch)
    return outcome


@dataclass
class Tensor:
    """Describes everything about a tensor that a program can observe."""

    facts: dict
    numbers: list | None
    dtype: str


def list_tensors(value, torch):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from list_tensors(item, torch)
    elif isinstance(value, dict):
        for item in value.values():
            yield from list_tensors(item, torch)


def find_shared(tensor, arguments, torch):
    """Returns the indices of the argument tensors that the result is, or shares memory with."""
    found = []
    for place, other in enumerate(list_tensors(arguments, torch)):
        if other is tensor:
            found.append(f"is {place}")
        elif (
            other.device == tensor.device
            and other.device.type == "cpu"
            and other.layout == tensor.layout == torch.strided
        ):
            if other.numel() and tensor.numel():
                same = other.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()
                found.extend([f"shares {place}"] if same else [])
    return found


def describe_value(value, torch, arguments=()):
    if isinstance(value, torch.Tensor):
        return describe_tensor(value, torch, arguments)
    if isinstance(value, dict):
        return {str(key): describe_value(item, torch, arguments) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *(describe_value(item, torch, arguments) for item in value)]
    if type(value) in (bool, int, float, complex):
        return value
    return normalise_error_text(repr(value))


def describe_tensor(value, torch, arguments):
    strided = value.layout == torch.strided
    facts = {
        "type": type(value).__name__,
        "shape": tuple(value.shape),
        "stride": tuple(value.stride()) if strided and value.numel() else None,
        "storage_offset": value.storage_offset() if strided else None,
        "device": str(value.device),
        "layout": normalise_error_text(str(value.layout)),
        "requires_grad": value.requires_grad,
        "is_leaf": value.is_leaf,
        "grad_fn": type(value.grad_fn).__name__ if value.grad_fn is not None else None,
        "is_conj": value.is_conj(),
        "is_neg": value.is_neg(),
        "version": None if value.is_inference() else value._version,
        "shares": find_shared(value, arguments, torch),
    }
    numbers = None
    if value.device.type == "cpu":
        plain = value.detach().resolve_conj().resolve_neg()
        plain = plain if strided else plain.to_dense()
        numbers = flatten_lists(plain.tolist())
    return Tensor(facts, numbers, str(value.dtype).removeprefix("torch."))


def flatten_lists(value):
    return [number for item in value for number in flatten_lists(item)] if isinstance(value, list) else [value]


def absolute_tolerance_factor(numbers):
    """The factor for the absolute tolerance of a result. Where large numbers cancel, the remainder has their rounding
    error, which differs between processors. Derived from the largest number; a factor of ten is enough for all
    samples."""
    return min(10.0, max((abs(n) for n in numbers if isinstance(n, (float, complex)) and n == n), default=1.0))


def is_close(ours, theirs, dtype, tolerance_factor=1.0):
    if ours == theirs or (ours != ours and theirs != theirs):
        return True
    if isinstance(theirs, complex):
        return is_close(ours.real, theirs.real, dtype, tolerance_factor) and is_close(
            ours.imag, theirs.imag, dtype, tolerance_factor
        )
    if dtype not in TOLERANCE or not isinstance(theirs, float) or math.isinf(theirs) or math.isinf(ours):
        return False
    relative, absolute = TOLERANCE[dtype]
    return abs(ours - theirs) <= absolute * max(1.0, tolerance_factor) + relative * abs(theirs)


def find_value_difference(ours, theirs, path="value"):
    """Describes the first difference of two described values; None if there is none."""
    if isinstance(theirs, Tensor) and isinstance(ours, Tensor):
        if ours.dtype != theirs.dtype:
            return f"{path}: dtype {ours.dtype}, torch {theirs.dtype}"
        for name, fact in theirs.facts.items():
            if ours.facts[name] != fact:
                return f"{path}: {name} {ours.facts[name]}, torch {fact}"
        if (ours.numbers is None) != (theirs.numbers is None):
            return f"{path}: readable on one side only"
        times = absolute_tolerance_factor(theirs.numbers or [])
        for place, (a, b) in enumerate(zip(ours.numbers or [], theirs.numbers or [], strict=True)):
            if not is_close(a, b, theirs.dtype, times):
                return f"{path}: element {place} {a!r}, torch {b!r}"
        return None
    if type(ours) is not type(theirs):
        return f"{path}: {ours!r}, torch {theirs!r}"
    if isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = ((f"{path}[{i - 1}]", a, b) for i, (a, b) in enumerate(zip(ours, theirs, strict=True)))
    elif isinstance(theirs, dict) and ours.keys() == theirs.keys():
        pairs = ((f"{path}[{key}]", ours[key], theirs[key]) for key in theirs)
    elif isinstance(theirs, (float, complex)) and is_close(ours, theirs, "float32"):
        return None
    else:
        return None if ours == theirs else f"{path}: {ours!r}, torch {theirs!r}"
    return next(filter(None, (find_value_difference(a, b, place) for place, a, b in pairs)), None)


def find_error_difference(ours, theirs):
    """Describes how two errors differ: in type, bases or text."""
    if ours.error == theirs.error:
        return None
    if theirs.error is None:
        return f"raised {ours.error[0][0]}: {ours.error[1]}\n  torch: no error"
    if ours.error is None:
        return f"no error\n  torch: {theirs.error[0][0]}: {theirs.error[1]}"
    if ours.error[0] != theirs.error[0]:
        return f"raised {ours.error[0][0]}: {ours.error[1]}\n  torch: {theirs.error[0][0]}: {theirs.error[1]}"
    return f"text:  {ours.error[1]}\n  torch: {theirs.error[1]}"


def find_outcome_difference(ours, theirs):
    """Describes the first difference between two outcomes; None if they are equal."""
    difference = find_error_difference(ours, theirs)
    if difference is None and ours.warnings != theirs.warnings:
        difference = f"warnings {ours.warnings}, torch {theirs.warnings}"
    if difference is None and theirs.error is None:
        difference = find_value_difference(ours.value, theirs.value)
    return difference or find_value_difference(ours.arguments, theirs.arguments, "arguments")


def assert_torch_error(ours, theirs):
    """Whether both outcomes are the same error: type, bases and text."""
    assert theirs.error is not None, "torch raised nothing"
    difference = find_error_difference(ours, theirs)
    assert difference is None, difference


def assert_same_value(ours, theirs):
    """Whether both outcomes have the same value and warnings, and changed their arguments in the same way."""
    assert theirs.error is None, f"torch raised {theirs.error[1]}"
    difference = find_outcome_difference(ours, theirs)
    assert difference is None, difference
