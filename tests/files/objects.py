"""The objects that both sides save: the kinds that checkpoints contain, by name; `torch` is the library under test."""

import collections
import warnings

import torch

warnings.simplefilter("ignore")
torch.manual_seed(0)

DTYPES = """float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 complex32
uint16 uint32 uint64 float8_e5m2 float8_e4m3fn float8_e5m2fnuz float8_e4m3fnuz float8_e8m0fnu""".split()
DISTRIBUTIONS = {"Normal": (0.0, 1.0), "Gamma": (2.0, 1.0), "Uniform": (0.0, 2.0), "Laplace": (0.0, 1.0)}
Point = collections.namedtuple("Point", "x y")


class Kind(torch.Tensor):
    pass


class KindOfParameter(torch.nn.Parameter):
    pass


class Plain:
    def __init__(self, value):
        self.value = value


class Stateful(torch.Tensor):
    def __reduce_ex__(self, protocol):
        return rebuild_stateful_tensor, (self.as_subclass(torch.Tensor), self.unit)


def rebuild_stateful_tensor(tensor, unit):
    again = tensor.as_subclass(Stateful)
    again.unit = unit
    return again


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(5, 3, padding_idx=1)
        self.head = torch.nn.Linear(3, 5, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer("kept", torch.arange(3))
        self.register_buffer("left_out", torch.ones(2), persistent=False)
        self.register_buffer("none", None)
        self.register_parameter("no_parameter", None)

    def get_extra_state(self):
        return {"version": 3}

    def set_extra_state(self, state):
        self.extra = state


def set_attributes(tensor, **notes):
    for name, value in notes.items():
        setattr(tensor, name, value)
    return tensor


def train_optimizer(optimizer_class, **options):
    """An optimizer after two steps over numbers that both libraries add and multiply without rounding."""
    layer = torch.nn.Linear(3, 2)
    for parameter in layer.parameters():
        torch.nn.init.constant_(parameter, 0.5)
    optimizer = optimizer_class(layer.parameters(), **options)

    def closure():
        optimizer.zero_grad()
        loss = layer(torch.ones(4, 3)).sum()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return optimizer


def make_optimizer_with_groups():
    layer = torch.nn.Linear(3, 2)
    return torch.optim.SGD([{"params": [layer.weight], "lr": 0.5, "name": "w"}, {"params": [layer.bias]}], lr=0.1)


def make_strided_views(base):
    """Views of one storage: slices, steps, permuted dimensions, no and many elements, overlaps."""
    matrix = base.view(4, 6)
    return {
        "all": base,
        "part": base[3:9],
        "steps": base[1::4],
        "transposed": matrix.t(),
        "corner": matrix[1:3, 2:5],
        "column": matrix[:, 2],
        "permuted": base.view(2, 3, 4).permute(2, 0, 1),
        "expanded": base[:1].expand(3, 4),
        "windows": base.unfold(0, 5, 2),
        "overlapping": torch.as_strided(base, (3, 3), (1, 1), 2),
        "scalar": base[7],
        "none": base[5:5],
        "no rows": matrix[:0],
        "diagonal": matrix.diagonal(),
    }


def make_tensor_of_each_dtype(values):
    return {name: torch.tensor(values).to(getattr(torch, name)) for name in DTYPES}


base = torch.arange(24, dtype=torch.float32) / 3
numbers = torch.tensor([1 + 2j, 3 - 1j, -2j])
shared = torch.ones(2, 2)
sgd = torch.optim.SGD(torch.nn.Linear(2, 1).parameters(), lr=0.1)
network = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
recursive = [1]
recursive.append({"me": recursive})

VALUES = {
    "plain": [1, 2.5, "x", None, True, 10**40, b"abc", bytearray(b"xy"), {1}, (1, (2,)), 1j, 2**31, "e\ud800", ...],
    "long": ["x" * 70000, b"y" * 70000, list(range(3000))],
    "numbers": [255, 256, 65535, 65536, -1, -(2**31) - 1, 1e308, float("inf"), float("-inf"), -0.0],
    "containers": [collections.OrderedDict(b=1, a=2), collections.Counter("abca"), {"n": {"e": [(1, {"d": ()})]}}],
    "defaultdict": collections.defaultdict(list, {"x": [base]}),
    "deque": collections.deque([1, 2], maxlen=3),
    "namedtuple": Point(torch.ones(2), 3),
    "recursive": recursive,
    "object": Plain(torch.ones(2)),
    "values": [torch.Size([1, 2]), torch.Size([]), *(getattr(torch, name) for name in DTYPES)],
    "devices": [torch.device("cpu"), torch.device("cuda:1"), torch.device("meta")],
    "layouts": [torch.strided, torch.sparse_coo],
    "generator": [torch.Generator().manual_seed(3).get_state(), torch.get_rng_state()],
    "functions": [torch.add, torch.nn.functional.relu, torch.nn.functional.gelu, len],
    "classes": [torch.nn.Linear, torch.Tensor, torch.FloatStorage, torch.UntypedStorage, torch.FloatTensor],
    "return types": [torch.max(torch.eye(2), 0), torch.linalg.slogdet(torch.eye(2)), torch.ones(3).sort()],
}

TENSORS = {
    "dtypes": make_tensor_of_each_dtype([0, 1, 2]),
    "matrices of dtypes": make_tensor_of_each_dtype([[0, 1], [1, 2]]),
    "views": make_strided_views(base),
    "view alone": base.view(4, 6).t()[1:, ::2],
    "views of dtypes": {name: value[1:] for name, value in make_tensor_of_each_dtype([0, 1, 2]).items()},
    "alias": [base, base, {"again": base, "other": base.view(-1)}],
    "empty": [torch.empty(0), torch.empty(0, 3), torch.empty(2, 0, 3), torch.empty(0, dtype=torch.int64)],
    "scalars": [torch.tensor(value) for value in (3.0, True, 1j, -0.0, float("nan"), 7)],
    "format": torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "format 3d": torch.ones(2, 3, 4, 5, 2).to(memory_format=torch.channels_last_3d),
    "leaf": torch.ones(3, requires_grad=True),
    "result": torch.ones(3, requires_grad=True) * 2,
    "conjugate": [numbers.conj(), numbers[1:].conj(), numbers.conj().conj()],
    "negative": [torch._neg_view(base), torch._neg_view(base)[1:]],
    "negative and conjugate": torch._neg_view(numbers.conj()),
    "part": numbers.conj().imag,
    "parts": [numbers.real, numbers.imag],
    "attribute": set_attributes(torch.ones(2), note=3, other=shared, third=[shared]),
    "inference": torch.inference_mode()(lambda: torch.ones(2))(),
    "meta": [torch.empty(3, 4, device="meta"), torch.nn.Parameter(torch.empty(2, device="meta"))],
    "meta views": torch.empty(3, 4, device="meta").t()[1:],
    "many": {f"k{i}": torch.full((i % 7,), float(i)) for i in range(300)},
    "large": torch.arange(100_000, dtype=torch.int16),
    "storage": base.untyped_storage(),
    "typed storages": [base._typed_storage(), torch.zeros(2, dtype=torch.int16)._typed_storage()],
    "storage and tensor": [shared._typed_storage(), shared],
    "subclass": set_attributes(torch.ones(3).as_subclass(Kind), tag="t"),
    "subclass view": set_attributes(base.as_subclass(Kind)[2:5], tag="part"),
    "own reduction": rebuild_stateful_tensor(torch.ones(3), "mm"),
    "parameter": torch.nn.Parameter(torch.ones(2)),
    "parameter attribute": set_attributes(torch.nn.Parameter(torch.ones(2)), extra="x"),
    "frozen": torch.nn.Parameter(torch.ones(2), requires_grad=False),
    "parameter subclass": KindOfParameter(torch.ones(2)),
    "parameter of a view": torch.nn.Parameter(base.view(4, 6).t()),
    "buffer": [torch.nn.Buffer(torch.ones(2)), torch.nn.Buffer(torch.ones(2), persistent=False)],
    "packed": torch.nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2), torch.tensor([3, 2])),
}

LAYERS = {
    "network": network,
    "evaluating": torch.nn.Sequential(torch.nn.Dropout(0.3), torch.nn.Conv2d(1, 2, 3)).eval(),
    "tied": Tied(),
    "recurrent": torch.nn.LSTM(2, 3, num_layers=2, bidirectional=True),
    "attention": torch.nn.MultiheadAttention(4, 2, kdim=3),
    "encoder": torch.nn.TransformerEncoderLayer(4, 2, 8),
    "module dict": torch.nn.ModuleDict({"a": torch.nn.PReLU(), "b": torch.nn.ModuleList([torch.nn.LayerNorm(2)])}),
    "parameter containers": [torch.nn.ParameterList([torch.ones(2)]), torch.nn.ParameterDict({"a": torch.ones(2)})],
    "lazy": torch.nn.LazyLinear(3),
    "loss": torch.nn.CrossEntropyLoss(weight=torch.ones(2)),
    "half": torch.nn.Linear(2, 2).half(),
}
OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    "Adam": {"amsgrad": True},
    "AdamW": {},
    "Adagrad": {},
    "Adadelta": {"eps": 0.0},
    "Adamax": {},
    "ASGD": {},
    "NAdam": {},
    "RAdam": {},
    "RMSprop": {"centered": True},
    "Rprop": {},
    "Adafactor": {},
    "LBFGS": {"max_iter": 1},
}
TRAINING = {
    **{f"state of {name}": layer.state_dict() for name, layer in LAYERS.items() if isinstance(layer, torch.nn.Module)},
    **{
        f"state of {name}": train_optimizer(getattr(torch.optim, name), **options).state_dict()
        for name, options in OPTIMIZERS.items()
    },
    "optimizer": train_optimizer(torch.optim.AdamW, weight_decay=0.1),
    "groups": make_optimizer_with_groups().state_dict(),
    "scheduler": torch.optim.lr_scheduler.StepLR(sgd, 2).state_dict(),
    "scheduler of a lambda": torch.optim.lr_scheduler.CosineAnnealingLR(sgd, 5).state_dict(),
    "averaged": torch.optim.swa_utils.AveragedModel(torch.nn.Linear(2, 2)).state_dict(),
    "scaler": torch.amp.GradScaler("cpu").state_dict(),
    "data": torch.utils.data.TensorDataset(base, base[:24]),
    "subset": torch.utils.data.Subset(torch.utils.data.TensorDataset(base), [1, 2]),
    "checkpoint": {"epoch": 3, "model": network.state_dict(), "rng": torch.get_rng_state(), "args": {"lr": 1e-3}},
    **{
        f"distribution {name}": getattr(torch.distributions, name)(*map(torch.tensor, arguments))
        for name, arguments in DISTRIBUTIONS.items()
    },
}
REFUSED = {
    "views of two dtypes": [base, base.view(torch.int32)],
    "number and its part": [numbers, numbers.real],
    "storage of no dtype and tensor": [shared.untyped_storage(), shared],
    "function of a program": lambda: None,
    "module of Python": set_attributes(torch.ones(1), module=warnings),
}
OBJECTS = VALUES | TENSORS | LAYERS | TRAINING | REFUSED
