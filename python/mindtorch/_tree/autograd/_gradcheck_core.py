"""The comparison in gradcheck: numerical and analytical Jacobians, column by column or along random vectors."""

import warnings

from .._root import torch
from ..sparse._gradcheck import _Sparse, _store_all_elements
from .function import Function
from .gradcheck import GradcheckError


_NONDETERMINISM = (
    "\n\nNOTE: If your op relies on non-deterministic operations i.e., it is listed here:\n"
    "https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\nthis failure might be "
    "expected.\n\nIf you are adding a new operator, please file an issue and then use one of the\nworkarounds. The "
    "workaround depends on how your test invokes gradcheck/gradgradcheck.\nIf the test\n- manually invokes "
    "gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n  with `nondet_tol=<tol>` as a keyword argument.\n"
    "- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test\n  to have "
    "`gradcheck_nondet_tol=<tol>`.\n- is a Module test (e.g., in common_nn.py), then modify the corresponding\n"
    "  module_test entry to have `gradcheck_nondet_tol=<tol>`\n"
)


def as_tuple(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def select_differentiable_outputs(value):
    return tuple(output for output in as_tuple(value) if output.requires_grad)


def _differentiable_inputs(inputs):
    return [value for value in inputs if isinstance(value, torch.Tensor) and value.requires_grad]


def stored_elements_of(value):
    """Returns the dense tensor with the elements: the stored values of a sparse tensor."""
    if value.layout is torch.strided:
        return value.data  # writes to it do not change the version
    value = value.detach()
    return value._values() if value.is_sparse else value.values()


def _to_dense(value):
    return value if value.layout is torch.strided else value.to_dense()


def _list_positions(target):
    """Returns the position of each stored element of a sparse target among all elements, flattened."""
    memory = stored_elements_of(target)
    numbers = torch.arange(1, memory.numel() + 1, dtype=torch.double).view(memory.shape)
    numbered = _Sparse(target.detach()).make_tensor_from(numbers).to_dense().reshape(-1)
    found = numbered.nonzero().reshape(-1)
    return found[numbered[found].sort().indices]


def check_outputs(outputs) -> None:
    if any(output.layout is not torch.strided for output in outputs):
        raise ValueError(
            "Sparse output is not supported at gradcheck yet. "
            "Please call to_dense(masked_grad=...) on the output of fn for gradcheck."
        )


def check_inputs(inputs) -> None:
    for index, value in enumerate(inputs):
        if not isinstance(value, torch.Tensor) or not value.requires_grad:
            continue
        if value.dtype not in (torch.float64, torch.complex128):
            warnings.warn(
                f"Input #{index} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=3,
            )
        content = stored_elements_of(value)
        if any(stride == 0 and size > 1 for stride, size in zip(content.stride(), content.size())):
            raise RuntimeError(
                f"The {index}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not _differentiable_inputs(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _copy_outputs(func, inputs):
    """Copies the outputs, since func may return its inputs. It may differentiate itself, so recording stays on."""
    return [output.detach().clone() for output in as_tuple(func(*inputs))]


def _central_difference(func, inputs, target, step, eps):
    """Computes (f(x + eps * step) - f(x - eps * step)) / (2 eps) by changing the memory of `target` in place."""
    target = stored_elements_of(target)
    original = target.detach().clone()
    try:
        with torch.no_grad():
            target.copy_(original + step * eps)
        above = _copy_outputs(func, inputs)
        with torch.no_grad():
            target.copy_(original - step * eps)
        below = _copy_outputs(func, inputs)
    finally:
        with torch.no_grad():
            target.copy_(original)
    for first, second in zip(above, below):
        if first.dtype != second.dtype or first.shape != second.shape:
            raise AssertionError("Expected outputs of perturbed calls to have the same dtype and shape")
    return [(first - second) / (2 * eps) for first, second in zip(above, below)]


def _make_perturbable(inputs, masked=False):
    """Returns the inputs, whose memory is changed in place: a module's parameters may be among them.

    Sparse inputs become separate leaves, which store all elements unless masked.
    """

    def make_leaf(value):
        if not isinstance(value, torch.Tensor) or not value.requires_grad or value.layout is torch.strided:
            return value
        value = value.detach()
        if not masked:
            return _store_all_elements(value).requires_grad_()
        return (value.clone().coalesce() if value.is_sparse else value.clone()).requires_grad_()

    return [make_leaf(value) for value in inputs]


def _yield_unit_steps(target):
    """Yields a step for each element in memory; for complex ones, along the real and the imaginary axis."""
    target = stored_elements_of(target)
    for index in range(target.numel()):
        for unit in (1, 1j) if target.is_complex() else (1,):
            step = torch.zeros_like(target, memory_format=torch.contiguous_format).reshape(-1)
            step[index] = unit
            yield index, unit, step.view(target.shape)


def _split_real_and_imaginary(output):
    """Splits a complex output into two real functions."""
    return [("real", output.real), ("imaginary", output.imag)] if output.is_complex() else [("", output)]


def _compute_numerical(func, inputs, target, eps, output_index, part):
    """Returns the Jacobian of one real function by one input: (input numel, output numel)."""
    rows = {}
    for index, unit, step in _yield_unit_steps(target):
        changed = _central_difference(func, inputs, target, step, eps)[output_index]
        changed = dict(_split_real_and_imaginary(changed))[part].reshape(-1)
        rows[index] = rows.get(index, 0) + changed * unit
    if not rows:
        return None
    stored = torch.stack([rows[index] for index in range(len(rows))])
    if target.layout is torch.strided:
        return stored
    return stored.new_zeros((target.numel(), stored.size(1))).index_copy(0, _list_positions(target), stored)


def _compute_grads(output, targets, cotangent):
    return torch.autograd.grad(output, targets, cotangent, retain_graph=True, allow_unused=True)


def _compute_analytical(output, targets, part, check_grad_dtypes, nondet_tol):
    """Returns the Jacobians by all inputs, from one backward per element of the output."""
    unit = 1j if part == "imaginary" else 1
    columns = [[] for _ in targets]
    for index in range(output.numel()):
        cotangent = torch.zeros_like(output, memory_format=torch.contiguous_format).reshape(-1)
        cotangent[index] = unit
        cotangent = cotangent.view(output.shape)
        first, second = (_compute_grads(output, targets, cotangent) for _ in range(2))
        for which, (grad, again, target) in enumerate(zip(first, second, targets)):
            if grad is None:
                grad = again = torch.zeros(target.shape, dtype=target.dtype, device=target.device)
            grad, again = _to_dense(grad), _to_dense(again)
            if grad.shape != target.shape:
                raise GradcheckError("Analytical gradient has incorrect size")
            if check_grad_dtypes and grad.dtype != target.dtype:
                raise GradcheckError("Gradient has dtype mismatch")
            if grad.numel() and (grad - again).abs().max() > nondet_tol:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient.The tolerance for "
                    f"nondeterminism was {nondet_tol}." + _NONDETERMINISM
                )
            columns[which].append(grad.detach().reshape(-1))
    return [torch.stack(grads, -1) if grads else None for grads in columns]


def _is_close(analytical, numerical, rtol, atol) -> bool:
    common = torch.promote_types(analytical.dtype, numerical.dtype)
    return torch.allclose(analytical.to(common), numerical.to(common), rtol, atol, equal_nan=False)


def _describe_mismatch(analytical, numerical, output_index, input_index, part):
    prefix = f"While considering the {part} part of complex outputs only, " if part else ""
    return GradcheckError(
        f"{prefix}Jacobian mismatch for output {output_index:d} with respect to input {input_index:d},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
    )


def _check_slow(func, inputs, options) -> None:
    targets = _differentiable_inputs(inputs)
    movable = _make_perturbable(inputs, options["masked"])
    outputs = as_tuple(func(*inputs))
    number = 0
    for output_index, output in enumerate(outputs):
        if not output.requires_grad:
            continue
        for part, _ in _split_real_and_imaginary(output):
            analytical = _compute_analytical(output, targets, part, options["check_grad_dtypes"], options["nondet_tol"])
            for input_index, target in enumerate(_differentiable_inputs(movable)):
                numerical = _compute_numerical(func, movable, target, options["eps"], output_index, part)
                if numerical is None or analytical[input_index] is None:
                    continue
                if not _is_close(analytical[input_index], numerical, options["rtol"], options["atol"]):
                    raise _describe_mismatch(analytical[input_index], numerical, number, input_index, part)
        number += 1


def _random_unit_vector(like, generator):
    values = torch.rand(like.shape, dtype=torch.double, generator=generator)
    if like.is_complex():
        values = torch.complex(values, torch.rand(like.shape, dtype=torch.double, generator=generator))
    return (values / values.norm()).to(like.dtype) if values.numel() else values.to(like.dtype)


def _check_fast(func, inputs, options) -> None:
    """Computes v' J u along random u and v, for each pair of an input and an output."""
    generator = torch.Generator().manual_seed(2**31 - 1)
    targets = _differentiable_inputs(inputs)
    movable = _make_perturbable(inputs, masked=True)  # only along stored elements, as torch does
    outputs = as_tuple(func(*inputs))
    number = 0
    for output_index, output in enumerate(outputs):
        if not output.requires_grad:
            continue
        v = _random_unit_vector(output, generator)
        grads = _compute_grads(output, targets, v)
        for input_index, (grad, target) in enumerate(zip(grads, _differentiable_inputs(movable))):
            u = _random_unit_vector(stored_elements_of(target), generator)
            changed = _central_difference(func, movable, target, u, options["eps"])[output_index]
            # Returns the real inner products of both sides.
            numerical = (changed * v.conj()).real.sum()
            if target.layout is not torch.strided:
                u = _Sparse(target.detach()).make_tensor_from(u).to_dense()
                grad = None if grad is None else _to_dense(grad)
            analytical = torch.zeros_like(numerical) if grad is None else (grad * u.conj()).real.sum()
            if not _is_close(analytical, numerical, options["rtol"], options["atol"]):
                raise _describe_mismatch(analytical, numerical, number, input_index, "")
        number += 1


def _check_zero_numerical(func, inputs, eps) -> None:
    for target in _differentiable_inputs(inputs):
        for _, _, step in _yield_unit_steps(target):
            if any(changed.ne(0).any() for changed in _central_difference(func, inputs, target, step, eps)):
                raise GradcheckError("Numerical gradient for function expected to be zero")


def _check_scales_with_grad_output(outputs, inputs) -> None:
    targets = _differentiable_inputs(inputs)
    zeros = [torch.zeros_like(output, memory_format=torch.contiguous_format) for output in outputs]
    for grad, target in zip(torch.autograd.grad(outputs, targets, zeros, allow_unused=True), targets):
        if grad is None:
            continue
        grad = _to_dense(grad)
        if not grad.eq(0).all():
            raise GradcheckError("backward not multiplied by grad_output")
        for attribute, text in (("dtype", "type"), ("device", "device"), ("shape", "size")):
            if getattr(grad, attribute) != getattr(target, attribute):
                raise GradcheckError(f"grad is incorrect {text}")


class _UndefinedGrad(Function):
    """Returns a value unchanged, with no gradient."""

    @staticmethod
    def forward(ctx, value):
        return value.view_as(value)

    @staticmethod
    def backward(ctx, grad):
        return None


def _check_undefined(func, inputs) -> None:
    targets = _differentiable_inputs(inputs)
    count = len(select_differentiable_outputs(func(*inputs)))
    choices = [range(count)] + ([[index] for index in range(count)] if count > 1 else [])
    for undefined in choices:
        outputs = [
            _UndefinedGrad.apply(output) if index in undefined else output
            for index, output in enumerate(select_differentiable_outputs(func(*inputs)))
        ]
        zeros = [torch.zeros_like(output, memory_format=torch.contiguous_format) for output in outputs]
        notes = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
        try:
            grads = torch.autograd.grad(outputs, targets, zeros, allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError(f"Expected backward function to handle undefined output grads. {notes}") from error
        if any(grad is not None and not _to_dense(grad).eq(0).all() for grad in grads):
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. " + notes
            )


def _check_batched(outputs, inputs) -> None:
    """Compares gradients of a batch of incoming gradients with those of one at a time."""
    targets = _differentiable_inputs(inputs)
    for output_index, output in enumerate(outputs):
        rows = [torch.randn_like(output) for _ in range(2)]
        expected = [torch.autograd.grad(output, targets, row, retain_graph=True, allow_unused=True) for row in rows]
        found = torch.autograd.grad(
            output, targets, torch.stack(rows), retain_graph=True, allow_unused=True, is_grads_batched=True
        )
        for input_index, (batch, *single) in enumerate(zip(found, *expected)):
            if batch is not None and not torch.allclose(batch, torch.stack(single)):
                raise GradcheckError(
                    f"For output {output_index} and input {input_index}: got {batch}, expected {torch.stack(single)}"
                )


def run_checks(func, inputs, *, check_undefined_grad, check_batched_grad, fast_mode, **options) -> bool:
    outputs = select_differentiable_outputs(func(*inputs))
    check_outputs(outputs)
    if not outputs:
        _check_zero_numerical(func, _make_perturbable(inputs, options["masked"]), options["eps"])
        return True
    (_check_fast if fast_mode else _check_slow)(func, inputs, options)
    if check_batched_grad:
        _check_batched(outputs, inputs)
    _check_scales_with_grad_output(outputs, inputs)
    if check_undefined_grad:
        _check_undefined(func, inputs)
    return True
