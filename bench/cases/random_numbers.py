"""Random numbers; both sides draw the same stream, bit for bit."""

from . import Group

group = Group("random", 0.4, tolerance=0.0)


def bernoulli(torch):
    a = torch.empty(1 << 20)
    return lambda: a.bernoulli_(0.3)


def dropout(torch):
    a = torch.ones(1 << 20)
    return lambda: torch.nn.functional.dropout(a, 0.1)


def multinomial(torch):
    weights = torch.ones(64, 4096)
    return lambda: torch.multinomial(weights, 16)


def in_numpy(draw):
    """The same draw by NumPy's own generator (another stream)."""
    return {"NumPy": lambda numpy: lambda generator=numpy.random.default_rng(0): draw(generator)}


group.add("rand 1M", lambda torch: lambda: torch.rand(1 << 20), beside=in_numpy(lambda g: g.random(1 << 20, "float32")))
group.add(
    "randn 1M",
    lambda torch: lambda: torch.randn(1 << 20),
    tolerance=1e-6,
    beside=in_numpy(lambda g: g.standard_normal(1 << 20, "float32")),
)
group.add("randn 1,000", lambda torch: lambda: torch.randn(1000), tolerance=1e-6)
group.add("bernoulli_ 1M", bernoulli)
group.add("dropout 1M", dropout)
group.add("multinomial 64 x 4096, 16 draws", multinomial)
group.add(
    "randperm 1M", lambda torch: lambda: torch.randperm(1 << 20), beside=in_numpy(lambda g: g.permutation(1 << 20))
)
