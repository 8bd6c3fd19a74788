"""Trains one linear layer on the processes that torchrun starts, with a share of the data on each."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()

torch.manual_seed(0)
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)
x, y = x[rank::size], y[rank::size]

model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(50):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()  # averages gradients over the processes during the pass
    optimizer.step()

weights = [torch.empty(1, 4) for _ in range(size)]
dist.all_gather(weights, model.module.weight.detach())
assert all(torch.equal(weights[0], each) for each in weights)
if rank == 0:
    print("both ranks have the same weights")
dist.destroy_process_group()
