"""Elementwise operators, with the output given (no page faults) and fresh (torch pays them anew each time)."""

from . import Group

recycled = Group("pointwise, recycled output", 1.0)
fresh = Group("pointwise, fresh output", 0.5)
SIZES = {"64K": 1 << 16, "1M": 1 << 20, "16M": 1 << 24}


def make_random_vector(torch, n, dtype="float32"):
    return torch.rand(n).to(getattr(torch, dtype))


def make_out_case(name, input_count, n):
    """torch.NAME(a, ..., out=out) on `input_count` float32 tensors of n elements."""

    def prepare(torch):
        arguments = [make_random_vector(torch, n) for _ in range(input_count)]
        out, function = torch.empty(n), getattr(torch, name)
        return lambda: function(*arguments, out=out)

    return prepare


def make_fresh_result_case(name, input_count, n):
    def prepare(torch):
        arguments = [make_random_vector(torch, n) for _ in range(input_count)]
        function = getattr(torch, name, None) or getattr(torch.nn.functional, name)
        return lambda: function(*arguments)

    return prepare


def make_gelu_out_case(n):
    def prepare(torch):
        a, out = make_random_vector(torch, n), torch.empty(n)
        return lambda: torch.ops.aten.gelu.out(a, out=out)

    return prepare


def make_where_case(n, uses_out):
    def prepare(torch):
        a, b = make_random_vector(torch, n), make_random_vector(torch, n) + 1
        mask, out = a > 0.5, torch.empty(n)
        return (lambda: torch.where(mask, a, b, out=out)) if uses_out else (lambda: torch.where(mask, a, b))

    return prepare


def make_numpy_case(name, n):
    def prepare(numpy):
        numbers = numpy.random.default_rng(0)
        arguments = [numbers.random(n, dtype=numpy.float32) for _ in range(1 if name == "exp" else 2)]
        out, function = numpy.empty(n, numpy.float32), getattr(numpy, name)
        return lambda: function(*arguments, out=out)

    return {"NumPy": prepare}


for label, n in SIZES.items():
    recycled.add_case(f"add {label}", make_out_case("add", 2, n), beside=make_numpy_case("add", n))
    recycled.add_case(f"mul {label}", make_out_case("mul", 2, n), beside=make_numpy_case("multiply", n))
    recycled.add_case(f"exp {label}", make_out_case("exp", 1, n), beside=make_numpy_case("exp", n))
    recycled.add_case(f"gelu {label}", make_gelu_out_case(n))
    recycled.add_case(f"where {label}", make_where_case(n, uses_out=True))
    if n >= 1 << 20:
        fresh.add_case(f"add {label}", make_fresh_result_case("add", 2, n))
        fresh.add_case(f"mul {label}", make_fresh_result_case("mul", 2, n))
        fresh.add_case(f"exp {label}", make_fresh_result_case("exp", 1, n))
        fresh.add_case(f"gelu {label}", make_fresh_result_case("gelu", 1, n))
        fresh.add_case(f"where {label}", make_where_case(n, uses_out=False))


def make_case_of_dtype(name, dtype, n, other_dtype=None):
    def prepare(torch):
        a = torch.rand(n) if dtype.startswith(("float", "bfloat")) else torch.randint(0, 100, (n,))
        a = a.to(getattr(torch, dtype))
        b = a.to(getattr(torch, other_dtype)) if other_dtype else a
        out, function = torch.empty_like(torch.add(a[:1], b[:1])).resize_(n), getattr(torch, name)
        return lambda: function(a, b, out=out)

    return prepare


for label, n in SIZES.items():
    recycled.add_case(f"add float16 {label}", make_case_of_dtype("add", "float16", n))
    recycled.add_case(f"add bfloat16 {label}", make_case_of_dtype("add", "bfloat16", n))
    recycled.add_case(f"add int64 {label}", make_case_of_dtype("add", "int64", n))
    recycled.add_case(f"add float32 + float64 {label}", make_case_of_dtype("add", "float32", n, other_dtype="float64"))


@recycled.register_case("add of a row, 1024 x 1024")
def prepare_row_broadcast(torch):
    a, row, out = (
        make_random_vector(torch, 1 << 20).view(1024, 1024),
        make_random_vector(torch, 1024),
        torch.empty(1024, 1024),
    )
    return lambda: torch.add(a, row, out=out)


@recycled.register_case("add of a column, 1024 x 1024")
def prepare_column_broadcast(torch):
    a, column, out = (
        make_random_vector(torch, 1 << 20).view(1024, 1024),
        make_random_vector(torch, 1024)[:, None],
        torch.empty(1024, 1024),
    )
    return lambda: torch.add(a, column, out=out)


@recycled.register_case("add strided, 1024 x 1024 of 2048 x 2048")
def prepare_strided_add(torch):
    a, out = make_random_vector(torch, 1 << 22).view(2048, 2048)[::2, ::2], torch.empty(1024, 1024)
    return lambda: torch.add(a, a, out=out)


@recycled.register_case("add transposed, 1024 x 1024")
def prepare_transposed_add(torch):
    a, out = make_random_vector(torch, 1 << 20).view(1024, 1024), torch.empty(1024, 1024)
    return lambda: torch.add(a, a.t(), out=out)


groups = (recycled, fresh)
