"""Numbers outside a dtype's range, filled diagonals, and splits and repeats that do not match."""

import pytest
from beside import outcome

FILL_CALLS = [
    "torch.zeros(3,3).fill_diagonal_(1)",
    "torch.zeros(7,3).fill_diagonal_(1)",
    "torch.zeros(7,3).fill_diagonal_(1,wrap=True)",
    "torch.zeros(9,3).fill_diagonal_(1,True)",
    "torch.zeros(4,3).fill_diagonal_(1,True)",
    "torch.zeros(20,3)[2:12].fill_diagonal_(2,wrap=True)",
    "torch.zeros(3,7).fill_diagonal_(1,wrap=True)",
    "torch.zeros(6,9).t().fill_diagonal_(1)",
    "torch.zeros(2,2,2).fill_diagonal_(5)",
    "torch.zeros(2,2,3).fill_diagonal_(5)",
    "torch.zeros(2).fill_diagonal_(5)",
    "torch.zeros(()).fill_diagonal_(5)",
    "torch.zeros(0,3).fill_diagonal_(5)",
    "torch.zeros(3,0).fill_diagonal_(5,wrap=True)",
    "torch.zeros(6,3,dtype=torch.int64).fill_diagonal_(5.7)",
    "torch.zeros(3,3).fill_diagonal_(1j)",
    "torch.zeros(3,3).fill_diagonal_()",
    "torch.zeros(3,3).fill_diagonal_(torch.tensor(3))",
    "torch.zeros(3,3).fill_diagonal_('x')",
    "torch.zeros(3,3,device='meta').fill_diagonal_(1)",
    "torch.zeros(3,3,requires_grad=True).fill_diagonal_(1)",
    "torch.zeros(3,3,requires_grad=True).clone().fill_diagonal_(1).grad_fn",
    "torch.zeros(9,3).fill_diagonal_(1,True)._version",
    "torch.zeros(2,8).split([3,3],-1)",
    "torch.zeros(2,8).repeat_interleave(2,dim=0,output_size=3)",
    "torch.zeros(2,0).repeat_interleave(2,dim=1,output_size=3)",
    "torch.ones(3,2).repeat_interleave(2,output_size=12)",
    "torch.ones(3).repeat_interleave(-1,output_size=5)",
]


@pytest.mark.parametrize("filled", FILL_CALLS)
def test_diagonals_pieces_and_repeats_are_torchs(mt, oracle, filled):
    assert outcome(mt, filled)[0] == outcome(oracle, filled)[0]


def test_wrapped_diagonal_of_a_strided_matrix_stays_inside(mt):
    x = mt.zeros(9, 6)
    x[:, :3].fill_diagonal_(1, wrap=True)
    assert x[:, 3:].sum() == 0
    assert x.nonzero().tolist() == [[0, 0], [1, 1], [2, 2], [4, 0], [5, 1], [6, 2], [8, 0]]


NUMBERS_THAT_DO_NOT_FIT = [
    "torch.ones(2).add(torch.ones(2), alpha=1.7e308)",
    "torch.ones(2, dtype=torch.int8).add(1, alpha=300)",
    "torch.ones(2, dtype=torch.float16).sub(1, alpha=70000.0)",
    "torch.addcmul(torch.ones(2), torch.ones(2), torch.ones(2), value=1.7e308)",
    "torch.ones(2).lerp(torch.ones(2), 1.7e308)",
    "torch.ones(2).clamp(min=1.7e308)",
    "torch.ones(2, dtype=torch.int8).clamp(1, 300)",
    "torch.ones(2).clamp_max(-1.7e308)",
    "torch.ones(2, dtype=torch.int8).clamp_min_(2.5)",
    "torch.where(torch.tensor([True, False]), torch.ones(2), -1.7e308)",
    "torch.where(torch.tensor([True, False]), 1, 1.7e308)",
    "torch.ones(2).index_fill(0, torch.tensor([0]), 1.7e308)",
    "torch.ones(2).scatter(0, torch.tensor([0]), 1.7e308)",
    "torch.nn.functional.leaky_relu(torch.ones(2), 1.7e308)",
    "torch.nn.functional.threshold(torch.ones(2), 0, 1.7e308)",
    "torch.linspace(0, 300, 3, dtype=torch.int8)",
    "torch.ones(2, dtype=torch.float16).clamp(max=65504)",
    "torch.ones(2, dtype=torch.float16).clamp(max=65505)",
    "torch.ones(2, dtype=torch.float16).clamp_(-(10**5), 10**5)",
    "torch.ones(2, dtype=torch.float16).clamp_min(-70000)",
    "torch.ones(2, dtype=torch.bfloat16).clamp(-(2**63), 2**63 - 1)",
    "torch.nn.functional.hardtanh(torch.ones(2, dtype=torch.float16), -1, 70000)",
    "torch.nn.functional.hardtanh(torch.ones(2, dtype=torch.bfloat16), -1, 1e300)",
    "torch.full((2,), 70000, dtype=torch.float16)",
    "torch.ones(2, dtype=torch.float16).fill_(-70000)",
    "torch.ones(2, dtype=torch.float16) * 70000",
    "torch.tensor([True, False]) ** False",
    "torch.tensor([True, False]) ** True",
    "torch.tensor([True, False]) ** 0",
    "torch.linspace(torch.tensor(1.0, device='meta'), 2, 3)",
    "torch.linspace(0, torch.tensor(1.0, device='meta'), 3, device='cpu', dtype=torch.int64)",
    "torch.logspace(torch.tensor(1.0, device='meta'), torch.tensor(2.0), 3)",
    "torch.linspace(torch.tensor(1.0), 2, 3, device='meta')",
    "torch.logspace(torch.ones(1, device='meta'), 2, 3)",
    "torch.linspace(torch.ones(1), 2, 3)",
    "torch.scalar_tensor(1.7e308)",
    "torch.scalar_tensor(70000.0, dtype=torch.float16)",
    "torch.ones(2) * 1.7e308",
    "torch.ones(2) + 1.7e308",
    "torch.ones(2) > 1.7e308",
    "torch.ones(2, device='meta').add(torch.ones(2, device='meta'), alpha=1.7e308)",
    "torch.ones(2, dtype=torch.int8).bitwise_and_(2.5)",
    "torch.nan_to_num(torch.tensor([float('nan'), 1, float('inf'), -float('inf')]), nan=1.7e308, posinf=2)",
    "torch.nan_to_num(torch.tensor([float('nan'), float('inf')], dtype=torch.float16), nan=70000.0)",
    "torch.nan_to_num(torch.tensor([complex(float('nan'), float('inf'))], dtype=torch.complex128))",
]


@pytest.mark.parametrize("called", NUMBERS_THAT_DO_NOT_FIT)
def test_numbers_beyond_the_dtypes_range_are_refused_where_torch_refuses_them(mt, oracle, called):
    assert outcome(mt, called)[0] == outcome(oracle, called)[0]


# torch warns once per process, so each conversion runs in its own process.
@pytest.mark.parametrize("convert", ["float", "complex"])
def test_conversion_of_a_tensor_that_requires_grad_warns_in_grad_mode(same_as_oracle, convert):
    same_as_oracle(f"""
import warnings, torch
values = [torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True) * 2]
for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
    for value in values:
        with warnings.catch_warnings(record=True) as caught, mode():
            warnings.simplefilter('always')
            {convert}(value)
        print(mode.__name__, [str(one.message).partition(' (Triggered')[0] for one in caught])
""")


def test_parameter_counts_writes_together_with_its_data(same_as_oracle):
    same_as_oracle("""
import torch
class Kind(torch.Tensor): pass
data = torch.ones(3).add_(1)
made = [torch.nn.Parameter(data), torch.nn.Parameter(data, False), torch.nn.Buffer(data)]
made += [torch.Tensor._make_subclass(Kind, data), data.as_subclass(Kind), torch.nn.Parameter(data[1:])]
print([one._version for one in made])
data.mul_(2)
with torch.no_grad():
    made[0].zero_()
print(data._version, [one._version for one in made])
""")


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("step", [0.5, -0.5])
def test_a_range_of_integers_refuses_a_step_between_them(mt, step):
    # Real torch divides by the step's integer part, zero, and crashes: the expected text is the one for a zero step.
    with pytest.raises(RuntimeError, match="^step must be nonzero$"):
        mt.range(0, 4 * step, step, dtype=mt.int64)


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize(
    "call",
    [
        "torch.range(0,5,1.5,dtype=torch.int64)",
        "torch.range(0.5,3,1,dtype=torch.uint8)",
        "torch.range(0,0,dtype=torch.int64)",
        "torch.range(5,0,-2,dtype=torch.int32)",
    ],
)
def test_integer_arange_truncates_each_number(mt, oracle, call):
    assert outcome(mt, call)[0] == outcome(oracle, call)[0]


CLAMP_CALLS = {
    "numbers": lambda t, x, y: t.clamp(x, -1, 2.5),
    "from below": lambda t, x, y: x.clamp(min=0.5),
    "from above": lambda t, x, y: x.clamp(max=y),
    "between tensors": lambda t, x, y: t.clamp(x, y - 1, y),
    "crossed tensors": lambda t, x, y: t.clamp(x, y, y - 1),
    "in place": lambda t, x, y: (x * 1).clamp_(min=y),
    "in place, numbers": lambda t, x, y: (x * 1).clip_(-1, 1),
    "by nan": lambda t, x, y: x.clamp(-1, float("nan")),
    "divided": lambda t, x, y: t.div(x, y, rounding_mode=None),
    "divided by a number": lambda t, x, y: t.div(x, 4, rounding_mode=None),
    "rounded": lambda t, x, y: t.div(x, y, rounding_mode="floor"),
    "rounded in place": lambda t, x, y: (x * 1).div_(y, rounding_mode="trunc"),
}


@pytest.mark.parametrize("name", CLAMP_CALLS)
def test_bounds_and_rounded_quotients_have_torchs_values_gradients_and_nodes(mt, oracle, name):
    def observe_call(t):
        x = t.tensor([-3.0, -0.0, 0.25, 1.5, 7.0, float("inf")], requires_grad=True)
        y = t.tensor([1.0, -2.0, 0.5, 3.0, 6.5, 2.0], requires_grad=True)
        result = CLAMP_CALLS[name](t, x, y)
        gradients = t.autograd.grad(result, (x, y), t.arange(1.0, 7), allow_unused=True, retain_graph=True)
        tangent = t.func.jvp(lambda v: CLAMP_CALLS[name](t, v, y.detach()), (x.detach(),), (t.arange(1.0, 7),))[1]
        mapped = t.vmap(lambda v, w: CLAMP_CALLS[name](t, v, w))(x.detach().view(2, 3), y.detach().view(2, 3))
        given = [None if g is None else str(g.tolist()) for g in gradients]
        return type(result.grad_fn).__name__, str(result.tolist()), given, str(tangent.tolist()), str(mapped.tolist())

    assert observe_call(mt) == observe_call(oracle)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.clamp(t.arange(5), 1, 2.5),
        lambda t: t.clamp(t.arange(5), 1.5, 3),
        lambda t: t.clamp(t.arange(5, dtype=t.uint8), max=2.5),
        lambda t: t.clamp(t.arange(5), t.ones(5), t.ones(5, dtype=t.float64) * 3),
        lambda t: t.clamp(t.arange(5) > 2, min=t.arange(5) > 3),
        lambda t: t.clamp(t.arange(3).half(), 0, 1),
        lambda t: t.clamp(t.empty(0, 3), 0, 1),
        lambda t: t.clamp(t.arange(5), 0, 3, out=t.empty(5)),
        lambda t: t.clamp(t.arange(5), 0, 2.5, out=t.empty(5)),
        lambda t: t.clamp(t.arange(5.0), min=2, out=t.empty(5, dtype=t.int32)),
        lambda t: t.clamp(t.arange(5), t.tensor(1), t.tensor(3), out=t.empty(5)),
        lambda t: t.clamp_min(t.arange(5.0), 2, out=t.empty(5, dtype=t.float64)),
        lambda t: t.clamp_max(t.arange(5), 2, out=t.empty(5, dtype=t.complex64)),
        lambda t: t.clamp(t.tensor(3), max=2),
        lambda t: t.clamp(t.arange(6).view(2, 3).t(), max=t.tensor([1, 4])),
        lambda t: t.clamp(t.arange(5, device="meta"), 1, 2.5),
        lambda t: t.arange(5).clamp_(1, 2.5),
        lambda t: t.clamp(t.arange(5)),
        lambda t: t.clamp(t.arange(5) * 1j, 0, 1),
        lambda t: t.clamp(t.arange(5) * 1j, t.ones(5)),
        lambda t: t.clamp(t.arange(5), None, 1j),
        lambda t: t.div(t.arange(5), 2, rounding_mode=None),
        lambda t: t.div(t.arange(5), 2, rounding_mode="floor"),
        lambda t: t.div(t.arange(5, device="meta"), 2, rounding_mode=None),
        lambda t: t.div(t.arange(5, device="meta"), 2, rounding_mode="trunc"),
        lambda t: t.div(t.arange(5) > 1, True, rounding_mode=None),
        lambda t: t.div(t.arange(5) > 1, True, rounding_mode="trunc"),
        lambda t: t.div(t.arange(5) * 1j, 2, rounding_mode=None),
        lambda t: t.div(t.arange(5), 0, rounding_mode="floor"),
        lambda t: t.div(t.arange(5), 2, rounding_mode="up"),
        lambda t: t.arange(5).div_(2, rounding_mode=None),
        lambda t: t.arange(5).div_(2, rounding_mode="floor"),
    ],
)
def test_bounds_and_rounded_quotients_promote_and_refuse_as_torch_does(mt, oracle, call):
    def observe_call(t):
        try:
            result = call(t)
        except Exception as error:
            return type(error).__name__, str(error)
        values = None if result.is_meta else str(result.tolist())
        return str(result.dtype).split(".")[-1], result.shape, result.stride(), values

    assert observe_call(mt) == observe_call(oracle)


POWERS = [
    *[("uint8", 300), ("uint8", 255), ("int8", 128), ("int8", -1), ("int32", 2**40), ("int64", 2**40)],
    *[("bool", 300), ("uint8", 3.0)],
]


@pytest.mark.parametrize("dtype, exponent", POWERS)
def test_a_power_refuses_an_exponent_that_does_not_fit(mt, oracle, dtype, exponent):
    x = f"torch.tensor([1, 2, 0]).to(torch.{dtype})"
    for call in (
        f"{x}.pow({exponent})",
        f"{x}.pow_({exponent})",
        f"torch.pow({x}, {exponent}, out=torch.empty(0, dtype=torch.{dtype}))",
        f"torch._foreach_pow([{x}], {exponent})",
        f"{x}.to('meta').pow({exponent})",
    ):
        assert outcome(mt, call) == outcome(oracle, call), call


REFUSED = [
    "torch.max(torch.ones(2, dtype=torch.complex64), 0)",
    "torch.min(torch.ones(2, dtype=torch.complex64), 0)",
    "torch.meshgrid(torch.ones(2), torch.ones(2).double(), indexing='ij')",
    "torch.meshgrid(torch.ones(2), torch.ones(2, device='meta'), indexing='ij')",
    "torch.round(torch.ones(2, dtype=torch.int32), decimals=1)",
    "torch.round(torch.ones(2, dtype=torch.int32), decimals=0)",
    "torch.round(torch.ones(2, dtype=torch.bool), decimals=2)",
]


@pytest.mark.parametrize("call", REFUSED)
def test_refusals_of_dtypes_read_as_in_torch(mt, oracle, call):
    assert outcome(mt, call) == outcome(oracle, call)
