"""accelerate: a training loop with gradient accumulation and clipping, checkpoints saved and loaded."""
# requires: accelerate

import torch
from accelerate import Accelerator, init_empty_weights, load_checkpoint_and_dispatch
from report import report

torch.manual_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
data = torch.utils.data.TensorDataset(torch.randn(32, 8), torch.randint(2, (32,)))
loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True, generator=torch.Generator().manual_seed(0))
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
losses = []
for _ in range(2):
    for inputs, labels in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            losses.append(accelerator.gather(loss.detach()).mean().item())
report("losses", losses)
report("device", str(accelerator.device))
accelerator.save_state("state")
before = [parameter.detach().clone() for parameter in model.parameters()]
torch.nn.init.zeros_(next(model.parameters()))
accelerator.load_state("state")
report("state", all(torch.equal(one, other) for one, other in zip(before, model.parameters(), strict=False)))

accelerator.save_model(model, "model")
with init_empty_weights():
    empty = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
report("on meta", str(next(empty.parameters()).device))
loaded = load_checkpoint_and_dispatch(empty, "model/model.safetensors", device_map={"": "cpu"})
report("dispatched", loaded(torch.ones(1, 8)))
