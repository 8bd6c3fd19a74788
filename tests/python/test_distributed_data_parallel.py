"""DistributedDataParallel: two processes run the same script on both libraries."""

import pytest
from distributed_ranks import assert_same_on_ranks, run_script_on_ranks, run_sections_on_ranks

NAMES = """
nn = torch.nn
DDP = nn.parallel.DistributedDataParallel
join()
torch.set_num_threads(1)
x = torch.ones(1, 2) * (RANK + 1)

class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.a, self.b, self.c = (nn.Linear(2, 2) for _ in range(3))
        self.register_buffer("n", torch.ones(2) * (RANK + 1))

    def forward(self, x, used=(1, 1, 1)):
        return sum(layer(x) for layer, use in zip((self.a, self.b, self.c), used) if use)

class Chain(Layers):
    def forward(self, x):
        return self.b(self.a(x))

def list_gradients(module):
    return [None if p.grad is None else [round(v, 4) for v in p.grad.flatten().tolist()] for p in module.parameters()]

def train_step(module, *arguments):
    (module(*arguments) / 3).sum().backward()
    return list_gradients(module)
"""

SECTIONS = {
    "gradients are averaged whatever the buckets": """
for options in ({}, dict(bucket_cap_mb=1e-5), dict(bucket_cap_mb_list=[1e-5]), dict(gradient_as_bucket_view=True),
                dict(static_graph=True), dict(find_unused_parameters=True), dict(init_sync=False)):
    module = DDP(Layers(), **options)
    for _ in range(3):
        shown(train_step, module, x)
    module.zero_grad()
    shown(train_step, module, x)
    module.zero_grad(set_to_none=False)
    shown(train_step, module, x)
    with module.no_sync():
        shown(train_step, module, x)
    shown(train_step, module, x)
""",
    "unused parameters are told or left alone": """
for options in ({}, dict(find_unused_parameters=True), dict(static_graph=True)):
    for order in ([(1, 1, 1), (1, 0, 1), (1, 0, 1)], [(1, 1, 0), (1, 1, 0), (1, 1, 1), (1, 1, 1)]):
        module = DDP(Layers(), **options)
        for used in order:
            shown(train_step, module, x, used)
module = DDP(Layers(), find_unused_parameters=True)
shown(train_step, module, x, (1, RANK, 0))
module.zero_grad()
shown(train_step, module, x, (1, 0, 0))
module = DDP(Layers(), find_unused_parameters=True)
with module.no_sync():
    shown(train_step, module, x, (1, 1, 0))
shown(train_step, module, x, (1, 0, 0))

class Outputs(Layers):
    def forward(self, x):
        return self.a(x), {"b": self.b(x)}, [self.c(x), torch.ones(2), 3]

for options in ({}, dict(find_unused_parameters=True), dict(static_graph=True)):
    module = DDP(Outputs(), **options)
    def differentiate_outputs():
        a, b, c = module(x)
        (a.sum() + c[0].sum()).backward()
        return list_gradients(module), type(b), a.grad_fn.name()
    for _ in range(3):
        shown(differentiate_outputs)
module = DDP(Layers(), find_unused_parameters=True, skip_all_reduce_unused_params=True, bucket_cap_mb=1e-5)
for _ in range(3):
    shown(train_step, module, x, (0, 1, 0))
""",
    "communication hooks get the buckets": """
def multiply_by_ten(state, bucket):
    print(state, bucket.index(), bucket.is_last(), [round(v, 4) for v in bucket.buffer().tolist()],
          [tuple(g.shape) for g in bucket.gradients()], [tuple(p.shape) for p in bucket.parameters()])
    future = torch.futures.Future()
    future.set_result(bucket.buffer() * 10)
    return future

for options in ({}, dict(gradient_as_bucket_view=True)):
    module = DDP(Chain(), find_unused_parameters=True, **options)
    module.register_comm_hook("state", multiply_by_ten)
    for _ in range(2):
        shown(train_step, module, x)
shown(module.register_comm_hook, None, multiply_by_ten)
shown(module.register_comm_hook, None, 3)
shown(module.register_comm_hook, None, lambda state, other: None)
def hook_with_wrong_annotation(state, bucket: int): pass
shown(module.register_comm_hook, None, hook_with_wrong_annotation)
def hook_with_wrong_annotation(state, bucket) -> int: pass
shown(module.register_comm_hook, None, hook_with_wrong_annotation)
def make_hook_that_returns(value):
    def hook(state, bucket):
        future = torch.futures.Future()
        future.set_result(value)
        return future
    return hook
def raise_in_hook(state, bucket):
    raise ValueError("no")
for hook in (lambda state, bucket: 3, make_hook_that_returns(5), raise_in_hook):
    module = DDP(Layers())
    module.register_comm_hook(None, hook)
    shown(train_step, module, x)
from importlib import import_module
hooks = import_module(torch.__name__ + ".distributed.algorithms.ddp_comm_hooks")
plain = hooks.default_hooks
for hook in (plain.allreduce_hook, plain.fp16_compress_hook, hooks.debugging_hooks.noop_hook,
             plain.fp16_compress_wrapper(plain.allreduce_hook), plain.bf16_compress_hook):
    module = DDP(Layers())
    shown(module.register_comm_hook, None, hook)
    print(hook.__name__)
    shown(train_step, module, x)
for kind in (dist.BuiltinCommHookType.ALLREDUCE, dist.BuiltinCommHookType.FP16_COMPRESS):
    module = DDP(Layers())
    module._register_builtin_comm_hook(kind)
    shown(train_step, module, x)
    shown(module._register_builtin_comm_hook, kind)
module = DDP(Layers())
hooks.register_ddp_comm_hook(hooks.DDPCommHookType.ALLREDUCE, module)
shown(train_step, module, x)
local = import_module(torch.__name__ + ".distributed.algorithms.ddp_comm_hooks.post_localSGD_hook")
alone = dist.new_subgroups(1)[0]
for after in (True, False):
    module = DDP(Layers(), bucket_cap_mb=1e-5)
    state = local.PostLocalSGDState(None, alone, 2, after)
    module.register_comm_hook(state, local.post_localSGD_hook)
    for _ in range(3):
        shown(train_step, module, x)
    print(state.iter)
""",
    "construction checks and warns": """
module = Layers()
shown(lambda: DDP(module))
shown(lambda: DDP(nn.ReLU()))
shown(lambda: DDP(module, device_ids=[0]))
shown(lambda: DDP(module, device_ids=[0, 1]))
shown(lambda: DDP(nn.Sequential(module, nn.SyncBatchNorm(2))))
shown(lambda: DDP(nn.LazyLinear(2)))
shown(lambda: DDP(module, broadcast_buffers=False))
shown(lambda: DDP(module, broadcast_buffers=False, forward_sync_buffers=True))
shown(lambda: DDP(module, check_reduction=True))
shown(lambda: DDP(module, static_graph=True)._set_static_graph())
shown(lambda: DDP(module, find_unused_parameters=True)._set_static_graph())
shown(lambda: DDP(module, delay_all_reduce_named_params=[]))
shown(lambda: DDP(module, process_group=dist.group.WORLD, device_mesh=3))
shown(lambda: DDP(nn.ModuleList([nn.Linear(2, 3) for _ in range(1 + RANK)])))
for shape in ("torch.ones(2, 3 + RANK)", "torch.ones(2, 3) if RANK == 0 else torch.ones(3, 2).t()"):
    parameter = nn.Parameter(eval(shape))
    shown(dist._verify_params_across_processes, dist.group.WORLD, [parameter], None)
module = DDP(Layers())
print(list(module.state_dict()), [name for name, _ in module.named_parameters()])
module(x)
shown(module._set_static_graph)
known = module._get_ddp_logging_data()
print([known[name] for name in (
    "module_name", "world_size", "rank", "backend_name", "broadcast_buffers", "bucket_cap_bytes",
    "find_unused_parameters", "gradient_as_bucket_view", "num_parameter_tensors", "total_parameter_size_bytes")])
""",
    "buffers are those of rank 0 in passes that synchronise": """
def forward_with_buffer(value):
    module.module.n.fill_(value)
    version = module.module.n._version
    module(x)
    return module.module.n.tolist(), module.module.n._version - version

for options in ({}, dict(forward_sync_buffers=False), dict(broadcast_buffers=False)):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = DDP(Layers(), **options)
    print(module.module.n.tolist(), module.broadcast_buffers)
    shown(forward_with_buffer, RANK + 5)
    with module.no_sync():
        shown(forward_with_buffer, RANK + 7)
        shown(forward_with_buffer, RANK + 9)
    shown(forward_with_buffer, RANK + 11)
model = Layers()
DDP._set_params_and_buffers_to_ignore_for_model(model, ["a.weight", "n"])
with torch.no_grad():
    model.a.weight.fill_(RANK + 1)
    model.b.weight.fill_(RANK + 1)
module = DDP(model)
shown(forward_with_buffer, RANK + 5)
shown(train_step, module, x)
print(model.a.weight.tolist(), model.b.weight.tolist())
""",
    "checkpoints and several passes reach the reducer": """
from importlib import import_module
checkpoint = import_module(torch.__name__ + ".utils.checkpoint").checkpoint
x.requires_grad_()

class First(Layers):
    def forward(self, x):
        return checkpoint(self.a, checkpoint(self.a, x, use_reentrant=True), use_reentrant=True) + self.b(x) + self.c(x)

class Last(Layers):
    def forward(self, x):
        return checkpoint(self.a, checkpoint(self.a, self.b(self.c(x)), use_reentrant=True), use_reentrant=True)

for kind in (First, Last):
    for options in ({}, dict(static_graph=True), dict(find_unused_parameters=True)):
        module = DDP(kind(), **options)
        shown(train_step, module, x)
        shown(train_step, module, x)
module = DDP(Layers())
def backward_two_losses():
    a, b = module(x), module(x)
    a.sum().backward()
    b.sum().backward()
    return list_gradients(module)
shown(backward_two_losses)
shown(backward_two_losses)
loss = module(x).sum()
loss.backward(retain_graph=True)
loss.backward()
print(list_gradients(module))
module = DDP(Layers())
with module.no_sync():
    module(x).sum().backward()
    loss = module(x * 2).sum()
module.reducer.prepare_for_backward([])
loss.backward()
print(list_gradients(module))
""",
    "gradients of any dtype and layout are reduced": """
class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(2, dtype=torch.complex64))
        self.q = nn.Parameter(torch.ones(3, dtype=torch.bfloat16))
        self.r = nn.Parameter(torch.ones(1, dtype=torch.float64))
        self.s = nn.Parameter(torch.ones(0))
        self.t = nn.Parameter(torch.arange(16.0).reshape(1, 2, 2, 4).to(memory_format=torch.channels_last))

    def forward(self, x):
        product = (self.p * x * (1 + 2j)).abs().sum() + (self.q * x[0, 0]).sum() + self.r * x.sum()
        return product + self.s.sum() + (self.t * x.sum()).sum()

for options in ({}, dict(gradient_as_bucket_view=True)):
    module = DDP(Mixed(), **options)
    for _ in range(3):
        module(x / 3).sum().backward()
        for p in module.parameters():
            print(str(p.grad.dtype).split(".")[1], p.grad.stride(), p.grad if p.is_complex() else p.grad.tolist())
""",
    "pickles copies and deleted modules": """
import copy, gc, weakref
module = DDP(nn.Linear(2, 2))
again = pickle.loads(pickle.dumps(module))
print(repr(again), again.process_group is dist.group.WORLD)
shown(train_step, again, x)
print(list_gradients(module))
group = dist.new_group([0, 1])
other = DDP(nn.Linear(2, 2), process_group=group)
shown(lambda: copy.deepcopy(other))
inner, alive = module.module, weakref.ref(module)
module(x).sum().backward()
del module
print(alive() is None)
inner.zero_grad()
inner(x).sum().backward()
print(list_gradients(inner))
module = DDP(Layers())
module.register_forward_pre_hook(lambda module, inputs: print("before", len(inputs)))
module.register_forward_hook(lambda module, inputs, output: print("after", len(inputs)))
module.module.a.bias.register_post_accumulate_grad_hook(lambda p: print("own", p.grad.tolist()))
module(x).sum().backward()
print(module.module.a.bias.grad.tolist())
""",
    "delayed parameters share one reduction": """
model = Layers()
delayed = [("a.weight", model.a.weight), ("a.bias", model.a.bias)]
module = DDP(model, delay_all_reduce_named_params=delayed, param_to_hook_all_reduce=model.a.bias)
for _ in range(2):
    module(x).sum().backward()
    dist.barrier()
    print([list_gradients(module)[2:]])
    module.zero_grad()
""",
    "uneven inputs are joined": """
def train(module, passes):
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9)
    for step in range(passes):
        optimizer.zero_grad()
        (module(x * step) / 7).pow(2).mean().backward()
        optimizer.step()

for way in ({}, dict(divide_by_initial_world_size=False)):
    for options in ({}, dict(find_unused_parameters=True), dict(bucket_cap_mb=1e-5), dict(static_graph=True)):
        module = DDP(Layers(), **options)
        with module.join(**way):
            train(module, 3 + 2 * RANK)
        print([round(p.sum().item(), 3) for p in module.parameters()], module.module.n.tolist())
module = DDP(Layers())
with module.join(enable=False):
    train(module, 2)
def end_join_early():
    with module.join(throw_on_early_termination=True):
        train(module, 2 + RANK)
shown(end_join_early)
""",
}


@pytest.fixture(scope="module")
def output_of_ranks():
    """The output of each section on each rank, of both libraries."""
    return run_sections_on_ranks(NAMES, SECTIONS)


@pytest.mark.parametrize("section", SECTIONS)
def test_section_prints_what_torch_prints(output_of_ranks, section):
    ours, theirs = output_of_ranks[section]
    assert ours == theirs


def test_debug_mode_names_unused_parameters_and_three_processes_divide_by_three():
    assert_same_on_ranks(
        NAMES
        + """
module = DDP(nn.Linear(2, 1, bias=False))
(module(x).sum() * 0.7).backward()
print(module.module.weight.grad.tolist())
module = DDP(Layers())
for _ in range(2):
    shown(train_step, module, x, (1, 1, 0))
""",
        world_size=3,
        environment={"TORCH_DISTRIBUTED_DEBUG": "INFO"},
    )


def test_create_graph_keeps_the_averages():
    # Runs mindtorch alone: torch raises here, because it changes a leaf in place.
    lines = run_script_on_ranks(
        NAMES
        + """
module = DDP(Layers())
module(x).pow(2).sum().backward(create_graph=True)
print(list_gradients(module), module.module.a.weight.grad.requires_grad)
"""
    )
    assert lines[0] == lines[1]


def test_a_group_is_needed(mt):
    try:
        mt.nn.parallel.DistributedDataParallel(mt.nn.Linear(2, 2))
    except ValueError as error:
        assert "Default process group has not been initialized" in str(error)
