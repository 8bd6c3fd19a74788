"""Trains a MonarchMixer on MDS shards: python -m mindtorch train.py FOLDER. The folder is filled if it is absent."""

import argparse
import os

import torch
import torch.nn.functional as F
from data import IGNORED, VOCABULARY, MaskedBatches, write_shards
from model import MonarchMixer


class Trainer:
    """A model, its optimizer and its schedule, which are saved and loaded together."""

    def __init__(self, steps=100, seed=0):
        torch.manual_seed(seed)
        self.model = MonarchMixer(VOCABULARY)
        decayed = [p for p in self.model.parameters() if p.dim() > 1]
        others = [p for p in self.model.parameters() if p.dim() <= 1]
        groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=5e-3, betas=(0.9, 0.98), eps=1e-6)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: min(1.0, (step + 1) / 10) * (1 - step / (2 * steps))
        )

    def step(self, batch):
        """Returns the loss and the share of hidden tokens that were guessed."""
        scores = self.model(batch["ids"], batch["mask"])
        loss = F.cross_entropy(scores, batch["labels"], ignore_index=IGNORED)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        hidden = batch["labels"] != IGNORED
        guessed = (scores.argmax(-1) == batch["labels"])[hidden]
        return loss.item(), guessed.float().mean().item()

    def save(self, path):
        parts = {name: getattr(self, name).state_dict() for name in ("model", "optimizer")}
        torch.save({**parts, "schedule": self.schedule.last_epoch, "random": torch.get_rng_state()}, path)

    def load(self, path):
        saved = torch.load(path)
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.schedule.last_epoch = saved["schedule"]
        torch.set_rng_state(saved["random"])


def batches(dataset, workers=2, batch_size=8):
    """Batches of all epochs of an IterableDataset."""
    while True:
        yield from torch.utils.data.DataLoader(
            dataset, batch_size=batch_size, num_workers=workers, collate_fn=MaskedBatches(), drop_last=True
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    from mindtorch.streaming import StreamingDataset

    if not os.path.exists(options.folder):
        write_shards(options.folder)
    trainer = Trainer(options.steps)
    dataset = StreamingDataset(local=options.folder, shuffle=True, batch_size=8)
    for step, batch in zip(range(options.steps), batches(dataset), strict=False):
        loss, accuracy = trainer.step(batch)
        if step % 20 == 0 or step == options.steps - 1:
            print(f"step {step}: loss {loss:.3f}, {accuracy:.0%} of the hidden tokens guessed", flush=True)
    trainer.save(os.path.join(options.folder, "model.pt"))


if __name__ == "__main__":
    main()
