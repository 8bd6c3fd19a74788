// var_mean: the variance (or standard deviation) and the mean.
#include "rules/reducers.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
               "std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "The variance (or standard deviation) and the mean.",
    .composite = [](const Call& call, const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> c, bool keepdim) -> Tensors<2> {
      const bool var = call.op.schema.name == "var_mean";
      return {{var ? op<"var.correction">(self, dim, c, keepdim) : op<"std.correction">(self, dim, c, keepdim), op<"mean.dim">(self, dim, keepdim)}};
    },
});

}  // namespace
}  // namespace mt
