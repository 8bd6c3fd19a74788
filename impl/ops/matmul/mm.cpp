// mm: the product of two matrices.
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/matmul/matmul.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "rules/sparse/sparse_products.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_mm_shape = [](Specs& out, const Tensor& self, const Tensor& mat2) {
  const bool meta = self.is_meta();
  check(self.dim() == 2, meta ? "a must be 2D" : "self must be a matrix");
  check(mat2.dim() == 2, meta ? "b must be 2D" : "mat2 must be a matrix");
  check(self.size(1) == mat2.size(0), messages::matrix_shapes_cannot_be_multiplied, self.size(0), self.size(1), mat2.size(0), mat2.size(1));
  check_product_dtypes(self, mat2);
  out.add(IntList{self.size(0), mat2.size(1)}, self.dtype());
};

// vmap: if one operand is batched, computes one larger product; if both are, a batched product.
void batch_mm(const BatchCall& c) {
  if (c.tensor(0).dim() != 2 || c.tensor(1).dim() != 2) return batch_looped(c);
  if (c.batch(0) && c.batch(1)) return c.set_result(0, op<"bmm">(c.front(0), c.front(1)));
  c.set_result(0, op<"matmul">(c.front(0), c.front(1)));
}

MT_OP(OpDef{
    .schema = {"mm(Tensor self, Tensor mat2) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the matrix product of two matrices.

Nothing broadcasts; `torch.matmul` does. Both may be sparse.

Args:
    self (Tensor): ``(n, k)``.
    mat2 (Tensor): ``(k, m)``, of the same dtype; not bool.
    out_dtype (torch.dtype): the dtype of the result; devices other than the CPU have it.

Returns:
    Tensor: ``(n, m)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> torch.mm(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1], [1]]))
    tensor([[3],
            [7]]))",
    .rule = structured_exact(infer_mm_shape),
    .cpu = [](const Tensor& self, const Tensor& mat2, Tensor& out) { matrix_product(out, self, mat2, Tensor(), 0, 1); },
    .npu = {"Mm(self, mat2, out, 0)"},
    .sparse = [](const Call& call, const Tensor& self, const Tensor& mat2) -> Tensor {
      return coordinates_product(target_or_undefined(call), self, mat2);
    },
    .compressed = [](const Call& call, const Tensor& self, const Tensor& mat2) -> Tensor { return compressed_mm(call, self, mat2); },
    .autocast = everywhere(Autocast::lower_precision),
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> a, In<"mat2"> b) { return left_gradient(g, a, b); }),
             wrt("mat2", [](Grad g, In<"self"> a, MetaOf<"mat2"> b) { return right_gradient(g, a, b); })},
    .batch = batch_mm,
});

// As in torch, the overload with an `out_dtype` has no CPU kernel.
MT_OP(OpDef{
    .schema = {"mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the matrix product of two matrices.

Nothing broadcasts; `torch.matmul` does. Both may be sparse.

Args:
    self (Tensor): ``(n, k)``.
    mat2 (Tensor): ``(k, m)``, of the same dtype; not bool.
    out_dtype (torch.dtype): the dtype of the result; devices other than the CPU have it.

Returns:
    Tensor: ``(n, m)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> torch.mm(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1], [1]]))
    tensor([[3],
            [7]]))",
    .meta = [](const Tensor& self, const Tensor& mat2, Dtype dtype) -> Tensor { return op<"to.dtype">(op<"mm">(self, mat2), dtype); },
});

}  // namespace
}  // namespace mt
