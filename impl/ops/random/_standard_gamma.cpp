// _standard_gamma: gamma samples of scale 1 with the shape parameters in a tensor.
#include "rules/random/sampling.h"

namespace mt {
namespace {

constexpr auto sample_standard_gamma = [](const Tensor& self, Generator* generator) -> Tensor {
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (out.is_meta()) return out;
  if (self.dtype() != Dtype::float32 && self.dtype() != Dtype::float64) not_implemented_for("gamma_cpu", self.dtype());
  const Tensor shapes = dense(self);
  draw_into(out, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    auto fill = [&]<class T>(Type<T>) {
      for (int64_t i = 0; i < t.numel(); ++i)  // never zero, since its logarithm is used
        t.data<T>()[i] = std::max(T(draw_gamma<T>(shapes.data<T>()[i], engine)), std::numeric_limits<T>::min());
    };
    t.dtype() == Dtype::float32 ? fill(Type<float>()) : fill(Type<double>());
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"_standard_gamma(Tensor self, Generator? generator=None) -> Tensor"},
    .forms = function,
    .doc = R"(Draws a gamma number of scale 1 for each shape parameter; ``torch.distributions.Gamma`` uses it.

The result is differentiable by the shape parameter, by implicit reparameterisation.)",
    .traits = MT_OP_RANDOM,
    .cpu = sample_standard_gamma,
    .meta = sample_standard_gamma,
    .grad = {wrt("self", [](Grad g, In<"self"> alpha, Out<"result"> y) { return g * op<"_standard_gamma_grad">(alpha, y); })},
});

}  // namespace
}  // namespace mt
