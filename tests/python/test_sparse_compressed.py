"""Compressed sparse tensors (csr, csc, bsr, bsc): creation, components and conversions match torch."""

import itertools
import subprocess
import sys

import pytest
from compressed import PLAIN, differentiate, run_on_both_libraries
from outcomes import normalise

NAMES = [*PLAIN, "coo", "dense"]
HYBRID = ["hybrid_csr", "hybrid_csc", "hybrid_bsr", "hybrid_bsc", "hybrid_coo"]
BATCHED = ["batched_csr", "batched_csc", "batched_bsr", "batched_bsc", "batched_coo"]
EMPTY = ["empty_csr", "empty_csc", "empty_bsr", "empty_coo"]
ALL = [*NAMES, *HYBRID, *BATCHED, *EMPTY, "narrow_csr", "repeated_coo"]


@pytest.fixture
def same(mt, oracle):
    def compare_libraries(function):
        ours, theirs = run_on_both_libraries(mt, oracle, function)
        assert ours == theirs

    return compare_libraries


@pytest.mark.parametrize("name", ALL)
def test_every_layout_converts_to_every_other(same, name):
    layouts = ["strided", "sparse_coo", *(f"sparse_{other}" for other in PLAIN)]
    for layout, block, dense_dim in itertools.product(
        layouts, (None, (2, 2), (1, 1), (4, 1), (3, 2), (0, 2)), (None, 0, 1)
    ):
        if name == "dense" and block and dense_dim == 1 and layout[-3:] in ("bsr", "bsc"):
            continue  # torch looks up a dimension that does not exist, and reports only that
        same(lambda torch, x: x[name].to_sparse(layout=getattr(torch, layout), blocksize=block, dense_dim=dense_dim))  # noqa: B023


@pytest.mark.parametrize("name", ALL)
def test_methods_that_convert(same, name):
    for method, arguments in [
        ("to_dense", ()),
        ("to_sparse_csr", ()),
        ("to_sparse_csc", ()),
        ("to_sparse_csr", (0,)),
        ("to_sparse_csc", (1,)),
        ("to_sparse_bsr", ((2, 2),)),
        ("to_sparse_bsc", ((2, 2),)),
        ("to_sparse_bsr", ((1, 2),)),
        ("to_sparse_bsc", ((3, 3),)),
        ("to_sparse_bsr", (2,)),
        ("to_sparse", (1,)),
        ("to_sparse", (2,)),
        ("_to_sparse", (2,)),
    ]:
        same(lambda torch, x: getattr(x[name], method)(*arguments))  # noqa: B023


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex64"])
def test_dtypes_are_kept(same, dtype):
    for name in PLAIN:
        options = _make_block_options(name)
        same(
            lambda torch, x, name=name, options=options: (
                x["dense"].to(getattr(torch, dtype)).to_sparse(layout=x[name].layout, **options)
            )
        )
        same(lambda torch, x: x[name].to(getattr(torch, dtype)).to_dense())  # noqa: B023


def _make_block_options(name):
    return {"blocksize": (2, 2)} if name[0] == "b" else {}


def test_nan_is_an_element_and_sizes_may_be_zero(same):
    for values in ([[float("nan"), -0.0]], [[]], [[0.0]]):
        same(lambda torch, x: torch.tensor(values).to_sparse_csr())  # noqa: B023
        same(lambda torch, x: torch.tensor(values).to_sparse_csc())  # noqa: B023
    for size in [(0, 4), (4, 0), (0, 0), (2, 0, 3), (0, 4, 3), (3,), ()]:
        same(lambda torch, x: torch.ones(size).to_sparse_csr())  # noqa: B023
        same(lambda torch, x: torch.ones(size).to_sparse_csc())  # noqa: B023


@pytest.mark.parametrize(
    "name", [*NAMES, "hybrid_csr", "hybrid_bsc", "batched_csr", "batched_bsr", "empty_csr", "narrow_csr"]
)
def test_compressed_and_plain_indices_match_torch(same, name):
    parts = ["crow_indices", "col_indices", "ccol_indices", "row_indices", "_nnz", "sparse_dim", "dense_dim"]
    for part in [
        *parts,
        "is_coalesced",
        "coalesce",
        "stride",
        "is_contiguous",
        "numel",
        "__len__",
        "item",
        "element_size",
    ]:
        if name in ("dense", "coo") and part == "_nnz":
            continue
        same(lambda torch, x: getattr(x[name], part)())  # noqa: B023
    for copy in ["crow_indices_copy", "col_indices_copy", "ccol_indices_copy", "row_indices_copy"]:
        if name != "coo":
            same(lambda torch, x: getattr(torch, copy)(x[name]))  # noqa: B023


def _split_into_components(torch, change=None):
    parts = {
        "compressed": torch.tensor([0, 1, 2]),
        "plain": torch.tensor([0, 1]),
        "values": torch.tensor([1.0, 2.0]),
        "size": (2, 2),
    }
    return parts | (change(torch) if change else {})


WRONG = {
    "nothing": lambda torch: {},
    "starts at 1": lambda torch: {"compressed": torch.tensor([1, 1, 2])},
    "ends late": lambda torch: {"compressed": torch.tensor([0, 1, 3])},
    "descends": lambda torch: {"compressed": torch.tensor([0, 3, 2])},
    "negative": lambda torch: {"compressed": torch.tensor([0, -1, 2])},
    "outside": lambda torch: {"plain": torch.tensor([0, 2])},
    "before": lambda torch: {"plain": torch.tensor([0, -1])},
    "not sorted": lambda torch: {"compressed": torch.tensor([0, 2, 2]), "plain": torch.tensor([1, 0])},
    "twice": lambda torch: {"compressed": torch.tensor([0, 2, 2]), "plain": torch.tensor([1, 1])},
    "two dtypes": lambda torch: {"plain": torch.tensor([0, 1], dtype=torch.int32)},
    "floats": lambda torch: {"plain": torch.tensor([0.0, 1.0]), "compressed": torch.tensor([0.0, 1.0, 2.0])},
    "shorts": lambda torch: {"plain": torch.tensor([0, 1]).short(), "compressed": torch.tensor([0, 1, 2]).short()},
    "one dimension": lambda torch: {"size": (2,)},
    "no dimension": lambda torch: {"size": ()},
    "three dimensions": lambda torch: {"size": (2, 2, 2)},
    "more rows": lambda torch: {"size": (3, 3)},
    "negative size": lambda torch: {"size": (-2, 2)},
    "a number": lambda torch: {"compressed": torch.tensor(0)},
    "a number of values": lambda torch: {"values": torch.tensor(0.0)},
    "fewer values": lambda torch: {"values": torch.tensor([1.0])},
    "a batch of rows": lambda torch: {"compressed": torch.tensor([[0, 1, 2]])},
    "a batch": lambda torch: {"compressed": torch.tensor([[0, 1, 2]]), "plain": torch.tensor([[0, 1]])},
    "another batch": lambda torch: {
        "compressed": torch.tensor([[0, 1, 2]]),
        "plain": torch.tensor([[0, 1]]),
        "values": torch.ones(1, 2),
        "size": (3, 2, 2),
    },
    "dense dimensions": lambda torch: {"values": torch.ones(2, 3), "size": (2, 2, 3)},
    "steps": lambda torch: {"plain": torch.tensor([0, 0, 1, 1])[::2]},
    "sparse rows": lambda torch: {"compressed": torch.tensor([0, 1, 2]).to_sparse()},
    "sparse values": lambda torch: {"values": torch.tensor([1.0, 2.0]).to_sparse()},
    "blocks": lambda torch: {"values": torch.ones(2, 2, 2), "size": (4, 4)},
    "blocks that do not fit": lambda torch: {"values": torch.ones(2, 2, 2), "size": (4, 5)},
    "empty": lambda torch: {
        "compressed": torch.zeros(3, dtype=torch.int64),
        "plain": torch.zeros(0, dtype=torch.int64),
        "values": torch.zeros(0),
    },
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", PLAIN)
def test_component_validation_errors_match_torch(same, name, wrong):
    def validate_components(torch, _):
        parts = _split_into_components(torch, WRONG[wrong])
        getattr(torch, f"_validate_sparse_{name}_tensor_args")(*parts.values())

    same(validate_components)


@pytest.mark.parametrize(
    "wrong",
    ["starts at 1", "ends late", "descends", "negative", "outside", "before", "a number", "more rows", "a batch"],
)
@pytest.mark.parametrize("name", ["csr", "csc"])
def test_operators_check_invalid_components(mt, name, wrong):
    parts = list(_split_into_components(mt, WRONG[wrong]).values())
    bad = getattr(mt.ops.aten, f"_sparse_{name}_tensor_unsafe")(*parts[:3], list(parts[3]))
    other = mt.ones(bad.shape)
    for use in [
        lambda: bad.to_dense(),
        lambda: bad.to_sparse(),
        lambda: bad.to_sparse_bsr((1, 1)),
        lambda: bad @ other,
        lambda: other @ bad,
        lambda: bad @ bad,
        lambda: bad @ mt.ones(bad.shape[-1]),
        lambda: [bad[i] for i in range(bad.shape[0])],
        lambda: [mt.select_copy(bad, 1, i) for i in range(bad.shape[1])],
        lambda: other.sparse_mask(bad),
    ]:
        with pytest.raises((RuntimeError, IndexError)):
            use()


def test_tensors_made_from_components_match_torch(same):
    for name in PLAIN:
        values = (lambda torch: torch.ones(2, 2, 1)) if name[0] == "b" else (lambda torch: torch.ones(2))
        make = f"sparse_{name}_tensor"

        def make_sparse(torch, *size, indices=(0, 4), **options):
            rows, places = torch.tensor([0, 1, 2]), torch.tensor(indices)
            return getattr(torch.ops.aten, make)(rows, places, values(torch), *size, **options)  # noqa: B023

        same(lambda torch, x: make_sparse(torch))  # noqa: B023
        same(lambda torch, x: make_sparse(torch, [4, 5]))  # noqa: B023
        same(lambda torch, x: make_sparse(torch, [4, 5], layout=torch.sparse_coo))  # noqa: B023
        same(lambda torch, x: make_sparse(torch, indices=(-1, -5)))  # noqa: B023
        same(lambda torch, x: make_sparse(torch, dtype=torch.float64))  # noqa: B023
        same(lambda torch, x: make_sparse(torch).values().data_ptr() != 0)  # noqa: B023


def test_gradients_of_values_match_torch(same):
    for layout in PLAIN:

        def make_values(torch, values, layout=layout):
            rows, places = torch.tensor([0, 1, 2]), torch.tensor([0, 1])
            size = (4, 2) if layout[0] == "b" else (2, 2)
            name = getattr(torch, f"sparse_{layout}")
            return torch.ops.aten.sparse_compressed_tensor(rows, places, values, size, layout=name)

        shape = (2, 2, 1) if layout[0] == "b" else (2,)
        same(lambda torch, x: differentiate(torch, lambda v: make_values(torch, v), torch.ones(shape)))  # noqa: B023
        same(
            lambda torch, x: differentiate(torch, lambda v: make_values(torch, v), torch.ones(shape), like_result=False)  # noqa: B023
        )
        same(lambda torch, x: differentiate(torch, lambda v: make_values(torch, v).values(), torch.ones(shape)))  # noqa: B023


@pytest.mark.parametrize("name", NAMES)
def test_gradients_of_conversions_match_torch(same, name):
    for convert in [
        lambda x: x.to_dense(),
        lambda x: x.to_dense(masked_grad=False),
        lambda x: x.to_sparse(),
        lambda x: x.to_sparse(2),
        lambda x: x.to_sparse_csr(),
        lambda x: x.to_sparse_csc(),
        lambda x: x.to_sparse_bsr((2, 2)),
        lambda x: x.to_sparse_bsc((2, 2)),
        lambda x: x.clone(),
        lambda x: x * 3,
        lambda x: -x,
        lambda x: x.abs(),
    ]:
        same(lambda torch, x: differentiate(torch, convert, x[name]))  # noqa: B023
        same(lambda torch, x: differentiate(torch, convert, x[name], like_result=False))  # noqa: B023


def test_indices_alone_are_converted(same):
    for rows, n in [([0, 0, 2], 3), ([], 2), ([0, 3], 5), ([[0]], 2)]:
        same(lambda torch, x: torch._convert_indices_from_coo_to_csr(torch.tensor(rows, dtype=torch.int64), n))  # noqa: B023
        same(lambda torch, x: torch._convert_indices_from_coo_to_csr(torch.tensor(rows).int(), n, out_int32=True))  # noqa: B023
    for begins, columns in [([0, 2, 3], [0, 1, 1]), ([[0, 2, 3], [0, 1, 3]], [[0, 1, 1], [0, 0, 1]]), ([[0, 1]], [0])]:
        for transpose in (False, True):
            same(
                lambda torch, x: torch._convert_indices_from_csr_to_coo(
                    torch.tensor(begins),  # noqa: B023
                    torch.tensor(columns),  # noqa: B023
                    transpose=transpose,  # noqa: B023
                )
            )


def test_beta_warning_is_printed_once(mt, oracle):
    program = (
        "import warnings, {torch} as torch\nwith warnings.catch_warnings(record=True) as w:\n"
        "    warnings.simplefilter('always')\n    d = torch.ones(4, 4)\n"
        "    d.to_sparse_bsc((2, 2)); d.to_sparse_csr()\n"
        "    print([str(i.message) for i in w])"
    )
    ours, theirs = (
        normalise(
            subprocess.run([sys.executable, "-c", program.format(torch=t)], capture_output=True, text=True).stdout
        ).split(" (Trig")[0]
        for t in ("mindtorch", "torch")
    )
    assert "Sparse BSC tensor support is in beta state" in ours
    assert ours.strip("\n]'\"") == theirs.strip("\n]'\"")


def test_coordinates_and_compressed_rows_share_their_values(same):
    def write_shared_values(torch, _):
        x = torch.tensor([[0.0, 1.0], [2.0, 3.0]]).to_sparse()
        csr, csc = x.to_sparse_csr(), x.to_sparse_csc()
        x.values().mul_(2)
        return [x, csr, csc, csr.to_sparse().values().data_ptr() == csr.values().data_ptr()]

    same(write_shared_values)


@pytest.mark.parametrize("layout", ["csr", "csc", "bsr"])
@pytest.mark.parametrize(
    "indices", [[[0, 9], [0, 1]], [[-1, 0], [0, 1]], [[9, 0], [0, 1]], [[0, 1], [5, 0]], [[0, 1], [0, -1]]]
)
def test_no_conversion_follows_coordinates_outside_of_the_sizes(mt, layout, indices):
    options = {"is_coalesced": True}
    bad = mt.ops.aten._sparse_coo_tensor_unsafe(mt.tensor(indices), mt.tensor([1.0, 2.0]), [2, 2], **options)
    with pytest.raises((RuntimeError, IndexError)):
        made = getattr(bad, f"to_sparse_{layout}")(*([(1, 1)] if layout == "bsr" else []))
        made.to_dense()


@pytest.mark.parametrize("name", ["csr", "csc", "bsr", "bsc"])
def test_conversions_of_larger_matrices_match_torch(same, name):
    def convert_large_matrix(torch, _):
        dense = (torch.arange(60 * 40).reshape(60, 40) * 7 % 11 - 8).clamp(min=0).float()
        dense[13:21] = 0
        x = dense.to_sparse(layout=getattr(torch, f"sparse_{name}"), blocksize=(4, 5) if name[0] == "b" else None)
        others = [
            x.to_sparse(),
            x.to_dense(),
            x.to_sparse().to_sparse_csr(),
            x.to_sparse().coalesce().to_sparse_bsr((2, 2)),
        ]
        return [x, *others] + ([x[12], x[13], dense + x] if name == "csr" else [])

    same(convert_large_matrix)
