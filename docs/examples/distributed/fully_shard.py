"""Trains a model of which each rank stores only a piece."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

dist.init_process_group("gloo")
torch.manual_seed(0)

model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
for layer in model:
    if isinstance(layer, torch.nn.Linear):
        fully_shard(layer)
fully_shard(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

first = None
for _ in range(50):
    inputs = torch.randn(32, 16)
    loss = (model(inputs) - inputs.sum(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    first = first or loss.item()

weight = model[0].weight
if dist.get_rank() == 0:
    print(
        f"rank 0 has {weight.to_local().shape[0]} of {weight.shape[0]} rows; the loss fell: {loss.item() < first / 2}"
    )
dist.destroy_process_group()
