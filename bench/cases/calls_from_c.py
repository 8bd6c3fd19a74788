"""The C ABI: what a program pays that calls mt_op_call itself, against torch's call from Python."""

from . import Group

group = Group("calls from C", 0.2)


@group.register_case("mt_op_call add, 1 element", native="call_binary/add")
def prepare_add(torch):
    a, b = torch.ones(1), torch.ones(1)
    return lambda: a + b
