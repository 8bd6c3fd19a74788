// _amp_foreach_non_finite_check_and_unscale_: multiplies gradients by the inverse loss scale and records whether one is not finite.
#include "core/messages.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

struct UnscaleRow {
  template <class T>
  [[gnu::always_inline]] static void run(T* data, int64_t n, float scale, int* bad) {
    using C = ComputeType<T>;
    int any = 0;
    for (int64_t i = 0; i < n; ++i) {
      const C x = C(data[i]);
      any |= !(x - x == 0);  // inf and NaN
      data[i] = T(scale == 1 ? x : x * C(scale));
    }
    *bad |= any;
  }
};

constexpr auto unscale_gradients = [](TensorList self, const Tensor& found_inf, const Tensor& inv_scale) {
  if (self.count == 0) return;
  check(inv_scale.numel() == 1, "inv_scale must be a 1-element tensor.");
  check(found_inf.numel() == 1, messages::found_inf_must_have_one_element);
  check(inv_scale.dtype() == Dtype::float32, "inv_scale must be a float tensor.");
  check(found_inf.dtype() == Dtype::float32, messages::found_inf_must_be_float);
  const float scale = *inv_scale.data<float>();
  for (const Tensor& t : self) {
    const bool in_place = t.is_non_overlapping_and_dense();
    const Tensor x = in_place ? t : dense(t);
    dispatch_floating(t.dtype(), "_amp_foreach_non_finite_check_and_unscale_cpu", [&]<class T>(Type<T>) {
      const auto run = row_clone<UnscaleRow>(static_cast<void (*)(T*, int64_t, float, int*)>(&UnscaleRow::run<T>));
      int bad = 0;
      run(x.data<T>(), x.numel(), scale, &bad);
      if (bad) *found_inf.data<float>() = 1;
    });
    if (!in_place) copy_into(t, x);
  }
};

MT_OP(OpDef{
    .schema = {"_amp_foreach_non_finite_check_and_unscale_(Tensor(a!)[] self, Tensor(b!) found_inf, Tensor inv_scale) -> ()"},
    .forms = function,
    .doc = R"(Multiplies each tensor by `inv_scale` in place; notes in `found_inf` an element that is not finite.

``torch.amp.GradScaler`` uses it.)",
    .cpu = unscale_gradients,
    .npu = {"ForeachNonFiniteCheckAndUnscale"},
});

}  // namespace
}  // namespace mt
