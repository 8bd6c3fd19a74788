"""torch._refs: the references that programs compare operators with. Here a reference is the operator itself."""

from .._root import torch
from ._operators import collect
from . import _conversions, fft, linalg, nn, special  # noqa: F401

Tensor = torch.Tensor


def alias(a):
    return torch.ops.aten.alias(a)


def cauchy(self, median=0, sigma=1, generator=None):
    return torch.ops.aten.cauchy(self, median, sigma, generator=generator)


def copy_to(a, b, *, allow_cross_device=True):
    if not allow_cross_device and a.device != b.device:
        raise RuntimeError(
            f"Attempting to copy from device {b.device} to device {a.device}, but cross-device copies are not allowed!"
        )
    return a.copy_(b)


def exponential(self, rate=1, generator=None):
    return torch.ops.aten.exponential(self, rate, generator=generator)


def geometric(self, p, generator=None):
    return torch.ops.aten.geometric(self, p, generator=generator)


def log_normal(self, mean=1, std=2, generator=None):
    return torch.ops.aten.log_normal(self, mean, std, generator=generator)


def rpow(a, b):
    return torch.pow(b, a)


def rtruediv(a, b):
    return torch.true_divide(b, a)


def rfloordiv(a, b):
    return torch.floor_divide(b, a)


def swap_axes(a, axis0, axis1):
    return torch.swapaxes(a, axis0, axis1)


def T(a):
    return a.T


def trunc_divide(a, b):
    return torch.div(a, b, rounding_mode="trunc")


def view(a, *shape):
    return a.view(*shape)


def zero(input):
    return torch.zeros_like(input)


# References that accept sizes or dimensions as separate arguments, as the methods do.
permute, reshape, flip, tile = Tensor.permute, Tensor.reshape, Tensor.flip, Tensor.tile

__all__ = collect(
    globals(),
    """abs acos acosh asinh asin atan atanh bitwise_not ceil conj_physical cos cosh count_nonzero deg2rad digamma erf
    erfinv erfc exp expm1 exponential exp2 fill fill_ floor frac geometric index_add index_copy index_copy_ index_select
    index_fill index_fill_ isfinite isinf isposinf isneginf isnan isreal i0 lerp lgamma log log1p log2 log10 log_normal
    log_softmax mvlgamma norm normal nan_to_num neg positive rad2deg reciprocal round sigmoid sgn sign signbit sin sinc
    sinh softmax sqrt square tan tanh trace trunc add atan2 bitwise_and bitwise_left_shift bitwise_or
    bitwise_right_shift bitwise_xor clamp_min clamp_max copysign div eq float_power floor_divide fmax fmin fmod gcd ge
    gt heaviside hypot igamma igammac imag isclose lcm le logaddexp logaddexp2 logical_and logical_not logical_or
    logical_xor logsumexp lt maximum minimum mul ne nextafter pow real rpow remainder rsub rtruediv rfloordiv sub
    true_divide trunc_divide xlogy addcdiv addcmul clamp masked_fill masked_fill_ where clone copy_to item to all amax
    amin any cumsum cumprod mean dot vdot std std_mean sum sum_to_size prod var var_mean addr alias alias_copy
    atleast_1d atleast_2d atleast_3d as_strided as_strided_copy as_strided_scatter block_diag broadcast_shapes
    broadcast_tensors broadcast_to cat chunk column_stack conj constant_pad_nd contiguous diag_embed diag diagonal
    diagonal_copy diagonal_scatter dsplit dstack expand expand_as expand_copy flatten flip fliplr flipud hsplit hstack
    meshgrid movedim narrow narrow_copy native_group_norm native_layer_norm permute permute_copy ravel repeat reshape
    reshape_as roll rot90 rsqrt split_with_sizes stack swap_axes squeeze squeeze_copy t t_copy T take_along_dim
    tensor_split transpose transpose_copy unbind_copy unfold unfold_copy unsqueeze unsqueeze_copy view view_as view_copy
    vsplit vstack view_as_complex unflatten unbind triu tril triu_indices tril_indices arange cauchy empty empty_like
    empty_permuted empty_strided eye full full_like linspace logspace new_empty new_empty_strided new_full new_ones
    new_zeros ones ones_like randn scalar_tensor zero zeros zeros_like allclose equal bucketize is_complex renorm stft
    istft abs_ acos_ acosh_ add_ addcmul_ addcdiv_ asin_ asinh_ atan_ atanh_ atan2_ bitwise_and_ bitwise_left_shift_
    bitwise_not_ bitwise_or_ bitwise_right_shift_ bitwise_xor_ ceil_ clamp_ clamp_min_ clamp_max_ conj_physical_
    copysign_ cos_ cosh_ cumsum_ cumprod_ deg2rad_ digamma_ div_ eq_ erf_ erfc_ erfinv_ exp_ exp2_ expm1_ float_power_
    floor_ floor_divide_ fmod_ frac_ gcd_ ge_ gt_ heaviside_ hypot_ igamma_ igammac_ i0_ lcm_ le_ lerp_ lgamma_ log10_
    log1p_ log2_ log_ logical_and_ logical_not_ logical_or_ logical_xor_ lt_ mul_ mvlgamma_ nan_to_num_ ne_ neg_
    nextafter_ pow_ rad2deg_ reciprocal_ remainder_ rsqrt_ sgn_ sigmoid_ sign_ sin_ sinc_ sinh_ sqrt_ square_ sub_ tan_
    tanh_ tril_ triu_ true_divide_ trunc_ xlogy_ cauchy_ exponential_ geometric_ log_normal_ zero_""",
    torch,
    Tensor,
)

collect(globals(), "frexp normal_ select_scatter tensor tile", torch, Tensor)
