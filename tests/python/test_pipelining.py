"""torch.distributed.pipelining: schedules on two and four ranks; each script's output is that of real torch."""

import pytest
from distributed_ranks import assert_same_on_ranks, run_sections_on_ranks

NAMES = """
import importlib
P, M, S = (importlib.import_module(torch.__name__ + ".distributed.pipelining" + name)
           for name in ("", ".microbatch", ".schedules"))
nn, T, cpu = torch.nn, M.TensorChunkSpec, torch.device("cpu")
torch.set_num_threads(1)
join()

def make_layers(number):
    torch.manual_seed(5)
    return [nn.Sequential(nn.Linear(3, 3), nn.Tanh()) for _ in range(number)]

def round_values(value):
    return [round(v, 4) for v in value.detach().flatten().tolist()]

def scaled_loss(output, target, weight=1.0):
    return ((output - target) ** 2).mean() * weight

x = torch.arange(24.0).view(8, 3) / 10
y = torch.ones(8, 3)

def make_stages(number, group=None):
    parts = make_layers(number)
    return [P.PipelineStage(parts[i], i, number, cpu, group=group) for i in range(RANK, number, WORLD_SIZE)]

def train_and_print(schedule, parts, steps=2, **options):
    "Trains and evaluates; every rank prints its losses, outputs and gradients."
    first, last = parts[0].is_first, parts[-1].is_last
    losses = []
    for _ in range(steps):
        output = schedule.step(*((x,) if first else ()), target=y if last else None, losses=losses, **options)
        print(None if output is None else (round_values(output), output.requires_grad))
        print([round_values(v) for v in losses])
        for part in parts:
            print([round_values(p.grad) for p in part.submod.parameters()])
    output = schedule.eval(*((x,) if first else ()), target=y if last else None, losses=losses)
    print(None if output is None else (round_values(output), output.requires_grad))
    print([round_values(v) for v in losses])
"""

SECTIONS = {
    "micro-batches are split and merged": """
a = torch.arange(12.0).view(4, 3)
split, merge, R = M.split_args_kwargs_into_chunks, M.merge_chunks, M._Replicate
shown(split, (a, 3), {"k": a + 1, "n": None}, 2)
shown(split, (a, {"a": [a]}), None, 3, (T(1), {"a": [T(0)]}))
shown(split, (a,), {}, 8); shown(split, (), {}, 2); shown(split, (3,), {}, 2)
shown(split, (a,), {"k": a}, 2, (T(0),), {})
shown(split, (a,), {"k": a}, 2, (T(0), T(0)), {"k": T(0)})
shown(split, (a,), {"k": a}, 2, (None,), {"k": T(0)})
shown(split, (a,), {"k": a}, 2, (T(2),), {"k": T(0)})
shown(split, (a,), {"k": a}, 2, (R(),), {"k": T(0)})
shown(merge, [a, a + 1], T(0)); shown(merge, [a, a + 1], None); shown(merge, [(a, 3), (a + 1, 3)], None)
shown(merge, [{"a": a}, {"a": a}], {"a": T(1)}); shown(merge, [a.sum(), a.sum()], M.sum_reducer)
shown(merge, [a.sum(), a.sum()], M._CustomReducer(torch.tensor(0.0), lambda total, v: total * 2 + v))
shown(merge, [a.sum(), a.sum()], None); shown(merge, [], None); shown(merge, [a, a], T(1))
print(T(1), repr(T(1)).replace("mindtorch", "torch"), T.from_dict({"a": 1})["a"].split_dim)
print(list(P.SplitPoint), P.pipe_split())
""",
    "wrong stages and schedules are refused": """
layer = nn.Linear(3, 3)
shown(P.PipelineStage, layer, 4, 4, cpu); shown(P.PipelineStage, layer, 0, 1, cpu)
stage = P.PipelineStage(layer, RANK, WORLD_SIZE, cpu)
print(stage.is_first, stage.is_last, stage.group_rank, stage.group_size, stage.group, stage.log_prefix,
      stage.has_backward, stage.stage_index_to_group_rank)
shown(P.Schedule1F1B, stage, 1); shown(P.ScheduleGPipe, 3, 1)
schedule = P.ScheduleGPipe(stage, 2, loss_fn=scaled_loss)
shown(schedule.step, x[:1]); shown(schedule._check_inputs, 3); shown(schedule._check_inputs, None, None, None, 3)
shown(schedule.step, x, target=y[:0] if RANK < 0 else None) if RANK < 0 else None
with torch.no_grad():
    shown(schedule.step, x)
shown(S.get_schedule_class, "nope")
print(S.get_schedule_class("gpipe").__name__, S.get_schedule_class("interleaved1f1b").__name__)
shown(P.ScheduleInterleaved1F1B, make_stages(2 * WORLD_SIZE), 2 * WORLD_SIZE + 3 - WORLD_SIZE // 4 * 2)
""",
    "schedules of one stage a rank": """
for schedule in (P.ScheduleGPipe, P.Schedule1F1B):
    parts = make_stages(WORLD_SIZE)
    train_and_print(schedule(parts[0], 4, loss_fn=scaled_loss), parts)
    parts = make_stages(WORLD_SIZE)
    options = dict(loss_fn=scaled_loss, scale_grads=False)
    train_and_print(schedule(parts[0], 4, **options), parts, 1, loss_kwargs={"weight": 2.0})
""",
    "schedules of several stages a rank": """
for schedule in (P.ScheduleInterleaved1F1B, P.ScheduleLoopedBFS):
    for chunks in (2, 4, 8):
        parts = make_stages(2 * WORLD_SIZE)
        train_and_print(schedule(parts, chunks, loss_fn=scaled_loss), parts)
""",
    "stages with several outputs, of which some need no gradient": """
class Many(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.layer = nn.Linear(3, 3)

    def forward(self, x, *more, scale=1):
        y = self.layer(x) * scale
        return (y if not more else y + more[0].float()), torch.arange(y.numel()).view(y.shape), y.detach() * 2

class End(nn.Module):
    def forward(self, x, count, free, scale=1):
        return x * scale, count + free

parts = [P.PipelineStage(End() if RANK == WORLD_SIZE - 1 else Many(), RANK, WORLD_SIZE, cpu)]
schedule = P.ScheduleGPipe(parts[0], 4, loss_fn=lambda output, target: (output[0] ** 2).mean())
losses = []
given = x.clone().requires_grad_()
result = schedule.step(*((given,) if RANK == 0 else ()), target=y, losses=losses, scale=2)
print(None if result is None else [round_values(v) for v in result], [round_values(v) for v in losses])
print([round_values(p.grad) for p in parts[0].submod.parameters()], given.grad is not None)
""",
}


@pytest.fixture(scope="module")
def output_of_ranks():
    return run_sections_on_ranks(NAMES, SECTIONS, 2)


@pytest.mark.parametrize("title", SECTIONS)
def test_two_ranks_print_what_torch_prints(output_of_ranks, title):
    ours, theirs = output_of_ranks[title]
    assert ours == theirs


def test_four_ranks_train_as_on_real_torch():
    script = NAMES + SECTIONS["schedules of one stage a rank"] + SECTIONS["schedules of several stages a rank"]
    lines = assert_same_on_ranks(script, 4)
    assert len(lines[3]) > 20
