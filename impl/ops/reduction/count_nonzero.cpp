// count_nonzero: how many elements are not zero.
#include "rules/reducers.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", "count_nonzero(Tensor self, int? dim=None) -> Tensor"},
    .forms = function | method,
    .doc = "The number of non-zero elements over `dim`, or of all.",
    .composite = [](const Tensor& self, IntList dim) -> Tensor { return op<"sum.dim_IntList">(op<"ne">(self, 0), dim); },
    .grad = not_differentiable,
    .overloads = {overload("", {.composite = [](const Tensor& self, std::optional<int64_t> dim) -> Tensor {
      Tensor nonzero = op<"ne">(self, 0);
      return dim ? op<"sum.dim_IntList">(nonzero, IntList{*dim}) : op<"sum">(nonzero);
    }})},
});

}  // namespace
}  // namespace mt
