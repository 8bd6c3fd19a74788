"""Sparse COO tensors: other shapes, resizing, copies, conversions and creation."""

import itertools

import pytest
from sparse_kinds import (
    DTYPES,
    KINDS,
    assert_each_same,
    assert_same_sparse,
    make_coo,
    make_empty,
    make_ordered,
    make_repeated,
)

SHAPES = {
    "t": lambda t, x: x.t(),
    "t_": lambda t, x: x.clone().t_(),
    "T": lambda t, x: x.T if x.dim() else None,
    "transpose": lambda t, x: x.transpose(0, 1),
    "transpose same": lambda t, x: x.transpose(-1, -1),
    "transpose dense": lambda t, x: x.transpose(1, 2),
    "transpose_": lambda t, x: x.clone().transpose_(0, 1),
    "permute": lambda t, x: x.permute(1, 0),
    "permute same": lambda t, x: x.permute(*range(x.dim())),
    "permute three": lambda t, x: x.permute(1, 0, 2),
    "permute mixed": lambda t, x: x.permute(0, 2, 1),
    "permute twice": lambda t, x: x.permute(0, 0),
    "unsqueeze": lambda t, x: [x.unsqueeze(d) for d in range(-x.dim() - 1, x.dim() + 1)],
    "unsqueeze far": lambda t, x: x.unsqueeze(7),
    "reshape": lambda t, x: x.reshape(-1),
    "flatten": lambda t, x: x.flatten(),
    "expand": lambda t, x: x.expand(3, 3, 4, 2),
    "expand less": lambda t, x: x.expand(1),
    "contiguous": lambda t, x: x.contiguous(),
    "repeat": lambda t, x: x.repeat(2, 2, 2),
    "select": lambda t, x: [x.select(d, i) for d in range(x.dim()) for i in range(-1, x.size(d))],
    "select far": lambda t, x: x.select(0, 9),
    "select dim": lambda t, x: x.select(4, 0),
    "first": lambda t, x: x[0],
    "both": lambda t, x: x[0, 1],
    "three": lambda t, x: x[0, 1, 1],
    "column": lambda t, x: x[:, 1],
    "None": lambda t, x: x[None],
    "tensor": lambda t, x: x[t.tensor(2)],
    "unbind": lambda t, x: x.unbind(),
    "unbind last": lambda t, x: x.unbind(1),
    "iteration": lambda t, x: list(x),
    "narrow": lambda t, x: x.narrow(0, 0, 9),
    "narrow_copy": lambda t, x: [x.narrow_copy(d, 1, 1) for d in range(x.dim())],
    "narrow_copy empty": lambda t, x: x.narrow_copy(0, 3, 0),
    "narrow_copy far": lambda t, x: x.narrow_copy(0, 2, 5),
    "narrow_copy dim": lambda t, x: x.narrow_copy(3, 0, 1),
    "narrow_copy negative": lambda t, x: x.narrow_copy(0, 0, -1),
    "assignment": lambda t, x: x.__setitem__(0, 1.0),
    "cat": lambda t, x: [t.cat([x, x, x * 2], d) for d in range(x.dim())],
    "cat far": lambda t, x: t.cat([x, x], 4),
    "cat one": lambda t, x: t.cat([x]),
    "cat dtypes": lambda t, x: t.cat([x, x.double()]),
    "cat dense": lambda t, x: t.cat([x, t.ones(3, 4)]) if x.dim() else None,
    "stack": lambda t, x: [t.stack([x, x], d) for d in range(-1, x.dim())],
    "hstack": lambda t, x: t.hstack([x, x]),
    "sum_to_size": lambda t, x: x.sum_to_size(1, 4),
    "index_select": lambda t, x: [x.index_select(d, t.tensor([1, 0, 0])) for d in range(x.dim())],
    "index_select more": lambda t, x: x.index_select(0, t.tensor([1, 1, 0, 2, 2, 0, 1, -1])),
    "index_select none": lambda t, x: x.index_select(0, t.tensor([], dtype=t.int64)),
    "index_select far": lambda t, x: x.index_select(0, t.tensor([5])),
    "index_select int": lambda t, x: x.index_select(0, t.tensor([1], dtype=t.int32)),
    "index_select dense far": lambda t, x: x.index_select(-1, t.tensor([0, 2])),
    "broadcast": lambda t, x: t.ops.aten._sparse_broadcast_to(x, (2, *x.shape)),
    "broadcast same": lambda t, x: t.ops.aten._sparse_broadcast_to(x, tuple(x.shape)),
    "broadcast less": lambda t, x: t.ops.aten._sparse_broadcast_to(x, (2,)),
    "as complex": lambda t, x: t.view_as_complex(x),
    "as real": lambda t, x: t.view_as_real(x.to(t.complex64)),
    "real": lambda t, x: x.to(t.complex64).real,
    "conj": lambda t, x: (x.to(t.complex64) * 1j).conj(),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_and_indices_match_torch(mt, oracle, name):
    assert_each_same(mt, oracle, [(kind.__name__, lambda t, k=kind: SHAPES[name](t, k(t))) for kind in KINDS])


def test_broadcasting_of_sparse_dimensions_of_one_matches_torch(mt, oracle):
    makers = (
        lambda t: make_coo(t, [[0, 0], [1, 3]], [2, 3], (1, 4), coalesced=True),
        lambda t: make_coo(t, [[0, 2], [0, 0]], [2, 3], (3, 1), coalesced=True),
        lambda t: make_coo(t, [[0], [0]], [2], (1, 1), coalesced=True),
    )
    for make, size in itertools.product(makers, ((3, 4), (2, 3, 4))):
        assert_same_sparse(mt, oracle, lambda t, m=make, s=size: t.ops.aten._sparse_broadcast_to(m(t), s))


def test_views_as_complex_share_the_values(mt, oracle):
    def view_as_complex_and_write(t):
        x = make_coo(t, [[0, 2]], [[1, 2], [3, 4]], (3, 2))
        t.view_as_complex(x)._values().mul_(2)
        return [x, make_coo(t, [[0, 2]], [1, 2], (3,)).unsqueeze(0)._values()]

    assert_same_sparse(mt, oracle, view_as_complex_and_write)


RESIZES = [
    ((3, 4), 2, 0),
    ((5, 6), 2, 0),
    ((2, 2), 2, 0),
    ((3, 4), 1, 1),
    ((3, 4, 2), 2, 1),
    ((3, 5, 2), 2, 1),
    ((3,), 1, 0),
    ((3, 4), 2, 1),
    ((5, 4), 1, 1),
    ((3, 2), 1, 1),
    ((0, 4), 2, 0),
]


@pytest.mark.parametrize("name", ["sparse_resize_", "sparse_resize_and_clear_"])
def test_resizing_matches_torch(mt, oracle, name):
    calls = []
    for kind, args in itertools.product(KINDS, RESIZES):
        calls.append((f"{kind.__name__} {args}", lambda t, k=kind, a=args: getattr(k(t), name)(*a)))
    assert_each_same(mt, oracle, calls)


def test_resizing_and_copying_between_sparse_tensors_match_torch(mt, oracle):
    calls = []
    for first, second in itertools.product(KINDS, KINDS):
        label = f"{first.__name__} {second.__name__}"
        calls.append((f"copy_ {label}", lambda t, a=first, b=second: a(t).copy_(b(t))))
        calls.append((f"resize {label}", lambda t, a=first, b=second: a(t).resize_as_sparse_(b(t))))
    for first, second in itertools.product(DTYPES, DTYPES):
        calls.append((f"{first} {second}", lambda t, a=first, b=second: make_ordered(t, a).copy_(make_repeated(t, b))))
    calls.append(("dense", lambda t: make_ordered(t).copy_(t.ones(3, 4))))
    calls.append(("to dense", lambda t: t.ones(3, 4).copy_(make_ordered(t, "int32"))))
    calls.append(("resize_", lambda t: make_ordered(t).resize_(2, 2)))
    calls.append(("resize_as_", lambda t: make_ordered(t).resize_as_(make_empty(t))))
    assert_each_same(mt, oracle, calls)


def test_factories_match_torch(mt, oracle):
    sparse = {"layout": "sparse_coo"}
    calls = []
    for kind in KINDS:
        name = kind.__name__
        calls += [
            (f"{name} zeros_like", lambda t, k=kind: t.zeros_like(k(t))),
            (f"{name} empty_like", lambda t, k=kind: t.empty_like(k(t), dtype=t.float64)),
            (f"{name} format", lambda t, k=kind: t.zeros_like(k(t), memory_format=t.preserve_format)),
            (f"{name} strided", lambda t, k=kind: t.zeros_like(k(t), layout=t.strided)),
            (f"{name} new_zeros", lambda t, k=kind: k(t).new_zeros((2, 3))),
            (f"{name} new_empty", lambda t, k=kind: k(t, "int32").new_empty((2, 3))),
            (f"{name} zero_", lambda t, k=kind: k(t).zero_()),
            (f"{name} fill_", lambda t, k=kind: k(t).fill_(1)),
            (f"{name} zeros out", lambda t, k=kind: t.zeros(3, 4, out=k(t))),
        ]
    calls += [
        ("zeros", lambda t: t.zeros(2, 3, layout=t.sparse_coo)),
        ("empty", lambda t: t.empty(2, 3, layout=t.sparse_coo)),
        ("ones", lambda t: t.ones(2, 3, layout=t.sparse_coo)),
        ("full", lambda t: t.full((2, 3), 1.0, layout=t.sparse_coo)),
        ("negative", lambda t: t.zeros(-2, 3, layout=t.sparse_coo)),
        ("like dense", lambda t: t.zeros_like(t.ones(2), layout=t.sparse_coo)),
        ("new of dense", lambda t: t.ones(2).new_zeros((2, 3), layout=t.sparse_coo)),
    ]
    assert_each_same(mt, oracle, calls)
    for name, args in {
        "rand": ((2,),),
        "arange": (3,),
        "eye": (3,),
        "linspace": (0, 1, 3),
        "randperm": (3,),
        "randint": (3, (2,)),
    }.items():
        options = {key: getattr(mt, value) for key, value in sparse.items()}
        with pytest.raises(NotImplementedError):
            getattr(mt, name)(*args, **options)


def test_conversions_and_properties_match_torch(mt, oracle):
    calls = []
    for kind in KINDS:
        calls += [(f"{kind.__name__} {dtype}", lambda t, k=kind, d=dtype: k(t).to(getattr(t, d))) for dtype in DTYPES]
        calls += [
            (
                f"{kind.__name__} properties",
                lambda t, k=kind: [k(t).numel(), k(t).dim(), k(t).stride(), k(t).is_pinned(), k(t).type()],
            ),
            (f"{kind.__name__} same", lambda t, k=kind: k(t).is_same_size(t.ones(3, 4))),
            (f"{kind.__name__} data", lambda t, k=kind: k(t).data),
            (f"{kind.__name__} detach_", lambda t, k=kind: k(t).detach_()),
            (f"{kind.__name__} format", lambda t, k=kind: k(t).to(t.float64, memory_format=t.contiguous_format)),
        ]
    calls += [
        ("type_as dense", lambda t: make_ordered(t).type_as(t.ones(1, dtype=t.float64))),
        ("dense type_as", lambda t: t.ones(1).type_as(make_ordered(t))),
        ("numpy", lambda t: make_ordered(t).numpy()),
        ("tolist", lambda t: make_ordered(t).tolist()),
        ("one", lambda t: [f(make_coo(t, [[0, 0]], [2.0, 3.0], (1,))) for f in (float, int, complex, bool)]),
        ("none", lambda t: make_coo(t, [[]], [], (1,)).item()),
        ("equal", lambda t: t.equal(make_ordered(t), make_ordered(t))),
        ("==", lambda t: make_ordered(t) == make_ordered(t)),
        (">", lambda t: make_ordered(t) > 0),
        ("is_set_to", lambda t: make_ordered(t).is_set_to(make_ordered(t))),
        ("shallow", lambda t: t._has_compatible_shallow_copy_type(t.ones(2), make_ordered(t))),
    ]
    assert_each_same(mt, oracle, calls)


def test_set_data_of_sparse_tensors_matches_torch(mt, oracle):
    def replace_data(t):
        x = make_ordered(t)
        x.data = make_repeated(t)
        return x

    assert_same_sparse(mt, oracle, replace_data)


def test_sparse_result_does_not_share_components_with_an_argument(mt, oracle):
    def write_into_sparse_result(t):
        x, out = make_ordered(t), make_empty(t)
        t.conj_physical(x, out=out)
        out._values().zero_()
        y = x * 2
        y._indices().zero_()
        return [x, out]

    assert_same_sparse(mt, oracle, write_into_sparse_result)


def test_dense_tensor_cannot_be_written_to_a_sparse_one(mt):
    out = make_ordered(mt)
    for call in (
        lambda t: t.sin(t.ones(3, 4), out=out),
        lambda t: t.add(t.ones(3, 4), t.ones(3, 4), out=out),
        lambda t: t.mul(t.ones(3, 4), 2, out=out),
        lambda t: t.sum(t.ones(3, 4), 0, out=out),
    ):
        with pytest.raises((RuntimeError, NotImplementedError)):
            call(mt)


def test_sparse_indices_outside_the_sizes_are_refused(mt):
    x = make_coo(mt, [[0, 7], [1, 99]], [1.0, 2.0], (3, 4))
    for call in (
        lambda: mt.ones(3, 4) + x,
        lambda: x * mt.ones(3, 4),
        lambda: x.index_select(0, mt.tensor([0])),
        lambda: x.to_dense(),
    ):
        with pytest.raises((RuntimeError, IndexError)):
            call()


def test_sparse_tensors_without_data_are_refused(mt):
    x = make_ordered(mt).to("meta")
    with pytest.raises((RuntimeError, NotImplementedError)):
        x.index_select(0, mt.tensor([0]))


def make_scattered(t, n, size, coalesced):
    """Makes elements at indices of a few rows and columns."""
    step = [(7 * k) % (size[0] * size[1]) for k in range(n)]
    places = sorted(set(step)) if coalesced else step
    indices = [[p // size[1] for p in places], [p % size[1] for p in places]]
    return make_coo(t, indices, [float(k + 1) for k in range(len(places))], size, coalesced=coalesced)


@pytest.mark.parametrize("coalesced", [True, False])
@pytest.mark.parametrize("size", [(6, 5), (500, 400)])
def test_index_select_of_more_and_of_fewer_elements_than_indices_matches_torch(mt, oracle, coalesced, size):
    calls = []
    for n, dim, asked in itertools.product((3, 40), (0, 1), ([4, 0, -1, 2, 2], [3] * 50)):
        calls.append(
            (
                f"{n} {dim} {asked[:3]}",
                lambda t, n=n, d=dim, a=asked: (
                    make_scattered(t, n, size, coalesced).index_select(d, t.tensor(a)).coalesce()
                ),
            )
        )
    assert_each_same(mt, oracle, calls)
    refused = make_scattered(mt, 40, size, coalesced)
    for index in (size[0], -size[0] - 1):
        with pytest.raises(IndexError):
            refused.index_select(0, mt.tensor([0, index]))
