// unfold_backward: adds the gradient of each window to the elements that it contains.
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto add_unfold_backward = [](const Tensor& grad, IntList sizes, int64_t dim, int64_t size, int64_t step) -> Tensor {
  BelowAutograd guard;
  if (sizes.empty())  // one window over the only element, or none
    return size == 1 ? op<"reshape">(grad, sizes) : op<"zeros">(sizes, grad.dtype(), nullptr, grad.device());
  int64_t d = wrap_dim(dim, sizes.size());
  Tensor index = op<"unfold">(op<"arange">(sizes[d], Dtype::int64, nullptr, grad.device()), 0, size, step);
  Tensor moved = op<"movedim">(grad, -1, d + 1);
  Tensor flat = op<"flatten">(moved, d, d + 1);
  Tensor zeros = op<"zeros">(sizes, grad.dtype(), nullptr, grad.device());
  return op<"index_add">(zeros, d, op<"reshape">(index, IntList{-1}), flat);
};

MT_OP(OpDef{
    .schema = {"unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor"},
    .forms = internal,
    .doc = "Adds the gradient of each window back to the elements that it showed: the gradient of ``unfold``.",
    .cpu = add_unfold_backward,
    .npu = {any_device},
    .meta = add_unfold_backward,
    .grad = {wrt("grad_in", [](Grad g, In<"dim", int64_t> dim, In<"size", int64_t> size,
                               In<"step", int64_t> step) { return op<"unfold">(g, *dim, *size, *step); })},
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
