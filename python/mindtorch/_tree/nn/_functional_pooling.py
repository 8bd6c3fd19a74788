"""torch.nn.functional: pooling, unpooling, and patches (fold, unfold)."""

from .. import _C
from .._root import torch
from ..overrides import has_torch_function_unary, has_torch_function_variadic
from .._override import override
from .modules.utils import _list_with_default, _pair, _single, _triple

_nn = _C._nn


def _make_pooling_with_optional_indices(name, position, with_indices, values_only):
    """Makes the public pooling function, which returns (values, indices) if `return_indices` is set."""

    def pool_with_optional_indices(*args, **kwargs):
        if "return_indices" in kwargs:
            wanted = kwargs["return_indices"]
        else:
            wanted = position < len(args) and args[position]
        return with_indices(*args, **kwargs) if wanted else values_only(*args, **kwargs)

    pool_with_optional_indices.__doc__ = values_only.__doc__
    pool_with_optional_indices.__name__ = pool_with_optional_indices.__qualname__ = name
    pool_with_optional_indices._declaration = values_only
    return pool_with_optional_indices


def _random_pooling_regions(input, spatial, samples):
    if samples is not None:
        return samples
    batch = 1 if input.dim() == spatial + 1 else input.size(0)
    return torch.rand(batch, input.size(-spatial - 1), spatial, dtype=input.dtype, device=input.device)


def fractional_max_pool2d_with_indices(
    input: torch.Tensor,
    kernel_size: None,
    output_size: None = None,
    output_ratio: None = None,
    return_indices: bool = False,
    _random_samples: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes maximum and position over windows of an image at positions drawn at random.

    Windows overlap and follow the pseudo-random sequences of Graham 2014, "Fractional Max-Pooling".

    Args:
        input (Tensor): ``(N, C, H, W)`` or ``(C, H, W)``.
        kernel_size (int or tuple of two ints): size of the window.
        output_size (int or tuple of two ints, optional): the output's spatial size. Default:
            ``None``.
        output_ratio (tuple of two floats, optional): output size over input size, in place
            of `output_size`. Default: ``None``.
        return_indices (bool): has no effect, indices are always returned. Default: ``False``.
        _random_samples (Tensor, optional): ``(N, C, 2)`` numbers in ``[0, 1)`` that fix the
            positions. Default: ``None``, drawn.

    Returns:
        tuple of two Tensors: the maxima and their indices (int64).

    Raises:
        ValueError: when neither `output_size` nor `output_ratio` is given.

    Example:
        >>> x = torch.randn(2, 4, 8, 8)
        >>> F.fractional_max_pool2d_with_indices(x, 2, output_ratio=(0.5, 0.5))[1].shape
        torch.Size([2, 4, 4, 4])
    """
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
    input: torch.Tensor,
    kernel_size: None,
    output_size: None = None,
    output_ratio: None = None,
    return_indices: bool = False,
    _random_samples: torch.Tensor | None = None,
) -> torch.Tensor:
    """Takes the maximum over windows of an image at positions drawn at random.

    ``fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None,
    return_indices=False, _random_samples=None)``.

    Windows overlap and follow the pseudo-random sequences of Graham 2014, "Fractional Max-Pooling".

    Args:
        input (Tensor): ``(N, C, H, W)`` or ``(C, H, W)``.
        kernel_size (int or tuple of two ints): size of the window.
        output_size (int or tuple of two ints, optional): the output's spatial size. Default:
            ``None``.
        output_ratio (tuple of two floats, optional): output size over input size, in place
            of `output_size`. Default: ``None``.
        return_indices (bool): whether the position of each maximum is returned too. Default:
            ``False``.
        _random_samples (Tensor, optional): ``(N, C, 2)`` numbers in ``[0, 1)`` that fix the
            positions. Default: ``None``, drawn.

    Returns:
        Tensor: the maxima; with `return_indices` a pair of maxima and indices (int64).

    Raises:
        ValueError: when neither `output_size` nor `output_ratio` is given.

    Example:
        >>> F.fractional_max_pool2d(torch.randn(2, 4, 8, 8), 2, output_size=5).shape
        torch.Size([2, 4, 5, 5])
    """
    if has_torch_function_variadic(input, _random_samples):
        return override(fractional_max_pool2d, (input, _random_samples), locals())
    return fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


fractional_max_pool2d = _make_pooling_with_optional_indices(
    "fractional_max_pool2d", 4, fractional_max_pool2d_with_indices, _fractional_max_pool2d
)


def fractional_max_pool3d_with_indices(
    input: torch.Tensor,
    kernel_size: None,
    output_size: None = None,
    output_ratio: None = None,
    return_indices: bool = False,
    _random_samples: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes maximum and position over windows of a volume at positions drawn at random.

    Windows overlap and follow the pseudo-random sequences of Graham 2014, "Fractional Max-Pooling".

    Args:
        input (Tensor): ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        kernel_size (int or tuple of three ints): size of the window.
        output_size (int or tuple of three ints, optional): the output's spatial size. Default:
            ``None``.
        output_ratio (float or tuple of three floats, optional): output size over input size, in
            place of `output_size`. Default: ``None``.
        return_indices (bool): has no effect, indices are always returned. Default: ``False``.
        _random_samples (Tensor, optional): ``(N, C, 3)`` numbers in ``[0, 1)`` that fix the
            positions. Default: ``None``, drawn.

    Returns:
        tuple of two Tensors: the maxima and their indices (int64).

    Raises:
        ValueError: when neither `output_size` nor `output_ratio` is given.

    Example:
        >>> x = torch.randn(2, 4, 8, 8, 8)
        >>> F.fractional_max_pool3d_with_indices(x, 2, output_ratio=0.5)[1].shape
        torch.Size([2, 4, 4, 4, 4])
    """
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
    input: torch.Tensor,
    kernel_size: None,
    output_size: None = None,
    output_ratio: None = None,
    return_indices: bool = False,
    _random_samples: torch.Tensor | None = None,
) -> torch.Tensor:
    """Takes the maximum over windows of a volume at positions drawn at random.

    ``fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None,
    return_indices=False, _random_samples=None)``.

    Windows overlap and follow the pseudo-random sequences of Graham 2014, "Fractional Max-Pooling".

    Args:
        input (Tensor): ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        kernel_size (int or tuple of three ints): size of the window.
        output_size (int or tuple of three ints, optional): the output's spatial size. Default:
            ``None``.
        output_ratio (float or tuple of three floats, optional): output size over input size, in
            place of `output_size`. Default: ``None``.
        return_indices (bool): whether the position of each maximum is returned too. Default:
            ``False``.
        _random_samples (Tensor, optional): ``(N, C, 3)`` numbers in ``[0, 1)`` that fix the
            positions. Default: ``None``, drawn.

    Returns:
        Tensor: the maxima; with `return_indices` a pair of maxima and indices (int64).

    Raises:
        ValueError: when neither `output_size` nor `output_ratio` is given.

    Example:
        >>> F.fractional_max_pool3d(torch.randn(2, 4, 8, 8, 8), 2, output_size=5).shape
        torch.Size([2, 4, 5, 5, 5])
    """
    if has_torch_function_variadic(input, _random_samples):
        return override(fractional_max_pool3d, (input, _random_samples), locals())
    return fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


fractional_max_pool3d = _make_pooling_with_optional_indices(
    "fractional_max_pool3d", 4, fractional_max_pool3d_with_indices, _fractional_max_pool3d
)


def max_pool1d_with_indices(
    input: torch.Tensor,
    kernel_size: None,
    stride: None = None,
    padding: None = 0,
    dilation: None = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes the largest value of each window of a signal and its position.

    The padding counts as minus infinity; a NaN in a window wins. An index is a position in the
    flattened spatial dimensions. Output sizes are those of `MaxPool1d`.

    Args:
        input (Tensor): ``(N, C, L)`` or ``(C, L)``.
        kernel_size (int or tuple of one int): size of the window.
        stride (int or tuple of one int, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of one int): elements added at both ends, at most half of
            `kernel_size`. Default: ``0``.
        dilation (int or tuple of one int): distance between elements of a window. Default: ``1``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.
        return_indices (bool): has no effect, indices are always returned. Default: ``False``.

    Returns:
        tuple of two Tensors: the maxima and their indices (int64).

    Example:
        >>> F.max_pool1d_with_indices(torch.tensor([[1.0, 3.0, 2.0, 5.0]]), 2)
        (tensor([[3., 5.]]), tensor([[1, 3]]))
    """
    if has_torch_function_unary(input):
        return override(max_pool1d_with_indices, (input,), locals())
    stride = [] if stride is None else stride
    return torch.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool1d(
    input: torch.Tensor,
    kernel_size: None,
    stride: None = None,
    padding: None = 0,
    dilation: None = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> torch.Tensor:
    """Takes the largest value of each window of a signal, channel by channel.

    ``max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
    return_indices=False)``.

    The padding counts as minus infinity; a NaN in a window wins. An index is a position in the
    flattened spatial dimensions. Output sizes are those of `MaxPool1d`.

    Args:
        input (Tensor): ``(N, C, L)`` or ``(C, L)``.
        kernel_size (int or tuple of one int): size of the window.
        stride (int or tuple of one int, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of one int): elements added at both ends, at most half of
            `kernel_size`. Default: ``0``.
        dilation (int or tuple of one int): distance between elements of a window. Default: ``1``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.
        return_indices (bool): whether the position of each maximum is returned too. Default:
            ``False``.

    Returns:
        Tensor: the maxima; with `return_indices` a pair of maxima and indices (int64).

    Example:
        >>> F.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 5.0]]), 2)
        tensor([[3., 5.]])
        >>> F.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 5.0]]), 2, return_indices=True)[1]
        tensor([[1, 3]])
    """
    if has_torch_function_unary(input):
        return override(max_pool1d, (input,), locals())
    stride = [] if stride is None else stride
    return torch.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


max_pool1d = _make_pooling_with_optional_indices("max_pool1d", 6, max_pool1d_with_indices, _max_pool1d)


def max_pool2d_with_indices(
    input: torch.Tensor,
    kernel_size: None,
    stride: None = None,
    padding: None = 0,
    dilation: None = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes the largest value of each window of an image and its position.

    The padding counts as minus infinity; a NaN in a window wins. An index is a position in the
    flattened spatial dimensions. Output sizes are those of `MaxPool2d`.

    Args:
        input (Tensor): ``(N, C, H, W)`` or ``(C, H, W)``.
        kernel_size (int or tuple of two ints): size of the window.
        stride (int or tuple of two ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of two ints): elements added at both ends, at most half of
            `kernel_size`. Default: ``0``.
        dilation (int or tuple of two ints): distance between elements of a window. Default: ``1``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.
        return_indices (bool): has no effect, indices are always returned. Default: ``False``.

    Returns:
        tuple of two Tensors: the maxima and their indices (int64).

    Example:
        >>> F.max_pool2d_with_indices(torch.arange(16.0).view(1, 4, 4), 2)[1]
        tensor([[[ 5,  7],
                 [13, 15]]])
    """
    if has_torch_function_unary(input):
        return override(max_pool2d_with_indices, (input,), locals())
    stride = [] if stride is None else stride
    return _nn.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool2d(
    input: torch.Tensor,
    kernel_size: None,
    stride: None = None,
    padding: None = 0,
    dilation: None = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> torch.Tensor:
    """Takes the largest value of each window of an image, channel by channel.

    ``max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
    return_indices=False)``.

    The padding counts as minus infinity; a NaN in a window wins. An index is a position in the
    flattened spatial dimensions. Output sizes are those of `MaxPool2d`.

    Args:
        input (Tensor): ``(N, C, H, W)`` or ``(C, H, W)``.
        kernel_size (int or tuple of two ints): size of the window.
        stride (int or tuple of two ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of two ints): elements added at both ends, at most half of
            `kernel_size`. Default: ``0``.
        dilation (int or tuple of two ints): distance between elements of a window. Default: ``1``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.
        return_indices (bool): whether the position of each maximum is returned too. Default:
            ``False``.

    Returns:
        Tensor: the maxima; with `return_indices` a pair of maxima and indices (int64).

    Example:
        >>> F.max_pool2d(torch.arange(16.0).view(1, 4, 4), 2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])
    """
    if has_torch_function_unary(input):
        return override(max_pool2d, (input,), locals())
    stride = [] if stride is None else stride
    return torch.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


max_pool2d = _make_pooling_with_optional_indices("max_pool2d", 6, max_pool2d_with_indices, _max_pool2d)


def max_pool3d_with_indices(
    input: torch.Tensor,
    kernel_size: None,
    stride: None = None,
    padding: None = 0,
    dilation: None = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes the largest value of each window of a volume and its position.

    The padding counts as minus infinity; a NaN in a window wins. An index is a position in the
    flattened spatial dimensions. Output sizes are those of `MaxPool3d`.

    Args:
        input (Tensor): ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        kernel_size (int or tuple of three ints): size of the window.
        stride (int or tuple of three ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of three ints): elements added at both ends, at most half of
            `kernel_size`. Default: ``0``.
        dilation (int or tuple of three ints): distance between elements of a window. Default:
            ``1``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.
        return_indices (bool): has no effect, indices are always returned. Default: ``False``.

    Returns:
        tuple of two Tensors: the maxima and their indices (int64).

    Example:
        >>> F.max_pool3d_with_indices(torch.randn(2, 4, 8, 8, 8), 3, stride=2)[1].dtype
        torch.int64
    """
    if has_torch_function_unary(input):
        return override(max_pool3d_with_indices, (input,), locals())
    input.is_cuda  # noqa: B018  torch reads it, so that non-tensors fail here with Python's message
    stride = [] if stride is None else stride
    return _nn.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool3d(
    input: torch.Tensor,
    kernel_size: None,
    stride: None = None,
    padding: None = 0,
    dilation: None = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> torch.Tensor:
    """Takes the largest value of each window of a volume, channel by channel.

    ``max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
    return_indices=False)``.

    The padding counts as minus infinity; a NaN in a window wins. An index is a position in the
    flattened spatial dimensions. Output sizes are those of `MaxPool3d`.

    Args:
        input (Tensor): ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        kernel_size (int or tuple of three ints): size of the window.
        stride (int or tuple of three ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of three ints): elements added at both ends, at most half of
            `kernel_size`. Default: ``0``.
        dilation (int or tuple of three ints): distance between elements of a window. Default:
            ``1``.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.
        return_indices (bool): whether the position of each maximum is returned too. Default:
            ``False``.

    Returns:
        Tensor: the maxima; with `return_indices` a pair of maxima and indices (int64).

    Example:
        >>> F.max_pool3d(torch.randn(2, 4, 8, 8, 8), 3, stride=2).shape
        torch.Size([2, 4, 3, 3, 3])
    """
    if has_torch_function_unary(input):
        return override(max_pool3d, (input,), locals())
    stride = [] if stride is None else stride
    return torch.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


max_pool3d = _make_pooling_with_optional_indices("max_pool3d", 6, max_pool3d_with_indices, _max_pool3d)


def _unpool_output_size(input, kernel_size, stride, padding, output_size):
    """Returns the size of pooling's input: the default, or `output_size` after checking it."""
    have, spatial = input.size(), len(kernel_size)
    default = [(have[d - spatial] - 1) * stride[d] + kernel_size[d] - 2 * padding[d] for d in range(spatial)]
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


def max_unpool1d(
    input: torch.Tensor,
    indices: torch.Tensor,
    kernel_size: None,
    stride: None = None,
    padding: None = 0,
    output_size: None = None,
) -> torch.Tensor:
    """Puts maxima back where pooling of a signal found them; all other elements are zero.

    Args:
        input (Tensor): maxima, ``(N, C, L)`` or ``(C, L)``.
        indices (Tensor): their indices, as ``max_pool1d(..., return_indices=True)`` gave them,
            int64.
        kernel_size (int or tuple of one int): window of the pooling.
        stride (int or tuple of one int, optional): its step. Default: ``None``, as `kernel_size`.
        padding (int or tuple of one int): its padding. Default: ``0``.
        output_size (sequence of int, optional): size that the pooling had as input, where it
            rounded down. Default: ``None``,
            ``(size - 1) * stride - 2 * padding + kernel_size``.

    Returns:
        Tensor: of the spatial size that the pooling had as input.

    Raises:
        ValueError: when `output_size` is one that the pooling cannot have had.

    Example:
        >>> values, indices = F.max_pool1d(torch.tensor([[1.0, 2.0, 4.0, 3.0]]), 2, return_indices=True)
        >>> F.max_unpool1d(values, indices, 2)
        tensor([[0., 2., 4., 0.]])
    """
    if has_torch_function_unary(input):
        return override(max_unpool1d, (input,), locals())
    kernel_size = _single(kernel_size)
    stride = kernel_size if stride is None else _single(stride)
    size = _unpool_output_size(input, kernel_size, stride, _single(padding), output_size)
    return _nn.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


def max_unpool2d(
    input: torch.Tensor,
    indices: torch.Tensor,
    kernel_size: None,
    stride: None = None,
    padding: None = 0,
    output_size: None = None,
) -> torch.Tensor:
    """Puts maxima back where pooling of an image found them; all other elements are zero.

    Args:
        input (Tensor): maxima, ``(N, C, H, W)`` or ``(C, H, W)``.
        indices (Tensor): their indices, as ``max_pool2d(..., return_indices=True)`` gave them,
            int64.
        kernel_size (int or tuple of two ints): window of the pooling.
        stride (int or tuple of two ints, optional): its step. Default: ``None``, as `kernel_size`.
        padding (int or tuple of two ints): its padding. Default: ``0``.
        output_size (sequence of int, optional): size that the pooling had as input, where it
            rounded down. Default: ``None``,
            ``(size - 1) * stride - 2 * padding + kernel_size``.

    Returns:
        Tensor: of the spatial size that the pooling had as input.

    Raises:
        ValueError: when `output_size` is one that the pooling cannot have had.

    Example:
        >>> values, indices = F.max_pool2d(torch.ones(1, 4, 4), 2, return_indices=True)
        >>> F.max_unpool2d(values, indices, 2)
        tensor([[[1., 0., 1., 0.],
                 [0., 0., 0., 0.],
                 [1., 0., 1., 0.],
                 [0., 0., 0., 0.]]])
    """
    if has_torch_function_unary(input):
        return override(max_unpool2d, (input,), locals())
    kernel_size = _pair(kernel_size)
    stride = kernel_size if stride is None else _pair(stride)
    size = _unpool_output_size(input, kernel_size, stride, _pair(padding), output_size)
    return _nn.max_unpool2d(input, indices, size)


def max_unpool3d(
    input: torch.Tensor,
    indices: torch.Tensor,
    kernel_size: None,
    stride: None = None,
    padding: None = 0,
    output_size: None = None,
) -> torch.Tensor:
    """Puts maxima back where pooling of a volume found them; all other elements are zero.

    Args:
        input (Tensor): maxima, ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        indices (Tensor): their indices, as ``max_pool3d(..., return_indices=True)`` gave them,
            int64.
        kernel_size (int or tuple of three ints): window of the pooling.
        stride (int or tuple of three ints, optional): its step. Default: ``None``, as
            `kernel_size`.
        padding (int or tuple of three ints): its padding. Default: ``0``.
        output_size (sequence of int, optional): size that the pooling had as input, where it
            rounded down. Default: ``None``,
            ``(size - 1) * stride - 2 * padding + kernel_size``.

    Returns:
        Tensor: of the spatial size that the pooling had as input.

    Raises:
        ValueError: when `output_size` is one that the pooling cannot have had.

    Example:
        >>> values, indices = F.max_pool3d(torch.randn(1, 4, 4, 4), 2, return_indices=True)
        >>> F.max_unpool3d(values, indices, 2).shape
        torch.Size([1, 4, 4, 4])
    """
    if has_torch_function_unary(input):
        return override(max_unpool3d, (input,), locals())
    kernel_size = _triple(kernel_size)
    stride = kernel_size if stride is None else _triple(stride)
    padding = _triple(padding)
    size = _unpool_output_size(input, kernel_size, stride, padding, output_size)
    return _nn.max_unpool3d(input, indices, size, stride, padding)


def _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, max_pool, avg_pool, window):
    """Computes the p-norm over each window from average pooling of powers; infinite p is max pooling."""
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


def lp_pool3d(
    input: torch.Tensor, norm_type: int | float, kernel_size: None, stride: None = None, ceil_mode: bool = False
) -> torch.Tensor:
    """Takes the p-norm of each window of a volume: ``(sum x^p)^(1/p)``.

    An infinite `norm_type` gives maxima of the absolute values. Where a sum is zero so is the
    gradient.

    Args:
        input (Tensor): ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        norm_type (float): the exponent `p`.
        kernel_size (int or tuple of three ints): size of the window.
        stride (int or tuple of three ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.

    Returns:
        Tensor: one value per window.

    Example:
        >>> F.lp_pool3d(torch.rand(2, 4, 8, 8, 8), 2, 2).shape
        torch.Size([2, 4, 4, 4, 4])
    """
    if has_torch_function_unary(input):
        return override(lp_pool3d, (input,), locals())
    depth, width, height = _triple(kernel_size)
    window = depth * width * height
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, max_pool3d, _nn.avg_pool3d, window)


def lp_pool2d(
    input: torch.Tensor, norm_type: int | float, kernel_size: None, stride: None = None, ceil_mode: bool = False
) -> torch.Tensor:
    """Takes the p-norm of each window of an image: ``(sum x^p)^(1/p)``.

    An infinite `norm_type` gives maxima of the absolute values. Where a sum is zero so is the
    gradient.

    Args:
        input (Tensor): ``(N, C, H, W)`` or ``(C, H, W)``.
        norm_type (float): the exponent `p`.
        kernel_size (int or tuple of two ints): size of the window.
        stride (int or tuple of two ints, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.

    Returns:
        Tensor: one value per window.

    Example:
        >>> F.lp_pool2d(torch.rand(2, 4, 8, 8), 2, 2).shape
        torch.Size([2, 4, 4, 4])
    """
    if has_torch_function_unary(input):
        return override(lp_pool2d, (input,), locals())
    width, height = _pair(kernel_size)
    window = width * height
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, max_pool2d, _nn.avg_pool2d, window)


def lp_pool1d(
    input: torch.Tensor, norm_type: int | float, kernel_size: int, stride: None = None, ceil_mode: bool = False
) -> torch.Tensor:
    """Takes the p-norm of each window of a signal: ``(sum x^p)^(1/p)``.

    An infinite `norm_type` gives maxima of the absolute values. Where a sum is zero so is the
    gradient.

    Args:
        input (Tensor): ``(N, C, L)`` or ``(C, L)``.
        norm_type (float): the exponent `p`.
        kernel_size (int or tuple of one int): size of the window.
        stride (int or tuple of one int, optional): step between windows. Default: ``None``, as
            `kernel_size`.
        ceil_mode (bool): whether a last, incomplete window counts. Default: ``False``.

    Returns:
        Tensor: one value per window.

    Example:
        >>> F.lp_pool1d(torch.tensor([[3.0, 4.0, 6.0, 8.0]]), 2, 2)
        tensor([[ 5., 10.]])
    """
    if has_torch_function_unary(input):
        return override(lp_pool1d, (input,), locals())
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, max_pool1d, torch.avg_pool1d, kernel_size)


def adaptive_max_pool1d_with_indices(
    input: torch.Tensor, output_size: None, return_indices: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes maximum and position over windows of a signal whose number is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        input (Tensor): ``(N, C, L)`` or ``(C, L)``.
        output_size (int or tuple): the output's spatial size.
        return_indices (bool): has no effect, indices are always returned. Default: ``False``.

    Returns:
        tuple of two Tensors: the maxima and their indices (int64) in the flattened spatial
        dimensions.

    Example:
        >>> F.adaptive_max_pool1d_with_indices(torch.tensor([[1.0, 2.0, 3.0, 5.0, 4.0]]), 2)
        (tensor([[3., 5.]]), tensor([[2, 3]]))
    """
    if has_torch_function_unary(input):
        return override(adaptive_max_pool1d_with_indices, (input,), locals())
    return torch.adaptive_max_pool1d(input, output_size)


def _adaptive_max_pool1d(input: torch.Tensor, output_size: None, return_indices: bool = False) -> torch.Tensor:
    """Takes the maximum over windows of a signal whose number is given.

    ``adaptive_max_pool1d(input, output_size, return_indices=False)``.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        input (Tensor): ``(N, C, L)`` or ``(C, L)``.
        output_size (int or tuple): the output's spatial size.
        return_indices (bool): whether the position of each maximum is returned too. Default:
            ``False``.

    Returns:
        Tensor: the maxima; with `return_indices` a pair of maxima and indices (int64).

    Example:
        >>> F.adaptive_max_pool1d(torch.tensor([[1.0, 2.0, 3.0, 5.0, 4.0]]), 2)
        tensor([[3., 5.]])
    """
    if has_torch_function_unary(input):
        return override(adaptive_max_pool1d, (input,), locals())
    return adaptive_max_pool1d_with_indices(input, output_size)[0]


adaptive_max_pool1d = _make_pooling_with_optional_indices(
    "adaptive_max_pool1d", 2, adaptive_max_pool1d_with_indices, _adaptive_max_pool1d
)


def adaptive_max_pool2d_with_indices(
    input: torch.Tensor, output_size: None, return_indices: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes maximum and position over windows of an image whose number is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        input (Tensor): ``(N, C, H, W)`` or ``(C, H, W)``.
        output_size (int, None or tuple): the output's spatial size; ``None`` keeps the input's.
        return_indices (bool): has no effect, indices are always returned. Default: ``False``.

    Returns:
        tuple of two Tensors: the maxima and their indices (int64) in the flattened spatial
        dimensions.

    Example:
        >>> F.adaptive_max_pool2d_with_indices(torch.arange(16.0).view(1, 4, 4), 1)[1]
        tensor([[[15]]])
    """
    if has_torch_function_unary(input):
        return override(adaptive_max_pool2d_with_indices, (input,), locals())
    return _nn.adaptive_max_pool2d(input, _list_with_default(output_size, input.size()))


def _adaptive_max_pool2d(input: torch.Tensor, output_size: None, return_indices: bool = False) -> torch.Tensor:
    """Takes the maximum over windows of an image whose number is given.

    ``adaptive_max_pool2d(input, output_size, return_indices=False)``.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        input (Tensor): ``(N, C, H, W)`` or ``(C, H, W)``.
        output_size (int, None or tuple): the output's spatial size; ``None`` keeps the input's.
        return_indices (bool): whether the position of each maximum is returned too. Default:
            ``False``.

    Returns:
        Tensor: the maxima; with `return_indices` a pair of maxima and indices (int64).

    Example:
        >>> F.adaptive_max_pool2d(torch.arange(16.0).view(1, 4, 4), (2, 1))
        tensor([[[ 7.],
                 [15.]]])
    """
    if has_torch_function_unary(input):
        return override(adaptive_max_pool2d, (input,), locals())
    return adaptive_max_pool2d_with_indices(input, output_size)[0]


adaptive_max_pool2d = _make_pooling_with_optional_indices(
    "adaptive_max_pool2d", 2, adaptive_max_pool2d_with_indices, _adaptive_max_pool2d
)


def adaptive_max_pool3d_with_indices(
    input: torch.Tensor, output_size: None, return_indices: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes maximum and position over windows of a volume whose number is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        input (Tensor): ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        output_size (int, None or tuple): the output's spatial size; ``None`` keeps the input's.
        return_indices (bool): has no effect, indices are always returned. Default: ``False``.

    Returns:
        tuple of two Tensors: the maxima and their indices (int64) in the flattened spatial
        dimensions.

    Example:
        >>> F.adaptive_max_pool3d_with_indices(torch.randn(1, 4, 4, 4), 2)[0].shape
        torch.Size([1, 2, 2, 2])
    """
    if has_torch_function_unary(input):
        return override(adaptive_max_pool3d_with_indices, (input,), locals())
    return _nn.adaptive_max_pool3d(input, _list_with_default(output_size, input.size()))


def _adaptive_max_pool3d(input: torch.Tensor, output_size: None, return_indices: bool = False) -> torch.Tensor:
    """Takes the maximum over windows of a volume whose number is given.

    ``adaptive_max_pool3d(input, output_size, return_indices=False)``.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        input (Tensor): ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        output_size (int, None or tuple): the output's spatial size; ``None`` keeps the input's.
        return_indices (bool): whether the position of each maximum is returned too. Default:
            ``False``.

    Returns:
        Tensor: the maxima; with `return_indices` a pair of maxima and indices (int64).

    Example:
        >>> F.adaptive_max_pool3d(torch.randn(2, 4, 8, 9, 10), 3).shape
        torch.Size([2, 4, 3, 3, 3])
    """
    if has_torch_function_unary(input):
        return override(adaptive_max_pool3d, (input,), locals())
    return adaptive_max_pool3d_with_indices(input, output_size)[0]


adaptive_max_pool3d = _make_pooling_with_optional_indices(
    "adaptive_max_pool3d", 2, adaptive_max_pool3d_with_indices, _adaptive_max_pool3d
)


def adaptive_avg_pool2d(input: torch.Tensor, output_size: None) -> torch.Tensor:
    """Takes the mean over windows of an image whose number is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        input (Tensor): ``(N, C, H, W)`` or ``(C, H, W)``.
        output_size (int, None or tuple): the output's spatial size; ``None`` keeps the input's.

    Returns:
        Tensor: of the spatial size `output_size`.

    Example:
        >>> F.adaptive_avg_pool2d(torch.arange(16.0).view(1, 4, 4), (2, 1))
        tensor([[[ 3.5000],
                 [11.5000]]])
    """
    if has_torch_function_unary(input):
        return override(adaptive_avg_pool2d, (input,), locals())
    return _nn.adaptive_avg_pool2d(input, _list_with_default(output_size, input.size()))


def adaptive_avg_pool3d(input: torch.Tensor, output_size: None) -> torch.Tensor:
    """Takes the mean over windows of a volume whose number is given.

    Output element `i` of a dimension covers input elements from
    ``floor(i * size / output_size)`` up to, not including,
    ``ceil((i + 1) * size / output_size)``.

    Args:
        input (Tensor): ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        output_size (int, None or tuple): the output's spatial size; ``None`` keeps the input's.

    Returns:
        Tensor: of the spatial size `output_size`.

    Example:
        >>> F.adaptive_avg_pool3d(torch.randn(2, 4, 8, 9, 10), (2, None, 1)).shape
        torch.Size([2, 4, 2, 9, 1])
    """
    if has_torch_function_unary(input):
        return override(adaptive_avg_pool3d, (input,), locals())
    return _nn.adaptive_avg_pool3d(input, _list_with_default(output_size, input.size()))


def unfold(
    input: torch.Tensor,
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
) -> torch.Tensor:
    """Takes sliding patches of images and lays each out as a column.

    Args:
        input (Tensor): ``(N, C, H, W)`` or ``(C, H, W)``.
        kernel_size (int or tuple of two ints): size of the patches.
        dilation (int or tuple of two ints): distance between elements of a patch. Default: ``1``.
        padding (int or tuple of two ints): zeros added on all sides. Default: ``0``.
        stride (int or tuple of two ints): step between patches. Default: ``1``.

    Returns:
        Tensor: ``(N, C * prod(kernel_size), L)`` or without `N`; `L` is the number of patches.

    Example:
        >>> F.unfold(torch.arange(9.0).view(1, 1, 3, 3), 2)
        tensor([[[0., 1., 3., 4.],
                 [1., 2., 4., 5.],
                 [3., 4., 6., 7.],
                 [4., 5., 7., 8.]]])
    """
    if has_torch_function_unary(input):
        return override(unfold, (input,), locals())
    return _nn.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(
    input: torch.Tensor,
    output_size: int | tuple[int, ...],
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
) -> torch.Tensor:
    """Sums columns of patches back into images: the transpose of `unfold`.

    Where patches overlap, their values add up.

    Args:
        input (Tensor): ``(N, C * prod(kernel_size), L)`` or without `N`; `L` is the number of
            patches.
        output_size (int or tuple of two ints): height and width of the images.
        kernel_size (int or tuple of two ints): size of the patches.
        dilation (int or tuple of two ints): distance between elements of a patch. Default: ``1``.
        padding (int or tuple of two ints): zeros that were around the images. Default: ``0``.
        stride (int or tuple of two ints): step between patches. Default: ``1``.

    Returns:
        Tensor: ``(N, C, *output_size)`` or without `N`.

    Example:
        >>> F.fold(F.unfold(torch.ones(1, 1, 3, 3), 2), 3, 2)
        tensor([[[[1., 2., 1.],
                  [2., 4., 2.],
                  [1., 2., 1.]]]])
    """
    if has_torch_function_unary(input):
        return override(fold, (input,), locals())
    return _nn.col2im(input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
