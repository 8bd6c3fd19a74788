"""Reductions and the row operators of networks, forward and backward."""

from . import Group

group = Group("reductions", 0.8)
ROWS, COLUMNS = 4096, 768


def make_matrix(torch, requires_grad=False):
    return torch.randn(ROWS, COLUMNS).requires_grad_(requires_grad)


def make_reduction_case(call):
    def prepare(torch):
        a = make_matrix(torch)
        return lambda: call(torch, a)

    return prepare


CALLS = {
    "sum": lambda torch, a, *dim: torch.sum(a, *dim),
    "mean": lambda torch, a, *dim: torch.mean(a, *dim),
    "var": lambda torch, a, *dim: torch.var(a, *dim),
    "max": lambda torch, a, *dim: torch.max(a, *dim),
    "argmax": lambda torch, a, *dim: torch.argmax(a, *dim),
    "norm": lambda torch, a, *dim: torch.linalg.vector_norm(a, 2, *dim),
}


def make_numpy_case(name, dim):
    """The same reduction in NumPy, where it has one of that name."""

    def prepare(numpy):
        a = numpy.random.default_rng(0).standard_normal((ROWS, COLUMNS), numpy.float32)
        function = getattr(numpy, name)
        return lambda: function(a, dim)

    return None if name == "norm" else {"NumPy": prepare}


for name, call in CALLS.items():
    group.add_case(f"{name}, all", make_reduction_case(call), beside=make_numpy_case(name, None))
    for dim, words in enumerate(("first dimension", "last dimension")):
        along = make_reduction_case(lambda torch, a, call=call, dim=dim: call(torch, a, dim))
        group.add_case(f"{name}, {words}", along, beside=make_numpy_case(name, dim))


def make_forward_and_backward_cases(call):
    """(forward, backward) of a function of (torch, x) that keeps the shape."""

    def prepare_forward(torch):
        a = make_matrix(torch)
        return lambda: call(torch, a)

    def prepare_backward(torch):
        a = make_matrix(torch, requires_grad=True)
        y, g = call(torch, a), torch.ones(ROWS, COLUMNS)
        return lambda: torch.autograd.grad(y, a, g, retain_graph=True)

    return prepare_forward, prepare_backward


def make_norm_weights(torch):
    return torch.full((COLUMNS,), 1.5), torch.full((COLUMNS,), 0.5)


ROW_OPERATORS = {
    "softmax": lambda torch, a: torch.softmax(a, -1),
    "log_softmax": lambda torch, a: torch.log_softmax(a, -1),
    "layer norm": lambda torch, a: torch.nn.functional.layer_norm(a, (COLUMNS,), *make_norm_weights(torch)),
    "rms norm": lambda torch, a: torch.nn.functional.rms_norm(a, (COLUMNS,), make_norm_weights(torch)[0]),
}
for name, call in ROW_OPERATORS.items():
    for way, prepare in zip(("", " backward"), make_forward_and_backward_cases(call), strict=True):
        group.add_case(f"{name}{way}", prepare)


@group.register_case("cross entropy")
def prepare_cross_entropy(torch):
    a, target = make_matrix(torch), torch.arange(ROWS) % COLUMNS
    return lambda: torch.nn.functional.cross_entropy(a, target)


@group.register_case("cross entropy backward")
def prepare_cross_entropy_backward(torch):
    a, target = make_matrix(torch, requires_grad=True), torch.arange(ROWS) % COLUMNS
    loss = torch.nn.functional.cross_entropy(a, target)
    return lambda: torch.autograd.grad(loss, a, retain_graph=True)
