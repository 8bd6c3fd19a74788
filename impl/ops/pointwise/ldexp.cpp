// ldexp: self times a power of two.
#include <cmath>

#include "dispatch/out_words.h"
#include "rules/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto scaled = [](const Tensor& self, const Tensor& other) -> Tensor {
  BelowAutograd guard;
  return self * op<"pow">(Scalar(2.0), other);
};

MT_OP(OpDef{
    .schema = {"ldexp.Tensor(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "self * 2 ** other.",
    .cpu = scaled,
    .npu = {any_device},
    .meta = scaled,
    .grad = {wrt("self", [](Grad g, In<"other"> other) { return g * conj(op<"pow">(Scalar(2.0), other)); }),
             wrt("other", [](Grad g, Out<"result"> y) { return g * conj(y) * M_LN2; })},
});

MT_BATCH("ldexp", batch_aligned);

MT_OUT("ldexp", .converts = true);

}  // namespace
}  // namespace mt
