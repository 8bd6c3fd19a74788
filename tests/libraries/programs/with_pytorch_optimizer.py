"""pytorch-optimizer: twelve optimizers (Lion, AdaBelief, Shampoo, Sophia and others) train a network."""
# requires: pytorch-optimizer

import torch
from pytorch_optimizer import load_optimizer
from report import report

x = torch.randn(16, 4, generator=torch.Generator().manual_seed(0))
for name in (
    "lion",
    "adabelief",
    "radam",
    "lamb",
    "adafactor",
    "ranger21",
    "shampoo",
    "madgrad",
    "novograd",
    "diffgrad",
    "adan",
    "prodigy",
):
    torch.manual_seed(0)
    net = torch.nn.Linear(4, 3)
    kind = load_optimizer(name)
    optimizer = (
        kind(net.parameters(), lr=0.01, num_iterations=10) if name == "ranger21" else kind(net.parameters(), lr=0.01)
    )
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    report(name, losses, rtol=1e-3)
