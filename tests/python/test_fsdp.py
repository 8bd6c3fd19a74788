"""FullyShardedDataParallel on two ranks, its wrapping policies and states; outputs are those of real torch."""

import pytest
from distributed_ranks import run_script_on_ranks, run_sections_on_ranks

NAMES = """
import functools, importlib
F, W, D, C = (importlib.import_module(torch.__name__ + name) for name in
              (".distributed.fsdp", ".distributed.fsdp.wrap", ".distributed.tensor", ".utils.checkpoint"))
init_device_mesh = importlib.import_module(torch.__name__ + ".distributed.device_mesh").init_device_mesh
warnings.simplefilter("ignore")
nn, cpu, Strategy, Kind = torch.nn, torch.device("cpu"), F.ShardingStrategy, F.StateDictType
torch.set_num_threads(1)
join()

def wrap_in_fsdp(module, **options):
    return F.FullyShardedDataParallel(module, device_id=cpu, **options)

def round_values(value):
    return [round(v, 3) + 0.0 for v in value.detach().float().flatten().tolist()]

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b, self.c = nn.Linear(3, 5), nn.Linear(5, 4, bias=False), nn.Linear(4, 1)
        self.register_buffer("n", torch.ones(2))

    def forward(self, x):
        return self.c(torch.tanh(self.b(torch.tanh(self.a(x)))))

x = (torch.arange(6.0).view(2, 3) + RANK) / 5

def make_wrapped(**options):
    module = Net()
    module.a = wrap_in_fsdp(module.a, **options)
    return wrap_in_fsdp(module, **options)

def print_pieces(module):
    for name, p in module.named_parameters():
        print(name, type(p).__name__, tuple(p.shape), round_values(p), p.requires_grad,
              None if p.grad is None else (p.grad.dtype, round_values(p.grad)))

def train_and_print(module, steps=3, optimizer=None):
    optimizer = optimizer or torch.optim.AdamW(module.parameters(), lr=0.1)
    for _ in range(steps):
        loss = (module(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(round(loss.item(), 3), {k: round_values(v) for k, v in module.state_dict().items()})
    return optimizer
"""

SECTIONS = {
    "flat parameters are known by their class": """
flat, original = wrap_in_fsdp(Net()), wrap_in_fsdp(Net(), use_orig_params=True)
for parameter in (*flat.parameters(), *original.parameters(), F.FlatParameter(),
                  F.FlatParameter(torch.ones(2), False), nn.Parameter(torch.ones(2)), torch.ones(2), 1):
    print(isinstance(parameter, F.FlatParameter), type(parameter).__name__, getattr(parameter, "requires_grad", None))
print(issubclass(F.FlatParameter, nn.Parameter), F.FlatParameter.__name__)
""",
    "flat and original parameters": """
for keeps in (False, True):
    module = make_wrapped(use_orig_params=keeps)
    print(module, type(module.module).__name__, module.sharding_strategy, module.rank, module.world_size)
    print_pieces(module)
    output = module(x)
    print(round_values(output))
    output.sum().backward()
    print_pieces(module)
    print(round_values(module.clip_grad_norm_(0.5)), round_values(module.clip_grad_norm_(0.1, float("inf"))))
    print_pieces(module)
    print(F.FullyShardedDataParallel.fsdp_modules(module) == [module, module.a],
          F.FullyShardedDataParallel.fsdp_modules(module, root_only=True) == [module], module.check_is_root())
    train_and_print(make_wrapped(use_orig_params=keeps))
""",
    "mixed precision and accumulation": """
for precision in (F.MixedPrecision(param_dtype=torch.bfloat16), F.MixedPrecision(reduce_dtype=torch.float64),
                  F.MixedPrecision(param_dtype=torch.float64, buffer_dtype=torch.float16)):
    module = make_wrapped(mixed_precision=precision)
    output = module(x)
    output.sum().backward()
    print(precision.param_dtype, output.dtype, module.n.dtype)
    print([(p.dtype, p.grad.dtype, [round(v, 1) + 0.0 for v in round_values(p.grad)]) for p in module.parameters()])
for keeps in (False, True):
    module = make_wrapped(use_orig_params=keeps)
    with module.no_sync():
        module(x).sum().backward()
    module(x * 2).sum().backward()
    print_pieces(module)

class Checkpointed(Net):
    def forward(self, x):
        for part in (self.a, self.b):
            x = torch.tanh(C.checkpoint(part, x, use_reentrant=False))
        return self.c(x)

train_and_print(wrap_in_fsdp(Checkpointed(), auto_wrap_policy=W.ModuleWrapPolicy({nn.Linear})))
""",
}


@pytest.fixture(scope="module")
def output_of_ranks():
    return run_sections_on_ranks(NAMES, SECTIONS, 2)


@pytest.mark.parametrize("title", SECTIONS)
def test_two_ranks_print_what_torch_prints(output_of_ranks, title):
    ours, theirs = output_of_ranks[title]
    assert ours == theirs


# Real torch with gloo does not end after the calls below, so they are compared with one another.
def test_replicas_that_shard_train_as_one_group():
    script = """
grid = init_device_mesh("cpu", (2, 2), mesh_dim_names=("r", "s"))
for keeps in (False, True):
    train_and_print(make_wrapped(sharding_strategy=Strategy.HYBRID_SHARD, device_mesh=grid, use_orig_params=keeps))
    train_and_print(make_wrapped(use_orig_params=keeps))
"""
    for hybrid, full, *originals in run_script_on_ranks(NAMES + script, 4):
        assert [hybrid, *originals] == [full] * 3


def test_local_states_are_pieces_of_the_flat_parameter():
    # Real torch returns a ShardedTensor instead, a class that mindtorch lacks.
    script = """
module = make_wrapped()
Wrapper = F.FullyShardedDataParallel
with Wrapper.state_dict_type(module, Kind.LOCAL_STATE_DICT):
    state = module.state_dict()
    print({k: (type(v).__name__, tuple(v.shape)) for k, v in state.items() if k != "n"})
    other = make_wrapped()
    other(x)
    Wrapper.set_state_dict_type(other, Kind.LOCAL_STATE_DICT)
    print(other.load_state_dict(state), (other(x) == module(x)).all().item())
"""
    lines = run_script_on_ranks(NAMES + script, 2)
    assert lines[0][0] == "{'a._flat_param': ('DTensor', (20,)), '_flat_param': ('DTensor', (25,))}"
    assert lines[0][1] == "<All keys matched successfully> True"


def test_strategies_train_alike_with_flat_and_original_parameters():
    script = """
for strategy in (Strategy.FULL_SHARD, Strategy.SHARD_GRAD_OP, Strategy.NO_SHARD):
    for keeps in (False, True):
        module = make_wrapped(sharding_strategy=strategy, use_orig_params=keeps)
        train_and_print(module)
        with torch.no_grad():
            print(round_values(module(x)))
module = make_wrapped(sharding_strategy=Strategy.NO_SHARD, use_orig_params=True)
print([tuple(p.shape) for p in module.parameters()])
"""
    for lines in run_script_on_ranks(NAMES + script, 2):
        assert lines[:12] == lines[:2] * 6
        assert lines[12] == "[(5, 3), (5,), (4, 5), (1, 4), (1,)]"


def test_complete_parameters_are_written_back():
    script = """
Wrapper = F.FullyShardedDataParallel
for keeps in (False, True):
    module = make_wrapped(use_orig_params=keeps)
    with Wrapper.summon_full_params(module):
        print([(n, tuple(p.shape)) for n, p in module.named_parameters()], [n for n, _ in module.named_buffers()])
        with torch.no_grad():
            module.c.weight.fill_(1.0)
    with Wrapper.summon_full_params(module, writeback=False):
        print(round_values(module.c.weight))
        with torch.no_grad():
            module.c.weight.fill_(2.0)
    with Wrapper.summon_full_params(module.a, recurse=False):
        print(tuple(module.a.weight.shape))
    print(round_values(module.state_dict()["c.weight"]))
    module.apply(lambda part: part.weight.data.fill_(0.5) if isinstance(part, nn.Linear) else None)
    print({v for k, v in module.state_dict().items() for v in round_values(v) if "weight" in k})
    train_and_print(module, 1)
module = make_wrapped(use_orig_params=True)
module(x).sum().backward()
with Wrapper.summon_full_params(module, with_grads=True):
    print([tuple(p.grad.shape) for p in module.parameters()], round_values(module.c.bias.grad))
"""
    for lines in run_script_on_ranks(NAMES + script, 2):
        shapes = (
            "[('a.weight', (5, 3)), ('a.bias', (5,)), ('b.weight', (4, 5)), ('c.weight', (1, 4)), ('c.bias', (1,))]"
        )
        assert lines[:5] == [f"{shapes} ['n']", "[1.0, 1.0, 1.0, 1.0]", "(5, 3)", "[1.0, 1.0, 1.0, 1.0]", "{0.5}"]
        assert lines[6:12] == lines[:6]
        assert lines[12] == "[(5, 3), (5,), (4, 5), (1, 4), (1,)] [2.0]"


def test_states_continue_training_in_another_model():
    script = """
Wrapper = F.FullyShardedDataParallel
mesh = init_device_mesh("cpu", (WORLD_SIZE,))
for kind in (Kind.FULL_STATE_DICT, Kind.SHARDED_STATE_DICT):
    for saves, loads in ((False, False), (False, True), (True, False), (True, True)):
        module, other = (wrap_in_fsdp(Net(), use_orig_params=keeps, device_mesh=mesh) for keeps in (saves, loads))
        optimizer = torch.optim.AdamW(module.parameters(), lr=0.1)
        for _ in range(2):
            module(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        again = torch.optim.AdamW(other.parameters(), lr=0.1)
        for each in (module, other):
            Wrapper.set_state_dict_type(each, kind)
        state = module.state_dict()
        print(type(state["a.weight"]).__name__, other.load_state_dict(state))
        state = Wrapper.optim_state_dict(module, optimizer)
        print(sorted(state["state"]), type(state["state"]["c.bias"]["exp_avg"]).__name__)
        again.load_state_dict(Wrapper.optim_state_dict_to_load(other, again, state))
        for each, own in ((module, optimizer), (other, again)):
            Wrapper.set_state_dict_type(each, Kind.FULL_STATE_DICT)
            train_and_print(each, 2, own)
"""
    names = "['a.bias', 'a.weight', 'b.weight', 'c.bias', 'c.weight']"
    for lines in run_script_on_ranks(NAMES + script, 2):
        assert len(lines) == 32 and len(set(lines[2::4] + lines[3::4])) == 1
        for kind, part in (("Tensor", lines[:16]), ("DTensor", lines[16:])):
            assert part[::4] == [f"{kind} <All keys matched successfully>"] * 4
            assert part[1::4] == [f"{names} {kind}"] * 4


def test_policies_choose_what_is_wrapped():
    script = """
Linear = nn.Linear
for policy in (W.ModuleWrapPolicy({Linear}), functools.partial(W.size_based_auto_wrap_policy, min_num_params=15),
               functools.partial(W.transformer_auto_wrap_policy, transformer_layer_cls={Linear}),
               functools.partial(W.lambda_auto_wrap_policy, lambda_fn=lambda m: isinstance(m, nn.Tanh)),
               W.CustomPolicy(lambda m: isinstance(m, Linear) and {"sharding_strategy": Strategy.NO_SHARD}),
               W.always_wrap_policy):
    module = wrap_in_fsdp(Net(), auto_wrap_policy=policy)
    print([type(part).__name__ for part in module.module.children()])
    train_and_print(module, 1)
with W.enable_wrap(wrapper_cls=F.FullyShardedDataParallel, device_id=cpu):
    layer = W.wrap(Linear(2, 2), use_orig_params=True)
print(type(layer).__name__, type(W.wrap(Linear(2, 2))).__name__)
shown(lambda: wrap_in_fsdp(Net(), auto_wrap_policy=W.CustomPolicy(lambda m: 3)))
shown(lambda: wrap_in_fsdp(Net(), sharding_strategy=Strategy.HYBRID_SHARD))
shifted = Net()
with torch.no_grad():
    for p in shifted.parameters():
        p.add_(RANK)
module = wrap_in_fsdp(shifted, sync_module_states=True)
train_and_print(module, 1)
"""
    each, wrapped, plain = "FullyShardedDataParallel", ["FullyShardedDataParallel"] * 3, ["Linear"] * 3
    for lines in run_script_on_ranks(NAMES + script, 2):
        chosen = [wrapped, [each, each, "Linear"], wrapped, plain, wrapped, wrapped]
        assert lines[0:12:2] == [str(names) for names in chosen]
        assert lines[1:12:2] == [lines[1]] * 6 and lines[15] == lines[1]
        assert lines[12] == f"{each} Linear"
        # texts of torch 2.13
        assert lines[13] == (
            "ValueError: The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, "
            "but it returned 3"
        )
        assert lines[14] == (
            "ValueError: Manual wrapping with ShardingStrategy.HYBRID_SHARD requires explicit specification of "
            "process group or device_mesh."
        )
