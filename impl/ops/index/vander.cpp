// vander: powers of a vector's elements, one column each.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"vander(Tensor x, int? N=None, bool increasing=False) -> Tensor"},
    .forms = function,
    .doc = "Powers of a vector's elements, one column each, from the highest down.",
    .composite = [](const Tensor& x, std::optional<int64_t> count, bool increasing) -> Tensor {
      check(x.dim() == 1, "x must be a one-dimensional tensor.");
      const int64_t n = count ? *count : x.size(0);
      check(n >= 0, "N must be non-negative.");
      const Tensor base = is_integral(x.dtype(), true) ? op<"to.dtype">(x, Dtype::int64) : x;
      Tensor powers = op<"ones">(IntList{x.size(0), n < 1 ? 0 : 1}, base.dtype(), nullptr, x.device());
      if (n > 1) {
        const Tensor repeated = op<"expand">(op<"unsqueeze">(base, 1), IntList{x.size(0), n - 1});
        powers = op<"cat">(std::vector<Tensor>{powers, op<"cumprod">(repeated, 1)}, 1);
      }
      return increasing ? powers : op<"flip">(powers, IntList{1});
    },
});

}  // namespace
}  // namespace mt
