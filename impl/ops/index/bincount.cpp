// bincount: how often each non-negative whole number occurs, or the sum of its weights.
#include <vector>
#include "rules/pointwise.h"
#include "rules/rows.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor"},
    .forms = function | method,
    .doc = "How often each non-negative whole number occurs, or the sum of its weights.",
    .cpu = [](const Tensor& self, const Tensor& weights, int64_t minlength) -> Tensor {
      check(minlength >= 0, "minlength should be >= 0");
      if (!is_integral(self.dtype())) not_implemented_for("bincount_cpu", self.dtype());
      check(self.dim() == 1, "bincount only supports 1-d non-negative integral inputs.");
      check(!weights.defined() || weights.numel() == self.numel(), "weights should be 1-d and have the same length as input");
      const Tensor x = dense_as(self, Dtype::int64);
      int64_t n = minlength;
      for (int64_t i = 0; i < x.numel(); ++i) {
        check(x.data<int64_t>()[i] >= 0, "bincount only supports 1-d non-negative integral inputs.");
        n = std::max(n, x.data<int64_t>()[i] + 1);
      }
      if (!weights.defined()) {
        Tensor out = empty({n}, Dtype::int64);
        std::fill_n(out.data<int64_t>(), n, 0);
        for (int64_t i = 0; i < x.numel(); ++i) ++out.data<int64_t>()[x.data<int64_t>()[i]];
        return out;
      }
      const Dtype d = weights.dtype() == Dtype::float32 ? Dtype::float32 : Dtype::float64;
      const Tensor w = dense_as(weights, Dtype::float64);
      std::vector<double> sums(size_t(n), 0);
      for (int64_t i = 0; i < x.numel(); ++i) sums[size_t(x.data<int64_t>()[i])] += w.data<double>()[i];
      Tensor out = empty({n}, d);
      for (int64_t i = 0; i < n; ++i) Scalar(sums[size_t(i)]).store(d, out.data<char>() + i * out.itemsize());
      return out;
    },
    .grad = not_differentiable,
});

MT_BATCH("bincount", batch_dynamic);

}  // namespace
}  // namespace mt
