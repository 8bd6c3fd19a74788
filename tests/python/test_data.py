"""Datasets, samplers and DataLoader yield torch's batches, in one process and with workers."""

import pytest

DEFINITIONS = """
import warnings
import torch
from torch.utils.data import *

class Squares(Dataset):
    def __init__(self, count=10):
        self.count = count
    def __len__(self):
        return self.count
    def __getitem__(self, index):
        return torch.tensor(index), {"square": float(index * index), "name": str(index)}

class Numbers(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(7) if info is None else range(info.id, 7, info.num_workers))

def to_lists(batch):
    if isinstance(batch, torch.Tensor):
        return str(batch.dtype), batch.tolist()
    if isinstance(batch, dict):
        return {key: to_lists(value) for key, value in batch.items()}
    return [to_lists(value) for value in batch] if isinstance(batch, (list, tuple)) else batch

def value_or_error(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)
torch.manual_seed(5)
"""

PROGRAMS = {
    "pipes": """
from torch.utils.data.datapipes.iter.combinatorics import SamplerIterDataPipe
from torch.utils.data.graph_settings import apply_random_seed, apply_shuffle_settings
warnings.simplefilter("ignore")
class Range(IterDataPipe):
    def __init__(self, count):
        self.count = count
    def __iter__(self):
        yield from range(self.count)
    def __len__(self):
        return self.count
@functional_datapipe("twice")
class Twice(IterDataPipe):
    def __init__(self, source):
        self.source = source
    def __iter__(self):
        return (2 * item for item in self.source)
torch.manual_seed(0)
pipe = Range(12).twice().shuffle(buffer_size=4)
print(list(pipe), list(pipe), list(pipe.set_seed(3)), list(pipe.set_shuffle(False)), pipe)
apply_random_seed(pipe.set_shuffle(True), torch.Generator().manual_seed(5))
print(list(pipe), type(apply_shuffle_settings(Range(5), True)).__name__, list(SamplerIterDataPipe(Range(4))))
numbers = Range(4)
first, second = iter(numbers), iter(numbers)
print(next(first), next(second))
print(value_or_error(lambda: next(first)))
print(value_or_error(lambda: Range(2).nope))
print(value_or_error(lambda: len(Range(2).twice())))
print(value_or_error(lambda: functional_datapipe("shuffle")(Twice)))
print([batch.tolist() for batch in DataLoader(Range(6), batch_size=4)])
""",
    "shuffled batches": "print([to_lists(b) for b in DataLoader(Squares(), batch_size=4, shuffle=True)])",
    "dropped last": "print([to_lists(b) for b in DataLoader(Squares(), batch_size=4, drop_last=True)])",
    "two workers": "print([to_lists(b) for b in DataLoader(Squares(), batch_size=4, shuffle=True, num_workers=2)])",
    "an iterable": "print([to_lists(b) for b in DataLoader(Numbers(), batch_size=2)])",
    "an iterable with workers": "print([to_lists(b) for b in DataLoader(Numbers(), batch_size=2, num_workers=2)])",
    "persistent workers": """
loader = DataLoader(Squares(), batch_size=3, shuffle=True, num_workers=1, persistent_workers=True)
print([[to_lists(b[0]) for b in loader] for _ in range(2)])
""",
    "worker seeds": """
class Seeds(Squares):
    def __getitem__(self, index):
        import random
        import numpy
        return get_worker_info().id, random.randint(0, 10**9), int(numpy.random.randint(10**9)), torch.initial_seed()
print([to_lists(b) for b in DataLoader(Seeds(4), batch_size=1, num_workers=2)])
""",
    "an error in a worker": """
class Broken(Squares):
    def __getitem__(self, index):
        raise ValueError("no sample here")
try:
    list(DataLoader(Broken(), num_workers=1))
except ValueError as error:
    print(str(error).splitlines()[0], str(error).splitlines()[-1])
""",
    "random_split": """
parts = random_split(range(10), [0.5, 0.25, 0.25], generator=torch.Generator().manual_seed(3))
print([list(part) for part in parts])
""",
    "samplers": """
print(list(RandomSampler(range(5), replacement=True, num_samples=40)))
print(list(SubsetRandomSampler([3, 5, 7])))
print(list(WeightedRandomSampler([0.1, 0.2, 0.7], 8)))
print(list(BatchSampler(SequentialSampler(range(7)), 3, False)), len(BatchSampler(range(7), 3, True)))
print(list(DistributedSampler(range(7), num_replicas=3, rank=1, seed=2)))
""",
    "joined datasets": """
both = ConcatDataset([Squares(3), Squares(2)])
print(len(both), both[4], both[-1], [to_lists(x) for x in StackDataset(Squares(2), Squares(2)).__getitems__([0, 1])])
print(to_lists(TensorDataset(torch.arange(4), torch.arange(8).view(4, 2))[1]), Subset(range(10), [2, 4])[1])
""",
    "refusals": """
for call in (
    lambda: DataLoader(Squares(), num_workers=-1),
    lambda: DataLoader(Squares(), timeout=-1),
    lambda: DataLoader(Squares(), prefetch_factor=2),
    lambda: DataLoader(Squares(), persistent_workers=True),
    lambda: DataLoader(Numbers(), shuffle=True),
    lambda: DataLoader(Numbers(), sampler=range(3)),
    lambda: DataLoader(Squares(), shuffle=True, sampler=range(3)),
    lambda: DataLoader(Squares(), batch_sampler=[[1]], batch_size=3),
    lambda: DataLoader(Squares(), batch_size=None, drop_last=True),
    lambda: DataLoader(Squares(), batch_size=0),
    lambda: setattr(DataLoader(Squares()), "batch_size", 3),
    lambda: RandomSampler([]),
    lambda: RandomSampler(range(3), replacement=1),
    lambda: WeightedRandomSampler([[1.0]], 2),
    lambda: ConcatDataset([]),
    lambda: random_split(range(3), [1, 1]),
    lambda: StackDataset(),
    lambda: next(iter(DataLoader([object()]))),
    lambda: next(iter(DataLoader([[1], [1, 2]], batch_size=2))),
):
    print(value_or_error(call))
""",
    "collated containers": """
from collections import OrderedDict, namedtuple
import numpy
Pair = namedtuple("Pair", "a b")
print(to_lists(default_collate([Pair(1, 2.0), Pair(3, 4.0)])), type(default_collate([Pair(1, 2.0)])).__name__)
print(to_lists(default_collate([OrderedDict(x=1), OrderedDict(x=2)])))
print(to_lists(default_collate([numpy.ones(2), numpy.zeros(2)])))
print(to_lists(default_collate([numpy.float64(2), numpy.float64(3)])))
print(to_lists(default_collate(["a", b"b"])), to_lists(default_convert([numpy.int64(3), (1, "x")])))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_batches_and_refusals_are_torchs(name, same_as_oracle):
    same_as_oracle(DEFINITIONS + PROGRAMS[name])


def test_tensors_cross_process_borders(run_as_torch):
    program = """
import torch, torch.multiprocessing as mp
def square_received(queue, out, read):
    out.put(queue.get() * 2)
    read.wait()  # whoever shares a tensor must live until the other side opened it
if __name__ == "__main__":
    context = mp.get_context("fork")
    queue, out, read = context.Queue(), context.Queue(), context.Event()
    process = context.Process(target=square_received, args=(queue, out, read))
    process.start()
    queue.put(torch.tensor([1.0, 2.0]))
    print(out.get().tolist())
    read.set()
    process.join()
"""
    assert run_as_torch(program).ok() == "[2.0, 4.0]\n"
