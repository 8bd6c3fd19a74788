"""The calls of a sweep: families of operators over dtypes and layouts, and the single calls of sweep.txt."""

from dataclasses import dataclass
from pathlib import Path

DTYPES = "float32 float64 bfloat16 float16 int64 int32 uint8 bool complex64".split()
ROUNDED = {"bfloat16": 4e-2, "float16": 6e-3}


@dataclass(frozen=True)
class Call:
    """`setup` makes the arguments; t is the library, f its nn.functional. The results agree to `tolerance`."""

    family: str
    setup: str
    expression: str
    tolerance: float = 2e-3
    backward: bool = True

    @property
    def name(self):
        return f"{self.family}: {self.expression}  where {self.setup}"


def write_random_tensor_expression(name, dtype, shape, positive=False):
    """A statement that makes a tensor of numbers of both signs where the dtype has them."""
    if dtype == "bool":
        return f"{name}=t.rand{shape}>0.5"
    if dtype == "complex64":
        return f"{name}=t.complex(t.randn{shape},t.randn{shape})"
    if dtype in ("int64", "int32", "uint8"):
        return f"{name}=t.randint(1,80,{shape}).to(t.{dtype})"
    made = f"t.rand{shape}*0.8+0.1" if positive else f"t.randn{shape}"
    return f"{name}=({made}).to(t.{dtype})"


# Unary functions that are defined for all numbers; those of UNARY_OF_FRACTIONS get numbers between 0 and 1.
UNARY = """
    relu gelu silu sigmoid tanh exp sin cos abs neg floor round erf hardswish softplus leaky_relu elu mish expm1 square
    sign trunc frac ceil exp2 tan atan sinh cosh asinh erfc isnan isinf isfinite signbit nan_to_num clone positive sinc
    i0 hardsigmoid hardtanh relu6 selu celu softsign tanhshrink logsigmoid softshrink hardshrink deg2rad logical_not
    bitwise_not
    """.split()
UNARY_OF_FRACTIONS = """
    log sqrt rsqrt log1p reciprocal log2 log10 asin acos acosh atanh erfinv lgamma digamma logit
    """.split()
BINARY = """
    add sub mul div maximum minimum fmod remainder atan2 eq lt logical_and bitwise_and hypot floor_divide fmax copysign
    logaddexp heaviside gcd lcm ldexp nextafter bitwise_left_shift
    """.split()
BINARY_OF_FRACTIONS = "pow xlogy".split()
TERNARY = {
    "where": "t.where(m,x,y)", "clamp": "t.clamp(x,y,z)", "clamp of numbers": "t.clamp(x,0,1)", "lerp": "t.lerp(x,y,z)",
    "addcmul": "t.addcmul(x,y,z)", "addcdiv": "t.addcdiv(x,y,z)",
}  # fmt: skip
REDUCTIONS = """
    sum mean prod amax amin max min argmax argmin std var norm logsumexp any all median nanmean nansum count_nonzero
    aminmax
    """.split()
ALONG = "cumsum cumprod cummax logcumsumexp softmax log_softmax mode".split()
SHAPE, ROW, COLUMN = "(48,1024)", "(1024,)", "(48,1)"
LAYOUTS = {"two": SHAPE, "a row": ROW, "a column": COLUMN}


def write_function_lookup(name):
    """An expression for the function of that name in torch or torch.nn.functional."""
    return f"(t.{name} if hasattr(t,'{name}') else f.{name})"


def yield_family_calls():
    """Calls of operator families (unary, binary, reductions) in every dtype and layout."""
    for dtype in DTYPES:
        rounded = {"tolerance": ROUNDED.get(dtype, 2e-3), "backward": dtype in ("float32", "float64", "bfloat16")}
        for name in UNARY + UNARY_OF_FRACTIONS:
            setup = write_random_tensor_expression("x", dtype, SHAPE, name in UNARY_OF_FRACTIONS)
            yield Call(f"unary {name} {dtype}", f"{setup};g={write_function_lookup(name)}", "g(x)", **rounded)
        for name in BINARY + BINARY_OF_FRACTIONS:
            positive = name in BINARY_OF_FRACTIONS
            left = write_random_tensor_expression("x", dtype, SHAPE, positive)
            for layout, shape in LAYOUTS.items():
                right = write_random_tensor_expression("y", dtype, shape, positive)
                yield Call(f"binary {name} {dtype} {layout}", f"{left};{right}", f"t.{name}(x,y)", **rounded)
            yield Call(f"binary {name} {dtype} a number", left, f"t.{name}(x,2)", **rounded)
        tensors = (
            ";".join(write_random_tensor_expression(name, dtype, SHAPE) for name in "xyz") + f";m=t.rand{SHAPE}>0.5"
        )
        for name, expression in TERNARY.items():
            yield Call(f"ternary {name} {dtype}", tensors, expression, **rounded)
        setup = write_random_tensor_expression("x", dtype, SHAPE)
        for dim in (0, 1):
            for name in REDUCTIONS + ALONG:
                yield Call(f"reduction {name} {dtype}", setup, f"t.{name}(x,dim={dim})", **rounded)
            # Compares values without indices, because any of several equal elements may be selected.
            yield Call(f"reduction sort {dtype}", setup, f"t.sort(x,dim={dim})[0]", **rounded)
            yield Call(f"reduction kthvalue {dtype}", setup, f"t.kthvalue(x,7,{dim})", **rounded)
            yield Call(f"reduction quantile {dtype}", setup, f"t.quantile(x,0.3,dim={dim})", **rounded)
        for name in REDUCTIONS:
            expression = "t.logsumexp(x,(0,1))" if name == "logsumexp" else f"t.{name}(x)"
            yield Call(f"reduction {name} {dtype}", setup, expression, **rounded)
        middle = write_random_tensor_expression("x", dtype, "(16,64,32)")
        for name in ("sum", "amax", "mean", "softmax", "cumsum", "argmax", "var"):
            yield Call(f"middle {name} {dtype}", middle, f"t.{name}(x,dim=1)", **rounded)


def yield_all_calls():
    """All calls, families first."""
    yield from yield_family_calls()
    for line in (Path(__file__).parent / "sweep.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            setup, expression = line.rsplit(" | ", 1)
            yield Call("single", setup, expression)
