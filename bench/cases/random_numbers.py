"""Random numbers; both sides draw the same stream, bit for bit."""

from . import Group

group = Group("random", 0.4, tolerance=0.0)


def prepare_bernoulli(torch):
    a = torch.empty(1 << 20)
    return lambda: a.bernoulli_(0.3)


def prepare_dropout(torch):
    a = torch.ones(1 << 20)
    return lambda: torch.nn.functional.dropout(a, 0.1)


def prepare_multinomial(torch):
    weights = torch.ones(64, 4096)
    return lambda: torch.multinomial(weights, 16)


def make_numpy_case(draw):
    """The same draw by NumPy's own generator (another stream)."""
    return {"NumPy": lambda numpy: lambda generator=numpy.random.default_rng(0): draw(generator)}


group.add_case(
    "rand 1M", lambda torch: lambda: torch.rand(1 << 20), beside=make_numpy_case(lambda g: g.random(1 << 20, "float32"))
)
group.add_case(
    "randn 1M",
    lambda torch: lambda: torch.randn(1 << 20),
    tolerance=1e-6,
    beside=make_numpy_case(lambda g: g.standard_normal(1 << 20, "float32")),
)
group.add_case("randn 1,000", lambda torch: lambda: torch.randn(1000), tolerance=1e-6)
group.add_case("bernoulli_ 1M", prepare_bernoulli)
group.add_case("dropout 1M", prepare_dropout)
group.add_case("multinomial 64 x 4096, 16 draws", prepare_multinomial)
group.add_case(
    "randperm 1M",
    lambda torch: lambda: torch.randperm(1 << 20),
    beside=make_numpy_case(lambda g: g.permutation(1 << 20)),
)
