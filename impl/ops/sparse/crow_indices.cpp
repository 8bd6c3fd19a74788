// crow_indices, col_indices, ccol_indices, row_indices: where the elements of a compressed tensor are.
#include "rules/sparse.h"

namespace mt {
namespace {

// A part of a tensor that compresses rows (columns).
const Tensor& part(const Tensor& self, const char* name, bool rows, Tensor SparseParts::*part) {
  const Layout layout = self.layout();
  check(is_compressed(layout) && compresses_rows(layout) == rows, "{} expected sparse {} compressed tensor layout but got {}", name,
        rows ? "row" : "column", name_of(layout));
  return parts_of(self).*part;
}

MT_OP(OpDef{
    .schema = {"crow_indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = "Where the elements of each row begin, and at last where all end: of sparse_csr and sparse_bsr.",
    .composite = [](const Tensor& self) -> Tensor { return alias(part(self, "crow_indices", true, &SparseParts::indices), true); },
});
MT_OP(OpDef{
    .schema = {"col_indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = "The column of each element (or block): of sparse_csr and sparse_bsr.",
    .composite = [](const Tensor& self) -> Tensor { return alias(part(self, "col_indices", true, &SparseParts::plain), true); },
});
MT_OP(OpDef{
    .schema = {"ccol_indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = "Where the elements of each column begin, and at last where all end: of sparse_csc and sparse_bsc.",
    .composite = [](const Tensor& self) -> Tensor { return alias(part(self, "ccol_indices", false, &SparseParts::indices), true); },
});
MT_OP(OpDef{
    .schema = {"row_indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = "The row of each element (or block): of sparse_csc and sparse_bsc.",
    .composite = [](const Tensor& self) -> Tensor { return alias(part(self, "row_indices", false, &SparseParts::plain), true); },
});

MT_OP(OpDef{
    .schema = {"crow_indices_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what crow_indices shows.",
    .cpu = [](const Tensor& self) -> Tensor { return op<"clone">(part(self, "crow_indices", true, &SparseParts::indices)); },
    .compressed = [](const Tensor& self) -> Tensor { return op<"clone">(part(self, "crow_indices", true, &SparseParts::indices)); },
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"col_indices_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what col_indices shows.",
    .cpu = [](const Tensor& self) -> Tensor { return op<"clone">(part(self, "col_indices", true, &SparseParts::plain)); },
    .compressed = [](const Tensor& self) -> Tensor { return op<"clone">(part(self, "col_indices", true, &SparseParts::plain)); },
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"ccol_indices_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what ccol_indices shows.",
    .cpu = [](const Tensor& self) -> Tensor { return op<"clone">(part(self, "ccol_indices", false, &SparseParts::indices)); },
    .compressed = [](const Tensor& self) -> Tensor { return op<"clone">(part(self, "ccol_indices", false, &SparseParts::indices)); },
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"row_indices_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what row_indices shows.",
    .cpu = [](const Tensor& self) -> Tensor { return op<"clone">(part(self, "row_indices", false, &SparseParts::plain)); },
    .compressed = [](const Tensor& self) -> Tensor { return op<"clone">(part(self, "row_indices", false, &SparseParts::plain)); },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
