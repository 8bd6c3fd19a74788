"""Sums a tensor over all processes, and gathers tensors from them."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()

total = torch.full((2,), rank + 1.0)
dist.all_reduce(total)
gathered = [torch.empty(1) for _ in range(size)]
dist.all_gather(gathered, torch.tensor([rank + 1.0]))
if rank == 0:
    print("sum", total.tolist())
    print("gathered", [each.item() for each in gathered])
dist.destroy_process_group()
