// _foreach_powsum: the sum of |x|^ord over each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_powsum.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]"},
    .forms = function,
    .doc = "Computes the sum of ``|x|^ord`` over each tensor of a list, which must be floating or complex.",
    .composite = [](TensorList self, Scalar ord, std::optional<Dtype> dtype) -> std::vector<Tensor> {
      check_list(self);
      std::vector<Tensor> out;
      for (const Tensor& t : self) {
        if (!is_floating(t.dtype()) && !is_complex(t.dtype())) not_implemented_for("powsum_cpu", t.dtype());
        const Tensor x = dtype && *dtype != t.dtype() ? op<"to.dtype">(t, *dtype) : t;
        out.push_back(op<"sum">(op<"pow">(op<"abs">(x), ord)));
      }
      return out;
    },
});

}  // namespace
}  // namespace mt
