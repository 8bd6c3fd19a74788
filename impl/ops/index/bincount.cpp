// bincount: how often each non-negative integer occurs, or the sum of its weights.
#include <algorithm>

#include "core/backend.h"
#include "core/messages.h"
#include "cpu/copy/convert.h"
#include "rules/pointwise/pointwise.h"
#include "rules/reduction/rows.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor"},
    .forms = function | method,
    .doc = R"(Counts how often each non-negative integer occurs, or sums its weights.

Element k of the result is the number of elements of `self` that are k, or the sum of their
`weights`. Sums run in float64 in the order of `self`, so they are the same on every run. It is not
differentiable.

Args:
    self (Tensor): vector of non-negative integers.
    weights (Tensor, optional): a weight for each element. Default: ``None``, each counts 1.
    minlength (int): smallest length of the result. Default: ``0``.

Returns:
    Tensor: vector of ``max(self.max() + 1, minlength)`` elements; int64 without weights, float32
    for float32 weights, otherwise float64.

Raises:
    RuntimeError: when `self` is not a vector of non-negative integers, or `weights` has another
        number of elements.

Example:
    >>> torch.bincount(torch.tensor([1, 1, 3]))
    tensor([0, 2, 0, 1])
    >>> torch.bincount(torch.tensor([1, 1, 3]), torch.tensor([0.5, 0.5, 2.0]))
    tensor([0., 1., 0., 2.]))",
    .cpu = [](const Tensor& self, const Tensor& weights, int64_t minlength) -> Tensor {
      check(minlength >= 0, "minlength should be >= 0");
      if (!is_integral(self.dtype())) not_implemented_for("bincount_cpu", self.dtype());
      check(self.dim() == 1, messages::bincount_needs_nonnegative_vector);
      check(!weights.defined() || weights.numel() == self.numel(), "weights should be 1-d and have the same length as input");
      if (!self.device().is_cpu()) {
        BelowAutograd guard;
        int64_t bins = minlength;
        if (self.numel()) {
          check(*on_host(op<"to.dtype">(op<"min">(self), Dtype::int64)).data<int64_t>() >= 0, messages::bincount_needs_nonnegative_vector);
          bins = std::max(bins, *on_host(op<"to.dtype">(op<"max">(self), Dtype::int64)).data<int64_t>() + 1);
        }
        Tensor each = weights;
        if (!weights.defined())
          each = op<"ones_like">(self, Dtype::int64);
        else if (weights.dtype() != Dtype::float32)
          each = op<"to.dtype">(weights, Dtype::float64);
        const Tensor zeros = op<"zeros">(IntList{bins}, each.dtype(), nullptr, self.device());
        return op<"scatter_add">(zeros, 0, op<"to.dtype">(self, Dtype::int64), each);
      }
      const int64_t items = self.numel();
      int64_t n = minlength;
      if (items) {
        BelowAutograd guard;
        const auto ends = op<"aminmax", Tensors<2>>(self);
        check(Scalar::load(self.dtype(), ends[0].data()).to_int() >= 0, messages::bincount_needs_nonnegative_vector);
        n = std::max(n, Scalar::load(self.dtype(), ends[1].data()).to_int() + 1);
      }
      if (!weights.defined()) {
        Tensor out = empty({n}, Dtype::int64);
        int64_t* const counts = out.data<int64_t>();
        std::fill_n(counts, n, 0);
        // For few bins, four neighbours are counted in separate tables, so that equal neighbours do not wait for each other's increments.
        constexpr int64_t few = 1024, piece = 1024;
        const bool apart = n <= few && items >= 4 * n && items < int64_t(1) << 31;
        int32_t tables[4][few];
        if (apart)
          for (auto& table : tables) std::fill_n(table, n, 0);
        const cpu::Conversion convert(Dtype::int64, self.dtype());
        const int64_t step = items > 1 ? self.stride(0) * self.itemsize() : self.itemsize();
        for (int64_t begin = 0; begin < items; begin += piece) {
          int64_t at[piece], i = 0;
          const int64_t count = std::min(piece, items - begin);
          convert(at, 8, self.data<char>() + begin * step, step, count);
          for (; apart && i + 4 <= count; i += 4)
            for (int t = 0; t < 4; ++t) ++tables[t][at[i + t]];
          for (; i < count; ++i) ++counts[at[i]];
        }
        for (int64_t b = 0; apart && b < n; ++b) counts[b] += int64_t(tables[0][b]) + tables[1][b] + tables[2][b] + tables[3][b];
        return out;
      }
      const Tensor x = dense_as(self, Dtype::int64);
      const int64_t* const at = x.data<int64_t>();
      const Dtype d = weights.dtype() == Dtype::float32 ? Dtype::float32 : Dtype::float64;
      const Tensor w = dense_as(weights, Dtype::float64);
      Tensor out = empty({n}, d);
      const Tensor sums = d == Dtype::float64 ? out : empty({n}, Dtype::float64);
      double* const to = sums.data<double>();
      std::fill_n(to, n, 0.0);
      const double* const add = w.data<double>();
      for (int64_t i = 0; i < items; ++i) to[at[i]] += add[i];
      if (d != Dtype::float64) copy_into(out, sums);
      return out;
    },
    .npu = {any_device},
    .batch = batch_dynamic,
});

}  // namespace
}  // namespace mt
