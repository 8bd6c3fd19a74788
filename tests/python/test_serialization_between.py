"""Files between torch and us: the same bytes for the same objects, zip archives and safetensors."""

import pytest

# What both sides save; leaves `objects`.
OBJECTS = """
import collections, io, warnings
import torch
warnings.simplefilter('ignore')
torch.manual_seed(0)
base = torch.arange(10, dtype=torch.float32) / 3
noted = torch.ones(2); noted.note = 3
dtypes = '''float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 uint16 uint32 uint64
complex32 float8_e5m2 float8_e4m3fn float8_e5m2fnuz float8_e4m3fnuz'''.split()
class Kind(torch.Tensor): pass
class KindOfParameter(torch.nn.Parameter): pass
kind = torch.ones(3).as_subclass(Kind); kind.tag = 't'
parameter = torch.nn.Parameter(torch.ones(2)); parameter.extra = 'x'
network = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
complex_base = torch.tensor([1 + 2j, 3 - 1j])
def trained(cls, **options):
    torch.manual_seed(1)
    layer = torch.nn.Linear(3, 2)
    optimizer = cls(layer.parameters(), **options)
    for _ in range(2):
        optimizer.zero_grad(); layer(torch.ones(4, 3)).sum().backward(); optimizer.step()
    return optimizer
first_sgd = torch.optim.SGD(torch.nn.Linear(2, 1).parameters(), lr=0.1)
objects = {
    'plain': [1, 2.5, 'x', None, True, 10**40, b'abc', bytearray(b'xy'), {1}, (1, (2,)), 1j, 2**31, 'e\\ud800'],
    'dtypes': {name: torch.tensor([0, 1, 2]).to(getattr(torch, name)) for name in dtypes},
    'views': [base, base[2:5], base.view(2, 5).t(), base[:0], base[::3], base.expand(2, 10)],
    'empty': [torch.empty(0), torch.empty(0, 3), torch.ones(1), torch.tensor(3.0), torch.empty(0, dtype=torch.int64)],
    'leaf': torch.ones(3, requires_grad=True),
    'result': torch.ones(3, requires_grad=True) * 2,
    'parameter': parameter,
    'meta': [torch.empty(3, 4, device='meta'), torch.nn.Parameter(torch.empty(2, device='meta'))],
    'attribute': noted,
    'conjugate': complex_base.conj(),
    'negative': torch._neg_view(base),
    'parts': [complex_base.real.clone(), complex_base.conj().imag],
    'subclass': kind,
    'parameter subclass': KindOfParameter(torch.ones(2)),
    'buffer': torch.nn.Buffer(torch.ones(2)),
    'network': network,
    'state': network.state_dict(),
    'adamw': trained(torch.optim.AdamW).state_dict(),
    'sgd': trained(torch.optim.SGD, lr=0.1, momentum=0.9).state_dict(),
    'adagrad': trained(torch.optim.Adagrad),
    'scheduler': torch.optim.lr_scheduler.StepLR(first_sgd, 2).state_dict(),
    'values': [torch.Size([1, 2]), torch.float32, torch.device('cpu'), torch.device('cuda:1'), torch.strided],
    'generator': torch.Generator().manual_seed(3).get_state(),
    'storages': [torch.ones(4).untyped_storage(), torch.zeros(2, dtype=torch.int16)._typed_storage()],
    'nested': {'a': [{'b': (base, [base[1:]])}], 'd': collections.defaultdict(list, {'x': [base]})},
    'many': {f'k{i}': torch.full((i % 7,), float(i)) for i in range(300)},
    'format': torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
    'alias': [base] * 3,
    'functions': [torch.add, torch.nn.functional.relu],
    'classes': [torch.nn.Linear, torch.Tensor, torch.FloatStorage, torch.UntypedStorage, torch.FloatTensor],
    'named': torch.return_types.max((torch.ones(2), torch.ones(2))),
    'distribution': torch.distributions.Normal(torch.zeros(2), torch.ones(2)),
    'packed': torch.nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2), torch.tensor([3, 2])),
    'containers': [torch.nn.ParameterList([torch.ones(2)]), torch.nn.ParameterDict({'a': torch.ones(2)})],
    'lazy': torch.nn.LazyLinear(3),
    'data': torch.utils.data.TensorDataset(base),
    'loss': torch.nn.CrossEntropyLoss(weight=torch.ones(2)),
    'inference': torch.inference_mode()(lambda: torch.ones(2))(),
}
"""

PRINT_ARCHIVES = """
import hashlib
for name, thing in objects.items():
    # How often a type's module is named differs in protocol 4.
    for protocol in (2, 3) if name == 'classes' else (2, 3, 4, 5):
        stream = io.BytesIO()
        torch.save(thing, stream, pickle_protocol=protocol)
        print(name, protocol, hashlib.sha256(stream.getvalue()).hexdigest())
"""


def test_archives_have_torchs_bytes(same_as_oracle):
    same_as_oracle(OBJECTS + PRINT_ARCHIVES)


SAFETENSORS = """
import os, sys, torch
from safetensors.torch import load, load_file, save_file
names = 'float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool uint16 uint32 uint64 float8_e5m2'
tensors = {name: torch.arange(6).view(2, 3).to(getattr(torch, name)) for name in names.split()}
tensors |= {'complex64': torch.ones(2, dtype=torch.complex64), 'scalar': torch.tensor(1.5), 'empty': torch.empty(0, 3)}
here = os.path.join(sys.argv[1], 't.safetensors')
if sys.argv[2] == 'save':
    save_file(tensors, here, metadata={'format': 'pt'})
else:
    for loaded in (load_file(here), load(open(here, 'rb').read()), torch.load(here)):
        for name in sorted(loaded):
            value = loaded[name]
            bytes = value.reshape(-1).view(torch.uint8).tolist()
            print(name, value.dtype, tuple(value.shape), value.stride(), bytes)
"""


def test_safetensors_files_are_equal_and_load_on_both_sides(oracle, run_python, tmp_path):
    pytest.importorskip("safetensors")
    program = tmp_path / "both.py"
    program.write_text(SAFETENSORS)
    sides = {"ours": ["-m", "mindtorch"], "theirs": []}
    for side, prefix in sides.items():
        (tmp_path / side).mkdir()
        run_python(None, *prefix, str(program), str(tmp_path / side), "save").ok()
    files = [(tmp_path / side / "t.safetensors").read_bytes() for side in sides]
    assert files[0] == files[1]
    ours = str(tmp_path / "ours")
    shown = {run_python(None, *prefix, str(program), ours, "load").ok() for prefix in sides.values()}
    assert len(shown) == 1
