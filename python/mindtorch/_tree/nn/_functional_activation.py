"""torch.nn.functional: activations and softmax."""

import warnings

from .. import _C
from .._root import torch
from ..overrides import has_torch_function_unary
from ._override import override

_nn = _C._nn


def _threshold(input, threshold, value, inplace=False):
    """`value` where the input is at most `threshold`, else the input."""
    if has_torch_function_unary(input):
        return override(_threshold, (input,), locals())
    return torch.threshold_(input, threshold, value) if inplace else torch.threshold(input, threshold, value)


threshold = _threshold


def relu(input, inplace=False):
    """max(0, x)."""
    if has_torch_function_unary(input):
        return override(relu, (input,), locals())
    return torch.relu_(input) if inplace else torch.relu(input)


def glu(input, dim=-1):
    """First half times the sigmoid of the second half, along `dim`."""
    if has_torch_function_unary(input):
        return override(glu, (input,), locals())
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _nn.glu(input, dim)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """The input clamped to [min_val, max_val]."""
    if has_torch_function_unary(input):
        return override(hardtanh, (input,), locals())
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _nn.hardtanh_(input, min_val, max_val) if inplace else _nn.hardtanh(input, min_val, max_val)


def relu6(input, inplace=False):
    """min(max(0, x), 6)."""
    if has_torch_function_unary(input):
        return override(relu6, (input,), locals())
    return _nn.relu6_(input) if inplace else _nn.relu6(input)


def elu(input, alpha=1.0, inplace=False):
    """x above zero, alpha * (exp(x) - 1) below."""
    if has_torch_function_unary(input):
        return override(elu, (input,), locals())
    return _nn.elu_(input, alpha) if inplace else _nn.elu(input, alpha)


def selu(input, inplace=False):
    """ELU with the constants of self-normalising networks (Klambauer et al. 2017)."""
    if has_torch_function_unary(input):
        return override(selu, (input,), locals())
    return torch.selu_(input) if inplace else torch.selu(input)


def celu(input, alpha=1.0, inplace=False):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
    if has_torch_function_unary(input):
        return override(celu, (input,), locals())
    return torch.celu_(input, alpha) if inplace else torch.celu(input, alpha)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x above zero, negative_slope * x below."""
    if has_torch_function_unary(input):
        return override(leaky_relu, (input,), locals())
    return _nn.leaky_relu_(input, negative_slope) if inplace else _nn.leaky_relu(input, negative_slope)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """Leaky ReLU whose slope is drawn from [lower, upper] in training."""
    if has_torch_function_unary(input):
        return override(rrelu, (input,), locals())
    return torch.rrelu_(input, lower, upper, training) if inplace else torch.rrelu(input, lower, upper, training)


def tanhshrink(input):
    """x - tanh(x)."""
    if has_torch_function_unary(input):
        return override(tanhshrink, (input,), locals())
    return input - input.tanh()


def softsign(input):
    """x / (1 + |x|)."""
    if has_torch_function_unary(input):
        return override(softsign, (input,), locals())
    return input / (input.abs() + 1)


def _get_softmax_dim(name, ndim, stacklevel):
    """The dimension that softmax took before `dim` had to be given."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """softmax(-x)."""
    if has_torch_function_unary(input):
        return override(softmin, (input,), locals())
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(x) normalised to sum 1 along `dim`."""
    if has_torch_function_unary(input):
        return override(softmax, (input,), locals())
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A sample from the Gumbel-Softmax distribution; with `hard`, one-hot but differentiable as if soft."""
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


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """log(softmax(x)), computed stably."""
    if has_torch_function_unary(input):
        return override(log_softmax, (input,), locals())
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def tanh(input):
    """Hyperbolic tangent."""
    return input.tanh()


def sigmoid(input):
    """1 / (1 + exp(-x))."""
    return input.sigmoid()


def hardsigmoid(input, inplace=False):
    """The sigmoid by three line segments."""
    if has_torch_function_unary(input):
        return override(hardsigmoid, (input,), locals())
    return _nn.hardsigmoid_(input) if inplace else _nn.hardsigmoid(input)


def silu(input, inplace=False):
    """x * sigmoid(x)."""
    if has_torch_function_unary(input):
        return override(silu, (input,), locals())
    return _nn.silu_(input) if inplace else _nn.silu(input)


def mish(input, inplace=False):
    """x * tanh(softplus(x))."""
    if has_torch_function_unary(input):
        return override(mish, (input,), locals())
    return _nn.mish_(input) if inplace else _nn.mish(input)


def hardswish(input, inplace=False):
    """x * hardsigmoid(x)."""
    if has_torch_function_unary(input):
        return override(hardswish, (input,), locals())
    return _nn.hardswish_(input) if inplace else _nn.hardswish(input)
