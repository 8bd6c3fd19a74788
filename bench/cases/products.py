"""Matrix products."""

from . import Group

single = Group("matrix products, float32", 1.05, tolerance=1e-3)
half = Group("matrix products, bfloat16", 1.0, tolerance=5e-2)
SHAPES = {
    "1024 x 768 x 768": (1024, 768, 768),
    "1024 x 768 x 3072": (1024, 768, 3072),
    "1024 x 3072 x 768": (1024, 3072, 768),
    "1024 cubed": (1024, 1024, 1024),
    "2048 cubed": (2048, 2048, 2048),
    **{f"{m} x 768 x 3072": (m, 768, 3072) for m in (1, 2, 4, 8, 16)},
}


def make_product_case(dtype, m, k, n, make=lambda a, b: (a, b)):
    def prepare(torch):
        a, b = torch.randn(m, k).to(getattr(torch, dtype)), torch.randn(k, n).to(getattr(torch, dtype))
        a, b = make(a, b)
        return lambda: torch.mm(a, b)

    return prepare


def make_numpy_case(m, k, n):
    def prepare(numpy):
        draw = numpy.random.default_rng(0).standard_normal
        a, b = draw((m, k), numpy.float32), draw((k, n), numpy.float32)
        return lambda: a @ b

    return {"NumPy": prepare}


def make_batched_product_case(dtype):
    def prepare(torch):
        a, b = torch.randn(96, 128, 64).to(getattr(torch, dtype)), torch.randn(96, 64, 128).to(getattr(torch, dtype))
        return lambda: torch.bmm(a, b)

    return prepare


def make_linear_case(dtype, m, k, n):
    def prepare(torch):
        x, w, b = (torch.randn(*shape).to(getattr(torch, dtype)) for shape in ((m, k), (n, k), (n,)))
        return lambda: torch.nn.functional.linear(x, w, b)

    return prepare


for group, dtype in ((single, "float32"), (half, "bfloat16")):
    for name, (m, k, n) in SHAPES.items():
        small = group is single and 2 <= m <= 16
        beside = make_numpy_case(m, k, n) if group is single else None
        group.add_case(name, make_product_case(dtype, m, k, n), at_most=0.8 if small else None, beside=beside)
    group.add_case("96 of 128 x 64 x 128", make_batched_product_case(dtype))
    group.add_case("linear 1024 x 768 x 768", make_linear_case(dtype, 1024, 768, 768))
    group.add_case("transposed right, 1024 cubed", make_product_case(dtype, 1024, 1024, 1024, lambda a, b: (a, b.t())))
    group.add_case("transposed left, 1024 cubed", make_product_case(dtype, 1024, 1024, 1024, lambda a, b: (a.t(), b)))
    group.add_case(
        "strided, 512 cubed of 1024",
        make_product_case(dtype, 1024, 1024, 1024, lambda a, b: (a[::2, ::2], b[::2, ::2])),
    )
groups = (single, half)
