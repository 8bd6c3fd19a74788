"""torch.nn.functional: activations and softmax."""

import warnings

from .. import _C
from .._root import torch
from ..overrides import has_torch_function_unary
from .._override import override

_nn = _C._nn


def _threshold(input: torch.Tensor, threshold: float, value: float, inplace: bool = False) -> torch.Tensor:
    """Replaces values at or below a threshold: ``y = x if x > threshold else value``.

    A NaN stays NaN.

    Args:
        input (Tensor): the values.
        threshold (float): values above it pass unchanged.
        value (float): what all others become.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.threshold(torch.tensor([0.2, 0.5, 0.9]), 0.5, -1.0)
        tensor([-1.0000, -1.0000,  0.9000])
    """
    if has_torch_function_unary(input):
        return override(_threshold, (input,), locals())
    return torch.threshold_(input, threshold, value) if inplace else torch.threshold(input, threshold, value)


threshold = _threshold


def relu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """Sets negative values to zero: ``y = max(0, x)``.

    The gradient at zero is zero. NaN stays NaN.

    Args:
        input (Tensor): the values.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.relu(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([0., 0., 3.])
    """
    if has_torch_function_unary(input):
        return override(relu, (input,), locals())
    return torch.relu_(input) if inplace else torch.relu(input)


def glu(input: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Multiplies the first half of the input by the sigmoid of the second (Dauphin et al. 2016).

    Args:
        input (Tensor): the values.
        dim (int): the dimension that is halved, of even size. Default: ``-1``.

    Returns:
        Tensor: of half the size at `dim`.

    Example:
        >>> F.glu(torch.tensor([[2.0, 4.0, 0.0, 100.0]]))
        tensor([[1., 4.]])
    """
    if has_torch_function_unary(input):
        return override(glu, (input,), locals())
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _nn.glu(input, dim)


def hardtanh(input: torch.Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> torch.Tensor:
    """Clamps values to an interval: ``y = min(max(x, min_val), max_val)``.

    Args:
        input (Tensor): the values.
        min_val (float): lower end. Default: ``-1.0``.
        max_val (float): upper end. Default: ``1.0``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.hardtanh(torch.tensor([-2.0, 0.0, 3.0]), -1.5, 2.0)
        tensor([-1.5000,  0.0000,  2.0000])
    """
    if has_torch_function_unary(input):
        return override(hardtanh, (input,), locals())
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _nn.hardtanh_(input, min_val, max_val) if inplace else _nn.hardtanh(input, min_val, max_val)


def relu6(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """Clamps values to the interval from 0 to 6: ``y = min(max(0, x), 6)``.

    Args:
        input (Tensor): the values.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.relu6(torch.tensor([-2.0, 3.0, 8.0]))
        tensor([0., 3., 6.])
    """
    if has_torch_function_unary(input):
        return override(relu6, (input,), locals())
    return _nn.relu6_(input) if inplace else _nn.relu6(input)


def elu(input: torch.Tensor, alpha: float = 1.0, inplace: bool = False) -> torch.Tensor:
    """Lets negative values saturate: ``y = x`` above zero, ``alpha * (exp(x) - 1)`` below.

    Clevert et al. 2015, eq. 15.

    Args:
        input (Tensor): the values.
        alpha (float): minus the limit at minus infinity. Default: ``1.0``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.elu(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-0.8647,  0.0000,  3.0000])
    """
    if has_torch_function_unary(input):
        return override(elu, (input,), locals())
    return _nn.elu_(input, alpha) if inplace else _nn.elu(input, alpha)


def selu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """Applies a scaled ELU that keeps mean 0 and variance 1 (Klambauer et al. 2017, eq. 2).

    ``y = scale * (max(0, x) + min(0, alpha * (exp(x) - 1)))`` with ``scale`` =
    1.0507009873554805 and ``alpha`` = 1.6732632423543772.

    Args:
        input (Tensor): the values.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.selu(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-1.5202,  0.0000,  3.1521])
    """
    if has_torch_function_unary(input):
        return override(selu, (input,), locals())
    return torch.selu_(input) if inplace else torch.selu(input)


def celu(input: torch.Tensor, alpha: float = 1.0, inplace: bool = False) -> torch.Tensor:
    """Applies an ELU with a continuous derivative (Barron 2017, eq. 2).

    ``y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``.

    Args:
        input (Tensor): the values.
        alpha (float): minus the limit at minus infinity, not zero. Default: ``1.0``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.celu(torch.tensor([-2.0, 0.0, 3.0]), alpha=2.0)
        tensor([-1.2642,  0.0000,  3.0000])
    """
    if has_torch_function_unary(input):
        return override(celu, (input,), locals())
    return torch.celu_(input, alpha) if inplace else torch.celu(input, alpha)


def leaky_relu(input: torch.Tensor, negative_slope: float = 0.01, inplace: bool = False) -> torch.Tensor:
    """Multiplies negative values by a slope: ``y = x`` above zero, ``negative_slope * x`` below.

    Args:
        input (Tensor): the values.
        negative_slope (float): the slope. Default: ``0.01``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.leaky_relu(torch.tensor([-2.0, 0.0, 3.0]), 0.1)
        tensor([-0.2000,  0.0000,  3.0000])
    """
    if has_torch_function_unary(input):
        return override(leaky_relu, (input,), locals())
    return _nn.leaky_relu_(input, negative_slope) if inplace else _nn.leaky_relu(input, negative_slope)


def rrelu(
    input: torch.Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> torch.Tensor:
    """Multiplies negative values by a slope drawn at random in training (Xu et al. 2015, section 2.4).

    Args:
        input (Tensor): the values.
        lower (float): smallest slope. Default: ``1/8``.
        upper (float): largest slope. Default: ``1/3``.
        training (bool): whether slopes are drawn, one per element; else they are
            ``(lower + upper) / 2``. Default: ``False``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.rrelu(torch.tensor([-2.0, 0.0, 3.0]), 0.1, 0.3)
        tensor([-0.4000,  0.0000,  3.0000])
    """
    if has_torch_function_unary(input):
        return override(rrelu, (input,), locals())
    return torch.rrelu_(input, lower, upper, training) if inplace else torch.rrelu(input, lower, upper, training)


def tanhshrink(input):
    """Subtracts the hyperbolic tangent: ``y = x - tanh(x)``.

    Args:
        input (Tensor): the values.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.tanhshrink(torch.tensor([-20.0, 0.0, 20.0]))
        tensor([-19.,   0.,  19.])
    """
    if has_torch_function_unary(input):
        return override(tanhshrink, (input,), locals())
    return input - input.tanh()


def softsign(input):
    """Maps values to the interval from -1 to 1: ``y = x / (1 + |x|)``.

    Args:
        input (Tensor): the values.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.softsign(torch.tensor([-3.0, 0.0, 1.0]))
        tensor([-0.7500,  0.0000,  0.5000])
    """
    if has_torch_function_unary(input):
        return override(softsign, (input,), locals())
    return input / (input.abs() + 1)


def _get_softmax_dim(name, ndim, stacklevel):
    """Returns the dimension that softmax used before `dim` was required."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmin(
    input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None
) -> torch.Tensor:
    """Normalises ``exp(-x)`` to sum 1 along a dimension: the softmax of ``-x``.

    Args:
        input (Tensor): the values.
        dim (int, optional): the dimension along which values are normalised. ``None`` is
            deprecated: it warns and takes dimension 0 of 0, 1 or 3 dimensions, else 1. Default:
            ``None``.
        _stacklevel (int): to which caller that warning points. Default: ``3``.
        dtype (torch.dtype, optional): dtype to which the input is cast first. Default: ``None``.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.softmin(torch.tensor([0.0, 0.0, 1000.0]), dim=0)
        tensor([0.5000, 0.5000, 0.0000])
    """
    if has_torch_function_unary(input):
        return override(softmin, (input,), locals())
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


def softmax(
    input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None
) -> torch.Tensor:
    """Normalises ``exp(x)`` to sum 1 along a dimension: ``y_i = exp(x_i) / sum_j exp(x_j)``.

    The largest value is subtracted first, so that `exp` does not overflow. A slice that is all
    minus infinity gives NaN.

    Args:
        input (Tensor): the values.
        dim (int, optional): the dimension along which values are normalised. ``None`` is
            deprecated: it warns and takes dimension 0 of 0, 1 or 3 dimensions, else 1. Default:
            ``None``.
        _stacklevel (int): to which caller that warning points. Default: ``3``.
        dtype (torch.dtype, optional): dtype to which the input is cast first. Default: ``None``.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.softmax(torch.tensor([[0.0, 0.0], [1000.0, 0.0]]), dim=1)
        tensor([[0.5000, 0.5000],
                [1.0000, 0.0000]])
    """
    if has_torch_function_unary(input):
        return override(softmax, (input,), locals())
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def gumbel_softmax(
    logits: torch.Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> torch.Tensor:
    """Draws a sample from the Gumbel-Softmax distribution (Jang et al. 2016; Maddison et al. 2016).

    ``y = softmax((logits + g) / tau)`` with `g` from the standard Gumbel distribution,
    differentiable by the logits. With `hard` the result is one-hot, and its gradient that of
    the soft sample.

    Args:
        logits (Tensor): log probabilities, need not be normalised.
        tau (float): temperature; the nearer to zero, the nearer to one-hot. Default: ``1``.
        hard (bool): whether the sample is made one-hot. Default: ``False``.
        eps (float): deprecated, has no effect. Default: ``1e-10``.
        dim (int): the dimension of the classes. Default: ``-1``.

    Returns:
        Tensor: of the shape of `logits`; sums to one along `dim`.

    Example:
        >>> sample = F.gumbel_softmax(torch.zeros(5, 4), hard=True)
        >>> sample.sum(1)
        tensor([1., 1., 1., 1., 1.])
    """
    if has_torch_function_unary(logits):
        return override(gumbel_softmax, (logits,), locals())
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    layout = torch.legacy_contiguous_format
    noise = -torch.empty_like(logits, memory_format=layout).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    chosen = soft.max(dim, keepdim=True)[1]
    one_hot = torch.zeros_like(logits, memory_format=layout).scatter_(dim, chosen, 1.0)
    return one_hot - soft.detach() + soft


def log_softmax(
    input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None
) -> torch.Tensor:
    """Computes the logarithm of the softmax: ``y_i = x_i - log(sum_j exp(x_j))``.

    Faster and more precise than the two steps one after the other.

    Args:
        input (Tensor): the values.
        dim (int, optional): the dimension along which values are normalised. ``None`` is
            deprecated: it warns and takes dimension 0 of 0, 1 or 3 dimensions, else 1. Default:
            ``None``.
        _stacklevel (int): to which caller that warning points. Default: ``3``.
        dtype (torch.dtype, optional): dtype to which the input is cast first. Default: ``None``.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.log_softmax(torch.tensor([0.0, 0.0]), dim=0)
        tensor([-0.6931, -0.6931])
    """
    if has_torch_function_unary(input):
        return override(log_softmax, (input,), locals())
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def tanh(input):
    """Applies the hyperbolic tangent: ``input.tanh()``.

    Args:
        input (Tensor): the values.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.tanh(torch.tensor([-20.0, 0.0, 20.0]))
        tensor([-1.,  0.,  1.])
    """
    return input.tanh()


def sigmoid(input):
    """Maps values to the interval from 0 to 1: ``y = 1 / (1 + exp(-x))``.

    Args:
        input (Tensor): the values.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.sigmoid(torch.tensor([0.0, 100.0]))
        tensor([0.5000, 1.0000])
    """
    return input.sigmoid()


def hardsigmoid(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """Approximates the sigmoid by three line segments: ``y = min(max(x / 6 + 1 / 2, 0), 1)``.

    Args:
        input (Tensor): the values.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.hardsigmoid(torch.tensor([-4.0, 0.0, 1.5, 4.0]))
        tensor([0.0000, 0.5000, 0.7500, 1.0000])
    """
    if has_torch_function_unary(input):
        return override(hardsigmoid, (input,), locals())
    return _nn.hardsigmoid_(input) if inplace else _nn.hardsigmoid(input)


def silu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """Multiplies values by their sigmoid: ``y = x * sigmoid(x)`` (Elfwing et al. 2017).

    Args:
        input (Tensor): the values.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.silu(torch.tensor([0.0, 20.0]))
        tensor([ 0., 20.])
    """
    if has_torch_function_unary(input):
        return override(silu, (input,), locals())
    return _nn.silu_(input) if inplace else _nn.silu(input)


def mish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """Computes ``y = x * tanh(softplus(x))`` (Misra 2019).

    Args:
        input (Tensor): the values.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.mish(torch.tensor([0.0, 30.0]))
        tensor([ 0., 30.])
    """
    if has_torch_function_unary(input):
        return override(mish, (input,), locals())
    return _nn.mish_(input) if inplace else _nn.mish(input)


def hardswish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """Multiplies values by a piecewise linear sigmoid: ``y = x * min(max(x + 3, 0), 6) / 6``.

    Howard et al. 2019, section 5.2.

    Args:
        input (Tensor): the values.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Returns:
        Tensor: of the shape of `input`; `input` itself with `inplace`.

    Example:
        >>> F.hardswish(torch.tensor([-4.0, 1.0, 4.0]))
        tensor([-0.0000,  0.6667,  4.0000])
    """
    if has_torch_function_unary(input):
        return override(hardswish, (input,), locals())
    return _nn.hardswish_(input) if inplace else _nn.hardswish(input)
