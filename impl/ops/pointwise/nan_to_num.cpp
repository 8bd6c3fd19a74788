// nan_to_num: naN and infinities replaced: by 0 and the dtype's largest and smallest numbers unless given.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "NaN and infinities replaced: by 0 and the dtype's largest and smallest numbers unless given.",
    .cpu = [](const Tensor& self, std::optional<double> nan, std::optional<double> high, std::optional<double> low) -> Tensor {
      BelowAutograd guard;
      if (is_integral(self.dtype(), true)) return op<"clone">(self);
      const double most = self.dtype() == Dtype::float64 ? 1.7976931348623157e308 : self.dtype() == Dtype::float16 ? 65504.0 : self.dtype() == Dtype::bfloat16 ? 3.3895313892515355e38 : 3.4028234663852886e38;
      auto part = [&](const Tensor& t) {
        Tensor y = op<"masked_fill">(t, op<"isnan">(t), nan.value_or(0.0));
        y = op<"masked_fill">(y, op<"isposinf">(t), high.value_or(most));
        return op<"masked_fill">(y, op<"isneginf">(t), low.value_or(-most));
      };
      if (!is_complex(self.dtype())) return part(self);
      Tensor out = op<"clone">(self);
      Tensor parts = op<"view_as_real">(out);
      op<"copy_">(parts, self.dtype() == Dtype::complex128 ? (most > 1e300 ? part(parts) : part(parts)) : part(parts));
      return out;
    },
    .meta = [](const Tensor& self, std::optional<double>, std::optional<double>, std::optional<double>) -> Tensor { return empty(self.sizes(), self.dtype(), self.device()); },
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"isfinite">(x); })},
});

MT_BATCH("nan_to_num", batch_aligned);

}  // namespace
}  // namespace mt
