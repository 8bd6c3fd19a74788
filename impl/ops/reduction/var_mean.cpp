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

MT_OP(OpDef{
    .schema = {"var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", "std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "The variance (or standard deviation) and the mean of all elements.",
    .composite = [](const Call& call, const Tensor& self, bool one) -> Tensors<2> {
      const std::optional<IntList> all;
      const std::optional<Scalar> c = Scalar(one ? 1 : 0);
      const bool var = call.op.schema.name == "var_mean";
      return {{var ? op<"var.correction">(self, all, c, false) : op<"std.correction">(self, all, c, false), op<"mean.dim">(self, all, false)}};
    },
});
MT_OP(OpDef{
    .schema = {"var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
               "std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "The variance (or standard deviation) and the mean over `dim`.",
    .composite = [](const Call& call, const Tensor& self, std::optional<IntList> dim, bool one, bool keepdim) -> Tensors<2> {
      const std::optional<Scalar> c = Scalar(one ? 1 : 0);
      const bool var = call.op.schema.name == "var_mean";
      return {{var ? op<"var.correction">(self, dim, c, keepdim) : op<"std.correction">(self, dim, c, keepdim), op<"mean.dim">(self, dim, keepdim)}};
    },
});

}  // namespace
}  // namespace mt
