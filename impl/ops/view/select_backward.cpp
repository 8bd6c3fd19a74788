// select_backward: zeros with `grad_output` at `index` of dimension `dim`.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor"},
    .forms = internal,
    .doc = R"(Returns zeros of shape `input_sizes` with `grad_output` at `index` of dimension `dim`.

It is the gradient of ``select``.)",
    .cpu = [](const Tensor& grad, IntList sizes, int64_t dim, int64_t index) -> Tensor {
      BelowAutograd guard;
      Tensor out = op<"zeros">(sizes, grad.dtype(), nullptr, grad.device());
      op<"copy_">(op<"select">(out, dim, index), grad);
      return out;
    },
    .npu = {any_device},
    .meta = [](const Tensor& grad, IntList sizes, int64_t, int64_t) -> Tensor { return empty(sizes, grad.dtype(), grad.device()); },
    .grad = {wrt("grad_output", [](Grad g, In<"dim", int64_t> dim, In<"index", int64_t> index) { return op<"select">(g, *dim, *index); })},
});

}  // namespace
}  // namespace mt
