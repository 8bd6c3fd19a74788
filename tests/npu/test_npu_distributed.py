"""The backend hccl between processes on the simulator. Expected values are gloo's, of the same collective on the CPU,
or sums of small numbers."""

import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "python"))
from distributed_ranks import run_script_on_ranks

JOIN = """
import time
def join_hccl(backend="hccl", timeout=30):
    dist.init_process_group(backend, init_method="file://" + os.environ["MEETING_PLACE"], rank=RANK,
                            world_size=WORLD_SIZE, timeout=datetime.timedelta(seconds=timeout))
"""


def run_ranks(package, script, world_size=2, **options):
    return run_script_on_ranks(JOIN + script, world_size, **options)


def test_collectives_equal_gloos(package_on_simulator):
    script = """
join_hccl("cpu:gloo,npu:hccl")
Op, N = dist.ReduceOp, WORLD_SIZE

def print_if_devices_differ(name, function):
    here, there = function("cpu"), function("npu")
    for a, b in zip(here, there, strict=True):
        if a.dtype != b.dtype or not torch.equal(a, b.cpu()):
            print(name, a, b.cpu())

def make_rank_numbers(kind, dtype=torch.float32, shape=(4, 3)):
    count = shape[0] * shape[1]
    return ((torch.arange(count) * 5 + 3 * RANK) % 7 - 2).to(dtype).reshape(shape).to(kind)

def call_and_list(start, x):
    start(x)
    return [x]

for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int32, torch.int64, torch.bool):
    for op in (Op.SUM, Op.PRODUCT, Op.MIN, Op.MAX):
        reduce = lambda kind: call_and_list(lambda x: dist.all_reduce(x, op), make_rank_numbers(kind, dtype))
        print_if_devices_differ(f"all_reduce {dtype} {op}", reduce)
for dtype in (torch.float32, torch.float64, torch.uint8, torch.complex64):
    print_if_devices_differ("broadcast",
        lambda kind: call_and_list(lambda x: dist.broadcast(x, 1), make_rank_numbers(kind, dtype)))
print_if_devices_differ("complex",
    lambda kind: call_and_list(dist.all_reduce, make_rank_numbers(kind, torch.complex64)))
print_if_devices_differ("transposed", lambda kind: call_and_list(dist.all_reduce, make_rank_numbers(kind).t()))
print_if_devices_differ("average",
    lambda kind: call_and_list(lambda x: dist.all_reduce(x, Op.AVG), make_rank_numbers(kind) * N))

def reduce_to_rank_1(kind):
    x = make_rank_numbers(kind)
    dist.reduce(x, 1)
    return [x] if RANK == 1 else [x, make_rank_numbers("cpu")]
print_if_devices_differ("reduce", reduce_to_rank_1)

def gather_on_device(kind):
    outputs = [torch.zeros(4, 3, device=kind) for _ in range(N)]
    dist.all_gather(outputs, make_rank_numbers(kind))
    whole = torch.zeros(4 * N, 3, device=kind)
    dist.all_gather_single(whole, make_rank_numbers(kind))
    at_root = [torch.zeros(4, 3, device=kind) for _ in range(N)] if RANK == 1 else None
    dist.gather(make_rank_numbers(kind), at_root, dst=1)
    return [*outputs, whole, *(at_root or [])]
print_if_devices_differ("gather", gather_on_device)

def scatter_on_device(kind):
    one = torch.zeros(4, 3, device=kind)
    dist.scatter(one, [make_rank_numbers(kind) + i for i in range(N)] if RANK == 2 else None, src=2)
    part = torch.zeros(4, 3, device=kind)
    dist.reduce_scatter(part, [make_rank_numbers(kind) * i for i in range(N)])
    rows = torch.zeros(2, 3, device=kind)
    dist.reduce_scatter_single(rows, make_rank_numbers(kind, shape=(2 * N, 3)))
    return [one, part, rows]
print_if_devices_differ("scatter", scatter_on_device)

def exchange_on_device(kind):
    outputs = [torch.zeros(4, 3, device=kind) for _ in range(N)]
    dist.all_to_all(outputs, [make_rank_numbers(kind) + i for i in range(N)])
    even = torch.zeros(2 * N, 3, device=kind)
    dist.all_to_all_single(even, make_rank_numbers(kind, shape=(2 * N, 3)))
    # With uneven splits, rank i sends i + j rows to rank j.
    rows = [RANK + peer for peer in range(N)]
    uneven = torch.zeros(sum(rows), 3, device=kind)
    dist.all_to_all_single(uneven, make_rank_numbers(kind, shape=(sum(rows), 3)), rows, rows)
    return [*outputs, even, uneven]
print_if_devices_differ("all_to_all", exchange_on_device)
dist.barrier()
print(dist.get_backend_config(), dist.is_backend_available("cpu:gloo,npu:hccl"))
"""
    for lines in run_ranks(package_on_simulator, script, 3):
        assert lines == ["cpu:gloo,npu:hccl True"]


def test_int16_is_reduced(package_on_simulator):
    script = """
join_hccl()
x = torch.tensor([3, -4, 1000], dtype=torch.int16, device="npu") * (RANK + 1)
y = x.clone()
dist.all_reduce(x)
dist.all_reduce(y, dist.ReduceOp.MIN)
print(x.tolist(), y.tolist())
"""
    assert run_ranks(package_on_simulator, script) == [["[9, -12, 3000] [3, -8, 1000]"]] * 2


def test_messages_may_all_be_sent_before_they_are_received(package_on_simulator):
    script = """
join_hccl()
after, before = (RANK + 1) % WORLD_SIZE, (RANK - 1) % WORLD_SIZE
first, second = torch.zeros(100000, device="npu"), torch.zeros(2, dtype=torch.int64, device="npu")
works = [dist.isend(torch.full((100000,), float(RANK), device="npu"), after)]
works += [dist.isend(torch.tensor([7, RANK], device="npu"), after)]
works += [dist.irecv(first, before), dist.irecv(second, before)]
for work in works:
    work.wait()
assert torch.equal(first.cpu(), torch.full((100000,), float(before)))
print(second.tolist() == [7, before], works[2].source_rank() == before)
"""
    assert run_ranks(package_on_simulator, script, 3) == [["True True"]] * 3


def test_default_backend_of_npus_is_hccl(package_on_simulator):
    script = """
join_hccl(None)
print(dist.get_backend_config(), dist.get_default_backend_for_device("npu"), dist.is_hccl_available())
objects = [None] * WORLD_SIZE
dist.all_gather_object(objects, {"rank": RANK})
shared = ["a", 2] if RANK == 0 else [None, None]
dist.broadcast_object_list(shared, 0)
mine = [None]
dist.scatter_object_list(mine, ["x", "y"] if RANK == 0 else None, 0)
print(objects, shared, mine)
half = dist.new_group([1])
if RANK == 1:
    x = torch.ones(2, device="npu")
    dist.all_reduce(x, group=half)
    print(x.tolist())
"""
    first, second = run_ranks(package_on_simulator, script)
    assert first == ["npu:hccl hccl True", "[{'rank': 0}, {'rank': 1}] ['a', 2] ['x']"]
    assert second == ["npu:hccl hccl True", "[{'rank': 0}, {'rank': 1}] ['a', 2] ['y']", "[1.0, 1.0]"]


def test_refusals_name_what_hccl_lacks(package_on_simulator):
    # The texts about data types are torch_npu's, that about reductions follows torch's for NCCL.
    script = """
join_hccl()
ones = lambda dtype: torch.ones(2, dtype=dtype).npu()
shown(dist.all_reduce, ones(torch.float64))
shown(dist.all_reduce, ones(torch.uint8))
shown(dist.all_reduce, ones(torch.int32), dist.ReduceOp.BAND)
shown(dist.irecv(ones(torch.float32)).wait, datetime.timedelta(seconds=9))
shown(dist.all_reduce, torch.ones(2))
shown(dist.monitored_barrier)
x = ones(torch.float32)
dist.all_reduce(x)
print(x.tolist())
"""
    for rank, lines in enumerate(run_ranks(package_on_simulator, script)):
        where, unsupported = f'of rank {rank} in group "0")', "HCCL AllReduce & Reduce: Unsupported data type"
        assert lines == [
            f"DistBackendError: {unsupported} at::kDouble (all_reduce number 1 {where}",
            f"DistBackendError: {unsupported} at::kByte/at::kBool (all_reduce number 2 {where}",
            "ValueError: Cannot use ReduceOp.BAND with HCCL",
            f"DistBackendError: Backend hccl does not support recvAnysource (recv number 4 {where}",
            "RuntimeError: No backend type associated with device type cpu",
            "ValueError: monitored_barrier is only implemented for GLOO backend.",
            "[2.0, 2.0]",
        ]


def test_ranks_may_use_different_devices_of_a_machine(package_on_simulator):
    script = """
join_hccl()
for device in (RANK, 1 - RANK):
    x = torch.full((3,), RANK + 1.0, device=f"npu:{device}")
    dist.all_reduce(x)
    print(x.tolist(), x.device.index == device)
"""
    assert run_ranks(package_on_simulator, script) == [["[3.0, 3.0, 3.0] True"] * 2] * 2


def test_data_parallel_with_device_ids_moves_inputs_to_the_device(package_on_simulator):
    script = """
join_hccl("cpu:gloo,npu:hccl")
import collections
nn, Pair = torch.nn, collections.namedtuple("Pair", "a b")

class Sum(nn.Linear):
    def forward(self, x, pair, named, *, packed, text):
        print([t.device.type for t in (x, *pair, named["t"][0], packed.data)], type(pair).__name__, type(named), text)
        return super().forward(x + pair.a + pair.b + named["t"][0] + packed.data)

torch.npu.set_device(RANK)
model = Sum(2, 2).npu()
for ids in ([RANK], [torch.device("npu")]):
    parallel = nn.parallel.DistributedDataParallel(model, device_ids=ids)
    print(parallel.device_ids == [RANK], parallel.output_device == RANK)
x, packed = torch.ones(2, 2), nn.utils.rnn.pack_sequence([torch.ones(2, 2)])
parallel(x, Pair(x, x), collections.OrderedDict(t=[x]), packed=packed, text="kept").sum().backward()
print(model.bias.grad.tolist())
for options in dict(device_ids=[0, 1]), dict(output_device=1):
    shown(nn.parallel.DistributedDataParallel, model, **options)
"""
    lines = run_ranks(package_on_simulator, script)
    assert (
        lines[0][:-1]
        == lines[1][:-1]
        == [
            "True True",
            "True True",
            "['npu', 'npu', 'npu', 'npu', 'npu'] Pair <class 'collections.OrderedDict'> kept",
            "[2.0, 2.0]",
            "ValueError: device_ids can only be None or contain a single element.",
        ]
    )
    for rank, ranks_lines in enumerate(lines):  # the text of torch 2.13's DistributedDataParallel, with its GPU's name
        assert ranks_lines[-1] == (
            "ValueError: DistributedDataParallel device_ids and output_device arguments only work with single-device/"
            "multiple-device GPU modules or CPU modules, but got device_ids None, output_device 1, "
            "and module parameters "
            f"{{device(type='npu', index={rank})}}."
        )


@pytest.mark.parametrize("world_size", [2, 4])
def test_data_parallel_training_equals_the_cpus(package_on_simulator, world_size):
    script = """
join_hccl("cpu:gloo,npu:hccl")
nn = torch.nn

def train_on_device(kind):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)).to(kind)
    parallel = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=0.0005)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1, momentum=0.9)
    generator = torch.Generator().manual_seed(RANK)
    for _ in range(4):
        x, y = torch.randn(5, 6, generator=generator).to(kind), torch.randn(5, 3, generator=generator).to(kind)
        optimizer.zero_grad()
        nn.functional.mse_loss(parallel(x), y).backward()
        optimizer.step()
    return torch.cat([p.detach().flatten() for p in model.parameters()])

there, here = train_on_device("npu"), train_on_device("cpu")
all_ranks = [torch.empty_like(there) for _ in range(WORLD_SIZE)]
dist.all_gather(all_ranks, there)
print(torch.allclose(here, there.cpu(), rtol=1e-5, atol=1e-6), all(torch.equal(there, each) for each in all_ranks))
print(repr(torch._C._npu_simulatorRace()))
"""
    assert run_ranks(package_on_simulator, script, world_size) == [["True True", "''"]] * world_size


def test_reading_without_wait_is_a_race(package_on_simulator):
    script = """
join_hccl()
x = torch.ones(4, device="npu")
dist.all_reduce(x)
torch.npu.synchronize()
torch._C._npu_simulatorFaults("delay:200000")
work = dist.all_reduce(x, async_op=True)
work.wait()
y = x + 1
print(repr(torch._C._npu_simulatorRace()))
work = dist.all_reduce(x, async_op=True)
y = x + 1
time.sleep(1)  # another thread starts the collective
print(torch._C._npu_simulatorRace())
torch._C._npu_simulatorFaults("")
work.wait()
"""
    for lines in run_ranks(package_on_simulator, script):
        assert lines[0] == "''"
        assert re.search(r"(aclnnAdd|HcclAll)\w+ on stream \d+ (reads|writes) what .*, and no event lies", lines[1])


STEP = """
join_hccl(timeout=2)
x = torch.ones(5, device="npu")
dist.all_reduce(x)
assert x.tolist() == [2.0] * 5
if RANK == 1:
    {fault}
begin = time.monotonic()
work = dist.all_reduce(x, async_op=True)
shown(work.wait, *{timeout})
shown(x.tolist)
shown(lambda: dist.all_reduce(x, async_op=True).wait(datetime.timedelta(seconds=9)))
print(time.monotonic() - begin < {most})
"""
FAULT = "torch._C._npu_simulatorFaults('{}')"
WAITED = "(datetime.timedelta(seconds=9),)"


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        pytest.param("os._exit(0)", "rank 1 has left", id="dead"),
        pytest.param(FAULT.format("leave:1"), "rank 1 has left", id="left"),
        pytest.param(FAULT.format("sticky:0:1"), "rank 1 has left", id="broken device"),
        pytest.param(FAULT.format("stall:1"), "Operation timed out!|rank 1 has left", id="stalled"),
        pytest.param("time.sleep(5)", "Operation timed out!", id="late"),
        pytest.param("x = torch.ones(7, device='npu')", "rank 1 (has left|called HcclAllReduce .* 16 b)", id="size"),
    ],
)
def test_failures_of_a_peer_name_rank_and_operation(package_on_simulator, fault, error):
    lines = run_ranks(package_on_simulator, STEP.format(fault=fault, timeout=WAITED, most=5))[0]
    assert re.search(rf'DistBackendError: .*({error}).* \(all_reduce number 2 of rank 0 in group "0"\)', lines[0])
    assert re.search("DistBackendError: the group was aborted|rank 1 has left", lines[2])
    assert lines[3] == "True"


def test_failures_reach_programs_that_never_wait_on_the_host(package_on_simulator):
    lines = run_ranks(package_on_simulator, STEP.format(fault="time.sleep(5)", timeout="()", most=5))[0]
    assert re.search(r"NPU error: .*: HcclAllReduce: rank 0: aborted while it waited for rank 1", lines[1])
    assert lines[3] == "True"


def test_injected_failure_of_a_call_leaves_the_group_usable(package_on_simulator):
    script = """
join_hccl()
x = torch.ones(2, device="npu")
dist.all_reduce(x)
torch._C._npu_simulatorFaults("fail:HcclAllReduce:1:5")
shown(dist.all_reduce, x)
dist.all_reduce(x)
print(x.tolist())
"""
    for rank, lines in enumerate(run_ranks(package_on_simulator, script)):
        assert lines == [
            "DistBackendError: HCCL error: HcclAllReduce failed with code 5 (feature not supported): injected fault "
            f'(all_reduce number 2 of rank {rank} in group "0")',
            "[4.0, 4.0]",
        ]


def test_a_rank_that_never_comes_is_named(package_on_simulator):
    script = """
join_hccl(timeout=1)
if RANK == 0:
    shown(dist.all_reduce, torch.ones(2, device="npu"))
"""
    (line,) = run_ranks(package_on_simulator, script)[0]
    assert line.startswith("DistBackendError: HCCL: rank 1 did not join within 1000ms")
    assert line.endswith('(all_reduce number 1 of rank 0 in group "0")')


def test_destroying_the_group_waits_for_its_works(package_on_simulator):
    script = """
join_hccl()
torch._C._npu_simulatorFaults("delay:300000")
x = torch.ones(3, device="npu")
dist.all_reduce(x, async_op=True)
dist.destroy_process_group()
print(x.tolist())
"""
    assert run_ranks(package_on_simulator, script) == [["[2.0, 2.0, 2.0]"]] * 2


def test_a_process_ends_while_a_collective_waits(package_on_simulator):
    script = """
join_hccl()
x = torch.ones(3, device="npu")
dist.all_reduce(x)
dist.barrier()
if RANK == 0:
    dist.all_reduce(x, async_op=True)
    y = x + 1
    sys.exit()
time.sleep(3)
"""
    assert run_ranks(package_on_simulator, script, timeout=60) == [[], []]
