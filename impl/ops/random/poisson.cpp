// poisson: counts with the rates that a tensor gives.
#include "rules/sampling.h"

namespace mt {
namespace {

constexpr auto draw = [](const Tensor& self, Generator* generator) -> Tensor {
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (out.is_meta()) return out;
  const Tensor rates = dense(self);
  draw_into(out, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(t.dtype(), "poisson_cpu", [&]<class T>(Type<T>) {
      using C = ComputeType<T>;
      for (int64_t i = 0; i < t.numel(); ++i) t.data<T>()[i] = T(C(draw_poisson(double(C(rates.data<T>()[i])), engine)));
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"poisson(Tensor self, Generator? generator=None) -> Tensor"},
    .forms = function,
    .doc = "A Poisson number for each rate.",
    .traits = MT_OP_RANDOM,
    .cpu = draw,
    .meta = draw,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
