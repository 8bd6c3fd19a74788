"""Faults in a training step of a small BERT: torch's error types, no leak, and a correct next step."""

import gc
import os
import random
import re

import pytest

# The time limit makes a hanging step a failure. Each schedule consists of two training steps with a few hundred kernel
# launches.
SCHEDULES = 1000 if os.environ.get("MINDTORCH_TESTS_FULL") else 25
NAMED = re.compile(r"NPU error: acl\w+ (failed with code \d+|gave no \w+)|NPU out of memory\. Tried to allocate")


class Encoder:
    """Embeddings, one layer of attention and feed-forward, and a classifier; each step starts from the same state."""

    def __init__(self, mt):
        self.mt = mt
        mt.manual_seed(3)
        nn = mt.nn
        self.modules = nn.ModuleDict(
            {
                "words": nn.Embedding(20, 16),
                "places": nn.Embedding(6, 16),
                "first": nn.LayerNorm(16),
                "query": nn.Linear(16, 16),
                "key": nn.Linear(16, 16),
                "value": nn.Linear(16, 16),
                "second": nn.LayerNorm(16),
                "wide": nn.Linear(16, 32),
                "narrow": nn.Linear(32, 16),
                "decoder": nn.Linear(16, 20),
            }
        )
        self.state = {name: value.clone() for name, value in self.modules.state_dict().items()}
        self.tokens = mt.randint(0, 20, (2, 6))

    def forward(self, net, tokens):
        F = self.mt.nn.functional
        x = net["words"](tokens) + net["places"](self.mt.arange(6, device=tokens.device))
        x = F.dropout(net["first"](x), 0.1)
        heads = [net[name](x).view(2, 6, 2, 8).transpose(1, 2) for name in ("query", "key", "value")]
        attended = F.scaled_dot_product_attention(*heads).transpose(1, 2).reshape(2, 6, 16)
        x = net["second"](x + F.dropout(attended, 0.1))
        x = x + net["narrow"](F.gelu(net["wide"](x)))
        return F.cross_entropy(net["decoder"](x).view(-1, 20), tokens.view(-1))

    def step(self):
        """Trains one step on a new copy on the device; returns the loss and a sum over the trained weights."""
        mt = self.mt
        self.modules.load_state_dict(self.state)
        net = self.modules
        try:
            net.npu()
            mt.npu.manual_seed(7)
            optimizer = mt.optim.AdamW(net.parameters(), lr=1e-2)
            loss = self.forward(net, self.tokens.npu())
            loss.backward()
            optimizer.step()
            weights = sum(p.detach().abs().sum() for p in net.parameters())
            return loss.item(), weights.item()
        finally:
            # Restores the modules without using the device, which may be lost.
            for module in net.modules():
                for name, value in module._parameters.items():
                    module._parameters[name] = mt.nn.Parameter(mt.empty(value.shape))


def write_fault_schedules(count, launches):
    """The texts of one or two faults that may occur anywhere in a step."""
    calls = (
        "*",
        "aclrtMalloc",
        "aclrtMemcpyAsync",
        "aclrtSynchronizeStream",
        "aclCreateTensor",
        "aclCreateScalar",
        "aclnnAddmm",
        "aclnnAddmmGetWorkspaceSize",
        "aclnnLayerNorm",
        "aclnnLayerNormBackward",
        "aclnnSoftmax",
        "aclnnEmbedding",
        "aclnnInplaceCopy",
        "aclnnReduceSum",
        "aclnnGeluV2",
    )
    draw = random.Random(20261122)
    for _ in range(count):
        faults = []
        for _ in range(draw.choice((1, 1, 2))):
            kind = draw.randrange(5)
            if kind == 0:
                faults.append(f"sticky:0:{draw.randint(1, launches)}")
            elif kind == 1:
                faults.append(f"lost:0:{draw.randint(1, launches)}")
            elif kind == 2:
                faults.append(f"memory:{draw.randrange(3) << 21}")
            else:
                call = draw.choice(calls)
                faults.append(f"fail:{call}:{draw.randint(1, 4 * launches if call == '*' else 12)}")
        yield ",".join(faults)


def test_any_schedule_of_faults_in_a_training_step_names_the_call_and_leaves_the_device_usable(mt):
    encoder = Encoder(mt)
    mt._C._npu_simulatorResetCounters()
    expected = encoder.step()
    launches = mt._C._npu_simulatorCounters()["launches"]
    assert encoder.step() == expected
    gc.collect()
    mt.npu.synchronize()
    in_use = mt.npu.memory_allocated()
    failures = 0
    for number, faults in enumerate(write_fault_schedules(SCHEDULES, launches)):
        if number % 4 == 0:
            mt.npu.empty_cache()  # so that the step allocates memory
        mt._C._npu_simulatorFaults(faults)
        try:
            encoder.step()
        except (mt.OutOfMemoryError, RuntimeError) as error:
            failures += 1
            assert type(error) in (RuntimeError, mt.OutOfMemoryError) and NAMED.match(str(error)), (faults, error)
            error.__traceback__ = None
        mt._C._npu_simulatorFaults("")
        gc.collect()
        assert mt.npu.memory_allocated() == in_use, faults
        assert encoder.step() == expected, faults
    assert failures > SCHEDULES // 2
    del encoder
    gc.collect()
    mt.npu.synchronize()
    mt.npu.empty_cache()
    assert mt.npu.memory_allocated() == in_use and mt._C._npu_simulatorRace() == ""


@pytest.mark.parametrize(
    "call", ["aclnnNonzero", "aclnnNonzeroGetWorkspaceSize", "aclGetViewShape", "aclrtSynchronizeStream"]
)
def test_a_fault_while_the_device_decides_sizes_names_the_call_and_frees_the_room(mt, call):
    x = mt.tensor([0.0, 1.0, 2.0], device="npu")
    before = mt.npu.memory_allocated()
    mt._C._npu_simulatorFaults(f"fail:{call}:1")
    with pytest.raises(RuntimeError, match=f"NPU error: {call} failed"):
        x.nonzero()
    mt._C._npu_simulatorFaults("")
    gc.collect()
    assert mt.npu.memory_allocated() == before and x.nonzero().tolist() == [[1], [2]]
