"""Trains a network whose layers are split over the processes that torchrun starts."""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (dist.get_world_size(),))

torch.manual_seed(0)
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)
model = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))

# The first layer gives each rank some of the 32 units, the second one adds up what they contribute.
model = parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
for _ in range(100):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

assert loss < 0.05, loss
weight = model[0].weight
if mesh.get_rank() == 0:
    print(f"rank 0 has {weight.to_local().size(0)} of {weight.size(0)} rows: {weight.placements}")
dist.destroy_process_group()
