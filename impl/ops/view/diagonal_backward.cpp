// diagonal_backward: zeros with `grad_output` on a diagonal.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor"},
    .forms = internal,
    .doc = "Returns zeros of shape `input_sizes` with `grad_output` on a diagonal: the gradient of ``diagonal``.",
    .cpu = [](const Tensor& grad, IntList sizes, int64_t offset, int64_t dim1, int64_t dim2) -> Tensor {
      BelowAutograd guard;
      Tensor out = op<"zeros">(sizes, grad.dtype(), nullptr, grad.device());
      op<"copy_">(op<"diagonal">(out, offset, dim1, dim2), grad);
      return out;
    },
    .npu = {any_device},
    .meta = [](const Tensor& grad, IntList sizes, int64_t, int64_t, int64_t) -> Tensor {
      return empty(sizes, grad.dtype(), grad.device());
    },
    .grad = {wrt("grad_output", [](Grad g, In<"offset", int64_t> offset, In<"dim1", int64_t> a,
                                   In<"dim2", int64_t> b) { return op<"diagonal">(g, *offset, *a, *b); })},
});

}  // namespace
}  // namespace mt
