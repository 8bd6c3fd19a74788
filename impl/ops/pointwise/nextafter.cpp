// nextafter: the next number after `self` towards `other`.
#include <bit>

#include "core/half.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto next = [](auto a, auto b) { return std::nextafter(a, b); };
// Half types compute in float, where the next number is a nearer one: these step in the 16 bits.
template <class H>
constexpr auto next_half = [](float a, float b) {
  if (a != a || b != b) return float(__builtin_nanf(""));
  if (a == b) return b;
  if (a == 0) return float(std::bit_cast<H>(uint16_t(b > 0 ? 1 : 0x8001)));
  const auto bits = std::bit_cast<uint16_t>(H(a));
  return float(std::bit_cast<H>(uint16_t((a < b) == (a > 0) ? bits + 1 : bits - 1)));
};

constexpr Dtypes single_and_double{dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64)};

MT_OP(OpDef{
    .schema = {"nextafter(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The next number after `self` towards `other`.",
    .rule = pointwise(promoting),
    .cpu = choose([](const Call& c) {
      const Tensor both[] = {Unbox<Tensor>::from(c.args[0]), Unbox<Tensor>::from(c.args[1])};
      switch (result_type(both, 2)) {
        case Dtype::float16: return kernel_of<next_half<Half>, 2, Dtypes(dtype_bit(Dtype::float16))>("nextafter_cpu");
        case Dtype::bfloat16: return kernel_of<next_half<BFloat16>, 2, Dtypes(dtype_bit(Dtype::bfloat16))>("nextafter_cpu");
        default: return kernel_of<next, 2, single_and_double>("nextafter_cpu");
      }
    }),
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }), wrt("other", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
