// _weight_norm_interface: v * g / |v| with the norms, for the first or the last dimension.
#include "autograd/meta.h"
#include "rules/nn/weight_norm.h"

namespace mt {
namespace {

constexpr auto compute_weight_norm_interface = [](const Tensor& v, const Tensor& g, int64_t dim) { return weight_norm(v, g, dim); };

MT_OP(OpDef{
    .schema = {"_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "Computes `v` * `g` / |`v`| and the norms |`v`|, taken over all dimensions but the first or the last.",
    .cpu = compute_weight_norm_interface,
    .meta = compute_weight_norm_interface,
    .grad = {wrt({"v", "g"},
                 [](Grad d, In<"v"> v, In<"g"> g, In<"dim", int64_t> dim, Out<"result1"> norms) {
                   if (thread_state.grad_mode) return op<"_weight_norm_differentiable_backward", Tensors<2>>(d, v, g, norms, *dim);
                   return op<"_weight_norm_interface_backward", Tensors<2>>(d, v, g, norms, *dim);
                 })},
});

}  // namespace
}  // namespace mt
