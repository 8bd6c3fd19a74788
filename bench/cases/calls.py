"""One call from Python on tensors so small that only the way there and back counts."""

from . import Group

group = Group("calls, 1 element", 0.5)


def numpy_add(numpy):
    a, b = numpy.ones(1, numpy.float32), numpy.ones(1, numpy.float32)
    return lambda: a + b


@group.case("a + b", beside={"NumPy": numpy_add})
def add(torch):
    a, b = torch.ones(1), torch.ones(1)
    return lambda: a + b


@group.case("a * 2.5")
def mul_scalar(torch):
    a = torch.ones(1)
    return lambda: a * 2.5


@group.case("a.add_(b)")
def add_inplace(torch):
    a, b = torch.ones(1), torch.zeros(1)
    return lambda: a.add_(b)


@group.case("a.view(1, 1)")
def view(torch):
    a = torch.ones(1)
    return lambda: a.view(1, 1)


@group.case("a[0]")
def index(torch):
    a = torch.ones(4)
    return lambda: a[0]


@group.case("a[1:3]")
def narrow(torch):
    a = torch.ones(4)
    return lambda: a[1:3]


@group.case("cat of two")
def cat(torch):
    a, b = torch.ones(1), torch.ones(1)
    return lambda: torch.cat((a, b))


@group.case("nn.Linear(4, 4)")
def linear(torch):
    layer, x = torch.nn.Linear(4, 4), torch.ones(1, 4)
    return lambda: layer(x).detach()


@group.case("a.shape", at_most=1.0)
def shape(torch):
    a = torch.ones(2, 3)
    return lambda: a.shape and None


@group.case("a.item()", at_most=1.0)
def item(torch):
    a = torch.ones(1)
    return lambda: a.item()
