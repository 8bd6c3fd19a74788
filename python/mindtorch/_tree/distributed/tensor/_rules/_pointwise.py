"""Operators that compute each element from the elements at the same place."""

from ._rows import Labelled

NAMES = """
_conj _conj_physical _neg_view _prelu_kernel _prelu_kernel_backward _to_copy abs absolute acos acosh add addcdiv
addcmul alias angle asin asinh atan atan2 atanh bernoulli bitwise_and bitwise_left_shift bitwise_not bitwise_or
bitwise_right_shift bitwise_xor cauchy ceil celu clamp clamp_max clamp_min clip clone conj_physical copy copysign cos
cosh deg2rad detach digamma div elu elu_backward eq erf erfc erfinv exp exp2 expm1 exponential fill float_power floor
floor_divide fmax fmin fmod frac frexp gcd ge gelu gelu_backward geometric glu_backward gt hardshrink
hardshrink_backward hardsigmoid hardsigmoid_backward hardswish hardswish_backward hardtanh hardtanh_backward heaviside
hypot i0 igamma igammac imag isfinite isinf isnan isneginf isposinf isreal lcm ldexp le leaky_relu leaky_relu_backward
lerp lgamma lift_fresh log log10 log1p log2 log_normal log_sigmoid_backward log_sigmoid_forward logaddexp logaddexp2
logical_and logical_not logical_or logical_xor logit logit_backward lt masked_fill maximum minimum mish mish_backward
mul mvlgamma nan_to_num native_dropout native_dropout_backward ne neg negative nextafter normal polar polygamma
positive pow prelu random real reciprocal relu relu6 remainder round rrelu rsqrt rsub selu sgn sigmoid
sigmoid_backward sign signbit silu silu_backward sin sinc sinh softplus softplus_backward softshrink
softshrink_backward special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1
special_entr special_erfcx special_i0e special_i1 special_i1e special_log_ndtr special_modified_bessel_i0
special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_ndtri
special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_spherical_bessel_j0 special_xlog1py
special_zeta sqrt square sub tan tanh tanh_backward threshold threshold_backward trunc uniform view_as_real_copy where
xlogy zero zeros_like
""".split()

# Linear operators, which can run on Partial arguments with a Partial result. Each mask states for each tensor
# argument whether it is Partial ("p") or Replicate ("r").
TERMS = {
    "add": "pp", "sub": "pp", "rsub": "pp", "mul": "p pr rp", "div": "p pr", "neg": "p", "clone": "p", "detach": "p",
    "_to_copy": "p", "zero": "p", "zeros_like": "p", "alias": "p", "copy": "pp", "real": "p", "imag": "p",
    "positive": "p",
    "lerp": "pp ppr", "where": "rpp", "native_dropout_backward": "pr", "threshold_backward": "pr", "fill": "",
}  # fmt: skip


def broadcast_labels(shapes, ndim):
    """Returns labels for tensors that broadcast with each other to `ndim` dimensions."""
    sizes = [max((shape[dim - ndim] for shape in shapes if len(shape) >= ndim - dim), default=1) for dim in range(ndim)]
    return [
        [dim if shape[dim - ndim] == sizes[dim] else None for dim in range(ndim - len(shape), ndim)] for shape in shapes
    ]


def label_broadcast_dims(call):
    """Labels equal positions, counted from the last dimension; a broadcast dimension is replicated."""
    shapes = [meta.shape for meta in call.inputs]
    ndim = max(map(len, shapes))
    labels = broadcast_labels(shapes, ndim)
    outputs = [list(range(ndim)) if meta is not None else None for meta in call.outputs]
    return labels, outputs


RULES = {name: Labelled(label_broadcast_dims, masks=TERMS.get(name, "")) for name in NAMES}
