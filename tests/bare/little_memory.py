"""Sends batches from a worker through a /dev/shm of 64 MB: one of 100 MB raises torch's error, and later smaller ones
arrive."""

import torch
from torch.utils.data import DataLoader


def main():
    try:
        list(DataLoader(torch.zeros(2, 13_000_000), batch_size=2, num_workers=1))
    except RuntimeError as error:
        assert "unable to allocate shared memory(shm)" in str(error), error
        assert "No space left on device (28)" in str(error), error
    else:
        raise AssertionError("100 MB went through 64 MB")
    batches = DataLoader(torch.zeros(40, 1_000_000), batch_size=2, num_workers=2)
    assert sum(1 for _ in batches) == 20  # 160 MB in total; a batch has 8


if __name__ == "__main__":
    main()
