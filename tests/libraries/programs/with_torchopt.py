"""torchopt: functional optimizers and differentiable inner loops."""
# requires: torchopt

import torch
import torchopt
from report import report

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
x = torch.randn(8, 3)
optimizer = torchopt.MetaSGD(net, lr=0.1)
scale = torch.tensor(1.0, requires_grad=True)
for _ in range(2):
    optimizer.step((net(x) * scale).square().mean())
outer = net(x).square().mean()
report("outer", outer)
report("meta-gradient", torch.autograd.grad(outer, scale)[0])
functional = torchopt.adam(lr=0.1)
parameters = {"w": torch.ones(3)}
state = functional.init(parameters)
updates, state = functional.update({"w": torch.tensor([1.0, 2.0, 3.0])}, state, inplace=False)
report("adam", torchopt.apply_updates(parameters, updates, inplace=False)["w"])
