"""Sparse COO tensors of every kind, made by either library, and a comparison of the outcomes of calls."""

from outcomes import outcome

DTYPES = "float32 float64 float16 bfloat16 int32 int64 bool complex64".split()


def make_coo(torch, indices, values, size, dtype="float32", coalesced=None):
    values = torch.tensor(values, dtype=getattr(torch, dtype))
    places = torch.tensor(indices, dtype=torch.int64).reshape(len(indices), values.shape[0])
    return torch.ops.aten._sparse_coo_tensor_unsafe(places, values, size, is_coalesced=coalesced)


def make_ordered(torch, dtype="float32"):
    return make_coo(torch, [[0, 0, 1, 2], [1, 3, 0, 1]], [0.5, -0.25, 3, 2], (3, 4), dtype, coalesced=True)


def make_repeated(torch, dtype="float32"):
    return make_coo(torch, [[2, 0, 2, 0], [0, 1, 0, 1]], [1, -2.5, 3, 0.5], (3, 4), dtype)


def make_hybrid(torch, dtype="float32"):
    return make_coo(torch, [[0, 2]], [[1, -2, 0.5, 0], [4, 5, 6, 7]], (3, 4), dtype, coalesced=True)


def make_with_dense_dim(torch, dtype="float32"):
    return make_coo(torch, [[0, 2, 0], [1, 0, 1]], [[1, 2], [3, 4], [5, 6]], (3, 4, 2), dtype)


def make_empty(torch, dtype="float32"):
    return make_coo(torch, [[], []], [], (3, 4), dtype)


def make_zero_dim(torch, dtype="float32"):
    return make_coo(torch, [], [1, 2], (), dtype)


def make_vector(torch, dtype="float32"):
    return make_coo(torch, [[0, 2, 0]], [1, 2, 3], (3,), dtype)


KINDS = [make_ordered, make_repeated, make_hybrid, make_with_dense_dim, make_empty, make_zero_dim, make_vector]


def describe_sparse(call, torch):
    """Returns the outcome of a call, without strides of sparse components, which are not part of the contract."""
    return _forget_strides(outcome(call, torch)[0], in_parts=False)


def _forget_strides(value, in_parts):
    if isinstance(value, tuple) and value and value[0] == "tensor":
        return value[:2] + value[3:] if in_parts else value
    if isinstance(value, (list, tuple)):
        in_parts = in_parts or (isinstance(value, tuple) and value and str(value[0]).startswith("sparse_"))
        return [_forget_strides(item, in_parts) for item in value]
    return value


def assert_same_sparse(mt, oracle, call):
    assert describe_sparse(call, mt) == describe_sparse(call, oracle)


def assert_each_same(mt, oracle, calls):
    """`calls`: pairs of a name and a call; compares all of them before the test fails."""
    found = {name: (describe_sparse(call, mt), describe_sparse(call, oracle)) for name, call in calls}
    assert {name: pair for name, pair in found.items() if pair[0] != pair[1]} == {}
