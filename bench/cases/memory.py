"""Resident memory, each case in a process of its own."""

from . import Group

group = Group("memory", 0.8, unit="B")
PEAK = 'print(int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]) * 1024)\n'
MODEL = """
import torch, transformers
torch.manual_seed(0)
model = transformers.BertForMaskedLM(transformers.BertConfig())
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
def train_step(batch, length):
    ids = (torch.arange(batch * length) * 7919 % 30522).view(batch, length)
    optimizer.zero_grad(set_to_none=True)
    model(ids, labels=ids).loss.backward()
    optimizer.step()
"""
SMALL = "hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=512"
SMALL_MODEL = MODEL.replace("BertConfig()", f"BertConfig({SMALL})")
GROWTH = """
def read_resident_bytes():
    return int(next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]) * 1024
most = [0, 0]  # of the first ten batches, and of those after them: one batch's share depends on its length
for i in range(200):
    train_step(8, 16 + i * 37 % 113)
    most[i > 9] = max(most[i > 9], read_resident_bytes())
print(most[1] / most[0])
"""
group.add_case("BERT-base MLM training step, peak", MODEL + "for _ in range(3): train_step(8, 128)\n" + PEAK)
group.add_case("200 batches of changing length, growth after the tenth", SMALL_MODEL + GROWTH, at_most=1.02, unit="x")
