"""torch.nn.functional: pooling, unpooling, and patches (fold, unfold)."""

from .. import _C
from .._root import torch
from ..overrides import has_torch_function_unary, has_torch_function_variadic
from ._override import override
from .modules.utils import _list_with_default, _pair, _single, _triple

_nn = _C._nn


def _with_optional_indices(name, position, with_indices, values_only):
    """The public pooling function, which returns (values, indices) where `return_indices` is set."""

    def pool(*args, **kwargs):
        wanted = kwargs.get("return_indices", args[position] if position < len(args) else False)
        return with_indices(*args, **kwargs) if wanted else values_only(*args, **kwargs)

    pool.__doc__ = with_indices.__doc__
    pool.__name__ = pool.__qualname__ = name
    pool._declaration = values_only
    return pool


def _random_pooling_regions(input, spatial, samples):
    if samples is not None:
        return samples
    batch = 1 if input.dim() == spatial + 1 else input.size(0)
    return torch.rand(batch, input.size(-spatial - 1), spatial, dtype=input.dtype, device=input.device)


def fractional_max_pool2d_with_indices(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """Max pooling over pseudo-random regions (Graham 2014); returns (values, indices)."""
    if has_torch_function_variadic(input, _random_samples):
        return override(fractional_max_pool2d_with_indices, (input, _random_samples), locals())
    if output_size is None:
        if output_ratio is None:
            raise ValueError("fractional_max_pool2d requires specifying either an output_size or an output_ratio")
        if len(output_ratio) > 2:
            raise ValueError("fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints.")
        ratio = _pair(output_ratio)
        output_size = [int(input.size(d - 2) * ratio[d]) for d in range(2)]
    return _nn.fractional_max_pool2d(
        input, kernel_size, output_size, _random_pooling_regions(input, 2, _random_samples)
    )


def _fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    if has_torch_function_variadic(input, _random_samples):
        return override(fractional_max_pool2d, (input, _random_samples), locals())
    return fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


fractional_max_pool2d = _with_optional_indices(
    "fractional_max_pool2d", 4, fractional_max_pool2d_with_indices, _fractional_max_pool2d
)


def fractional_max_pool3d_with_indices(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """Max pooling over pseudo-random regions in three dimensions; returns (values, indices)."""
    if has_torch_function_variadic(input, _random_samples):
        return override(fractional_max_pool3d_with_indices, (input, _random_samples), locals())
    if output_size is None:
        if output_ratio is None:
            raise ValueError("fractional_max_pool3d requires specifying either an output_size or an output_ratio")
        ratio = _triple(output_ratio)
        output_size = [int(input.size(d - 3) * ratio[d]) for d in range(3)]
    return _nn.fractional_max_pool3d(
        input, kernel_size, output_size, _random_pooling_regions(input, 3, _random_samples)
    )


def _fractional_max_pool3d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    if has_torch_function_variadic(input, _random_samples):
        return override(fractional_max_pool3d, (input, _random_samples), locals())
    return fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


fractional_max_pool3d = _with_optional_indices(
    "fractional_max_pool3d", 4, fractional_max_pool3d_with_indices, _fractional_max_pool3d
)


def max_pool1d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """Largest value per window, and where it was."""
    if has_torch_function_unary(input):
        return override(max_pool1d_with_indices, (input,), locals())
    stride = [] if stride is None else stride
    return torch.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    if has_torch_function_unary(input):
        return override(max_pool1d, (input,), locals())
    stride = [] if stride is None else stride
    return torch.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


max_pool1d = _with_optional_indices("max_pool1d", 6, max_pool1d_with_indices, _max_pool1d)


def max_pool2d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """Largest value per window, and where it was."""
    if has_torch_function_unary(input):
        return override(max_pool2d_with_indices, (input,), locals())
    stride = [] if stride is None else stride
    return _nn.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    if has_torch_function_unary(input):
        return override(max_pool2d, (input,), locals())
    stride = [] if stride is None else stride
    return torch.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


max_pool2d = _with_optional_indices("max_pool2d", 6, max_pool2d_with_indices, _max_pool2d)


def max_pool3d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """Largest value per window, and where it was."""
    if has_torch_function_unary(input):
        return override(max_pool3d_with_indices, (input,), locals())
    input.is_cuda  # noqa: B018  torch asks it, so that what is no tensor fails here, in Python's words
    stride = [] if stride is None else stride
    return _nn.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    if has_torch_function_unary(input):
        return override(max_pool3d, (input,), locals())
    stride = [] if stride is None else stride
    return torch.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


max_pool3d = _with_optional_indices("max_pool3d", 6, max_pool3d_with_indices, _max_pool3d)


def _unpool_output_size(input, kernel_size, stride, padding, output_size):
    """The size that pooling had as input: the default, or `output_size` checked against it."""
    have, spatial = input.size(), len(kernel_size)
    default = [
        (have[d - spatial] - 1) * stride[d] + kernel_size[d] - 2 * padding[d] for d in range(spatial)
    ]
    if output_size is None:
        chosen = default
    else:
        if len(output_size) == spatial + 2:
            output_size = output_size[2:]
        if len(output_size) != spatial:
            raise ValueError(
                "output_size should be a sequence containing "
                f"{spatial} or {spatial + 2} elements, but it has a length of '{len(output_size)}'"
            )
        for d in range(spatial):
            low, high = default[d] - stride[d], default[d] + stride[d]
            if not low < output_size[d] < high:
                raise ValueError(f'invalid output_size "{output_size}" (dim {d} must be between {low} and {high})')
        chosen = output_size
    for d in range(spatial):
        if chosen[d] < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, "
                f"but got output_size[{d}]={chosen[d]}"
            )
    return chosen


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts values back where max pooling found them, zero elsewhere."""
    if has_torch_function_unary(input):
        return override(max_unpool1d, (input,), locals())
    kernel_size = _single(kernel_size)
    stride = kernel_size if stride is None else _single(stride)
    size = _unpool_output_size(input, kernel_size, stride, _single(padding), output_size)
    return _nn.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts values back where max pooling found them, zero elsewhere."""
    if has_torch_function_unary(input):
        return override(max_unpool2d, (input,), locals())
    kernel_size = _pair(kernel_size)
    stride = kernel_size if stride is None else _pair(stride)
    size = _unpool_output_size(input, kernel_size, stride, _pair(padding), output_size)
    return _nn.max_unpool2d(input, indices, size)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts values back where max pooling found them, zero elsewhere."""
    if has_torch_function_unary(input):
        return override(max_unpool3d, (input,), locals())
    kernel_size = _triple(kernel_size)
    stride = kernel_size if stride is None else _triple(stride)
    padding = _triple(padding)
    size = _unpool_output_size(input, kernel_size, stride, padding, output_size)
    return _nn.max_unpool3d(input, indices, size, stride, padding)


def _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, max_pool, avg_pool, window):
    """The p-norm over each window, from average pooling of powers; infinite p is max pooling."""
    if norm_type == float("inf"):
        return max_pool(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -float("inf"):
        return -max_pool(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    powers = input.pow(norm_type)
    if stride is None:
        mean = avg_pool(powers, kernel_size, padding=0, ceil_mode=ceil_mode)
    else:
        mean = avg_pool(powers, kernel_size, stride, 0, ceil_mode)
    return (torch.sign(mean) * torch.relu(torch.abs(mean))).mul(window).pow(1.0 / norm_type)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm over windows of a volume."""
    if has_torch_function_unary(input):
        return override(lp_pool3d, (input,), locals())
    depth, width, height = _triple(kernel_size)
    window = depth * width * height
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, max_pool3d, _nn.avg_pool3d, window)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm over windows of an image."""
    if has_torch_function_unary(input):
        return override(lp_pool2d, (input,), locals())
    width, height = _pair(kernel_size)
    window = width * height
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, max_pool2d, _nn.avg_pool2d, window)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm over windows of a signal."""
    if has_torch_function_unary(input):
        return override(lp_pool1d, (input,), locals())
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, max_pool1d, torch.avg_pool1d, kernel_size)


def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    """Max pooling to a given output size; returns (values, indices)."""
    if has_torch_function_unary(input):
        return override(adaptive_max_pool1d_with_indices, (input,), locals())
    return torch.adaptive_max_pool1d(input, output_size)


def _adaptive_max_pool1d(input, output_size, return_indices=False):
    if has_torch_function_unary(input):
        return override(adaptive_max_pool1d, (input,), locals())
    return adaptive_max_pool1d_with_indices(input, output_size)[0]


adaptive_max_pool1d = _with_optional_indices(
    "adaptive_max_pool1d", 2, adaptive_max_pool1d_with_indices, _adaptive_max_pool1d
)


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    """Max pooling to a given output size; returns (values, indices)."""
    if has_torch_function_unary(input):
        return override(adaptive_max_pool2d_with_indices, (input,), locals())
    return _nn.adaptive_max_pool2d(input, _list_with_default(output_size, input.size()))


def _adaptive_max_pool2d(input, output_size, return_indices=False):
    if has_torch_function_unary(input):
        return override(adaptive_max_pool2d, (input,), locals())
    return adaptive_max_pool2d_with_indices(input, output_size)[0]


adaptive_max_pool2d = _with_optional_indices(
    "adaptive_max_pool2d", 2, adaptive_max_pool2d_with_indices, _adaptive_max_pool2d
)


def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    """Max pooling to a given output size; returns (values, indices)."""
    if has_torch_function_unary(input):
        return override(adaptive_max_pool3d_with_indices, (input,), locals())
    return _nn.adaptive_max_pool3d(input, _list_with_default(output_size, input.size()))


def _adaptive_max_pool3d(input, output_size, return_indices=False):
    if has_torch_function_unary(input):
        return override(adaptive_max_pool3d, (input,), locals())
    return adaptive_max_pool3d_with_indices(input, output_size)[0]


adaptive_max_pool3d = _with_optional_indices(
    "adaptive_max_pool3d", 2, adaptive_max_pool3d_with_indices, _adaptive_max_pool3d
)


def adaptive_avg_pool2d(input, output_size):
    """Average pooling to a given output size; None keeps the input's."""
    if has_torch_function_unary(input):
        return override(adaptive_avg_pool2d, (input,), locals())
    return _nn.adaptive_avg_pool2d(input, _list_with_default(output_size, input.size()))


def adaptive_avg_pool3d(input, output_size):
    """Average pooling to a given output size; None keeps the input's."""
    if has_torch_function_unary(input):
        return override(adaptive_avg_pool3d, (input,), locals())
    return _nn.adaptive_avg_pool3d(input, _list_with_default(output_size, input.size()))


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Sliding patches of an image as columns."""
    if has_torch_function_unary(input):
        return override(unfold, (input,), locals())
    return _nn.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns summed back into an image: the adjoint of `unfold`."""
    if has_torch_function_unary(input):
        return override(fold, (input,), locals())
    return _nn.col2im(input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
