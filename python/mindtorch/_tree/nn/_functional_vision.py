"""torch.nn.functional: resampling (interpolate, grid_sample, affine_grid) and padding."""

import sys
import warnings

from .. import _C
from .._root import torch
from ..overrides import has_torch_function_unary, has_torch_function_variadic
from ._override import override
from .modules.utils import _list_with_default

_nn = _C._nn

_DEPRECATED = "`nn.functional.{}` is deprecated. Use `nn.functional.interpolate` instead."


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The old name of `interpolate`."""
    warnings.warn(_DEPRECATED.format("upsample"), stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """`interpolate` in its nearest mode, under an old name."""
    warnings.warn(_DEPRECATED.format("upsample_nearest"), stacklevel=2)
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """`interpolate` in its bilinear mode with aligned corners, under an old name."""
    warnings.warn(_DEPRECATED.format("upsample_bilinear"), stacklevel=2)
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def _is_integer(x):
    if isinstance(x, (int, torch.SymInt)):
        return True
    numpy = sys.modules.get("numpy")  # a NumPy integer cannot exist unless NumPy was imported
    if numpy is not None and isinstance(x, numpy.integer):
        return True
    return isinstance(x, torch.Tensor) and not x.is_floating_point()


def _sizes_and_scales(input, size, scale_factor):
    """(output size, scale factors) as sequences, of which one is None."""
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


# Modes that take (input, size, scales), and those that take align_corners between them, by the input's rank.
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


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """Resamples the spatial dimensions to `size`, or by `scale_factor`."""
    if has_torch_function_unary(input):
        return override(interpolate, (input,), locals())
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the "
                "interpolating modes: linear | bilinear | bicubic | trilinear"
            )
    elif align_corners is None:
        align_corners = False

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
        if rank == 3:
            return torch.adaptive_avg_pool1d(input, output_size)
        pool = _nn.adaptive_avg_pool2d if rank == 4 else _nn.adaptive_avg_pool3d
        return pool(input, _list_with_default(output_size, input.size()))
    if mode == "lanczos" and rank == 4:
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
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


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Samples the input at the points of `grid`, whose coordinates run from -1 to 1."""
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


def affine_grid(theta, size, align_corners=None):
    """The sampling grid of an affine transform, for `grid_sample`."""
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
            "Since version 1.3.0, affine_grid behavior has changed "
            "for unit-size grids when align_corners=True. "
            "This is not an intended use case of affine_grid. "
            "See the documentation of affine_grid for details.",
            stacklevel=2,
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return torch.affine_grid_generator(theta, size, align_corners)


def pad(input, pad, mode="constant", value=None):
    """Pads the last dimensions; `pad` names (before, after) from the last dimension on."""
    if has_torch_function_unary(input):
        return override(_public_pad, (input,), locals())
    return _nn.pad(input, pad, mode, value)


_public_pad = pad  # inside, the argument hides the function
