"""Trains examples/monarch on a folder of shards, and prints its numbers as JSON: python monarch_mixer.py FOLDER.

Under mindtorch it writes the shards first and reads them as a stream; real torch gets the same samples from memory.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "monarch"))

import torch
from data import sentences, write_shards
from model import LongConvolution, Monarch, MonarchMixer
from train import Trainer, batches

STEPS, RELOAD_AT, BATCH, COUNT = 100, 60, 8, 240
OURS = hasattr(torch.version, "mindtorch")


class Samples(torch.utils.data.IterableDataset):
    """The same samples as the shards; workers take whole batches in turn."""

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        for number, tokens in enumerate(sentences(COUNT)):
            if number // BATCH % worker.num_workers == worker.id:
                yield {"ids": torch.tensor(tokens), "number": number}


def open_dataset(folder):
    if not OURS:
        return Samples()
    from mindtorch.streaming import StreamingDataset

    write_shards(folder, COUNT)
    return StreamingDataset(local=folder, batch_size=BATCH)


def train_and_reload(dataset, checkpoint):
    """Returns losses and accuracies; in the middle, everything is saved, made anew and loaded."""
    trainer, losses, accuracies = Trainer(STEPS), [], []
    for step, batch in zip(range(STEPS), batches(dataset, batch_size=BATCH), strict=False):
        if step == RELOAD_AT:
            trainer.save(checkpoint)
            trainer = Trainer(STEPS, seed=1)
            trainer.load(checkpoint)
        loss, accuracy = trainer.step(batch)
        losses.append(loss)
        accuracies.append(accuracy)
    return losses, accuracies


def sum_long_convolution(points):
    """Returns sums of a long convolution's result and gradients."""
    torch.manual_seed(3)
    layer = LongConvolution(4)
    x = torch.randn(1, points // 2, 4, requires_grad=True)
    y = layer(x)
    (y * torch.linspace(-1, 1, points // 2)[:, None]).square().sum().backward()
    return [y.std().item(), x.grad.std().item(), *(p.grad.std().item() for p in layer.parameters())]


def measure_monarch_error():
    """Returns how far a Monarch product is from the nearest one of its matrix, and the share that it keeps."""
    torch.manual_seed(4)
    layer = Monarch(16)
    made = layer(torch.eye(16)).squeeze(0).T
    from model import split_by_svd

    outer, inner = split_by_svd(made, 4)
    again = torch.einsum("qpr,rqs->pqrs", outer, inner).reshape(16, 16)
    return (again - made).abs().max().item(), made.square().sum().item()


def compute_autocast_loss():
    torch.manual_seed(5)
    model = MonarchMixer(64, layers=1, dropout=0.0)
    ids = torch.randint(2, 64, (2, 64))
    with torch.autocast("cpu", torch.bfloat16):
        scores = model(ids, torch.ones_like(ids, dtype=torch.bool))
    scores.float().logsumexp(-1).sum().backward()
    return scores.float().logsumexp(-1).mean().item(), model.tokens.weight.grad.norm().item()


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        dataset = open_dataset(sys.argv[1])
        losses, accuracies = train_and_reload(dataset, f"{scratch}/model.pt")
    made = {"losses": losses, "accuracies": accuracies, "long": sum_long_convolution(65536)}
    made["error"], made["energy"] = measure_monarch_error()
    made["autocast"] = compute_autocast_loss()
    print(json.dumps({**made, "ours": OURS, "numpy": "numpy" in sys.modules}))


if __name__ == "__main__":
    main()
