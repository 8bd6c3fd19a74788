// _sample_dirichlet: points of the simplex: gamma samples divided by their sum.
#include "rules/random/sampling.h"

namespace mt {
namespace {

constexpr auto sample_dirichlet = [](const Tensor& self, Generator* generator) -> Tensor {
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (out.is_meta()) return out;
  if (self.dtype() != Dtype::float32 && self.dtype() != Dtype::float64) not_implemented_for("dirichlet", self.dtype());
  // In double, in which small shape parameters do not underflow.
  const Tensor shapes = dense_as(self, Dtype::float64), gammas = empty(self.sizes(), Dtype::float64);
  draw_into(gammas, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    for (int64_t i = 0; i < t.numel(); ++i)
      t.data<double>()[i] = std::max(draw_gamma<double>(shapes.data<double>()[i], engine), std::numeric_limits<double>::min());
  });
  BelowAutograd guard;
  const Tensor shares = gammas / (self.dim() ? op<"sum.dim_IntList">(gammas, IntList{-1}, true) : gammas);
  auto fill = [&]<class T>(Type<T>) {
    constexpr T least = std::numeric_limits<T>::min(), most = T(1) - std::numeric_limits<T>::epsilon() / 2;
    for (int64_t i = 0; i < out.numel(); ++i) out.data<T>()[i] = std::min(most, std::max(least, T(shares.data<double>()[i])));
  };
  self.dtype() == Dtype::float32 ? fill(Type<float>()) : fill(Type<double>());
  return out;
};

MT_OP(OpDef{
    .schema = {"_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor"},
    .forms = function,
    .doc = "Draws a point of the simplex for each row of concentrations; ``torch.distributions`` uses it.",
    .traits = MT_OP_RANDOM,
    .cpu = sample_dirichlet,
    .meta = sample_dirichlet,
});

}  // namespace
}  // namespace mt
