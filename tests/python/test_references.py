"""torch._refs: every reference that torch has, with the operator's results."""

import importlib

import pytest
from outcomes import outcome

MODULES = ("_refs", "_refs.nn.functional", "_refs.linalg", "_refs.fft", "_refs.special", "_refs._conversions")


def _import_references(torch, name="_refs"):
    return importlib.import_module(f"{torch.__name__}.{name}")


@pytest.mark.parametrize("module", MODULES)
def test_the_names_are_torchs(module, mt, oracle):
    ours, theirs = _import_references(mt, module), _import_references(oracle, module)
    assert sorted(ours.__all__) == sorted(theirs.__all__)
    assert all(callable(getattr(ours, name)) for name in ours.__all__)


CALLS = """
r.add(2, half), r.sub(half, 2), r.mul(True, ints), r.true_divide(3, ints), r.pow(2, ints), r.minimum(2, ints)
r.maximum(ints, 2.5)
r.eq(1.5, ints)
r.atan2(floats, 2)
r.nextafter(2, floats)
r.rpow(half, 2), r.rtruediv(half, 2), r.rfloordiv(ints, 7), r.trunc_divide(-7 * ints, ints + 1)
r.permute(half, 1, 0), r.permute(half, (1, 0)), r.reshape(half, 3, 2), r.view(half, 6), r.flip(half, (0,))
r.T(half), r.swap_axes(half, 0, 1), r.alias(half), r.zero(half)
r.copy_to(torch.zeros(2, 3), half)
r.sum(half, dim=1), r.var(floats, dim=0, correction=0), r.amax(floats, (0, 1)), r.norm(floats)
r.where(floats > 1, floats, 0.0), r.add_(floats, 1), r.index_fill(floats, 0, torch.tensor([1]), 3)
r.nn.functional.gelu(floats), r.nn.functional.mish_(floats), r.nn.functional.softmax(floats, dim=-1)
r.linalg.vector_norm(floats), r.fft.rfft(floats), r.special.logit(floats / 10), r.special.xlog1py(2, floats)
r._conversions.half(floats), r._conversions.polar(floats, 0 * floats), r.item(floats[0, 1])
r.frexp(floats), r.tensor([1, 2])
"""


@pytest.mark.parametrize("expression", CALLS.split("\n")[1:-1])
def test_a_reference_computes_what_torchs_does(expression, mt, oracle):
    def eval_expression(torch):
        floats = torch.arange(6.0).reshape(2, 3)
        scope = dict(torch=torch, r=_import_references(torch), floats=floats, half=floats.half(), ints=floats.long())
        _import_references(torch, "_refs._conversions")
        return eval(expression, scope)

    assert outcome(eval_expression, mt) == outcome(eval_expression, oracle)


@pytest.mark.parametrize("name", ["cauchy", "exponential", "log_normal"])
def test_random_references_leave_their_argument(name, mt, oracle):
    def call_in_place(torch):
        given = torch.zeros(4)
        torch.manual_seed(3)
        return getattr(_import_references(torch), name)(given).shape, given

    assert outcome(call_in_place, mt) == outcome(call_in_place, oracle)


def test_references_are_an_attribute_of_the_root_package(same_as_oracle):
    same_as_oracle("""
import torch
print(torch._refs.add(torch.ones(2), 1), torch._prims_common.is_expandable_to((1,), (3,)))
with torch._dispatch.python.enable_python_dispatcher():
    print(torch.ones(1))
""")
