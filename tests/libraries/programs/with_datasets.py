"""datasets: a table in torch's format, mapped, shuffled, batched by DataLoader with workers."""
# requires: datasets

import torch
from datasets import Dataset
from report import report

table = Dataset.from_dict({"x": [[float(i), i + 0.5] for i in range(20)], "y": list(range(20))}).with_format("torch")
report("row", table[3])
report("rows", table[2:5]["x"])
doubled = table.map(lambda row: {"z": row["x"] * 2}, batched=True)
report("mapped", doubled[:3]["z"])
report("shuffled", table.shuffle(seed=1)[:5]["y"])
loader = torch.utils.data.DataLoader(table, batch_size=8, num_workers=2)
report("batches", [batch["x"].sum().item() for batch in loader])
report("split", table.train_test_split(0.25, seed=0)["test"][:]["y"])
stream = table.to_iterable_dataset(num_shards=2)
report("stream", [row["y"] for row in stream.take(3)])
