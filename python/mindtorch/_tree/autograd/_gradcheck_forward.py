"""The comparison in gradcheck of forward mode with central differences."""

from .._root import torch
from . import forward_ad
from ._gradcheck_core import (
    _is_close,
    _central_difference,
    _make_perturbable,
    _yield_unit_steps,
    _random_unit_vector,
    _differentiable_inputs,
    as_tuple,
)
from .gradcheck import GradcheckError


def _compute_directional_derivatives(func, inputs, target, step):
    """Returns the outputs' derivatives along one input's step; no input requires a gradient."""
    with forward_ad.dual_level():
        constants = [value.detach() if isinstance(value, torch.Tensor) else value for value in inputs]
        duals = [
            forward_ad.make_dual(constant, step) if value is target else constant
            for value, constant in zip(inputs, constants, strict=True)
        ]
        outputs = as_tuple(func(*duals))
        found = [forward_ad.unpack_dual(output).tangent for output in outputs]
    return [
        torch.zeros_like(output) if tangent is None else tangent.detach() for tangent, output in zip(found, outputs)
    ]


def _list_steps(target, fast_mode, generator):
    if fast_mode:
        return [[_random_unit_vector(target, generator)]]
    units = (1, 1j) if target.is_complex() else (1,)
    return [[step for _, unit, step in _yield_unit_steps(target) if unit == wanted] for wanted in units]


def check_forward(func, inputs, *, eps, atol, rtol, fast_mode) -> None:
    generator = torch.Generator().manual_seed(2**31 - 1)
    movable = _make_perturbable(inputs)
    for input_index, target in enumerate(_differentiable_inputs(movable)):
        for steps in _list_steps(target, fast_mode, generator):
            analytical = [_compute_directional_derivatives(func, movable, target, step) for step in steps]
            numerical = [_central_difference(func, movable, target, step, eps) for step in steps]
            for output_index in range(len(analytical[0]) if analytical else 0):
                ours, theirs = (
                    torch.stack([row[output_index].reshape(-1) for row in rows]) for rows in (analytical, numerical)
                )
                if ours.dtype.is_floating_point or ours.dtype.is_complex:
                    if not _is_close(ours, theirs, rtol, atol):
                        raise GradcheckError(
                            f"Jacobian computed with forward mode mismatch for output {output_index:d} with respect to "
                            f"input {input_index:d},\nnumerical:{theirs}\nanalytical:{ours}\n"
                        )
