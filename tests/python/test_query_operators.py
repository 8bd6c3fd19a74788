"""Operators that query a tensor: torch.ops.aten.sym_size, aten.dim, prim.device and others."""

import pytest
from outcomes import outcome

CALLS = """
[str(getattr(getattr(a, name), overload)._schema) for name in names for overload in getattr(a, name).overloads()]
[getattr(a, name).default(x) for name in names], [getattr(a, name)(x[0]) for name in names]
a.sym_size.int(x, 1), a.sym_stride.int(x, -1), a.size.int(x, 0), a.size(x, 1), a.stride(x, 0)
a.sym_size.int(x, 2)
a.is_contiguous(x.t()), a.is_contiguous.memory_format(x, torch.channels_last), a.is_contiguous(x[:, :1])
a.is_non_overlapping_and_dense(x.t()), a.is_non_overlapping_and_dense(x[:, ::2])
a.is_non_overlapping_and_dense(x.expand(2, 2, 3)), a.is_non_overlapping_and_dense(x[:1])
a.sym_storage_offset(x[1]), a.sym_numel(x[:0])
torch.ops.prim.device(x), str(torch.ops.prim.device.default._schema)
a.dim("x")
a.no_such_query(x)
"""


@pytest.mark.parametrize("expression", CALLS.split("\n")[1:-1])
def test_an_operator_that_queries_a_tensor_answers_as_torchs(expression, mt, oracle):
    def eval_expression(torch):
        names = "sym_size sym_stride sym_numel sym_storage_offset dim is_contiguous size stride numel".split()
        scope = {"torch": torch, "a": torch.ops.aten, "x": torch.arange(6.0).reshape(2, 3), "names": names}
        return eval(expression, scope, scope)

    assert outcome(eval_expression, mt) == outcome(eval_expression, oracle)
