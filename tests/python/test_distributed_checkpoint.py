"""Distributed checkpoints: files that real torch also reads and writes, any number of ranks, and errors."""

import difflib
import os
import re
import subprocess
import sys

import pytest
from distributed_ranks import run_script_on_ranks

# A tensor split into pieces of rows, one per rank, by the protocol that DTensor also implements.
NAMES = """
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint import metadata, planner
warnings.simplefilter("ignore")
import logging; logging.disable(logging.WARNING)
HERE = os.environ["HERE"]

class Pieces(torch.Tensor):
    @staticmethod
    def from_whole(whole, fill=None):
        rows = -(-whole.shape[0] // WORLD_SIZE)
        piece = whole[rows * RANK : rows * (RANK + 1)].clone()
        made = (piece if fill is None else torch.full_like(piece, fill)).as_subclass(Pieces)
        made.whole = whole.size()
        made.chunk = dcp.ChunkStorageMetadata(torch.Size([min(rows * RANK, whole.shape[0]), 0]), piece.size())
        return made

    def size(self, dim=None):
        return self.whole

    def to_plain_tensor(self):
        return self.as_subclass(torch.Tensor)

    def __create_write_items__(self, fqn, value):
        properties = metadata.TensorProperties.create_from_tensor(self.to_plain_tensor())
        data = planner.TensorWriteData(self.chunk, properties, self.whole)
        return [planner.WriteItem(metadata.MetadataIndex(fqn, self.chunk.offsets), planner.WriteItemType.SHARD,
                                  tensor_data=data)]

    def __create_chunk_list__(self):
        return [self.chunk]

    def __get_tensor_shard__(self, index):
        return self.to_plain_tensor()

def make_state():
    generator = torch.Generator().manual_seed(7)
    whole = torch.randn(10, 3, generator=generator)
    plain = {str(dtype): (10 * whole).to(dtype) for dtype in
             (torch.float64, torch.bfloat16, torch.half, torch.int64, torch.uint8, torch.bool, torch.complex64)}
    plain |= {"view": whole[2:7:2, 1:], "transposed": whole.t(), "scalar": torch.tensor(3), "empty": torch.empty(0, 4)}
    return whole, {"plain": plain, "list": [1, {"x": whole[0]}], "text": "abc", "pair": (whole[1], 2), "none": None,
                   "numbers": [1, 2.5]}

def try_call(function, *arguments, **options):
    "The last line of an error, which is all that does not name files of the library."
    try:
        return function(*arguments, **options)
    except BaseException as error:
        ranks = sorted(getattr(error, "failures", {}))
        lines = [line for line in str(error).splitlines() if line.strip()]
        return f"{type(error).__name__} {ranks} {lines[-1] if lines else ''}".replace("mindtorch", "torch")
"""

SAVE = (
    NAMES
    + """
if WORLD_SIZE > 1:
    join()
whole, rest = make_state()
dcp.save({"pieces": Pieces.from_whole(whole), "nest": rest}, checkpoint_id=HERE)
"""
)

LOAD = (
    NAMES
    + """
if WORLD_SIZE > 1:
    join()
whole, rest = make_state()
def replace_values_by_zeros(value):
    if isinstance(value, dict):
        return {key: replace_values_by_zeros(part) for key, part in value.items()}
    if isinstance(value, list) and any(isinstance(part, (dict, torch.Tensor)) for part in value):
        return [replace_values_by_zeros(part) for part in value]
    return torch.zeros_like(value) if isinstance(value, torch.Tensor) else 0
state = {"pieces": Pieces.from_whole(whole, fill=-1.0), "nest": replace_values_by_zeros(rest)}
dcp.load(state, checkpoint_id=HERE)
expected = Pieces.from_whole(whole)
assert torch.equal(state["pieces"].to_plain_tensor(), expected.to_plain_tensor()), state["pieces"].to_plain_tensor()
def assert_equal_state(here, there, path):
    if isinstance(there, torch.Tensor):
        assert here.dtype == there.dtype and torch.equal(here, there), (path, here, there)
    elif isinstance(there, (dict, list, tuple)):
        assert type(here) is type(there) and len(here) == len(there), (path, here)
        for key in there if isinstance(there, dict) else range(len(there)):
            assert_equal_state(here[key], there[key], f"{path}.{key}")
    else:
        assert here == there, (path, here, there)
assert_equal_state(state["nest"], rest, "nest")
print("loaded")
"""
)


def folder_options(path):
    return {"environment": {"HERE": str(path)}}


def convert_to_mindtorch(script):
    return script.replace("import torch.distributed", "import mindtorch.distributed").replace(
        "from torch.", "from mindtorch."
    )


def run_with_library(script, world_size, library, folder):
    script = script if library == "torch" else convert_to_mindtorch(script)
    return run_script_on_ranks(script, world_size, library, **folder_options(folder))


def assert_same_output_in(script, folder, world_size=2):
    """Asserts that both libraries, each in its own folder, print the same; returns our output."""
    printed = []
    for library in ("torch", "mindtorch"):
        here = folder / ("theirs" if library == "torch" else "ours")
        here.mkdir()
        lines = run_with_library(NAMES + script, world_size, library, here)
        printed.append(
            [[line.replace(str(here), "HERE").replace("mindtorch", "torch") for line in rank] for rank in lines]
        )
    for rank, (there, here) in enumerate(zip(*printed, strict=True)):
        difference = "\n".join(difflib.unified_diff(there, here, "torch", "mindtorch", n=1, lineterm=""))
        assert not difference, f"rank {rank}:\n{difference}"
    return printed[1]


@pytest.mark.parametrize(
    "saver, saving, loader, loading",
    [
        ("mindtorch", 1, "torch", 2),
        ("mindtorch", 2, "torch", 1),
        ("mindtorch", 4, "torch", 2),
        ("torch", 1, "mindtorch", 2),
        ("torch", 2, "mindtorch", 4),
        ("torch", 4, "mindtorch", 3),
        ("mindtorch", 4, "mindtorch", 3),
    ],
)
def test_a_checkpoint_is_loaded_by_other_libraries_and_numbers_of_ranks(saver, saving, loader, loading, tmp_path):
    run_with_library(SAVE, saving, saver, tmp_path)
    assert sorted(os.listdir(tmp_path)) == [".metadata", *(f"__{rank}_0.distcp" for rank in range(saving))]
    assert run_with_library(LOAD, loading, loader, tmp_path) == [["loaded"]] * loading


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_metadata_and_files_are_those_of_torch(ranks, tmp_path):
    lines = assert_same_output_in(
        """
if WORLD_SIZE > 1:
    join()
whole, rest = make_state()
saved = dcp.save({"pieces": Pieces.from_whole(whole), "nest": rest}, checkpoint_id=HERE)
for name in ("state_dict_metadata", "planner_data", "storage_data"):
    for key, value in getattr(saved, name).items():
        print(name, key, value)
print(saved.version, saved.storage_meta.modules, type(saved.storage_meta.checkpoint_id).__name__)
if RANK == 0:
    print(sorted((name, os.path.getsize(f"{HERE}/{name}")) for name in os.listdir(HERE) if name != ".metadata"))
""",
        tmp_path,
        ranks,
    )
    assert len(lines[0]) > 50


def test_metadata_is_the_same_pickle_for_both(tmp_path):
    # Names of classes and fields are part of the format, as are their order and number.
    assert_same_output_in(
        """
import pickletools
strings = set()
dcp.save({"a": torch.ones(2, 3), "n": {"b": 5}}, checkpoint_id=HERE)
with open(HERE + "/.metadata", "rb") as file:
    for code, argument, _ in pickletools.genops(file.read()):
        if isinstance(argument, str) and "/" not in argument and argument.count("-") != 4:
            strings.add(argument)
print(sorted(strings - set(HERE.split("/"))))
""",
        tmp_path,
        1,
    )


def test_modes_of_writing_make_the_files_of_torch(tmp_path):
    assert_same_output_in(
        """
join()
state = {f"t{k}": torch.full((k + 1, 5), float(k)) for k in range(7)} | {f"o{k}": k for k in range(5)}
def print_file_sizes(name):
    dist.barrier()
    if RANK == 0:
        files = sorted(os.listdir(f"{HERE}/{name}"))
        print([(file, os.path.getsize(f"{HERE}/{name}/{file}")) for file in files if file != ".metadata"])
    dist.barrier()
for name, options in {"threads": {"thread_count": 3}, "single": {"single_file_per_rank": False},
                      "unsynced": {"sync_files": False}}.items():
    writer = dcp.FileSystemWriter(f"{HERE}/{name}", **options)
    saved = dcp.save(state, storage_writer=writer)
    print([(index, info.relative_path) for index, info in sorted(saved.storage_data.items(), key=str)])
    print_file_sizes(name)
    loaded = {key: torch.zeros_like(value) if isinstance(value, torch.Tensor) else -1 for key, value in state.items()}
    dcp.load(loaded, storage_reader=dcp.FileSystemReader(f"{HERE}/{name}"))
    print(all(bool((loaded[key] == state[key]) if not isinstance(state[key], torch.Tensor)
                   else torch.equal(loaded[key], state[key])) for key in state))
for name, options in {"lowest": {"dedup_save_to_lowest_rank": True}, "nested": {"flatten_state_dict": False}}.items():
    saved = dcp.save({"n": {"x": torch.ones(2)}, **state}, checkpoint_id=f"{HERE}/{name}",
                     planner=dcp.DefaultSavePlanner(**options))
    print(sorted((index.fqn, info.relative_path) for index, info in saved.storage_data.items()), saved.planner_data)
loaded = {"n": 0}
whole_planner = dcp.DefaultLoadPlanner(flatten_state_dict=False, flatten_sharded_tensors=False)
dcp.load(loaded, checkpoint_id=f"{HERE}/nested", planner=whole_planner)
print(loaded)
for _ in range(3):
    state["t1"] += 1
    dcp.save(state, checkpoint_id=f"{HERE}/cached", planner=dcp.DefaultSavePlanner(enable_plan_caching=True))
    loaded = {"t1": torch.zeros(2, 5)}
    dcp.load(loaded, checkpoint_id=f"{HERE}/cached")
    print(loaded["t1"])
    if _ == 1:
        state["new"] = torch.ones(1)
loaded = {"new": torch.zeros(1)}
dcp.load(loaded, checkpoint_id=f"{HERE}/cached"); print(loaded)
""",
        tmp_path,
    )


def test_each_rank_may_save_alone(tmp_path):
    assert_same_output_in(
        """
join()
dcp.save({"mine": torch.full((2,), float(RANK)), "rank": RANK}, checkpoint_id=HERE, use_collectives=False)
dist.barrier()
print(sorted(os.listdir(HERE)))
loaded = {"mine": torch.zeros(2), "rank": -1}
dcp.load(loaded, checkpoint_id=HERE)
print(loaded)
dcp.save({"mine": torch.full((2,), float(RANK))}, checkpoint_id=f"{HERE}/alone{RANK}", no_dist=True)
loaded = {"mine": torch.zeros(2)}
dcp.load(loaded, checkpoint_id=f"{HERE}/alone{1 - RANK}", no_dist=True) if dist.barrier() is None else None
print(loaded, os.listdir(f"{HERE}/alone0"))
""",
        tmp_path,
    )


def test_bad_input_ends_as_with_torch(tmp_path):
    lines = assert_same_output_in(
        """
state = {"model": {"w": torch.ones(3, 4)}, "n": 5}
dcp.save(state, checkpoint_id=HERE)
load = lambda state, **options: try_call(dcp.load, state, **({"checkpoint_id": HERE} | options))
print(load({"model": {"w": torch.ones(2, 2)}}))
print(load({"model": {"q": torch.ones(2, 2)}}))
print(load({"model": {"w": 5}}))
print(load({"model": {"q": 1, "w": torch.zeros(3, 4)}}, planner=dcp.DefaultLoadPlanner(allow_partial_load=True)))
print(load({"n": 1}, checkpoint_id=HERE + "/nowhere"))
print(load({"n": 1}, checkpoint_id=None))
print(try_call(dcp.save, {"n": 1}))
print(try_call(dcp.save, {"a": {"b": 1}, "a.b": 2}, checkpoint_id=HERE + "/2"))
print(try_call(dcp.save, {"a": 1}, storage_writer=dcp.FileSystemWriter(HERE, overwrite=False)))
print(try_call(dcp.save, {"a": lambda: 1}, checkpoint_id=HERE + "/3").partition(" at ")[0].partition("attribute")[0])
os.rename(HERE + "/__0_0.distcp", HERE + "/kept")
print(load({"n": 1}).replace(HERE, "HERE"))
os.rename(HERE + "/kept", HERE + "/__0_0.distcp")
for content in (b"", b"garbage", pickle.dumps(5), pickle.dumps({"a": 1})):
    with open(HERE + "/.metadata", "wb") as file:
        file.write(content)
    print(load({"n": 1}))
""",
        tmp_path,
        1,
    )
    assert "AssertionError: metadata is None; global metadata read failed" in lines[0][-1]


def test_an_error_of_one_rank_is_raised_by_all(tmp_path):
    lines = assert_same_output_in(
        """
join()
class Failing(dcp.DefaultSavePlanner):
    def resolve_data(self, item):
        raise OSError("disk is gone")
class FailingPlan(dcp.DefaultSavePlanner):
    def create_local_plan(self):
        if RANK == 1:
            raise KeyError("lost")
        return super().create_local_plan()
print(try_call(dcp.save, {"a": 1, "b": 2}, checkpoint_id=HERE, planner=Failing()))
print(try_call(dcp.save, {"a": 1}, checkpoint_id=HERE, planner=FailingPlan()))
print(os.path.exists(HERE + "/.metadata"))
whole = torch.ones(4, 2)
piece = Pieces.from_whole(whole)
piece.chunk = dcp.ChunkStorageMetadata(torch.Size([0, 0]), torch.Size([2, 2]))
piece.whole = torch.Size([4, 2])
print(try_call(dcp.save, {"a": piece}, checkpoint_id=HERE))
piece.chunk = dcp.ChunkStorageMetadata(torch.Size([RANK, 0]), torch.Size([2, 2]))
print(try_call(dcp.save, {"a": piece}, checkpoint_id=HERE))
piece.chunk = dcp.ChunkStorageMetadata(torch.Size([3 * RANK, 0]), torch.Size([2, 2]))
print(try_call(dcp.save, {"a": piece}, checkpoint_id=HERE))
dcp.save({"a": torch.ones(2)}, checkpoint_id=HERE)
print(try_call(dcp.load, {"a": torch.ones(2 + RANK)}, checkpoint_id=HERE))
""",
        tmp_path,
    )
    assert lines[0][0] == "CheckpointException [0, 1] OSError: disk is gone"
    assert lines[1][1] == "CheckpointException [1] KeyError: 'lost'"


def test_an_error_that_cannot_be_sent_still_ends_all_ranks(tmp_path):
    script = """
join(timeout=20)
class Odd(Exception):
    def __reduce__(self):
        raise TypeError("cannot be pickled")
class Failing(dcp.DefaultSavePlanner):
    def create_local_plan(self):
        raise Odd("as ever")
print(try_call(dcp.save, {"a": 1}, checkpoint_id=HERE, planner=Failing()))
"""
    lines = run_with_library(NAMES + script, 2, "mindtorch", tmp_path)
    assert lines == [["CheckpointException [0, 1] RuntimeError: Odd: as ever"]] * 2


@pytest.fixture
def checkpoint(mt):
    import mindtorch.distributed.checkpoint as dcp

    return dcp


pytestmark = pytest.mark.filterwarnings("ignore:torch.distributed is", "ignore:Detected an existing checkpoint")


def test_a_file_that_was_cut_off_is_named(mt, checkpoint, tmp_path):
    checkpoint.save({"a": mt.ones(1000), "b": mt.ones(1000)}, checkpoint_id=tmp_path)
    file = tmp_path / "__0_0.distcp"
    os.truncate(file, os.path.getsize(file) - 10)
    with pytest.raises(checkpoint.CheckpointException, match=r"EOFError: __0_0.distcp has \d+ bytes, and an item that"):
        checkpoint.load({"b": mt.ones(1000)}, checkpoint_id=tmp_path)
    state = {"a": mt.zeros(1000)}
    checkpoint.load(state, checkpoint_id=tmp_path)  # the other item is complete
    assert state["a"].sum().item() == 1000


def test_a_file_with_something_else_in_it_is_refused(mt, checkpoint, tmp_path):
    checkpoint.save({"a": mt.ones(1000)}, checkpoint_id=tmp_path)
    data = bytearray((tmp_path / "__0_0.distcp").read_bytes())
    data[:200] = b"\xff" * 200
    (tmp_path / "__0_0.distcp").write_bytes(data)
    with pytest.raises(checkpoint.CheckpointException):
        checkpoint.load({"a": mt.ones(1000)}, checkpoint_id=tmp_path)


def test_every_cut_of_the_metadata_is_an_error(mt, checkpoint, tmp_path):
    checkpoint.save({"a": mt.ones(10), "b": {"c": 5}}, checkpoint_id=tmp_path)
    whole = (tmp_path / ".metadata").read_bytes()
    for length in range(0, len(whole), 7):
        (tmp_path / ".metadata").write_bytes(whole[:length])
        with pytest.raises(checkpoint.CheckpointException, match="AssertionError: metadata is None"):
            checkpoint.load({"a": mt.zeros(10)}, checkpoint_id=tmp_path)


def test_a_save_that_fails_leaves_the_checkpoint_of_before(mt, checkpoint, tmp_path):
    class FailingAtB(checkpoint.DefaultSavePlanner):
        def resolve_data(self, item):
            if item.index.fqn == "b":
                raise OSError("no space left")
            return super().resolve_data(item)

    checkpoint.save({"a": mt.ones(10), "b": mt.ones(10)}, checkpoint_id=tmp_path)
    with pytest.raises(checkpoint.CheckpointException, match="no space left"):
        checkpoint.save({"a": mt.zeros(99), "b": mt.zeros(9)}, checkpoint_id=tmp_path, planner=FailingAtB())
    assert sorted(os.listdir(tmp_path)) == [".metadata", "__0_0.distcp"]
    state = {"a": mt.zeros(10), "b": mt.zeros(10)}
    checkpoint.load(state, checkpoint_id=tmp_path)
    assert state["a"].sum().item() == state["b"].sum().item() == 10


def test_a_failing_thread_fails_the_save(mt, checkpoint, tmp_path):
    class Failing(checkpoint.DefaultSavePlanner):
        def resolve_data(self, item):
            if item.index.fqn == "t3":
                raise OSError("no space left")
            return super().resolve_data(item)

    writer = checkpoint.FileSystemWriter(tmp_path, thread_count=4)
    with pytest.raises(checkpoint.CheckpointException, match="no space left"):
        checkpoint.save({f"t{k}": mt.ones(5) for k in range(8)}, storage_writer=writer, planner=Failing())
    assert not (tmp_path / ".metadata").exists()


def test_async_save_writes_what_was_there_when_it_was_called(tmp_path):
    lines = assert_same_output_in(
        """
join()
group = dist.new_group()
class Counter:
    n = 3
    def state_dict(self): return {"n": self.n}
    def load_state_dict(self, state): self.n = state["n"]
base = torch.arange(12.0).reshape(3, 4)
state = {"a": base, "row": base[1], "n": Counter(), "list": [base[0], {"x": 1}]}
future = dcp.async_save(state, checkpoint_id=HERE, process_group=group)
base.zero_(); state["n"].n = 9
print(type(future.result()).__name__, type(future).__module__, future.done())
loaded = {"a": torch.zeros(3, 4), "row": torch.zeros(4), "n": Counter(), "list": [torch.zeros(4), {"x": 0}]}
dcp.load(loaded, checkpoint_id=HERE)
print(loaded["a"], loaded["row"], loaded["n"].n, loaded["list"])
writer = dcp.FileSystemWriter(HERE + "/w", cache_staged_state_dict=False)
future = dcp.async_save({"a": base}, storage_writer=writer, process_group=group); base += 5; future.result()
loaded = {"a": torch.ones(3, 4)}; dcp.load(loaded, checkpoint_id=HERE + "/w"); print(loaded)
from torch.distributed.checkpoint.staging import DefaultStager, StagingOptions
stager = DefaultStager(StagingOptions(False, False, True, False))
response = dcp.async_save({"a": base}, checkpoint_id=HERE + "/s", process_group=group, async_stager=stager)
print(type(response).__name__, response.staging_completion.result())
base += 5; response.upload_completion.result(); stager.close()
loaded = {"a": torch.ones(3, 4)}; dcp.load(loaded, checkpoint_id=HERE + "/s"); print(loaded)
print(try_call(dcp.async_save({"a": lambda: 0}, checkpoint_id=HERE, process_group=group).exception).__class__.__name__)
print(try_call(DefaultStager))
""",
        tmp_path,
    )
    assert lines[0][0] == "Metadata concurrent.futures._base True"


def test_objects_with_a_state_are_loaded_through_it(tmp_path):
    assert_same_output_in(
        """
join()
torch.manual_seed(RANK)
model = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
model(torch.randn(5, 3)).pow(2).sum().backward(); optimizer.step()
print(isinstance(model, torch.distributed.checkpoint.stateful.Stateful))
dcp.save({"model": model, "optimizer": optimizer}, checkpoint_id=HERE)
other = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 4))
dcp.load({"model": other}, checkpoint_id=HERE)
print(other.state_dict())
dist.barrier()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    meta = torch.nn.Linear(3, 4, device="meta")
    state = {"model": {"1.weight": meta.weight, "1.bias": meta.bias}}
    dcp.load_state_dict(state, dcp.FileSystemReader(HERE))
print([str(warning.message) for warning in caught if warning.category is FutureWarning])
print(state["model"]["1.bias"].device, type(state["model"]["1.bias"]).__name__)
reader = dcp.FileSystemReader(HERE)
from torch.distributed.checkpoint.state_dict_loader import _load_state_dict_from_keys
print(sorted(_load_state_dict_from_keys("optimizer.param_groups", checkpoint_id=HERE)["optimizer"]))
print(sorted(reader.read_metadata().state_dict_metadata))
""",
        tmp_path,
    )


def test_states_have_the_names_of_the_bare_model(tmp_path):
    lines = assert_same_output_in(
        """
join()
from torch.distributed.checkpoint.state_dict import *
from torch.nn.parallel import DistributedDataParallel as DDP
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
        self.norm = torch.nn.BatchNorm1d(3)
        self.second.weight = self.first.weight
        self.register_buffer("lost", torch.ones(1), persistent=False)
        self.norm.bias.requires_grad_(False)
    def forward(self, x): return self.norm(self.second(self.first(x)))
    def get_extra_state(self): return {"n": 3}
    def set_extra_state(self, state): self.extra = state
def build_model(seed):
    torch.manual_seed(seed)
    net = Net()
    return net, DDP(net), torch.optim.AdamW([{"params": net.first.parameters(), "lr": 0.1},
                                            {"params": [net.second.bias, *net.norm.parameters()]}])
net, ddp, optimizer = build_model(1)
model_state, state = get_state_dict(ddp, optimizer)
print(list(model_state), model_state["_extra_state"]); print(state)
print(list(get_model_state_dict(net)) == list(get_model_state_dict(ddp)))
ddp(torch.ones(4, 3) * RANK).sum().backward(); optimizer.step(); optimizer.zero_grad()
for options in ({}, {"full_state_dict": True}, {"full_state_dict": True, "cpu_offload": True}, {"cpu_offload": True},
                {"ignore_frozen_params": True}, {"flatten_optimizer_state_dict": True}):
    options = StateDictOptions(**options)
    print(get_model_state_dict(ddp, options=options))
    print(try_call(get_optimizer_state_dict, ddp, optimizer, options=options))
saved = {"m": get_model_state_dict(ddp), "o": get_optimizer_state_dict(ddp, optimizer)}
dcp.save(saved, checkpoint_id=HERE)
for wrapped in (True, False):
    net2, ddp2, optimizer2 = build_model(2)
    model = ddp2 if wrapped else net2
    state = {"m": get_model_state_dict(model), "o": get_optimizer_state_dict(model, optimizer2)}
    dcp.load(state, checkpoint_id=HERE)
    print(set_state_dict(model, optimizer2, model_state_dict=state["m"], optim_state_dict=state["o"]))
    print(torch.equal(net.norm.weight, net2.norm.weight), net2.extra, optimizer2.state_dict())
for options in ({"full_state_dict": True}, {"full_state_dict": True, "broadcast_from_rank0": True}):
    net2, ddp2, optimizer2 = build_model(2)
    options = StateDictOptions(**options)
    mine, own = saved["m"], saved["o"]
    if options.broadcast_from_rank0 and RANK:
        mine, own = {}, {}
    print(set_model_state_dict(ddp2, dict(mine), options=options))
    set_optimizer_state_dict(ddp2, optimizer2, own, options=options)
    print(net2.state_dict(), optimizer2.state_dict())
sgd = [torch.optim.SGD(net.first.parameters(), lr=0.1, momentum=0.5), torch.optim.SGD([net.second.bias], lr=1.0)]
both = get_optimizer_state_dict(net, sgd); print(both)
net2, ddp2, _ = build_model(3)
sgd2 = [torch.optim.SGD(net2.first.parameters(), lr=0.7, momentum=0.5), torch.optim.SGD([net2.second.bias], lr=7.0)]
print(try_call(set_optimizer_state_dict, net2, sgd2, both))
set_optimizer_state_dict(net2, sgd2, both, options=StateDictOptions(strict=False))
print([one.state_dict() for one in sgd2])
""",
        tmp_path,
    )
    assert "first.weight" in lines[0][0] and "module" not in lines[0][0]


def test_states_that_do_not_fit_are_refused_as_by_torch(tmp_path):
    assert_same_output_in(
        """
join()
from torch.distributed.checkpoint.state_dict import *
from torch.nn.parallel import DistributedDataParallel as DDP
torch.manual_seed(4); net = torch.nn.Linear(2, 2); ddp = DDP(net); adam = torch.optim.Adam(net.parameters())
state, own = get_state_dict(ddp, adam)
print(try_call(get_optimizer_state_dict, net, []))
print(try_call(set_optimizer_state_dict, net, [], own))
print(try_call(get_model_state_dict, torch.nn.ReLU()))
print(try_call(set_model_state_dict, net, {}))
print(try_call(set_optimizer_state_dict, net, adam, {}))
print(try_call(set_model_state_dict, ddp, {"weight": state["weight"]}))
print(try_call(set_model_state_dict, net, {"weight": state["weight"]}))
print(try_call(set_model_state_dict, net, {"weight": state["weight"]}, options=StateDictOptions(strict=False)))
print(try_call(set_model_state_dict, net, {"weight": state["weight"]}, options=StateDictOptions(full_state_dict=True)))
print(try_call(set_model_state_dict, net, {**state, "more": 1}))
print(try_call(get_model_state_dict, net, options=StateDictOptions(broadcast_from_rank0=True)))
lacking = {"state": {"bias": own["state"]["bias"]}, "param_groups": own["param_groups"]}
print(try_call(set_optimizer_state_dict, net, adam, lacking))
adamax = torch.optim.Adamax([{"params": net.parameters()}, {"params": [], "lr": 5.0}])
empty = get_optimizer_state_dict(net, adamax); print(empty)
set_optimizer_state_dict(net, adamax, empty); print(adamax.state_dict())
print(try_call(set_optimizer_state_dict, net, adamax, own))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    outer = torch.nn.Sequential(net, torch.nn.Linear(2, 1))
    print(get_model_state_dict(outer, submodules={net}))
    print(get_model_state_dict(outer, submodules={net}, options=StateDictOptions(keep_submodule_prefixes=False)))
    print(set_model_state_dict(outer, {net: state}, options=StateDictOptions(strict=False)))
print([f"{warning.category.__name__} {warning.message}" for warning in caught])
flat = get_optimizer_state_dict(net, torch.optim.SGD(net.parameters(), lr=0.1), options=StateDictOptions()); print(flat)
lone = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
options = StateDictOptions(flatten_optimizer_state_dict=True)
print(try_call(get_optimizer_state_dict, net, lone, options=options))
""",
        tmp_path,
    )


def test_flat_states_of_optimizers_come_back(tmp_path):
    assert_same_output_in(
        """
from torch.distributed.checkpoint.state_dict import *
options = StateDictOptions(flatten_optimizer_state_dict=True)
class Sgd(torch.optim.Optimizer):
    "Options and states of numbers and tensors only, one of them nested."
    def __init__(self, parameters): super().__init__(parameters, {"lr": 0.5, "scale": torch.tensor(2.0)})
    def step(self, closure=None):
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    inner = self.state[parameter].setdefault("inner", {"sum": torch.zeros_like(parameter), "n": 0})
                    inner["sum"] += parameter.grad; inner["n"] += 1
net = torch.nn.Linear(2, 2); one = Sgd(net.parameters())
net(torch.ones(1, 2)).sum().backward(); one.step(); one.zero_grad()
flat = get_optimizer_state_dict(net, one, options=options); print(flat)
dcp.save(flat, checkpoint_id=HERE)
two = Sgd(net.parameters()); two.param_groups[0]["lr"] = 9.0
state = get_optimizer_state_dict(net, two, options=options)
dcp.load(state, checkpoint_id=HERE)
set_optimizer_state_dict(net, two, state, options=options)
print(two.state_dict())
""",
        tmp_path,
        1,
    )


def test_formats_are_converted_both_ways(tmp_path):
    assert_same_output_in(
        """
join()
from torch.distributed.checkpoint import format_utils
whole, rest = make_state()
if RANK == 0:
    torch.save({"model": {"w": whole}, "rest": rest}, HERE + "/file.pt")
    format_utils.torch_save_to_dcp(HERE + "/file.pt", HERE + "/folder")
    format_utils.dcp_to_torch_save(HERE + "/folder", HERE + "/again.pt")
    print(torch.load(HERE + "/again.pt", weights_only=False))
    torch.save({"model": {"w": whole}}, HERE + "/tensors.pt")
dist.barrier()
loaded = {"model": {"w": torch.zeros(10, 3)}}
dcp.load(loaded, storage_reader=format_utils.BroadcastingTorchSaveReader(), checkpoint_id=HERE + "/tensors.pt",
         planner=format_utils.DynamicMetaLoadPlanner())
print(loaded)
print(try_call(dcp.load, {"n": 5}, storage_reader=format_utils.BroadcastingTorchSaveReader(),
           checkpoint_id=HERE + "/tensors.pt", planner=format_utils.DynamicMetaLoadPlanner()))
print(try_call(format_utils.dcp_to_torch_save, HERE + "/nowhere", HERE + "/x.pt").replace(HERE, "HERE"))
""",
        tmp_path,
    )


def test_the_converter_is_a_program(tmp_path, oracle, mt):
    oracle.save({"a": oracle.arange(5), "n": [1, {"b": 2}]}, tmp_path / "file.pt")
    command = [sys.executable, "-W", "ignore", "-m", "mindtorch", "-m", "torch.distributed.checkpoint.format_utils"]

    def convert(*arguments):
        ended = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    printed = convert("torch_to_dcp", "file.pt", "folder")
    assert printed == "Converting checkpoint from file.pt to folder using method: 'torch_to_dcp'\n"
    convert("dcp_to_torch", "folder", "again.pt")
    again = oracle.load(tmp_path / "again.pt", weights_only=False)
    assert again["a"].tolist() == [0, 1, 2, 3, 4] and again["n"] == [1, {"b": 2}]
    assert "No checkpoint found at nowhere. Skipping conversion.\n" in convert("dcp_to_torch", "nowhere", "x.pt")


def test_extensions_change_bytes_and_are_found_again(tmp_path):
    assert_same_output_in(
        """
import zlib
from torch.distributed.checkpoint._extension import ExtensionRegistry, StreamTransformExtension
class Deflate(StreamTransformExtension):
    @staticmethod
    def registry_name(): return "test.deflate"
    @staticmethod
    def from_descriptor(version): return Deflate()
    def get_descriptor(self): return "test.deflate/1"
    def transform_to(self, output):
        class Writer(io.IOBase):
            held = b""
            def write(self, data): self.held += bytes(data); return len(data)
            def flush(self): pass
            def close(self): output.write(zlib.compress(self.held)); output.close()
        return Writer()
    def transform_from(self, input): return io.BytesIO(zlib.decompress(input.read(-1)))
state = {"zeros": torch.zeros(10000), "n": [0] * 10000}
dcp.save(state, storage_writer=dcp.FileSystemWriter(HERE, _extensions=[Deflate()]))
print(os.path.getsize(HERE + "/__0_0.distcp") < 5000)
registry = ExtensionRegistry(); registry.register(Deflate)
loaded = {"zeros": torch.ones(10000), "n": 1}
dcp.load(loaded, storage_reader=dcp.FileSystemReader(HERE, _extension_registry=registry))
print(loaded["zeros"].sum(), sum(loaded["n"]), len(loaded["n"]))
print(try_call(dcp.load, loaded, checkpoint_id=HERE))
""",
        tmp_path,
        1,
    )


def test_folders_elsewhere_are_reached_through_fsspec(mt, checkpoint):
    pytest.importorskip("fsspec")
    checkpoint.save({"a": mt.arange(3), "n": 2}, checkpoint_id="memory://bucket/step1")
    checkpoint.save({"a": mt.arange(3), "n": 3}, checkpoint_id="memory://bucket/step1")
    state = {"a": mt.zeros(3, dtype=mt.int64), "n": 0}
    checkpoint.load(state, checkpoint_id="memory://bucket/step1")
    assert state["a"].tolist() == [0, 1, 2] and state["n"] == 3


def test_a_checkpoint_of_torch_2_3_is_loaded(mt, checkpoint, tmp_path):
    # torch 2.3 saved a dictionary without tensors as a single entry.
    planner = checkpoint.DefaultSavePlanner(flatten_state_dict=False)
    checkpoint.save({"model.w": mt.ones(2), "options": {"lr": 0.5}}, checkpoint_id=tmp_path, planner=planner)
    state = {"model": {"w": mt.zeros(2)}, "options": {"lr": 0.0}}
    checkpoint.load(state, checkpoint_id=tmp_path)
    assert state["options"] == {"lr": 0.5} and state["model"]["w"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "expression",
    [
        "FileSystemWriter('x', serialization_format=dcp.filesystem.SerializationFormat.SAFETENSORS)",
        "async_save({}, async_checkpointer_type=dcp.state_dict_saver.AsyncCheckpointerType.PROCESS)",
        "HuggingFaceStorageReader('x')",
        "HuggingFaceStorageWriter('x')",
        "QuantizedHuggingFaceStorageReader('x')",
        "load_sharded_optimizer_state_dict({}, 'x', None)",
    ],
)
def test_what_is_not_there_says_so(run_as_torch, expression):
    code = f"import torch, torch.distributed.checkpoint as dcp\ntry:\n    dcp.{expression}\n"
    code += "except NotImplementedError as error:\n    print(error)"
    assert re.search(r"is not in this build\n$", run_as_torch(code).ok())


def test_storages_of_ones_own_are_called_in_torchs_order(tmp_path):
    assert_same_output_in(
        """
join()
log = []
class Writer(dcp.StorageWriter):
    held = {}
    def reset(self, checkpoint_id=None): log.append(f"reset {checkpoint_id}")
    def set_up_storage_writer(self, is_coordinator, *args, **kwargs): log.append(("set_up", is_coordinator, kwargs))
    def prepare_local_plan(self, plan): log.append(("local", len(plan.items))); return plan
    def prepare_global_plan(self, plans): log.append(("global", [len(plan.items) for plan in plans])); return plans
    def write_data(self, plan, planner):
        for item in plan.items: self.held[item.index] = planner.resolve_data(item)
        log.append(("write", sorted(index.fqn for index in self.held)))
        future = torch.futures.Future(); future.set_result([]); return future
    def finish(self, metadata, results): log.append(("finish", sorted(metadata.state_dict_metadata), results))
    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id): return True
class OldPlanner(dcp.DefaultSavePlanner):
    def set_up_planner(self, state_dict, is_coordinator):
        super().set_up_planner(state_dict=state_dict, is_coordinator=is_coordinator)
dcp.save({"a": torch.ones(3), "b": 2}, checkpoint_id="key", storage_writer=Writer(), planner=dcp.DefaultSavePlanner())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    dcp.save({"a": torch.ones(3), "b": 2}, Writer(), planner=OldPlanner())
print([str(warning.message) for warning in caught])
for line in log: print(line)
""",
        tmp_path,
    )
