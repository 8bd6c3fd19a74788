// crow_indices, col_indices, ccol_indices, row_indices: the index tensors of a compressed tensor.
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

// Returns one component; raises unless the layout compresses rows (if `rows`) or columns.
const Tensor& compressed_component_of(const Tensor& self, const char* name, bool rows, Tensor SparseComponents::* part) {
  const Layout layout = self.layout();
  check(is_compressed(layout) && compresses_rows(layout) == rows, "{} expected sparse {} compressed tensor layout but got {}", name,
        rows ? "row" : "column", name_of(layout));
  return components_of(self).*part;
}

MT_OP(OpDef{
    .schema = {"crow_indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns where the elements of each row begin, and at last where all end, as a view.

Args:
    self (Tensor): tensor of the layout sparse_csr or sparse_bsr.

Returns:
    Tensor: int64 or int32; shape ``(*batch, rows + 1)`` (block rows for sparse_bsr).

Raises:
    RuntimeError: when `self` has another layout.

Example:
    >>> torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csr().crow_indices()
    tensor([0, 1, 2]))",
    .composite = [](const Tensor& self) -> Tensor {
      return alias(compressed_component_of(self, "crow_indices", true, &SparseComponents::indices), true);
    },
});
MT_OP(OpDef{
    .schema = {"col_indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns the column of each element, or block, as a view.

Args:
    self (Tensor): tensor of the layout sparse_csr or sparse_bsr.

Returns:
    Tensor: int64 or int32; shape ``(*batch, elements)``.

Raises:
    RuntimeError: when `self` has another layout.

Example:
    >>> torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csr().col_indices()
    tensor([1, 0]))",
    .composite = [](const Tensor& self) -> Tensor {
      return alias(compressed_component_of(self, "col_indices", true, &SparseComponents::plain), true);
    },
});
MT_OP(OpDef{
    .schema = {"ccol_indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns where the elements of each column begin, and at last where all end, as a view.

Args:
    self (Tensor): tensor of the layout sparse_csc or sparse_bsc.

Returns:
    Tensor: int64 or int32; shape ``(*batch, columns + 1)`` (block columns for sparse_bsc).

Raises:
    RuntimeError: when `self` has another layout.

Example:
    >>> torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csc().ccol_indices()
    tensor([0, 1, 2]))",
    .composite = [](const Tensor& self) -> Tensor {
      return alias(compressed_component_of(self, "ccol_indices", false, &SparseComponents::indices), true);
    },
});
MT_OP(OpDef{
    .schema = {"row_indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns the row of each element, or block, as a view.

Args:
    self (Tensor): tensor of the layout sparse_csc or sparse_bsc.

Returns:
    Tensor: int64 or int32; shape ``(*batch, elements)``.

Raises:
    RuntimeError: when `self` has another layout.

Example:
    >>> torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csc().row_indices()
    tensor([1, 0]))",
    .composite = [](const Tensor& self) -> Tensor {
      return alias(compressed_component_of(self, "row_indices", false, &SparseComponents::plain), true);
    },
});

MT_OP(OpDef{
    .schema = {"crow_indices_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies what ``Tensor.crow_indices`` shows into memory of its own.

Args:
    self (Tensor): tensor of the layout sparse_csr or sparse_bsr.

Returns:
    Tensor: int64 or int32; shape ``(*batch, rows + 1)`` (block rows for sparse_bsr).

Raises:
    RuntimeError: when `self` has another layout.

Example:
    >>> torch.crow_indices_copy(torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csr())
    tensor([0, 1, 2]))",
    .cpu = [](const Tensor& self) -> Tensor {
      return op<"clone">(compressed_component_of(self, "crow_indices", true, &SparseComponents::indices));
    },
    .compressed = [](const Tensor& self) -> Tensor {
      return op<"clone">(compressed_component_of(self, "crow_indices", true, &SparseComponents::indices));
    },
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"col_indices_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies what ``Tensor.col_indices`` shows into memory of its own.

Args:
    self (Tensor): tensor of the layout sparse_csr or sparse_bsr.

Returns:
    Tensor: int64 or int32; shape ``(*batch, elements)``.

Raises:
    RuntimeError: when `self` has another layout.

Example:
    >>> torch.col_indices_copy(torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csr())
    tensor([1, 0]))",
    .cpu = [](const Tensor& self) -> Tensor {
      return op<"clone">(compressed_component_of(self, "col_indices", true, &SparseComponents::plain));
    },
    .compressed = [](const Tensor& self) -> Tensor {
      return op<"clone">(compressed_component_of(self, "col_indices", true, &SparseComponents::plain));
    },
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"ccol_indices_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies what ``Tensor.ccol_indices`` shows into memory of its own.

Args:
    self (Tensor): tensor of the layout sparse_csc or sparse_bsc.

Returns:
    Tensor: int64 or int32; shape ``(*batch, columns + 1)`` (block columns for sparse_bsc).

Raises:
    RuntimeError: when `self` has another layout.

Example:
    >>> torch.ccol_indices_copy(torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csc())
    tensor([0, 1, 2]))",
    .cpu = [](const Tensor& self) -> Tensor {
      return op<"clone">(compressed_component_of(self, "ccol_indices", false, &SparseComponents::indices));
    },
    .compressed = [](const Tensor& self) -> Tensor {
      return op<"clone">(compressed_component_of(self, "ccol_indices", false, &SparseComponents::indices));
    },
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"row_indices_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies what ``Tensor.row_indices`` shows into memory of its own.

Args:
    self (Tensor): tensor of the layout sparse_csc or sparse_bsc.

Returns:
    Tensor: int64 or int32; shape ``(*batch, elements)``.

Raises:
    RuntimeError: when `self` has another layout.

Example:
    >>> torch.row_indices_copy(torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csc())
    tensor([1, 0]))",
    .cpu = [](const Tensor& self) -> Tensor {
      return op<"clone">(compressed_component_of(self, "row_indices", false, &SparseComponents::plain));
    },
    .compressed = [](const Tensor& self) -> Tensor {
      return op<"clone">(compressed_component_of(self, "row_indices", false, &SparseComponents::plain));
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
