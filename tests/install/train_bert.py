"""A program that uses only torch's API: trains a small BERT with accelerate, and exits with 0 if the loss fell."""

import sys

import torch
from accelerate import Accelerator
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(0)
config = BertConfig(
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
    vocab_size=100,
    max_position_embeddings=32,
)
model = BertForSequenceClassification(config).train()
# The label is whether the first token is odd.
ids = torch.randint(0, 100, (256, 16))
data = torch.utils.data.TensorDataset(ids, ids[:, 0] % 2)
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
accelerator = Accelerator(cpu=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
epochs = []
for _ in range(10):
    losses = []
    for batch, labels in loader:
        optimizer.zero_grad()
        loss = model(batch, labels=labels).loss
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    epochs.append(sum(losses) / len(losses))
print(f"torch {torch.__version__} at {torch.__file__}: loss {epochs[0]:.4f} -> {epochs[-1]:.4f}")
sys.exit(not (torch.__version__ == "2.13.0+mindtorch" and epochs[-1] < 0.5 * epochs[0]))
