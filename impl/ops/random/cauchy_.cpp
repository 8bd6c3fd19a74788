// cauchy_ and cauchy: numbers from the Cauchy distribution.
#include "rules/random/random.h"

namespace mt {
namespace {

// The name of the dtype's C++ type, which torch prints in this error message only.
const char* type_name(Dtype dtype) {
  switch (dtype) {
    case Dtype::uint8: return "unsigned char";
    case Dtype::int8: return "signed char";
    case Dtype::int16: return "short int";
    case Dtype::int32: return "int";
    case Dtype::int64: return "long int";
    case Dtype::complex64: return "c10::complex<float>";
    case Dtype::complex128: return "c10::complex<double>";
    default: return "bool";
  }
}

constexpr auto cauchy_in_place = [](const Tensor& self, double median, double sigma, Generator* generator) {
  check(sigma > 0, "cauchy_ expects sigma > 0.0, but found sigma={}", sigma);
  check(is_floating(self.dtype()),
        "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you specified {}",
        type_name(self.dtype()));
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(t.dtype(), "cauchy", [&]<class T>(Type<T>) { cpu::fill_cauchy<T>(engine, t.data<T>(), t.numel(), median, sigma); });
  });
};
MT_OP(OpDef{
    .schema = {"cauchy_(Tensor(a!) self, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Fills `self` with numbers of the Cauchy distribution, in place.

The density is ``sigma / (pi ((x - median)^2 + sigma^2))``; it has no mean. The numbers come from
the generator's stream, so a seed gives the same ones on every run.

Args:
    self (Tensor): tensor to fill; a floating dtype.
    median (float): middle. Default: ``0``.
    sigma (float): half of the width at half of the height; positive. Default: ``1``.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `sigma` is not positive or the dtype is not a floating one.

Example:
    >>> g = torch.Generator().manual_seed(0)
    >>> torch.empty(100).cauchy_(generator=g).isfinite().all()
    tensor(True))",
    .traits = MT_OP_RANDOM,
    .cpu = cauchy_in_place,
    .meta = cauchy_in_place,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

constexpr auto sample_cauchy_like = filled_like<cauchy_in_place, double, double>;
MT_OP(OpDef{
    .schema = {"cauchy(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a tensor like `self` filled with numbers of the Cauchy distribution.",
    .traits = MT_OP_RANDOM,
    .cpu = sample_cauchy_like,
    .meta = sample_cauchy_like,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
