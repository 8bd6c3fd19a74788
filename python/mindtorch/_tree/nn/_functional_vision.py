"""torch.nn.functional: resampling (interpolate, grid_sample, affine_grid) and padding."""

import sys
import warnings

from .. import _C
from .._root import torch
from ..overrides import has_torch_function_unary, has_torch_function_variadic
from .._override import override
from .modules.utils import _list_with_default

_nn = _C._nn

_DEPRECATED = "`nn.functional.{}` is deprecated. Use `nn.functional.interpolate` instead."


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """Is the deprecated name of `interpolate`.

    Args:
        input (Tensor): ``(N, C, *)``.
        size (int or tuple of int, optional): the output's spatial size. Default: ``None``.
        scale_factor (float or tuple of float, optional): output size over input size, in place
            of `size`. Default: ``None``.
        mode (str): as in `interpolate`. Default: ``"nearest"``.
        align_corners (bool, optional): as in `interpolate`. Default: ``None``.

    Returns:
        Tensor: the resampled input.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     F.upsample(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])
    """
    warnings.warn(_DEPRECATED.format("upsample"), stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """Is the deprecated name of `interpolate` in its nearest mode.

    Args:
        input (Tensor): ``(N, C, *)``.
        size (int or tuple of int, optional): the output's spatial size. Default: ``None``.
        scale_factor (float or tuple of float, optional): output size over input size, in place
            of `size`. Default: ``None``.

    Returns:
        Tensor: the resampled input.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     F.upsample_nearest(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])
    """
    warnings.warn(_DEPRECATED.format("upsample_nearest"), stacklevel=2)
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """Is the deprecated name of `interpolate` in its bilinear mode with aligned corners.

    Args:
        input (Tensor): ``(N, C, H, W)``.
        size (int or tuple of int, optional): the output's spatial size. Default: ``None``.
        scale_factor (float or tuple of float, optional): output size over input size, in place
            of `size`. Default: ``None``.

    Returns:
        Tensor: the resampled input.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     F.upsample_bilinear(torch.tensor([[[[1.0, 2.0]]]]), size=(1, 3))
        tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """
    warnings.warn(_DEPRECATED.format("upsample_bilinear"), stacklevel=2)
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def _is_integer(x):
    if isinstance(x, (int, torch.SymInt)):
        return True
    numpy = sys.modules.get("numpy")  # a NumPy integer exists only if NumPy was imported
    if numpy is not None and isinstance(x, numpy.integer):
        return True
    return isinstance(x, torch.Tensor) and not x.is_floating_point()


def _sizes_and_scales(input, size, scale_factor):
    """Returns (output size, scale factors) as sequences, one of them None."""
    spatial = input.dim() - 2
    have = list(input.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if not isinstance(size, (list, tuple)):
            return [size] * spatial, None
        if len(size) != spatial:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got "
                f"input with spatial dimensions of {have} and output size of {size}. "
                "Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
                "output size in (o1, o2, ...,oK) format."
            )
        if not all(_is_integer(x) for x in size):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or "
                f"Tuple[int, int, int], but got size with types {[type(x) for x in size]}"
            )
        return size, None
    if scale_factor is not None:
        if not isinstance(scale_factor, (list, tuple)):
            return None, [scale_factor] * spatial
        if len(scale_factor) != spatial:
            raise ValueError(
                "Input and scale_factor must have the same number of spatial dimensions, but "
                f"got input with spatial dimensions of {have} and "
                f"scale_factor of shape {scale_factor}. "
                "Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
                "scale_factor in (s1, s2, ...,sK) format."
            )
        return None, scale_factor
    raise ValueError("either size or scale_factor should be defined")


# Modes that take (input, size, scales), and those with align_corners between them, by the input's rank.
_PLAIN_KERNELS = {
    (3, "nearest"): "upsample_nearest1d",
    (4, "nearest"): "upsample_nearest2d",
    (5, "nearest"): "upsample_nearest3d",
    (3, "nearest-exact"): "_upsample_nearest_exact1d",
    (4, "nearest-exact"): "_upsample_nearest_exact2d",
    (5, "nearest-exact"): "_upsample_nearest_exact3d",
}
_ALIGNED_KERNELS = {
    (3, "linear"): "upsample_linear1d",
    (4, "bilinear"): "upsample_bilinear2d",
    (5, "trilinear"): "upsample_trilinear3d",
    (4, "bicubic"): "upsample_bicubic2d",
}
_ANTIALIASED_KERNELS = {
    "bilinear": "_upsample_bilinear2d_aa",
    "bicubic": "_upsample_bicubic2d_aa",
    "lanczos": "_upsample_lanczos2d_aa",
}
_RANK_OF_MODE = {"linear": 3, "bilinear": 4, "trilinear": 5}


def _check_alignment(mode, align_corners):
    """Returns `align_corners`, or False for a mode that uses it and got none."""
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the "
                "interpolating modes: linear | bilinear | bicubic | trilinear"
            )
        return None
    return False if align_corners is None else align_corners


def _average_to_size(input, output_size):
    if input.dim() == 3:
        return torch.adaptive_avg_pool1d(input, output_size)
    pool = _nn.adaptive_avg_pool2d if input.dim() == 4 else _nn.adaptive_avg_pool3d
    return pool(input, _list_with_default(output_size, input.size()))


def _check_lanczos(align_corners, antialias):
    if align_corners:
        raise ValueError("Lanczos mode does not support align_corners=True")
    if not antialias:
        raise ValueError("Lanczos mode requires antialias=True")


def interpolate(
    input: torch.Tensor, size: int | None = None, scale_factor: list[float] | None = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> torch.Tensor:  # fmt: skip
    """Resamples the spatial dimensions to a size, or by a factor; give one of the two.

    Modes by input: ``"nearest"``, ``"nearest-exact"`` and ``"area"`` for 3 to 5 dimensions,
    ``"linear"`` for 3, ``"bilinear"``, ``"bicubic"`` (Keys 1981, a = -0.75) and, with
    `antialias`, ``"lanczos"`` for 4, ``"trilinear"`` for 5. ``"nearest"`` takes pixel
    ``floor(i * scale)``, ``"nearest-exact"`` the one whose centre is nearest. Cubic modes may
    overshoot the range of the input.

    Args:
        input (Tensor): ``(N, C, L)``, ``(N, C, H, W)`` or ``(N, C, D, H, W)``.
        size (int or tuple of int, optional): the output's spatial size. Default: ``None``.
        scale_factor (float or tuple of float, optional): output size over input size, in place
            of `size`. Default: ``None``.
        mode (str): how to interpolate. Default: ``"nearest"``.
        align_corners (bool, optional): whether the centres of the corner elements of input and
            output coincide; else the corners of the whole do. For linear and cubic modes.
            Default: ``None``, as ``False``.
        recompute_scale_factor (bool, optional): whether the factor is computed anew from the
            rounded output size. Default: ``None``.
        antialias (bool): whether a filter is widened when sampling down, for ``"bilinear"``,
            ``"bicubic"`` and ``"lanczos"``. Default: ``False``.

    Returns:
        Tensor: the same dimensions, each spatial one `size` or ``floor(size * scale_factor)``.

    Raises:
        ValueError: when none or both of `size` and `scale_factor` are given, or options do not
            fit the mode.
        NotImplementedError: when the mode does not fit the number of dimensions.

    Example:
        >>> F.interpolate(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])
        >>> F.interpolate(torch.tensor([[[1.0, 2.0]]]), size=3, mode="linear", align_corners=True)
        tensor([[[1.0000, 1.5000, 2.0000]]])
    """
    if has_torch_function_unary(input):
        return override(interpolate, (input,), locals())
    align_corners = _check_alignment(mode, align_corners)
    output_size, scales = _sizes_and_scales(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if (mode == "area" and output_size is None) or recompute_scale_factor:
        output_size = [int(have * scale) for have, scale in zip(input.size()[2:], scales, strict=True)]
        scales = None

    rank = input.dim()
    if antialias and not (mode in _ANTIALIASED_KERNELS and rank == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if (rank, mode) in _PLAIN_KERNELS:
        return getattr(_nn, _PLAIN_KERNELS[rank, mode])(input, output_size, scales)
    if mode == "area" and rank in (3, 4, 5):
        return _average_to_size(input, output_size)
    if mode == "lanczos" and rank == 4:
        _check_lanczos(align_corners, antialias)
    if antialias:
        return getattr(_nn, _ANTIALIASED_KERNELS[mode])(input, output_size, align_corners, scales)
    if (rank, mode) in _ALIGNED_KERNELS:
        return getattr(_nn, _ALIGNED_KERNELS[rank, mode])(input, output_size, align_corners, scales)
    if mode in _RANK_OF_MODE and rank in (3, 4, 5):
        raise NotImplementedError(f"Got {rank}D input, but {mode} mode needs {_RANK_OF_MODE[mode]}D input")
    raise NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported"
        f" (got {rank}D) for the modes: "
        f"nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def _warn_default_alignment():
    warnings.warn(
        "Default grid_sample and affine_grid behavior has changed "
        "to align_corners=False since 1.3.0. Please specify "
        "align_corners=True if the old behavior is desired. "
        "See the documentation of grid_sample for details.",
        stacklevel=3,
    )


def grid_sample(
    input: torch.Tensor,
    grid: torch.Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> torch.Tensor:
    """Samples the input at given points, as a spatial transformer does (Jaderberg et al. 2015).

    Coordinates are relative: ``(-1, -1)`` is the left upper corner, ``(1, 1)`` the right lower
    one. Points with a NaN coordinate count as -1.

    Args:
        input (Tensor): ``(N, C, H, W)`` or ``(N, C, D, H, W)``.
        grid (Tensor): ``(N, H_out, W_out, 2)`` of ``(x, y)``, or ``(N, D_out, H_out, W_out, 3)`` of
            ``(x, y, z)``.
        mode (str): ``"bilinear"`` (trilinear for volumes), ``"nearest"``, or ``"bicubic"`` for
            images. Default: ``"bilinear"``.
        padding_mode (str): the values outside: ``"zeros"``, the ``"border"``, or a
            ``"reflection"``. Default: ``"zeros"``.
        align_corners (bool, optional): whether -1 and 1 are the centres of the corner pixels,
            not their outer edges. Default: ``None``, ``False`` with a warning.

    Returns:
        Tensor: ``(N, C, H_out, W_out)`` or ``(N, C, D_out, H_out, W_out)``.

    Raises:
        ValueError: for an unknown mode.

    Example:
        >>> image = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> points = torch.tensor([[[[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]]])
        >>> F.grid_sample(image, points, align_corners=True)
        tensor([[[[1.0000, 2.5000, 4.0000]]]])
    """
    if has_torch_function_variadic(input, grid):
        return override(grid_sample, (input, grid), locals())
    if mode not in tuple(GRID_SAMPLE_INTERPOLATION_MODES):
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in tuple(GRID_SAMPLE_PADDING_MODES):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode "
            "to be 'zeros', 'border', or 'reflection', "
            f"but got: '{padding_mode}'"
        )
    if align_corners is None:
        _warn_default_alignment()
        align_corners = False
    return torch.grid_sampler(
        input,
        grid,
        GRID_SAMPLE_INTERPOLATION_MODES[mode],
        GRID_SAMPLE_PADDING_MODES[padding_mode],
        align_corners,
    )


def affine_grid(theta: torch.Tensor, size: list[int], align_corners: bool | None = None) -> torch.Tensor:
    """Computes the sampling grid of affine transforms, for `grid_sample`.

    Output point ``(x, y)`` is sampled at ``theta (x, y, 1)^T`` of the input.

    Args:
        theta (Tensor): ``(N, 2, 3)`` or ``(N, 3, 4)``, floating point.
        size (list of int): the output's size, ``(N, C, H, W)`` or ``(N, C, D, H, W)``.
        align_corners (bool, optional): as in `grid_sample`, use the same value. Default:
            ``None``, ``False`` with a warning.

    Returns:
        Tensor: ``(N, H, W, 2)`` or ``(N, D, H, W, 3)``.

    Raises:
        ValueError: when `theta` is not floating point or does not fit `size`.

    Example:
        >>> identity = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> F.affine_grid(identity, (1, 1, 1, 2), align_corners=False)
        tensor([[[[-0.5000,  0.0000],
                  [ 0.5000,  0.0000]]]])
    """
    if has_torch_function_unary(theta):
        return override(affine_grid, (theta,), locals())
    if align_corners is None:
        _warn_default_alignment()
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, "
            "for 2D and 3D affine transforms, respectively. "
            f"Got size {size}."
        )
    spatial = len(size) - 2
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (spatial, spatial + 1):
        raise ValueError(
            f"Expected a batch of {spatial}D affine matrices of shape Nx{spatial}x{spatial + 1} "
            f"for size {size}. Got {theta.shape}."
        )
    if align_corners and min(size[-spatial:]) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
            stacklevel=2,
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return torch.affine_grid_generator(theta, size, align_corners)


def pad(input: torch.Tensor, pad: list[int], mode: str = "constant", value: float | None = None) -> torch.Tensor:
    """Pads the last dimensions of a tensor; negative numbers cut elements off.

    `pad` names two numbers per dimension, from the last one on:
    ``(left, right, top, bottom, ...)``. Modes other than ``"constant"`` pad the last one, two
    or three dimensions of inputs of 2 or 3, 3 or 4, 4 or 5 dimensions.

    Args:
        input (Tensor): the tensor.
        pad (list of int): an even number of sizes.
        mode (str): ``"constant"``, ``"reflect"``, ``"replicate"`` or ``"circular"``. Default:
            ``"constant"``.
        value (float, optional): what ``"constant"`` fills in. Default: ``None``, zero.

    Returns:
        Tensor: the padded copy.

    Example:
        >>> F.pad(torch.tensor([[1.0, 2.0, 3.0]]), (1, 2), value=9.0)
        tensor([[9., 1., 2., 3., 9., 9.]])
        >>> F.pad(torch.tensor([[1.0, 2.0, 3.0]]), (2, 1), mode="reflect")
        tensor([[3., 2., 1., 2., 3., 2.]])
    """
    if has_torch_function_unary(input):
        return override(_public_pad, (input,), locals())
    return _nn.pad(input, pad, mode, value)


_public_pad = pad  # inside, the argument hides the function
