"""Sentences of a small made-up language in MDS shards, and batches with masked tokens."""

import random

import torch

PAD, MASK, FIRST, VOCABULARY = 0, 1, 2, 64
IGNORED = -100  # the label of tokens that are not predicted


def sentences(count, seed=0):
    """Token lists of 16 to 64 tokens. Each token depends on the one two before it."""
    draw = random.Random(seed)
    words = VOCABULARY - FIRST
    for _ in range(count):
        tokens = [draw.randrange(words), draw.randrange(words)]
        for _ in range(draw.randrange(14, 63)):
            follower = 7 * tokens[-2] + 3
            tokens.append((follower if draw.random() < 0.9 else draw.randrange(words)) % words)
        yield [FIRST + token for token in tokens]


def write_shards(folder, count=1000, seed=0):
    """Writes a dataset of shards that are compressed with zstd."""
    from mindtorch.streaming import MDSWriter

    columns = {"ids": "ndarray:int32", "number": "int"}
    with MDSWriter(out=folder, columns=columns, compression="zstd:7", size_limit=1 << 14) as writer:
        for number, tokens in enumerate(sentences(count, seed)):
            writer.write({"ids": torch.tensor(tokens, dtype=torch.int32), "number": number})


class MaskedBatches:
    """Makes a batch of samples: hides 30 % of the tokens, and labels those."""

    def __init__(self, length=64, share=0.3):
        self.length, self.share = length, share

    def __call__(self, samples):
        ids = torch.full((len(samples), self.length), PAD)
        for row, sample in zip(ids, samples, strict=True):
            row[: len(sample["ids"])] = sample["ids"]
        mask = ids != PAD
        # Seeds the generator from the samples' numbers, so that the mask does not depend on which worker loads them.
        draw = torch.Generator().manual_seed(
            sum(int(sample["number"]) * 31**i for i, sample in enumerate(samples)) % 2**31
        )
        chosen = torch.bernoulli(torch.full(ids.shape, self.share), generator=draw).bool() & mask
        labels = torch.where(chosen, ids, IGNORED)
        # Of the chosen tokens 80 % become the mask, 10 % another token, 10 % stay.
        fate = torch.rand(ids.shape, generator=draw)
        others = torch.randint(FIRST, VOCABULARY, ids.shape, generator=draw)
        shown = torch.where(fate < 0.8, MASK, torch.where(fate < 0.9, others, ids))
        return {"ids": torch.where(chosen, shown, ids), "mask": mask, "labels": labels[mask]}
