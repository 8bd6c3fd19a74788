"""functorch.compile: functions that a compiler of graphs would take, run as functionalized operators."""

import pytest

PROGRAM = """
import torch, functorch.compile as compile
from torch._functorch import config

def write_and_view(x, y):
    x.mul_(2)
    return x + y, y.view(-1)

run = compile.aot_function(write_and_view, compile.nop)
x, y = torch.ones(2, 2), torch.full((2, 2), 3.0, requires_grad=True)
total, flat = run(x, y)
(total.sum() + (flat * flat).sum()).backward()
print(total.tolist(), flat.tolist(), x.tolist(), y.grad.tolist())

layer = torch.nn.Linear(2, 2)
module = compile.aot_module(layer, compile.nop)
print(module, list(module.state_dict()), torch.equal(module(x), layer(x)))

boxed = compile.make_boxed_func(lambda a, b: a + b)
print(boxed([1, 2]), boxed._boxed_call)
print(compile.make_boxed_compiler(lambda graph, inputs: graph)(max, [])([3, 5]), compile.nop(max, [])([3, 5]))

before = config.cse, config.donated_buffer
with config.patch("cse", not config.cse):
    print(config.cse == before[0])
with config.patch(cse=False, donated_buffer=False):
    print(config.cse, config.donated_buffer)
print((config.cse, config.donated_buffer) == before, compile.config is config)
try:
    compile.aot_module_simplified(layer, (x,), compile.nop)
except RuntimeError as error:
    print(error)
class Pair(torch.nn.Module):
    def forward(self, x):
        return x + 1, x * 2
print(compile.aot_module_simplified(Pair(), (x,), compile.nop)(x))
"""


def test_functions_compiled_by_nop_compute_what_torchs_do(same_as_oracle):
    same_as_oracle(PROGRAM)


def test_other_compilers_are_refused_when_the_function_is_made(mt):
    from importlib import import_module

    aot = import_module(f"{mt.__name__}._functorch.aot_autograd")
    with pytest.raises(NotImplementedError, match="no tracing compiler"):
        aot.aot_function(lambda x: x, lambda graph, inputs: graph)
