"""One call from Python on tensors so small that only the way there and back counts."""

from . import Group

group = Group("calls, 1 element", 0.5)


def prepare_numpy_add(numpy):
    a, b = numpy.ones(1, numpy.float32), numpy.ones(1, numpy.float32)
    return lambda: a + b


@group.register_case("a + b", beside={"NumPy": prepare_numpy_add})
def prepare_add(torch):
    a, b = torch.ones(1), torch.ones(1)
    return lambda: a + b


@group.register_case("a * 2.5")
def prepare_mul_scalar(torch):
    a = torch.ones(1)
    return lambda: a * 2.5


@group.register_case("a.add_(b)")
def prepare_add_inplace(torch):
    a, b = torch.ones(1), torch.zeros(1)
    return lambda: a.add_(b)


@group.register_case("a.view(1, 1)")
def prepare_view(torch):
    a = torch.ones(1)
    return lambda: a.view(1, 1)


@group.register_case("a[0]")
def prepare_index(torch):
    a = torch.ones(4)
    return lambda: a[0]


@group.register_case("a[1:3]")
def prepare_narrow(torch):
    a = torch.ones(4)
    return lambda: a[1:3]


@group.register_case("cat of two")
def prepare_cat(torch):
    a, b = torch.ones(1), torch.ones(1)
    return lambda: torch.cat((a, b))


@group.register_case("nn.Linear(4, 4)")
def prepare_linear(torch):
    layer, x = torch.nn.Linear(4, 4), torch.ones(1, 4)
    return lambda: layer(x).detach()


@group.register_case("a.shape", at_most=1.0)
def prepare_shape(torch):
    a = torch.ones(2, 3)
    return lambda: a.shape and None


@group.register_case("a.item()", at_most=1.0)
def prepare_item(torch):
    a = torch.ones(1)
    return lambda: a.item()
