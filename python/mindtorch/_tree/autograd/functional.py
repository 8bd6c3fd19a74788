"""Derivatives of functions, by reverse mode: vjp, jvp (by differentiating twice), jacobian, hessian, vhp, hvp."""

from .._root import torch

__all__ = ["vjp", "jvp", "jacobian", "hessian", "hvp", "vhp"]


def _as_tuple(value, arg_name=None, fn_name=None):
    """Returns (whether it was a tuple, tuple of tensors); without names, a tuple of any objects."""
    if arg_name is None and fn_name is None:
        return tuple(value) if isinstance(value, (list, tuple)) else (value,)
    is_tuple = isinstance(value, tuple)
    values = value if is_tuple else (value,)
    for index, entry in enumerate(values):
        if not isinstance(entry, torch.Tensor):
            which = f"the value at index {index}" if is_tuple else f"the given {arg_name}"
            raise TypeError(
                f"The {arg_name} given to {fn_name} must be either a Tensor or a tuple of Tensors but {which} has type "
                f"{type(entry)}."
            )
    return is_tuple, values


def _unpack(result, is_tuple):
    return result if is_tuple else result[0]


def _tuple_postprocess(res, to_unpack):
    """Restores the caller's form: removes the tuples that `to_unpack` marks as added, the outer and perhaps the inner
    ones."""
    outer, inner = to_unpack if isinstance(to_unpack, tuple) else (to_unpack, True)
    return _unpack(res if inner else tuple(part[0] for part in res), outer)


def _construct_standard_basis_for(tensors, tensor_numels):
    """Splits the columns of an identity matrix among the tensors, in each one's dtype and device."""
    total, start, parts = sum(tensor_numels), 0, []
    for tensor, count in zip(tensors, tensor_numels, strict=True):
        part = tensor.new_zeros(total, count)
        part.diagonal(-start).fill_(1)
        parts.append(part)
        start += count
    return tuple(parts)


def _grad_preprocess(inputs, create_graph, need_graph):
    """Prepares inputs for the function: as new leaves, or as views if the caller's graph continues."""

    def prepare_input(value):
        if create_graph and value.requires_grad:
            return value.clone() if value.is_sparse else value.view_as(value)
        return value.detach().requires_grad_(need_graph)

    return tuple(map(prepare_input, inputs))


def _grad_postprocess(results, create_graph):
    if create_graph:
        return results
    return tuple(
        value.detach() if isinstance(value, torch.Tensor) else _grad_postprocess(value, False) for value in results
    )


def _validate_v(v, other, is_other_tuple):
    if len(other) != len(v):
        if is_other_tuple:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(other)} but got {len(v)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for index, (mine, theirs) in enumerate(zip(v, other)):
        if mine.size() != theirs.size():
            prefix = f"Entry {index} in " if is_other_tuple else ""
            raise RuntimeError(f"{prefix}v has invalid size: should be {theirs.size()} but got {mine.size()}.")


_NOT_STRICT = " This is not allowed in strict mode"
_INDEPENDENT = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided function."
    + _NOT_STRICT
    + ".",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {} is independent of the input."
    + _NOT_STRICT
    + ". You should ensure that your function is twice differentiable and that the jacobian depends on the inputs "
    "(this would be violated by a linear function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {} is independent of the input."
    + _NOT_STRICT
    + ". You should ensure that your function is thrice differentiable and that the hessian depends on the inputs.",
}
_OUTPUT_INDEPENDENT = "The output of the user-provided function is independent of input {}." + _NOT_STRICT + "."
_MISSING = {
    "back": _OUTPUT_INDEPENDENT,
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using "
    "the double backward trick to compute forward mode gradients." + _NOT_STRICT + ".",
    "double_back": "The jacobian of the user-provided function is independent of input {}." + _NOT_STRICT + ".",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian."
    + _NOT_STRICT
    + " as it prevents from using the double backward trick to replace forward mode AD.",
}


def _check_requires_grad(values, kind, strict):
    for index, value in enumerate(values if strict else ()):
        if value is None:
            raise RuntimeError(_OUTPUT_INDEPENDENT.format(index))
        if not value.requires_grad:
            raise RuntimeError(_INDEPENDENT[kind].format(index))


def _autograd_grad(outputs, inputs, grad_outputs=None, **options):
    """As autograd.grad, with None for outputs that do not depend on the inputs."""
    grad_outputs = (None,) * len(outputs) if grad_outputs is None else grad_outputs
    pairs = [pair for pair in zip(outputs, grad_outputs) if pair[0] is not None and pair[0].requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    kept, given = zip(*pairs)
    return torch.autograd.grad(kept, inputs, given, allow_unused=True, **options)


def _fill_in_zeros(grads, refs, strict, create_graph, stage):
    filled = []
    for index, (grad, ref) in enumerate(zip(grads, refs)):
        if grad is None:
            if strict:
                raise RuntimeError(_MISSING[stage].format(index))
            grad = torch.zeros_like(ref)
        elif strict and create_graph and not grad.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {index}.{_NOT_STRICT} when "
                "create_graph=True."
            )
        filled.append(grad)
    return tuple(filled)


def _prepare_vector(v, like, is_like_tuple, fn_name, create_graph, missing):
    """Checks the vector to multiply by; None means 1 for a single element."""
    if v is not None:
        _, v = _as_tuple(v, "v", fn_name)
        v = _grad_preprocess(v, create_graph=create_graph, need_graph=False)
        _validate_v(v, like, is_like_tuple)
    elif len(like) != 1 or like[0].nelement() != 1:
        raise RuntimeError(f"The vector v can only be None if {missing} a single Tensor with a single element.")
    return v


_INPUT_IS = "the input to the user-provided function is"


def _call_and_check_outputs(func, inputs, fn_name, strict):
    is_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", fn_name)
    _check_requires_grad(outputs, "outputs", strict)
    return is_tuple, outputs


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Computes a function and the product of a vector with its Jacobian, ``v' J``, by one backward.

    Args:
        func (callable): takes tensors, returns a tensor or a tuple of them.
        inputs (Tensor or tuple of Tensor): where to differentiate; arguments of `func`.
        v (Tensor or tuple of Tensor, optional): the vector, shaped as the outputs; None means 1 for an
            output of one element. Default: ``None``.
        create_graph (bool): records the computation, so that results can be differentiated again.
            Default: ``False``.
        strict (bool): raises where a result does not depend on an input, instead of returning zeros.
            Default: ``False``.

    Returns:
        tuple: ``(outputs, product)``; the product is shaped as `inputs`.

    Raises:
        RuntimeError: when `v` does not fit, or nothing depends on an input in strict mode.
        TypeError: when inputs or outputs are no tensors.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.vjp(lambda x: x ** 2, x, torch.tensor([1.0, 10.0]))
        (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with torch.enable_grad():
        is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", "vjp")
        inputs = _grad_preprocess(inputs, create_graph=create_graph, need_graph=True)
        is_outputs_tuple, outputs = _call_and_check_outputs(func, inputs, "vjp", strict)
        v = _prepare_vector(v, outputs, is_outputs_tuple, "vjp", create_graph, "the user-provided function returns")
    with torch.set_grad_enabled(create_graph or torch.is_grad_enabled()):
        grads = _autograd_grad(outputs, inputs, v, create_graph=create_graph)
        product = _fill_in_zeros(grads, inputs, strict, create_graph, "back")
    outputs = _grad_postprocess(outputs, create_graph)
    return _unpack(outputs, is_outputs_tuple), _unpack(_grad_postprocess(product, create_graph), is_inputs_tuple)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Computes a function and the product of its Jacobian with a vector, ``J v``.

    It differentiates twice in reverse mode (the product ``u' J`` is linear in u, and its own gradient
    is J v); `torch.func.jvp` uses forward mode, which is cheaper.

    Args:
        func (callable): takes tensors, returns a tensor or a tuple of them.
        inputs (Tensor or tuple of Tensor): where to differentiate; arguments of `func`.
        v (Tensor or tuple of Tensor, optional): the vector, shaped as the inputs; None means 1 for an
            input of one element. Default: ``None``.
        create_graph (bool): records the computation, so that results can be differentiated again.
            Default: ``False``.
        strict (bool): raises where a result does not depend on an input, instead of returning zeros.
            Default: ``False``.

    Returns:
        tuple: ``(outputs, product)``; the product is shaped as the outputs.

    Raises:
        RuntimeError: when `v` does not fit, or nothing depends on an input in strict mode.
        TypeError: when inputs or outputs are no tensors.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.jvp(lambda x: x ** 2, x, torch.tensor([1.0, 10.0]))
        (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with torch.enable_grad():
        is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", "jvp")
        inputs = _grad_preprocess(inputs, create_graph=create_graph, need_graph=True)
        v = _prepare_vector(v, inputs, is_inputs_tuple, "jvp", create_graph, _INPUT_IS)
        is_outputs_tuple, outputs = _call_and_check_outputs(func, inputs, "jvp", strict)
        dummies = tuple(torch.zeros_like(output, requires_grad=True) for output in outputs)
        grad_inputs = _autograd_grad(outputs, inputs, dummies, create_graph=True)
        _check_requires_grad(grad_inputs, "grad_inputs", strict)
    with torch.set_grad_enabled(create_graph or torch.is_grad_enabled()):
        grads = _autograd_grad(grad_inputs, dummies, v, create_graph=create_graph)
        product = _fill_in_zeros(grads, outputs, strict, create_graph, "back_trick")
    outputs = _grad_postprocess(outputs, create_graph)
    return _unpack(outputs, is_outputs_tuple), _unpack(_grad_postprocess(product, create_graph), is_outputs_tuple)


def _compute_jacobian_by_rows(output, inputs, index, strict, create_graph):
    """Computes the Jacobian of one output with one backward for each of its elements."""
    rows = [[] for _ in inputs]
    for element in output.reshape(-1).unbind():
        grads = _autograd_grad((element,), inputs, retain_graph=True, create_graph=create_graph)
        for which, (grad, source) in enumerate(zip(grads, inputs)):
            if grad is None:
                if strict:
                    raise RuntimeError(
                        f"Output {index} of the user-provided function is independent of input {which}.{_NOT_STRICT}."
                    )
                grad = torch.zeros_like(source)
            elif strict and create_graph and not grad.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {index}.{_NOT_STRICT} when "
                    "create_graph=True."
                )
            rows[which].append(grad)
    return rows


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """Computes the Jacobian of a function.

    Reverse mode runs one backward per element of the outputs; forward mode one pass per element of the
    inputs, better where there are more outputs.

    Args:
        func (callable): takes tensors, returns a tensor or a tuple of them.
        inputs (Tensor or tuple of Tensor): where to differentiate; arguments of `func`.
        create_graph (bool): records the computation, so that results can be differentiated again.
            Default: ``False``.
        strict (bool): raises where a result does not depend on an input, instead of returning zeros.
            Default: ``False``.
        vectorize (bool): needed by forward mode; excludes `strict`. Default: ``False``.
        strategy (str): ``"reverse-mode"`` or ``"forward-mode"``. Default: ``"reverse-mode"``.

    Returns:
        Tensor or tuple: entry [i, j] has the shape of output i followed by that of input j; a plain
        tensor, or a tuple along one side, where the function has single outputs or inputs.

    Raises:
        RuntimeError: when nothing depends on an input in strict mode, or options exclude each other.
        NotImplementedError: when forward mode comes without `vectorize` or with `create_graph`.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.jacobian(lambda x: x ** 2, x)
        tensor([[2., 0.],
                [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not '
                'supported together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
            )
        if strict:
            raise RuntimeError(
                'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported '
                'together (yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
            )
        if not vectorize:
            raise NotImplementedError(
                "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
                "`vectorize=True`."
            )
        return _forward_jacobian(func, inputs)
    if vectorize and strict:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`."
        )
    with torch.enable_grad():
        is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _grad_preprocess(inputs, create_graph=create_graph, need_graph=True)
        is_outputs_tuple, outputs = _call_and_check_outputs(func, inputs, "jacobian", strict)
        blocks = []
        for index, output in enumerate(outputs):
            rows = _compute_jacobian_by_rows(output, inputs, index, strict, create_graph)
            blocks.append(
                tuple(
                    torch.stack(grads).view(output.size() + source.size()) for grads, source in zip(rows, inputs)
                )
            )
        blocks = _grad_postprocess(tuple(blocks), create_graph)
    return _unpack(tuple(_unpack(block, is_inputs_tuple) for block in blocks), is_outputs_tuple)


def _forward_jacobian(func, inputs):
    from ..func import jacfwd

    is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", "jacobian")
    is_outputs_tuple = False

    def outputs_of(*values):
        nonlocal is_outputs_tuple
        is_outputs_tuple, outputs = _as_tuple(func(*values), "outputs")
        return outputs

    blocks = jacfwd(outputs_of, argnums=tuple(range(len(inputs))))(*inputs)
    # The Jacobians keep their graph; as in torch, those with respect to several inputs are in lists.
    rows = [list(block) if is_inputs_tuple else block[0] for block in blocks]
    if not is_outputs_tuple:
        return rows[0]
    return rows if is_inputs_tuple else tuple(rows)


def hessian(
    func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"
):
    """Computes the Hessian of a function with one output element: the Jacobian of its gradient.

    Args:
        func (callable): takes tensors, returns a tensor of one element.
        inputs (Tensor or tuple of Tensor): where to differentiate; arguments of `func`.
        create_graph (bool): records the computation, so that results can be differentiated again.
            Default: ``False``.
        strict (bool): raises where a result does not depend on an input, instead of returning zeros.
            Default: ``False``.
        vectorize (bool): needed by forward mode; excludes `strict`. Default: ``False``.
        outer_jacobian_strategy (str): mode of the outer Jacobian, ``"reverse-mode"`` or
            ``"forward-mode"``. Default: ``"reverse-mode"``.

    Returns:
        Tensor or tuple of tuples: entry [i, j] has the shape of input i followed by that of input j.

    Raises:
        RuntimeError: when the output is not one element, or nothing depends on an input in strict mode.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), x)
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def single_output(*args):
        out = func(*args)
        is_tuple, outputs = _as_tuple(out, "outputs of the user-provided function", "hessian")
        _check_requires_grad(outputs, "outputs", strict)
        if is_tuple:
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if out.nelement() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        return out.squeeze()

    def compute_gradient(*args):
        if outer_jacobian_strategy == "forward-mode":  # below a transform, where tensors cannot become leaves
            return torch.func.grad(single_output, argnums=tuple(range(len(args))))(*args)
        result = jacobian(single_output, args, create_graph=True)
        _check_requires_grad(result, "jacobian", strict)
        return result

    is_forward = outer_jacobian_strategy == "forward-mode"
    if is_forward:  # as in torch, the result requires a gradient in any case
        inputs = tuple(source if source.requires_grad else source.detach().requires_grad_() for source in inputs)
    blocks = jacobian(
        compute_gradient,
        inputs,
        create_graph=create_graph,
        strict=strict,
        vectorize=vectorize,
        strategy=outer_jacobian_strategy,
    )
    if is_forward:
        blocks = [[part if part.requires_grad else part.requires_grad_() for part in row] for row in blocks]
    return blocks if is_inputs_tuple else blocks[0][0]


def _compute_gradient_for_hessian_product(func, inputs, v, create_graph, strict, fn_name):
    """The first steps of vhp and hvp: returns prepared inputs and v, outputs, and the gradient with its graph."""
    is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", fn_name)
    inputs = _grad_preprocess(inputs, create_graph=create_graph, need_graph=True)
    v = _prepare_vector(v, inputs, is_inputs_tuple, fn_name, create_graph, _INPUT_IS)
    is_outputs_tuple, outputs = _call_and_check_outputs(func, inputs, fn_name, strict)
    if is_outputs_tuple:
        raise RuntimeError(f"The function given to {fn_name} should return a single Tensor")
    if outputs[0].nelement() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {fn_name} should contain a single element"
        )
    gradient = _autograd_grad(outputs, inputs, create_graph=True)
    _check_requires_grad(gradient, "jacobian", strict)
    return is_inputs_tuple, inputs, v, outputs, gradient


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """Computes a function of one output element and the product of a vector with its Hessian, ``v' H``.

    Cheaper than `hvp`, and the same where the Hessian is symmetric.

    Args:
        func (callable): takes tensors, returns a tensor of one element.
        inputs (Tensor or tuple of Tensor): where to differentiate; arguments of `func`.
        v (Tensor or tuple of Tensor, optional): the vector, shaped as the inputs; None means 1 for an
            input of one element. Default: ``None``.
        create_graph (bool): records the computation, so that results can be differentiated again.
            Default: ``False``.
        strict (bool): raises where a result does not depend on an input, instead of returning zeros.
            Default: ``False``.

    Returns:
        tuple: ``(output, product)``; the product is shaped as `inputs`.

    Raises:
        RuntimeError: when the output is not one element or `v` does not fit.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), x, torch.ones(2))
        (tensor(9.), tensor([ 6., 12.]))
    """
    with torch.enable_grad():
        is_tuple, inputs, v, outputs, gradient = _compute_gradient_for_hessian_product(
            func, inputs, v, create_graph, strict, "vhp"
        )
    with torch.set_grad_enabled(create_graph or torch.is_grad_enabled()):
        grads = _autograd_grad(gradient, inputs, v, create_graph=create_graph)
        product = _fill_in_zeros(grads, inputs, strict, create_graph, "double_back")
    return _grad_postprocess(outputs, create_graph)[0], _unpack(_grad_postprocess(product, create_graph), is_tuple)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Computes a function of one output element and the product of its Hessian with a vector, ``H v``.

    Args:
        func (callable): takes tensors, returns a tensor of one element.
        inputs (Tensor or tuple of Tensor): where to differentiate; arguments of `func`.
        v (Tensor or tuple of Tensor, optional): the vector, shaped as the inputs; None means 1 for an
            input of one element. Default: ``None``.
        create_graph (bool): records the computation, so that results can be differentiated again.
            Default: ``False``.
        strict (bool): raises where a result does not depend on an input, instead of returning zeros.
            Default: ``False``.

    Returns:
        tuple: ``(output, product)``; the product is shaped as `inputs`.

    Raises:
        RuntimeError: when the output is not one element or `v` does not fit.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), x, torch.ones(2))
        (tensor(9.), tensor([ 6., 12.]))
    """
    with torch.enable_grad():
        is_tuple, inputs, v, outputs, gradient = _compute_gradient_for_hessian_product(
            func, inputs, v, create_graph, strict, "hvp"
        )
        dummies = tuple(torch.zeros_like(source, requires_grad=True) for source in inputs)
        twice = _autograd_grad(gradient, inputs, dummies, create_graph=True)
        _check_requires_grad(gradient, "hessian", strict)
    with torch.set_grad_enabled(create_graph or torch.is_grad_enabled()):
        grads = _autograd_grad(twice, dummies, v, create_graph=create_graph)
        product = _fill_in_zeros(grads, inputs, strict, create_graph, "double_back_trick")
    return _grad_postprocess(outputs, create_graph)[0], _unpack(_grad_postprocess(product, create_graph), is_tuple)
