"""lion-pytorch: Lion and AdaBelief train a network whose weights ema-pytorch averages."""
# requires: lion-pytorch; adabelief-pytorch; ema-pytorch

import torch
from adabelief_pytorch import AdaBelief
from ema_pytorch import EMA
from lion_pytorch import Lion
from report import report

x = torch.randn(8, 4, generator=torch.Generator().manual_seed(0))
for kind, options in ((Lion, {}), (AdaBelief, {"print_change_log": False})):
    torch.manual_seed(0)
    net = torch.nn.Linear(4, 2)
    average = EMA(net, beta=0.9, update_after_step=1, update_every=1)
    optimizer = kind(net.parameters(), lr=0.01, **options)
    for _ in range(4):
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()
        average.update()
    report(kind.__name__, net.weight)
    report(f"{kind.__name__}, average", average(x))
