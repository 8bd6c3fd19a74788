// _amp_update_scale_: the next loss scale: smaller after an overflow, larger after enough steps without one.
#include <cmath>

#include "core/messages.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

constexpr auto update_scale = [](const Tensor& self, const Tensor& growth_tracker, const Tensor& found_inf, double growth_factor,
                                 double backoff_factor, int64_t growth_interval) {
  check(growth_tracker.numel() == 1, "growth_tracker must be a 1-element tensor.");
  check(self.numel() == 1, "current_scale must be a 1-element tensor.");
  check(found_inf.numel() == 1, messages::found_inf_must_have_one_element);
  check(growth_tracker.dtype() == Dtype::int32, "growth_tracker must be an int tensor.");
  check(self.dtype() == Dtype::float32, "current_scale must be a float tensor.");
  check(found_inf.dtype() == Dtype::float32, messages::found_inf_must_be_float);
  float& scale = *self.data<float>();
  int32_t& successes = *growth_tracker.data<int32_t>();
  if (*found_inf.data<float>() != 0) {
    scale = float(scale * backoff_factor);
    successes = 0;
  } else if (int64_t(successes) + 1 == growth_interval) {
    const float larger = float(scale * growth_factor);
    if (std::isfinite(larger)) scale = larger;  // the scale itself must not overflow
    successes = 0;
  } else {
    successes = int32_t(uint32_t(successes) + 1);
  }
};

MT_OP(OpDef{
    .schema = {"_amp_update_scale_(Tensor(a!) self, Tensor(b!) growth_tracker, Tensor found_inf, float scale_growth_factor, float "
               "scale_backoff_factor, int growth_interval) -> Tensor(a!)"},
    .forms = function,
    .doc = R"(Updates the loss scale `self` and the count of steps without overflow, in place.

The scale is multiplied by `scale_backoff_factor` after an overflow, and by `scale_growth_factor`
after `growth_interval` steps without one. ``torch.amp.GradScaler`` uses it.)",
    .cpu = update_scale,
    .npu = {"AmpUpdateScale(self, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval, self, "
            "growth_tracker)"},
});

}  // namespace
}  // namespace mt
