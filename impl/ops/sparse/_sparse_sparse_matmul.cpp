// _sparse_sparse_matmul: the product of two sparse matrices.
#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/sparse/sparse_products.h"

namespace mt {
namespace {

constexpr const char* expected_matrix_text =
    "Expected mat{}_.dim() == 2 to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement "
    "request to PyTorch.)";

constexpr auto compute_sparse_sparse_matmul = [](const Tensor& self, const Tensor& other) -> Tensor {
  check(is_sparse(other) && is_sparse(self), "_sparse_sparse_matmul: expected two sparse matrices, got tensors of layouts {} and {}",
        name_of(self.layout()), name_of(other.layout()));
  check(self.dim() == 2, expected_matrix_text, 1);
  check(other.dim() == 2, expected_matrix_text, 2);
  for (const Tensor* t : {&self, &other})
    check(dense_dim(*t) == 0, "sparse_sparse_matmul_cpu: scalar values expected, got {}D values", dense_dim(*t));
  check(self.size(1) == other.size(0), messages::matrix_shapes_cannot_be_multiplied, self.size(0), self.size(1), other.size(0),
        other.size(1));
  check(self.dtype() == other.dtype(), "mat1 dtype {} does not match mat2 dtype {}", self.dtype(), other.dtype());
  if (is_half(self.dtype())) not_implemented_for("sparse_matmul", self.dtype());
  dispatch_floating_and_complex(self.dtype(), "sparse_matmul", [](auto) {});
  BelowAutograd guard;
  const SparseRows rows = sparse_product(sparse_rows_of(coalesce(self)), sparse_rows_of(coalesce(other)), other.size(1), "sparse_matmul");
  const int64_t n = rows.columns.size(0);
  const Tensor indices = empty({2, n}, Dtype::int64);
  const auto* const start = rows.starts.data<int64_t>();
  for (int64_t row = 0, height = self.size(0); row < height; ++row)
    std::fill(indices.data<int64_t>() + start[row], indices.data<int64_t>() + start[row + 1], row);
  std::copy_n(rows.columns.data<int64_t>(), n, indices.data<int64_t>() + n);
  return coo_tensor(indices, rows.values, IntList{self.size(0), other.size(1)}, true);
};

// The gradient at the factor's indices, with zeros where it has no element.
Tensor select_at_indices_of(const Tensor& factor, const Tensor& gradient) {
  return op<"sparse_mask">(op<"sparse_mask">(gradient, op<"coalesce">(factor)), gradient);
}

MT_OP(OpDef{
    .schema = {"_sparse_sparse_matmul(Tensor self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = "Computes the product of two sparse COO matrices.",
    .sparse = compute_sparse_sparse_matmul,
    .grad = {wrt("self", [](Grad g, In<"self"> a,
                            In<"other"> b) { return select_at_indices_of(a, op<"_sparse_sparse_matmul">(g, conj(op<"t">(b)))); }),
             wrt("other", [](Grad g, In<"self"> a,
                             In<"other"> b) { return select_at_indices_of(b, op<"_sparse_sparse_matmul">(conj(op<"t">(a)), g)); })},
});

}  // namespace
}  // namespace mt
