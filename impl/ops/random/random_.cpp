// random_: fills with whole numbers from [from, to), or over the dtype's range.
#include "rules/whole_numbers.h"

namespace mt {
namespace {

constexpr auto in_range = [](const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator) {
  fill_with_whole_numbers(self, from, to, generator);
};
constexpr auto whole_range = [](const Tensor& self, Generator* generator) { fill_with_whole_numbers(self, generator); };

MT_OP(OpDef{
    .schema = {"random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)",
               "random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)",
               "random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = "Fills with whole numbers from [from, to), or over the dtype's range.",
    .traits = MT_OP_RANDOM,
    .cpu = in_range,
    .npu = {"InplaceRandom"},
    .meta = in_range,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
    .overloads = {overload("to", {.cpu = [](const Tensor& self, int64_t to, Generator* g) { in_range(self, 0, to, g); },
                                  .npu = {"InplaceRandom(self, 0, to, seed, offset)"},
                                  .meta = [](const Tensor&, int64_t, Generator*) {},
                                  .grad_name = "RandomBackward1"}),
                  overload("", {.cpu = whole_range, .meta = whole_range, .grad_name = "RandomBackward2"})},
});

}  // namespace
}  // namespace mt
