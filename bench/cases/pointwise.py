"""Elementwise operators, with the output given (no page faults) and fresh (torch pays them anew each time)."""

from . import Group

recycled = Group("pointwise, recycled output", 1.0)
fresh = Group("pointwise, fresh output", 0.5)
SIZES = {"64K": 1 << 16, "1M": 1 << 20, "16M": 1 << 24}


def floats(torch, n, dtype="float32"):
    return torch.rand(n).to(getattr(torch, dtype))


def with_out(name, count, n):
    """torch.NAME(a, ..., out=out) on `count` float32 tensors of n elements."""

    def prepare(torch):
        arguments = [floats(torch, n) for _ in range(count)]
        out, function = torch.empty(n), getattr(torch, name)
        return lambda: function(*arguments, out=out)

    return prepare


def without_out(name, count, n):
    def prepare(torch):
        arguments = [floats(torch, n) for _ in range(count)]
        function = getattr(torch, name, None) or getattr(torch.nn.functional, name)
        return lambda: function(*arguments)

    return prepare


def gelu_out(n):
    def prepare(torch):
        a, out = floats(torch, n), torch.empty(n)
        return lambda: torch.ops.aten.gelu.out(a, out=out)

    return prepare


def where(n, given):
    def prepare(torch):
        a, b = floats(torch, n), floats(torch, n) + 1
        mask, out = a > 0.5, torch.empty(n)
        return (lambda: torch.where(mask, a, b, out=out)) if given else (lambda: torch.where(mask, a, b))

    return prepare


def numpy_binary(name, n):
    def prepare(numpy):
        numbers = numpy.random.default_rng(0)
        arguments = [numbers.random(n, dtype=numpy.float32) for _ in range(1 if name == "exp" else 2)]
        out, function = numpy.empty(n, numpy.float32), getattr(numpy, name)
        return lambda: function(*arguments, out=out)

    return {"NumPy": prepare}


for label, n in SIZES.items():
    recycled.add(f"add {label}", with_out("add", 2, n), beside=numpy_binary("add", n))
    recycled.add(f"mul {label}", with_out("mul", 2, n), beside=numpy_binary("multiply", n))
    recycled.add(f"exp {label}", with_out("exp", 1, n), beside=numpy_binary("exp", n))
    recycled.add(f"gelu {label}", gelu_out(n))
    recycled.add(f"where {label}", where(n, given=True))
    if n >= 1 << 20:
        fresh.add(f"add {label}", without_out("add", 2, n))
        fresh.add(f"mul {label}", without_out("mul", 2, n))
        fresh.add(f"exp {label}", without_out("exp", 1, n))
        fresh.add(f"gelu {label}", without_out("gelu", 1, n))
        fresh.add(f"where {label}", where(n, given=False))


def typed(name, dtype, n, other=None):
    def prepare(torch):
        a = torch.rand(n) if dtype.startswith(("float", "bfloat")) else torch.randint(0, 100, (n,))
        a = a.to(getattr(torch, dtype))
        b = a.to(getattr(torch, other)) if other else a
        out, function = torch.empty_like(torch.add(a[:1], b[:1])).resize_(n), getattr(torch, name)
        return lambda: function(a, b, out=out)

    return prepare


for label, n in SIZES.items():
    recycled.add(f"add float16 {label}", typed("add", "float16", n))
    recycled.add(f"add bfloat16 {label}", typed("add", "bfloat16", n))
    recycled.add(f"add int64 {label}", typed("add", "int64", n))
    recycled.add(f"add float32 + float64 {label}", typed("add", "float32", n, other="float64"))


@recycled.case("add of a row, 1024 x 1024")
def broadcast_row(torch):
    a, row, out = floats(torch, 1 << 20).view(1024, 1024), floats(torch, 1024), torch.empty(1024, 1024)
    return lambda: torch.add(a, row, out=out)


@recycled.case("add of a column, 1024 x 1024")
def broadcast_column(torch):
    a, column, out = floats(torch, 1 << 20).view(1024, 1024), floats(torch, 1024)[:, None], torch.empty(1024, 1024)
    return lambda: torch.add(a, column, out=out)


@recycled.case("add strided, 1024 x 1024 of 2048 x 2048")
def strided(torch):
    a, out = floats(torch, 1 << 22).view(2048, 2048)[::2, ::2], torch.empty(1024, 1024)
    return lambda: torch.add(a, a, out=out)


@recycled.case("add transposed, 1024 x 1024")
def transposed(torch):
    a, out = floats(torch, 1 << 20).view(1024, 1024), torch.empty(1024, 1024)
    return lambda: torch.add(a, a.t(), out=out)


groups = (recycled, fresh)
