"""Functions that torch implements in Python: values, strides, errors and warnings match torch."""

import pytest
from outcomes import outcome


def _make_matrix(torch, rows=4, columns=5):
    return torch.arange(rows * columns, dtype=torch.float32).view(rows, columns) / 7 - 1


def _make_ints(torch):
    return torch.tensor([3, 1, 2, 3, 1, 1])


def _make_pairs(torch):
    return torch.tensor([[1, 2], [1, 2], [3, 4]])


SHAPES = [
    ((2, 3), (3,)),
    ((2,), (3,)),
    ((), ()),
    ((1,), (0,)),
    (3, (1,)),
    ((-1,), (2,)),
    ((2, -1), (2, 3)),
    (3.5,),
    ((1, 2, 3), (2, 3, 4, 5)),
    (),
]
SIZES = [1, 2, 3, [1, 3], [2, 2], (4,), -1, 0, "x", 2.5]
EQUATIONS = [
    ("ij,jk->ik", 2),
    ("ij,jk", 2),
    ("ij->ji", 1),
    ("...j,jk", 2),
    ("ij,jk,kl->il", 3),
    ("ab", 2),
    ("ij,ij", 2),
    ("i", 1),
]
UNIQUE = [
    {},
    {"sorted": False},
    {"return_inverse": True},
    {"return_counts": True},
    {"return_inverse": True, "return_counts": True},
    {"dim": 0},
    {"dim": 0, "return_inverse": True, "return_counts": True},
    {"dim": 9},
]
DIMS = [1, 0, 3, -1, ([1], [0]), [[0], [1]], "x", ((0, 1), (1, 0))]
NORMS = [(p, d) for p in ("fro", None, 2, 1, 0, float("inf"), -1.5, "zz") for d in (None, 0, (0, 1), (0, 1, 2))]


def _make_operands(torch, count):
    return [_make_matrix(torch), _make_matrix(torch, 5, 6), _make_matrix(torch, 6, 2)][:count]


CALLS = {
    **{f"broadcast_shapes{s}": lambda t, s=s: t.broadcast_shapes(*s) for s in SHAPES},
    "broadcast_tensors": lambda t: t.broadcast_tensors(t.ones(2, 1), t.ones(3)),
    **{f"split {s}": lambda t, s=s: t.split(_make_matrix(t), s) for s in SIZES},
    **{f"Tensor.split {s}": lambda t, s=s: _make_matrix(t).split(s, 1) for s in SIZES},
    "split by a tensor": lambda t: _make_matrix(t).split(t.tensor(2)),
    **{f"einsum {e}": lambda t, e=e, n=n: t.einsum(e, *_make_operands(t, n)) for e, n in EQUATIONS},
    "einsum of a list": lambda t: t.einsum("ij,jk", _make_operands(t, 2)),
    "einsum with subscript lists": lambda t: t.einsum(_make_matrix(t), [0, 1], _make_matrix(t, 5, 6), [1, 2], [0, 2]),
    "einsum without operands": lambda t: t.einsum("ij"),
    "einsum with a wrong subscript": lambda t: t.einsum(_make_matrix(t), [0, 99]),
    "meshgrid": lambda t: t.meshgrid(t.arange(2), t.arange(3), indexing="ij"),
    "meshgrid xy": lambda t: t.meshgrid([t.arange(2), t.arange(3)], indexing="xy"),
    "meshgrid wrong": lambda t: t.meshgrid(t.arange(2), indexing="zz"),
    **{f"unique {o}": lambda t, o=o: t.unique(_make_ints(t), **o) for o in UNIQUE},
    **{f"Tensor.unique {o}": lambda t, o=o: _make_pairs(t).unique(**o) for o in UNIQUE},
    **{
        f"unique_consecutive {o}": lambda t, o=o: t.unique_consecutive(_make_pairs(t), **o)
        for o in UNIQUE
        if "sorted" not in o
    },
    **{f"tensordot {d}": lambda t, d=d: t.tensordot(_make_matrix(t), _make_matrix(t, 5, 6), d) for d in DIMS},
    "cartesian_prod": lambda t: t.cartesian_prod(t.arange(2), t.arange(3)),
    "block_diag": lambda t: t.block_diag(_make_matrix(t), t.ones(2), t.tensor(3.0)),
    "cdist with a wrong mode": lambda t: t.cdist(_make_matrix(t), _make_matrix(t), compute_mode="z"),
    **{f"atleast_{n}d": lambda t, n=n: getattr(t, f"atleast_{n}d")(t.tensor(1.0)) for n in (1, 2, 3)},
    **{
        f"atleast_{n}d of two": lambda t, n=n: getattr(t, f"atleast_{n}d")(t.tensor(1.0), _make_ints(t))
        for n in (1, 2, 3)
    },
    **{f"norm {p} {d}": lambda t, p=p, d=d: t.norm(_make_matrix(t), p, d) for p, d in NORMS},
    "Tensor.norm": lambda t: _make_matrix(t).norm(1, 0, keepdim=True, dtype=t.float64),
    "norm of integers": lambda t: t.norm(_make_ints(t)),
    "unravel_index": lambda t: t.unravel_index(t.tensor([5, 7]), (3, 4)),
    "unravel_index of floats": lambda t: t.unravel_index(t.tensor([1.0]), (2,)),
    "unravel_index of a str": lambda t: t.unravel_index(t.tensor([1]), "a"),
    "unravel_index negative": lambda t: t.unravel_index(t.tensor([1]), (-2,)),
    "symeig": lambda t: t.symeig(_make_matrix(t)),
    "solve": lambda t: t.solve(_make_matrix(t), _make_matrix(t)),
    "eig": lambda t: _make_matrix(t).eig(),
    "lstsq": lambda t: t.lstsq(_make_matrix(t), _make_matrix(t)),
    "matrix_rank": lambda t: t.matrix_rank(_make_matrix(t)),
    "unflatten": lambda t: _make_ints(t).unflatten(0, (2, 3)),
    "unflatten to nothing": lambda t: _make_ints(t).unflatten(0, ()),
    "dim_order": lambda t: [t.empty(2, 3, 5, 7).permute(0, 2, 3, 1).dim_order(), t.empty(1, 2, 1, 4).dim_order()],
    "dim_order ambiguous": lambda t: t.empty(1, 2).dim_order(ambiguity_check=True),
    "in": lambda t: (3 in _make_ints(t), 9 in _make_ints(t)),
    "str in": lambda t: "x" in _make_ints(t),
    "reversed": lambda t: reversed(_make_ints(t)),
    "len": lambda t: (len(_make_ints(t)), len(t.tensor(1))),
    "iter": lambda t: list(_make_pairs(t)),
    "iter of a scalar": lambda t: list(t.tensor(1)),
    "reflected": lambda t: [
        1 - _make_ints(t),
        2.0 / _make_ints(t),
        2 ** _make_ints(t),
        7 // _make_ints(t),
        7 % _make_ints(t),
    ],
    "reflected with a str": lambda t: "a" - _make_ints(t),
}


@pytest.mark.parametrize("name", CALLS)
def test_behaves_as_torch(mt, oracle, name):
    ours = outcome(CALLS[name], mt)
    assert ours == outcome(CALLS[name], oracle)


def test_tensor_of_the_common_shape_is_broadcast_to_itself(mt, oracle):
    for torch in (mt, oracle):
        matrix, row = torch.ones(2, 3, requires_grad=True), torch.ones(3, requires_grad=True)
        same, view = torch.broadcast_tensors(matrix, row)
        assert same is matrix
        assert type(view.grad_fn).__name__ == "ExpandBackward0" and view.stride() == (0, 1)
