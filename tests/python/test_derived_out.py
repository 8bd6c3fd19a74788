"""torch.ops.aten.<operator>.out of operators that have no such function: derived from the functional overload."""

import pytest
from outcomes import outcome

SCHEMAS = """
repeat_interleave.Tensor_out _cdist_forward.out _foreach_abs.out _foreach_add.Scalar_out _aminmax.out clone.out
_conj_physical.out _embedding_bag.out _convolution.out convolution.out add.nothing_out index_put.out
""".split()


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_derived_overload_has_torchs_schema(name, mt, oracle):
    def get_schema_text(torch):
        packet, overload = name.split(".")
        return str(getattr(getattr(torch.ops.aten, packet), overload)._schema)

    assert outcome(get_schema_text, mt) == outcome(get_schema_text, oracle)


CALLS = """
aten.repeat_interleave.Tensor_out(torch.tensor([1, 2, 0, 3]), out=torch.empty(6, dtype=torch.int64))
aten.repeat_interleave.Tensor_out(torch.tensor([1, 2]), out=torch.empty(0, dtype=torch.int64))
aten._foreach_abs.out([-torch.ones(2)], out=outs), outs
aten.grid_sampler_2d_backward.out(x4, torch.zeros(1, 1, 1, 2), x4, 0, 0, False, [True, True], out0=o, out1=o.clone())
aten.select_backward.out(torch.ones(2), [2, 2], 0, 1, out=o)
"""


@pytest.mark.parametrize("expression", CALLS.split("\n")[1:-1])
def test_a_derived_overload_writes_what_the_functional_one_returns(expression, mt, oracle):
    def eval_expression(torch):
        scope = dict(
            torch=torch, aten=torch.ops.aten, x4=torch.ones(1, 1, 1, 1), o=torch.empty(0), outs=[torch.empty(2)]
        )
        return eval(expression, scope)

    assert outcome(eval_expression, mt) == outcome(eval_expression, oracle)
