// normal_: fills with normal numbers.
#include "rules/random.h"
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto fill = [](const Tensor& self, double mean, double std, Generator* generator) {
  fill_with_normal_numbers(self, mean, std, generator);
};
MT_OP(OpDef{
    .schema = {"normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = "Fills with normal numbers of the given mean and standard deviation.",
    .traits = MT_OP_RANDOM,
    .cpu = fill,
    .npu = {"InplaceNormal(self, mean:float, std:float, seed, offset)"},
    .meta = fill,
    .compressed = [](const Tensor& self, double mean, double std, Generator* generator) -> Tensor {
      fill_with_normal_numbers(parts_of(self).values, mean, std, generator);
      return self;
    },
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
