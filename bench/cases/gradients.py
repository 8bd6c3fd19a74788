"""Small calls that record gradients, and the engine that walks them back."""

from . import Group

group = Group("calls with gradients", 0.5)


@group.register_case("a + b")
def prepare_add(torch):
    a, b = torch.ones(1, requires_grad=True), torch.ones(1)
    return lambda: (a + b).detach()


@group.register_case("(a * b).sum().backward()")
def prepare_backward(torch):
    a, b = torch.ones(1, requires_grad=True), torch.ones(1)

    def run_measured_call():
        a.grad = None
        (a * b).sum().backward()
        return a.grad

    return run_measured_call


@group.register_case("1,000 nodes, there and back")
def prepare_backward_of_long_chain(torch):
    a = torch.ones(1, requires_grad=True)

    def run_measured_call():
        a.grad = None
        y = a
        for _ in range(1000):
            y = y * 1.0001
        y.backward()
        return a.grad

    return run_measured_call
