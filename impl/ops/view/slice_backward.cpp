// slice_backward: zeros with `grad_output` in the given slice.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor"},
    .forms = internal,
    .doc = "Returns zeros of shape `input_sizes` with `grad_output` in the given slice: the gradient of slicing.",
    .cpu = [](const Tensor& grad, IntList sizes, int64_t dim, int64_t start, int64_t end, int64_t step) -> Tensor {
      BelowAutograd guard;
      Tensor out = op<"zeros">(sizes, grad.dtype(), nullptr, grad.device());
      op<"copy_">(op<"slice">(out, dim, start, end, step), grad);
      return out;
    },
    .npu = {any_device},
    .meta = [](const Tensor& grad, IntList sizes, int64_t, int64_t, int64_t, int64_t) -> Tensor {
      return empty(sizes, grad.dtype(), grad.device());
    },
    .grad = {wrt("grad_output", [](Grad g, In<"dim", int64_t> dim, In<"start", int64_t> start, In<"end", int64_t> end,
                                   In<"step", int64_t> step) { return op<"slice">(g, *dim, *start, *end, *step); })},
});

}  // namespace
}  // namespace mt
