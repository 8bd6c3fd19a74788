// _weight_norm_interface_backward: the gradients of _weight_norm_interface.
#include "rules/nn/weight_norm.h"

namespace mt {
namespace {

constexpr auto compute_weight_norm_interface_backward = [](const Tensor& grad, const Tensor& v, const Tensor& g, const Tensor& norms,
                                                           int64_t dim) { return weight_norm_backward(grad, v, g, norms, dim); };

MT_OP(OpDef{
    .schema = {"_weight_norm_interface_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor saved_norms, int "
               "dim) -> (Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes _weight_norm_interface's gradients for `v` and `g`.",
    .cpu = compute_weight_norm_interface_backward,
    .meta = compute_weight_norm_interface_backward,
});

}  // namespace
}  // namespace mt
