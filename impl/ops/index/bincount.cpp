// bincount: how often each non-negative whole number occurs, or the sum of its weights.
#include <vector>
#include "core/backend.h"
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
      if (!self.device().is_cpu()) {
        BelowAutograd guard;
        int64_t bins = minlength;
        if (self.numel()) {
          check(*on_host(op<"to.dtype">(op<"min">(self), Dtype::int64)).data<int64_t>() >= 0, "bincount only supports 1-d non-negative integral inputs.");
          bins = std::max(bins, *on_host(op<"to.dtype">(op<"max">(self), Dtype::int64)).data<int64_t>() + 1);
        }
        Tensor each = weights;
        if (!weights.defined()) each = op<"ones_like">(self, Dtype::int64);
        else if (weights.dtype() != Dtype::float32) each = op<"to.dtype">(weights, Dtype::float64);
        const Tensor zeros = op<"zeros">(IntList{bins}, each.dtype(), nullptr, self.device());
        return op<"scatter_add">(zeros, 0, op<"to.dtype">(self, Dtype::int64), each);
      }
      const Tensor x = dense_as(self, Dtype::int64);
      const int64_t *const at = x.data<int64_t>(), items = x.numel();
      int64_t n = minlength, lowest = 0;
      for (int64_t i = 0; i < items; ++i) {
        lowest = std::min(lowest, at[i]);
        n = std::max(n, at[i] + 1);
      }
      check(lowest >= 0, "bincount only supports 1-d non-negative integral inputs.");
      if (!weights.defined()) {
        Tensor out = empty({n}, Dtype::int64);
        int64_t* const counts = out.data<int64_t>();
        std::fill_n(counts, n, 0);
        for (int64_t i = 0; i < items; ++i) ++counts[at[i]];
        return out;
      }
      const Dtype d = weights.dtype() == Dtype::float32 ? Dtype::float32 : Dtype::float64;
      const Tensor w = dense_as(weights, Dtype::float64);
      std::vector<double> sums(size_t(n), 0);
      double* const to = sums.data();
      const double* const add = w.data<double>();
      for (int64_t i = 0; i < items; ++i) to[at[i]] += add[i];
      Tensor out = empty({n}, d);
      for (int64_t i = 0; i < n; ++i) Scalar(sums[size_t(i)]).store(d, out.data<char>() + i * out.itemsize());
      return out;
    },
    .npu = {any_device},
});

MT_BATCH("bincount", batch_dynamic);

}  // namespace
}  // namespace mt
