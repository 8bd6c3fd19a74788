// sparse_sampled_addmm: the elements of a product of dense matrices at the indices of a sparse matrix.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/alpha.h"
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {
namespace {

void check_operands(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Tensor& target) {
  check(!is_sparse(mat1), "sampled_addmm: Expected mat1 to have strided layout, but got {}", name_of(mat1.layout()));
  check(!is_sparse(mat2), "sampled_addmm: Expected mat2 to have strided layout, but got {}", name_of(mat2.layout()));
  const Layout layout = target.defined() ? target.layout() : self.layout();
  check(!has_blocks(layout), messages::empty_sparse_compressed_layout, name_of(layout));
  check(layout == Layout::sparse_csr, "sampled_addmm: Expected result to have sparse csr layout, but got {}", name_of(layout));
  check(self.layout() == Layout::sparse_csr, "sampled_addmm: Expected self to have sparse csr layout, but got {}", name_of(self.layout()));
  check(mat1.dtype() == mat2.dtype(), "sampled_addmm: Expected mat1 and mat2 to have the same dtype, but got {} and {}", mat1.dtype(),
        mat2.dtype());
  check(mat1.dtype() == self.dtype(), "sampled_addmm: Expected mat1 and self to have the same dtype, but got {} and {}", mat1.dtype(),
        self.dtype());
  const Dtype dtype = self.dtype();
  check((is_floating(dtype) && !is_half(dtype)) || is_complex(dtype),
        "sparse_sampled_addmm: Expected self to be a floating-point or complex tensor, but got {}", dtype);
  check(mat1.dim() >= 2, "sampled_addmm: Expected mat1 to be a matrix, got {}-D tensor", mat1.dim());
  check(mat2.dim() >= 2, "sampled_addmm: Expected mat2 to be a matrix, got {}-D tensor", mat2.dim());
  const SparseComponents& parts = components_of(self);
  check(parts.values.dim() == parts.plain.dim(), "sampled_addmm: Expected non-hybrid self tensor");
  const auto batch = [](const Tensor& t) { return t.sizes().first(t.dim() - 2); };
  check(self.dim() == 2 || batch(self) == batch(mat1),
        "sampled_addmm: Expected self and mat1 to have the same batch size, but got {} and {}", batch(self), batch(mat1));
  check(batch(mat1) == batch(mat2), "sampled_addmm: Expected mat1 and mat2 to have the same batch size, but got {} and {}", batch(mat1),
        batch(mat2));
  check(mat1.size(-1) == mat2.size(-2), "sampled_addmm: mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", mat1.size(-2),
        mat1.size(-1), mat2.size(-2), mat2.size(-1));
  check(self.size(-2) == mat1.size(-2), "sampled_addmm: self.shape[-2] must match mat1.shape[-2]");
  check(self.size(-1) == mat2.size(-1), "sampled_addmm: self.shape[-1] must match mat2.shape[-1]");
}

constexpr auto compute_sparse_sampled_addmm = [](const Call& call, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta,
                                                 Scalar alpha) -> Tensor {
  check_operands(self, mat1, mat2, target_or_undefined(call));
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  const Dims batch(mat1.sizes().first(mat1.dim() - 2));
  const auto spread = [&](const Tensor& t) {  // over the batch of the factors
    Dims sizes(batch);
    sizes.push_back(t.size(-1));
    return op<"expand">(t, IntList(sizes));
  };
  const auto own = [](const Tensor& t) { return op<"clone">(t, MemoryFormat::contiguous); };
  const auto wide = [](const Tensor& indices) { return op<"to.dtype">(indices, Dtype::int64); };
  Dims sizes(batch);
  sizes.push_back(self.size(-2)), sizes.push_back(self.size(-1));
  const Tensor places = compressed_tensor(Layout::sparse_csr, own(spread(wide(parts.indices))), own(spread(wide(parts.plain))),
                                          spread(parts.values), sizes);
  const Compressed c = open_compressed(places);
  const int64_t matrices = c.batch;
  const Tensor left = op<"reshape">(mat1, IntList({matrices, mat1.size(-2), mat1.size(-1)}));
  const Tensor right = op<"transpose">(op<"reshape">(mat2, IntList({matrices, mat2.size(-2), mat2.size(-1)})), int64_t(1), int64_t(2));
  std::vector<Tensor> made;
  for (int64_t b = 0; b < matrices; ++b) {
    const SparseRows rows{op<"select.int">(c.begins, int64_t(0), b), op<"select.int">(c.plain, int64_t(0), b), {}, c.columns};
    made.push_back(sampled_products(rows, op<"select.int">(left, int64_t(0), b), op<"select.int">(right, int64_t(0), b)));
  }
  const SparseComponents& spread_parts = components_of(places);
  Tensor values = spread_parts.values;
  if (matrices > 0) {
    const Tensor all = matrices == 1 ? made[0] : op<"cat">(TensorList(made.data(), matrices), int64_t(0));
    values = op<"view">(all, values.sizes());
  }
  if (!alpha.equals(1)) values = op<"mul">(values, alpha);
  if (!beta.equals(0)) values = op<"add">(values, spread_parts.values, beta);
  return with_values(places, values);
};

MT_OP(OpDef{
    .schema = {"sparse_sampled_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes ``beta * self + alpha * (mat1 @ mat2)`` for the elements that `self` stores only.

``torch.sparse.sampled_addmm`` is its public name. The other elements of the product are never
computed.

Args:
    self (Tensor): sparse_csr matrix ``(m, n)``, or a batch; float32, float64 or complex.
    mat1 (Tensor): strided ``(*, m, k)``.
    mat2 (Tensor): strided ``(*, k, n)``.
    beta (number): factor of `self`. Default: ``1``.
    alpha (number): factor of the product. Default: ``1``.

Returns:
    Tensor: sparse_csr with the stored coordinates of `self`.

Raises:
    RuntimeError: when layouts, dtypes or shapes do not fit.

Example:
    >>> x = torch.eye(2).to_sparse_csr()
    >>> torch.sparse.sampled_addmm(x, torch.ones(2, 3), torch.ones(3, 2)).to_dense()
    tensor([[4., 0.],
            [0., 4.]]))",
    .module = "sparse",
    .compressed = compute_sparse_sampled_addmm,
    .grad = {wrt("self", [](Grad g, In<"beta", Scalar> beta) { return multiply_by_conj(g, beta); }),
             wrt("mat1",
                 [](Grad g, In<"self"> self, In<"mat2"> mat2, In<"alpha", Scalar> alpha) {
                   return multiply_by_conj(op<"matmul">(op<"sparse_mask">(g, self), conj(op<"transpose">(mat2, -2, -1))), alpha);
                 }),
             wrt("mat2",
                 [](Grad g, In<"self"> self, In<"mat1"> mat1, In<"alpha", Scalar> alpha) {
                   return multiply_by_conj(op<"matmul">(conj(op<"transpose">(mat1, -2, -1)), op<"sparse_mask">(g, self)), alpha);
                 })},
});

}  // namespace
}  // namespace mt
