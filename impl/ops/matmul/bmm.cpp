// bmm: products of two batches of matrices.
#include "dispatch/autocast.h"
#include "rules/exact_out.h"
#include "rules/matmul.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& self, const Tensor& mat2) {
  check(self.dim() == 3, "batch1 must be a 3D tensor");
  check(mat2.dim() == 3, "batch2 must be a 3D tensor");
  check(mat2.size(0) == self.size(0) && mat2.size(1) == self.size(2),
        "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].", self.size(0), self.size(2),
        mat2.size(0), mat2.size(1));
  check(self.dtype() == mat2.dtype(), "expected scalar type {} but found {}", self.dtype(), mat2.dtype());
  out.add(IntList{self.size(0), self.size(1), mat2.size(2)}, self.dtype());
};

MT_OP(OpDef{
    .schema = {"bmm(Tensor self, Tensor mat2) -> Tensor"},
    .forms = function | method | out,
    .doc = "The matrix products of two batches: (b x n x k) and (b x k x m).",
    .rule = structured_exact(shape),
    .cpu = [](const Tensor& self, const Tensor& mat2, Tensor& out) { batched_product(out, self, mat2, Tensor(), 0, 1); },
    .npu = {"BatchMatMul(self, mat2, out, 0)"},
    .autocast = everywhere(Autocast::lower_precision),
    .grad = {wrt("self", [](Grad g, In<"mat2"> b) { return op<"bmm">(g, conj(op<"transpose">(b, 1, 2))); }),
             wrt("mat2", [](Grad g, In<"self"> a) { return op<"bmm">(conj(op<"transpose">(a, 1, 2)), g); })},
});

// No kernel of its own for the CPU, as in torch.
MT_OP(OpDef{
    .schema = {"bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor"},
    .forms = function | out,
    .doc = "As bmm, in another dtype.",
    .meta = [](const Tensor& self, const Tensor& mat2, Dtype dtype) -> Tensor {
      return op<"to.dtype">(op<"bmm">(self, mat2), dtype);
    },
});

void products_of_slices(const BatchCall& c) {
  if (c.tensor(0).dim() != 3 || c.tensor(1).dim() != 3) return batch_looped(c);
  c.give(0, op<"matmul">(c.front(0), c.front(1)));
}
MT_BATCH("bmm.", products_of_slices);

}  // namespace
}  // namespace mt
