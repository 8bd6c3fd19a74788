// _aminmax: the older form of aminmax, with positional arguments.
#include "core/warn_once.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

using Dim = std::optional<int64_t>;

void warn_deprecated(std::atomic<bool>& given) {
  warn_once(given,
            "_aminmax is deprecated as of PyTorch 1.11 and will be removed in a future release. Use aminmax instead. "
            "This warning will only appear once per process.");
}

constexpr auto aminmax_of_all = [](const Tensor& self) -> Tensors<2> {
  static std::atomic<bool> given;
  warn_deprecated(given);
  BelowAutograd guard;
  return op<"aminmax", Tensors<2>>(self, Dim(), false);
};
constexpr auto aminmax_of_dim = [](const Tensor& self, int64_t dim, bool keepdim) -> Tensors<2> {
  static std::atomic<bool> given;
  warn_deprecated(given);
  BelowAutograd guard;
  return op<"aminmax", Tensors<2>>(self, Dim(dim), keepdim);
};

MT_OP(OpDef{
    .schema = {"_aminmax(Tensor self) -> (Tensor, Tensor)", "_aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes the smallest and the largest element, of all or along `dim`.

It is aminmax's older, deprecated name.)",
    .overloads = {overload("", {.cpu = aminmax_of_all, .meta = aminmax_of_all}),
                  overload("dim", {.cpu = aminmax_of_dim, .meta = aminmax_of_dim})},
});

}  // namespace
}  // namespace mt
