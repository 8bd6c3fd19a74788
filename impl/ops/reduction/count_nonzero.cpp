// count_nonzero: how many elements are not zero.
#include "rules/reducers.h"

namespace mt {
namespace {

Tensor nonzero(const Tensor& self) { return self.dtype() == Dtype::boolean ? self : op<"ne">(self, 0); }

MT_OP(OpDef{
    .schema = {"count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", "count_nonzero(Tensor self, int? dim=None) -> Tensor"},
    .forms = function | method,
    .doc = "The number of non-zero elements over `dim`, or of all.",
    .composite = [](const Tensor& self, IntList dim) -> Tensor { return op<"sum.dim_IntList">(nonzero(self), dim); },
    .grad = not_differentiable,
    .overloads = {overload("", {.composite = [](const Tensor& self, std::optional<int64_t> dim) -> Tensor {
      return dim ? op<"sum.dim_IntList">(nonzero(self), IntList{*dim}) : op<"sum">(nonzero(self));
    }})},
});

}  // namespace
}  // namespace mt
