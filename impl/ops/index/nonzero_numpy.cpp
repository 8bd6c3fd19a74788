// nonzero_numpy: the indices of non-zero elements, one vector per dimension.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nonzero_numpy(Tensor self) -> Tensor[]"},
    .forms = internal,
    .doc = R"(Returns the indices of non-zero elements as one vector for each dimension.

``torch.nonzero(x, as_tuple=True)`` calls it.)",
    .composite = [](const Tensor& self) -> std::vector<Tensor> {
      const Tensor t = self.dim() ? self : op<"unsqueeze">(self, 0);
      return op<"unbind", std::vector<Tensor>>(op<"nonzero">(t), 1);
    },
});

}  // namespace
}  // namespace mt
