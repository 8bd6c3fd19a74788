"""Helpers of the torch.fx tests: modules to trace, and the resulting texts."""

import importlib
import math
import re


def scrub_addresses(text):
    """Removes intended differences from `text`: our root's name, and addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(text)).replace("mindtorch", "torch")


def outcome(torch, program):
    """The text that `program(torch, torch.fx)` returns, or its error."""
    fx = importlib.import_module(f"{torch.__name__}.fx")
    try:
        return scrub_addresses(program(torch, fx))
    except Exception as error:
        return f"{type(error).__module__.rpartition('.')[2]}.{type(error).__name__}: {scrub_addresses(error)}"


def assert_same_trace(mt, oracle, program):
    expected = outcome(oracle, program)
    assert outcome(mt, program) == expected
    return expected


def trace_to_text(module):
    nodes = [(node.op, node.name, str(node.target), node.args, node.kwargs) for node in module.graph.nodes]
    return f"{module.graph}\n{module.code}\n{nodes}"


def linear_relu(torch):
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())


def residual(torch):
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = torch.nn.Conv2d(3, 3, 3, padding=1), torch.nn.BatchNorm2d(3)
            self.scale = torch.nn.Parameter(torch.ones(3, 1, 1))
            self.register_buffer("shift", torch.zeros(1))

        def forward(self, x):
            return torch.relu(self.norm(self.conv(x)) * self.scale + self.shift) + x

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = torch.nn.ModuleList(Block() for _ in range(2))
            self.head = torch.nn.Linear(3, 4)

        def forward(self, x, mask=None):
            for block in self.blocks:
                x = block(x)
            return {"logits": self.head(x.mean(dim=(2, 3))), "mask": mask}

    return Net()


def attention(torch):
    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = torch.nn.Linear(8, 24, bias=False), torch.nn.Linear(8, 8)

        def forward(self, x):
            q, k, v = self.qkv(x).chunk(3, dim=-1)
            weights = (q @ k.transpose(-2, -1) / math.sqrt(8)).softmax(dim=-1)
            return self.out(weights @ v)

    return Attention()


MODULES = [linear_relu, residual, attention]
