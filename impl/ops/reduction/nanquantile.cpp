// nanquantile: the values below which given parts of the elements lie, NaN left out.
#include "dispatch/out_words.h"
#include "rules/quantiles.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto of_tensor = [](const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim, Text interpolation) -> Tensor {
  return quantiles(true, self, q, dim, keepdim, interpolation);
};
constexpr auto of_number = [](const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim, Text interpolation) -> Tensor {
  return quantiles(true, self, quantile_number(q, self), dim, keepdim, interpolation);
};

MT_OP(OpDef{
    .schema = {"nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor",
               "nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor"},
    .forms = function | method | out,
    .doc = "The values below which the parts `q` of the elements lie, NaN left out.",
    .composite = of_tensor,
    .overloads = {overload("scalar", {.composite = of_number})},
});

MT_BATCH("nanquantile", batch_looped);

MT_OUT("nanquantile", .dtype = "quantile() out tensor must be same dtype as the input tensor",
       .device = "quantile() out tensor must be on the same device as the input tensor",
       .recorded_as = written_as_leaf);

}  // namespace
}  // namespace mt
