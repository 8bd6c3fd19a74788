// mkldnn_linear: a linear layer of tensors in oneDNN's layout; a kernel of other devices or layouts: the CPU has none, as in torch.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"mkldnn_linear(Tensor self, Tensor weight, Tensor? bias=None) -> Tensor"},
    .forms = function,
    .doc = "A linear layer of tensors in oneDNN's layout.",
    .module = "nn",
    .meta = [](const Tensor& self, const Tensor& weight, const Tensor& bias) -> Tensor { return op<"linear">(self, weight, bias); },
});

}  // namespace
}  // namespace mt
