// histc: counts elements in equal bins between `min` and `max` (between the smallest and largest element if both are equal).
#include <algorithm>
#include <cmath>

#include "core/messages.h"
#include "cpu/copy/convert.h"
#include "rules/form/checked.h"
#include "rules/form/exact_out.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

void check_result_dtype(const Call& call) {
  if (call.op.form != Form::out) return;
  const Dtype input = Unbox<Tensor>::from(call.args[0]).dtype(), out = Unbox<Tensor>::from(call.args[call.op.n_args - 1]).dtype();
  check(input == out, "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {} and hist {}",
        ScalarName(input), ScalarName(out));
}

MT_OP(OpDef{
    .schema = {"histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Counts how many elements fall into each of `bins` equal bins between `min` and `max`.

Bins contain their left edge, the last one both. Elements outside, and NaN, are not counted. If
`min` equals `max` the smallest and the largest element take their part, and if they are equal as
well, 1 less and 1 more. There is no gradient.

Args:
    self (Tensor): any shape; floating.
    bins (int): how many bins, at least 1. Default: ``100``.
    min, max (number): the ends. Default: ``0``.

Returns:
    Tensor: ``(bins,)``, the counts in the dtype of `self`.

Raises:
    RuntimeError: when `max` is below `min`, or an end is not finite.

Example:
    >>> torch.histc(torch.tensor([0.5, 1.5, 1.7, 9.0]), bins=3, min=0, max=3)
    tensor([1., 2., 0.]))",
    .rule = rule_after_check(check_result_dtype, structured_exact([](Specs& out, const Tensor& self, int64_t bins, Scalar, Scalar) {
                               check(bins > 0, messages::histogram_bins_must_be_positive, bins);
                               out.add({bins}, self.dtype());
                             })),
    .cpu =
        [](const Tensor& self, int64_t bins, Scalar min, Scalar max, Tensor& out) {
          BelowAutograd guard;
          const Tensor values = dense(self);
          min.check_fits(Dtype::float64), max.check_fits(Dtype::float64);
          double low = min.to_double(), high = max.to_double();
          if (is_complex(self.dtype())) not_implemented_for("histogram_cpu", self.dtype());
          if (self.dtype() == Dtype::boolean) not_implemented_for("linspace_cpu", self.dtype());
          if (low == high && self.numel() > 0) {
            const auto ends = op<"aminmax", Tensors<2>>(values);
            low = Scalar::load(self.dtype(), ends[0].data()).to_double(), high = Scalar::load(self.dtype(), ends[1].data()).to_double();
          }
          if (low == high) low -= 1, high += 1;
          check(std::isfinite(low) && std::isfinite(high), "torch.histc: range of [{}, {}] is not finite", low, high);
          check(low < high, "torch.histc: max must be larger than min");
          dispatch_floating(self.dtype(), "histogram_cpu", [&]<class T>(Type<T>) {
            using C = ComputeType<T>;
            const C first = C(T(low)), last = C(T(high));
            const T* x = values.data<T>();
            const Tensor table = empty({bins}, Dtype::int64);
            int64_t* const counts = table.data<int64_t>();
            std::fill_n(counts, bins, 0);
            const C many = C(T(C(bins))), range = C(T(last - first));
            // Each step rounds to the element type, as in torch's kernel for half types.
            const cpu::Conversion widen(compute_dtype(self.dtype()), self.dtype()), narrow(self.dtype(), compute_dtype(self.dtype()));
            constexpr int64_t tile = 256;
            C wide[tile], place[tile];
            T rounded[tile];
            auto round = [&](C* numbers, int64_t count) {
              if constexpr (!std::is_same_v<T, C>) {
                narrow(rounded, sizeof(T), numbers, sizeof(C), count);
                widen(numbers, sizeof(C), rounded, sizeof(T), count);
              }
            };
            for (int64_t begin = 0; begin < values.numel(); begin += tile) {
              const int64_t count = std::min(tile, values.numel() - begin);
              widen(wide, sizeof(C), x + begin, sizeof(T), count);
              for (int64_t i = 0; i < count; ++i) place[i] = wide[i] - first;
              round(place, count);
              for (int64_t i = 0; i < count; ++i) place[i] *= many;
              round(place, count);
              for (int64_t i = 0; i < count; ++i) place[i] /= range;
              round(place, count);
              for (int64_t i = 0; i < count; ++i)
                if (wide[i] >= first && wide[i] <= last) ++counts[std::min(int64_t(place[i]), bins - 1)];
            }
            for (int64_t b = 0; b < bins; ++b) out.data<T>()[b] = T(C(counts[b]));
          });
        },
    .npu = {"Histc"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
