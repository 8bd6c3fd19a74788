// quantile: the values below which given parts of the elements lie; a line with a NaN answers NaN.
#include "dispatch/out_words.h"
#include "rules/quantiles.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto of_tensor = [](const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim, Text interpolation) -> Tensor {
  return quantiles(false, self, q, dim, keepdim, interpolation);
};
constexpr auto of_number = [](const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim, Text interpolation) -> Tensor {
  return quantiles(false, self, quantile_number(q, self), dim, keepdim, interpolation);
};

MT_OP(OpDef{
    .schema = {"quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor",
               "quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor"},
    .forms = function | method | out,
    .doc = "The values below which the parts `q` of the elements lie; a line with a NaN answers NaN.",
    .composite = of_tensor,
    .overloads = {overload("scalar", {.composite = of_number})},
});

MT_BATCH("quantile", batch_looped);

MT_OUT("quantile", .dtype = "quantile() out tensor must be same dtype as the input tensor",
       .device = "quantile() out tensor must be on the same device as the input tensor",
       .recorded_as = written_as_leaf);

}  // namespace
}  // namespace mt
