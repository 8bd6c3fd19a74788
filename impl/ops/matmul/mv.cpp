// mv: the product of a matrix (n x m) and a vector (m).
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/form/one_device.h"
#include "rules/matmul/matmul.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "rules/sparse/sparse_products.h"
#include "vmap/rule.h"

namespace mt {
namespace {

void check_mv_shape(const Tensor& self, const Tensor& vec) {
  check_dimensions(self, 0);
  check(self.dim() == 2 && vec.dim() == 1, "vector + matrix @ vector expected, got 1, {}, {}", self.dim(), vec.dim());
  check(self.size(1) == vec.size(0), messages::addmv_size_mismatch, self.size(0), self.size(0), self.size(1), vec.size(0));
  check_one_device(self, vec);
  check(self.dtype() == vec.dtype(), "addmv input tensors must have the same dtype, but got {0}, {1}, and {0}", vec.dtype(), self.dtype());
}

void batch_mv(const BatchCall& c) {
  if (c.tensor(0).dim() != 2 || c.tensor(1).dim() != 1) return batch_looped(c);
  const Tensor vec = c.batch(1) ? op<"unsqueeze">(c.front(1), -1) : c.tensor(1);
  const Tensor product = op<"matmul">(c.front(0), vec);
  c.set_result(0, c.batch(1) ? op<"squeeze.dim">(product, -1) : product);
}

MT_OP(OpDef{
    .schema = {"mv(Tensor self, Tensor vec) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the product of a matrix and a vector.

Args:
    self (Tensor): ``(n, m)``.
    vec (Tensor): ``(m,)``, of the same dtype.

Returns:
    Tensor: ``(n,)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> torch.mv(torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 1]))
    tensor([3, 7]))",
    .rule = structured_exact(
        [](Specs& out, const Tensor& self, const Tensor& vec) {
          check_mv_shape(self, vec);
          out.add(IntList{self.size(0)}, self.dtype());
        },
        {.dtype_text = "addmv input tensors must have the same dtype, but got {1}, {0}, and {0}"}),
    .cpu =
        [](const Tensor& self, const Tensor& vec, Tensor& out) {
          Tensor column = alias(vec, {vec.size(0), 1}, {vec.stride(0), 1}, vec.storage_offset());
          Tensor result = alias(out, {out.size(0), 1}, {out.stride(0), 1}, out.storage_offset());
          matrix_product(result, self, column, Tensor(), 0, 1);
        },
    .npu = {"Mv(self, vec, out, 0)"},
    .sparse = [](const Call& call, const Tensor& self, const Tensor& vec) -> Tensor {
      if (call.op.form == Form::out)
        return op<"addmv.out">(target_or_undefined(call), self, vec, Scalar(0), Scalar(1), target_or_undefined(call));
      check(self.dim() == 2 && vec.dim() == 1, "mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {}Tensor Dim: {}",
            self.dim(), vec.dim());
      check(self.size(1) == vec.size(0), "mv: expected self.size(-1) == vec.size(-1)");
      BelowAutograd guard;
      return op<"squeeze.dim">(op<"mm">(self, op<"unsqueeze">(vec, int64_t(-1))), int64_t(-1));
    },
    .compressed = [](const Call& call, const Tensor& self, const Tensor& vec) -> Tensor {
      check_mv_shape(self, vec);
      return compressed_addmv(target_or_undefined(call), {}, self, vec, 0, 1);
    },
    .autocast = on_npu(Autocast::lower_precision),
    .grad = {wrt("self", [](Grad g, In<"vec"> v) { return op<"outer">(g, conj(v)); }),
             wrt("vec", [](Grad g, In<"self"> m) { return op<"mv">(conj(op<"t">(m)), g); })},
    .batch = batch_mv,
});

}  // namespace
}  // namespace mt
