// nanmean: the average over `dim`, NaN left out.
#include "dispatch/out_words.h"
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | out,
    .doc = "The average over `dim` (all dimensions for None or an empty list), NaN left out.",
    .composite = [](const Tensor& self, std::optional<IntList> dim, bool keepdim, std::optional<Dtype> dtype) -> Tensor {
      check(is_differentiable(self.dtype()), "nanmean(): expected input to have floating point or complex dtype but got {}", self.dtype());
      check(!dtype || is_differentiable(*dtype),
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: {}",
            dtype.value_or(self.dtype()));
      Tensor count;
      {
        BelowAutograd guard;
        count = op<"sum.dim_IntList">(op<"logical_not">(op<"isnan">(self)), dim, keepdim);
      }
      return op<"nansum">(self, dim, keepdim, dtype) / count;
    },
});

MT_OUT("nanmean", .converts = true, .recorded_as = "nansum");

}  // namespace
}  // namespace mt
