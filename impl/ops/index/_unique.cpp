// _unique: the distinct elements, and for each element the index of its distinct value.
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "Returns the different elements in order and, with `return_inverse`, where each element went.",
    .cpu = [](const Tensor& self, bool sorted, bool inverse) -> Tensors<2> {
      BelowAutograd guard;
      const auto found = op<"_unique2", Tensors<3>>(self, sorted, inverse, false);
      return {{found[0], found[1]}};
    },
    .grad = not_differentiable,
    .no_forward = true,
});

}  // namespace
}  // namespace mt
