"""Names of the operators that act on each element, whose rule is to act on the values."""

# The result has the sizes of the arguments broadcast; the forms that write to `self` have the same names with "_".
POINTWISE = frozenset(
    """abs absolute acos acosh add addcdiv addcmul angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin
    asinh atan atan2 atanh bernoulli bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
    bitwise_xor ceil celu clamp clamp_max clamp_min clip conj conj_physical copysign cos cosh deg2rad digamma
    div divide elu eq erf erfc erfinv exp exp2 expm1 fix float_power floor floor_divide fmax fmin fmod frac
    frexp gcd ge gelu greater greater_equal gt hardshrink hardsigmoid hardswish hardtanh heaviside hypot i0
    igamma igammac imag isclose isfinite isinf isnan isneginf isposinf isreal lcm ldexp le leaky_relu lerp less
    less_equal lgamma log log10 log1p log2 log_sigmoid logaddexp logaddexp2 logical_and logical_not logical_or
    logical_xor logit lt masked_fill maximum minimum mish mul multiply mvlgamma nan_to_num ne neg negative
    nextafter not_equal polygamma positive pow rad2deg real reciprocal relu relu6 remainder round rsqrt rsub
    selu sgn sigmoid sign signbit silu sin sinc sinh softplus softshrink sqrt square sub subtract tan tanh
    tanhshrink threshold true_divide trunc where xlogy __and__ __or__ __xor__ __lshift__ __rshift__ special_entr
    special_erf special_erfc special_erfcx special_erfinv special_exp2 special_expit special_expm1
    special_gammainc special_gammaincc special_gammaln special_i0 special_i0e special_i1 special_i1e
    special_log1p special_log_ndtr special_logit special_multigammaln special_ndtr special_ndtri
    special_polygamma special_psi special_round special_sinc special_xlog1py special_xlogy special_zeta
    special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_airy_ai
    special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1
    special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_spherical_bessel_j0
    native_dropout_backward fill zero copy uniform normal random exponential cauchy log_normal geometric alias
    lift_fresh resolve_conj resolve_neg""".split()  # fmt: skip
)
# Backward operators of pointwise operators; they get a gradient and the saved tensors.
BACKWARD = frozenset(
    """elu_backward gelu_backward hardshrink_backward hardsigmoid_backward hardswish_backward hardtanh_backward
    leaky_relu_backward log_sigmoid_backward logit_backward mish_backward sigmoid_backward silu_backward
    softplus_backward softshrink_backward tanh_backward threshold_backward _masked_scale""".split()
)  # fmt: skip


def is_pointwise(name):
    """Whether an operator of this name, which may end in "_", acts on each element."""
    return name in POINTWISE or name in BACKWARD or (name.endswith("_") and name[:-1] in POINTWISE)
