"""torch.distributed.fsdp.fully_shard on two and four ranks; each script's output is that of real torch."""

import pytest
from distributed_ranks import assert_same_on_ranks, run_script_on_ranks, run_sections_on_ranks

NAMES = """
import copy, importlib
F, D, C = (importlib.import_module(torch.__name__ + name)
        for name in (".distributed.fsdp", ".distributed.tensor", ".utils.checkpoint"))
init_device_mesh = importlib.import_module(torch.__name__ + ".distributed.device_mesh").init_device_mesh
nn = torch.nn
torch.set_num_threads(1)
join()
mesh = init_device_mesh("cpu", (WORLD_SIZE,))

def round_values(value):
    return [round(v, 3) + 0.0 for v in value.detach().float().flatten().tolist()]

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b, self.c = nn.Linear(3, 5), nn.Linear(5, 4, bias=False), nn.Linear(4, 1)

    def forward(self, x):
        return self.c(torch.tanh(self.b(torch.tanh(self.a(x)))))

x = (torch.arange(6.0).view(2, 3) + RANK) / 5

def make_sharded(module=None, mesh=mesh, **options):
    module = module or Net()
    for part in (module.a, module.b):
        F.fully_shard(part, mesh=mesh, **options)
    return F.fully_shard(module, mesh=mesh, **options)

def print_pieces(module, gradients=True):
    for name, p in module.named_parameters():
        print(name, type(p).__name__, tuple(p.shape), p.dtype, getattr(p, "placements", None))
        if isinstance(p, D.DTensor):
            print("   ", tuple(p.to_local().shape), round_values(p.to_local()), p.is_leaf, p.requires_grad)
        if gradients and p.grad is not None:
            print("   ", type(p.grad).__name__, p.grad.dtype, p.grad.placements, round_values(p.grad.to_local()))

def train_and_print(module, steps=3, optimizer=None, inputs=x):
    optimizer = optimizer or torch.optim.AdamW(module.parameters(), lr=0.1)
    for _ in range(steps):
        loss = (module(inputs) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(round(loss.item(), 3), [round_values(p.full_tensor()) for p in module.parameters()])
"""

SECTIONS = {
    "parameters are sharded, gathered and reduced": """
module = make_sharded()
print(isinstance(module, F.FSDPModule), type(module).__name__, isinstance(module, Net), module)
print_pieces(module)
output = module(x)
print(round_values(output), [type(p).__name__ for p in module.parameters()])
output.sum().backward()
print_pieces(module)
""",
    "options of resharding": """
for option in (True, False, None, 2, 1):
    module = make_sharded(reshard_after_forward=option)
    output = module(x)
    print(option, [type(p).__name__ for p in module.b.parameters()])
    output.sum().backward()
    print_pieces(module)
module = make_sharded()
module.set_reshard_after_backward(False)
module(x).sum().backward()
print([type(p).__name__ for p in module.parameters()])
module.reshard()
print([type(p).__name__ for p in module.parameters()])
print(module.unshard(), [type(p).__name__ for p in module.parameters()])
module.reshard()
handle = module.unshard(async_op=True)
handle.wait()
print(isinstance(handle, F.UnshardHandle), [type(p).__name__ for p in module.parameters()])
module.set_reshard_after_forward(True)
with torch.no_grad():
    module(x)
print([type(p).__name__ for p in module.parameters()])
shown(module.set_reshard_after_forward, 2)
""",
    "training": """
train_and_print(make_sharded())
train_and_print(make_sharded(), optimizer=None, inputs=x[:1])
module = make_sharded()
train_and_print(module, optimizer=torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9, foreach=False))
module = make_sharded()
module.set_modules_to_forward_prefetch([module.a])
module.a.set_modules_to_forward_prefetch([module.b])
module.b.set_modules_to_backward_prefetch([module.a])
train_and_print(module)
module = Net()
train_and_print(F.fully_shard([module.a, module.b], mesh=mesh) and F.fully_shard(module, mesh=mesh))
module = F.fully_shard(Net(), mesh=mesh, ignored_params={module.c.weight})
train_and_print(module)
""",
    "gradients are clipped and accumulated": """
module = make_sharded()
(module(x) * 10).sum().backward()
print(round_values(nn.utils.clip_grad_norm_(module.parameters(), 0.5).full_tensor()))
print_pieces(module)
module = make_sharded()
for step in range(3):
    module.set_requires_gradient_sync(step == 2)
    (module(x) * (step + 1)).sum().backward()
    print([None if p.grad is None else round_values(p.grad.to_local()) for p in module.parameters()])
module(x).sum().backward()
print([round_values(p.grad.to_local()) for p in module.parameters()])
""",
    "mixed precision": """
for policy in (F.MixedPrecisionPolicy(param_dtype=torch.bfloat16),
               F.MixedPrecisionPolicy(torch.bfloat16, torch.float32, torch.float32),
               F.MixedPrecisionPolicy(reduce_dtype=torch.float64),
               F.MixedPrecisionPolicy(param_dtype=torch.float64, cast_forward_inputs=True)):
    print(policy)
    module = Net()
    F.fully_shard(module.c, mesh=mesh, mp_policy=policy)
    module = make_sharded(module, mp_policy=policy)
    module.set_requires_gradient_sync(False)
    module(x).sum().backward()
    module.set_requires_gradient_sync(True)
    output = module(x)
    output.sum().backward()
    print(output.dtype, [(p.dtype, p.grad.dtype, [round(v, 1) + 0.0 for v in round_values(p.grad.to_local())])
                         for p in module.parameters()])
""",
    "states are dictionaries of DTensors": """
module = make_sharded()
optimizer = torch.optim.Adam(module.parameters(), lr=0.1)
output = module(x)
state = module.state_dict()
print([(k, type(v).__name__, tuple(v.shape), v.placements, v.requires_grad) for k, v in state.items()])
output.sum().backward()
optimizer.step()
print({k: getattr(v, "placements", v) for k, v in optimizer.state_dict()["state"][0].items()})
state = {k: v.clone() for k, v in module.state_dict().items()}
other = make_sharded()
train_and_print(other, 1)
print(other.load_state_dict(state), [round_values(p.full_tensor()) for p in other.parameters()])
train_and_print(other, 1)
other = make_sharded()
other.load_state_dict({k: v * 2 for k, v in state.items()}, assign=True)
print(round_values(other(x)))
with torch.device("meta"):
    empty = Net()
empty = make_sharded(empty)
print([(p.device, type(p).__name__) for p in empty.parameters()])
empty.to_empty(device="cpu")
empty.load_state_dict(state)
print(round_values(empty(x)))
print([p.dtype for p in make_sharded().to(torch.float64).parameters()])
""",
    "modules with unusual graphs": """
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a = nn.Linear(3, 3)
        self.b = nn.Linear(3, 3)
        self.b.weight = self.a.weight
        self.unused = nn.Linear(2, 2)

    def forward(self, x):
        return {"y": [self.b(self.a(x))]}

module = F.fully_shard(Tied(), mesh=mesh)
print([name for name, _ in module.named_parameters()], module.a.weight is module.b.weight)
module(x)["y"][0].sum().backward()
print([None if p.grad is None else round_values(p.grad.to_local()) for p in module.parameters()])
module.set_reduce_scatter_unused_params(True)
module(x)["y"][0].sum().backward()
print([None if p.grad is None else round_values(p.grad.to_local()) for p in module.parameters()])

module = Net()
module.a.requires_grad_(False)
module.b.requires_grad_(False)
module = make_sharded(module)
module(x.clone().requires_grad_()).sum().backward()
print_pieces(module)
train_and_print(F.fully_shard(nn.ModuleDict({"a": nn.Linear(3, 3)})["a"], mesh=mesh), 1) if RANK < 0 else None

class Checkpointed(Net):
    def forward(self, x):
        for part in (self.a, self.b):
            x = torch.tanh(C.checkpoint(part, x, use_reentrant=False))
        return self.c(x)

train_and_print(make_sharded(Checkpointed()))
module = make_sharded()
total = module(x).sum() + module(x * 2).sum()
total.backward()
print_pieces(module)

class Other(Net):
    def double_forward(self, x):
        return self.forward(x) * 2

module = make_sharded(Other())
F.register_fsdp_forward_method(module, "double_forward")
module.double_forward(x).sum().backward()
print_pieces(module)
w = F.fully_shard(nn.Linear(2, 4), mesh=mesh, shard_placement_fn=lambda p: D.Shard(1) if p.ndim == 2 else None)
w(torch.ones(1, 2)).sum().backward() if WORLD_SIZE == 2 else None
print_pieces(w, False)
""",
    "wrong arguments are refused": """
linear = nn.Linear(3, 3)
shown(F.FSDPModule); shown(F.fully_shard, nn.ModuleList([linear]), mesh=mesh); shown(F.fully_shard, linear, mesh=3)
for option in ("x", 3, 1.5):
    shown(F.fully_shard, nn.Linear(2, 2), mesh=mesh, reshard_after_forward=option)
module = make_sharded()
shown(F.fully_shard, module, mesh=mesh)
shown(copy.deepcopy, module)
shown(module.set_modules_to_forward_prefetch, [linear]); shown(F.share_comm_ctx, [linear])
shown(module.set_reduce_scatter_divide_factor, 2.0)
shown(F.fully_shard, nn.Linear(3, 3), mesh=mesh, shard_placement_fn=lambda p: 3)
shown(F.fully_shard, nn.Linear(3, 3), mesh=mesh, shard_placement_fn=lambda p: D.Shard(p.ndim - 1))
class Scalar(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.tensor(1.0))
shown(F.fully_shard, Scalar(), mesh=mesh); shown(F.fully_shard, nn.Sequential(linear, Scalar()), mesh=mesh)
shown(F.fully_shard, nn.Linear(2, 2), mesh=init_device_mesh("cpu", (1, WORLD_SIZE)))
shown(F.DataParallelMeshDims)
module.a(x)
shown(module, x)
""",
}

FOUR = """
grid = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
module = make_sharded(mesh=grid)
print_pieces(module)
for step in range(2):
    module.set_requires_all_reduce(step == 1)
    module(x).sum().backward()
    print([None if p.grad is None else round_values(p.grad.to_local()) for p in module.parameters()])
train_and_print(make_sharded(mesh=grid))
train_and_print(make_sharded(reshard_after_forward=2))
train_and_print(make_sharded())
module = make_sharded()
(module(x) * 10).sum().backward()
print(round_values(nn.utils.clip_grad_norm_(module.parameters(), 0.5).full_tensor()))
"""


@pytest.fixture(scope="module")
def output_of_ranks():
    return run_sections_on_ranks(NAMES, SECTIONS, 2)


@pytest.mark.parametrize("title", SECTIONS)
def test_two_ranks_print_what_torch_prints(output_of_ranks, title):
    ours, theirs = output_of_ranks[title]
    assert ours == theirs


def test_four_ranks_replicate_and_shard_on_a_grid():
    lines = assert_same_on_ranks(NAMES + FOUR, 4)
    assert len(lines[3]) == 16


def test_a_model_larger_than_the_memory_of_a_rank_trains():
    # 128 MB of parameters: complete, with gradients and Adam's state, they need 512 MB; a rank's limit is below that.
    script = """
    import importlib, resource
    F = importlib.import_module(torch.__name__ + ".distributed.fsdp")
    nn = torch.nn
    torch.set_num_threads(1)
    join()

    def read_memory_in_mb(name):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name)) >> 10

    with torch.device("meta"):
        model = nn.Sequential(*[nn.Linear(1024, 1024, bias=False) for _ in range(32)])
    for layer in model:
        F.fully_shard(layer)
    F.fully_shard(model)
    limit = read_memory_in_mb("VmSize") + 400
    resource.setrlimit(resource.RLIMIT_AS, (limit << 20, limit << 20))
    try:
        torch.empty(512 << 18)
        print("the limit does not hold")
    except RuntimeError:
        pass
    model.to_empty(device="cpu")
    for p in model.parameters():
        nn.init.normal_(p.to_local(), std=1 / 32)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    before = read_memory_in_mb("VmRSS")
    for _ in range(2):
        loss = model(torch.ones(2, 1024)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(bool(torch.isfinite(loss)))
    """
    assert run_script_on_ranks(script, 4) == [["True"]] * 4
