// isin, bincount, searchsorted, bucketize: where values are among others.
#include <vector>
#include "rules/pointwise.h"
#include "rules/rows.h"

namespace mt {
namespace {

constexpr auto contained = [](const Tensor& elements, const Tensor& tests, bool, bool invert) -> Tensor {
  BelowAutograd guard;
  Tensor hits = op<"any.dim">(op<"eq">(op<"unsqueeze">(elements, -1), op<"reshape">(tests, IntList{-1})), -1);
  if (tests.numel() == 0) hits = op<"zeros">(elements.sizes(), Dtype::boolean, nullptr, elements.device());
  return invert ? op<"logical_not">(hits) : hits;
};
MT_OP(OpDef{
    .schema = {"isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
               "isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor",
               "isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor"},
    .forms = function | out,
    .doc = "Whether each element is among the test elements.",
    .cpu = contained,
    .meta = contained,
    .grad = not_differentiable,
    .overloads = {overload("Tensor_Scalar", {.cpu = [](const Tensor& e, const Value& t, bool u, bool invert) -> Tensor { return contained(e, detail::tensor_of(t), u, invert); },
                                             .meta = [](const Tensor& e, const Value& t, bool u, bool invert) -> Tensor { return contained(e, detail::tensor_of(t), u, invert); }}),
                  overload("Scalar_Tensor", {.cpu = [](const Value& e, const Tensor& t, bool u, bool invert) -> Tensor { return contained(detail::tensor_of(e), t, u, invert); }})},
});

MT_OP(OpDef{
    .schema = {"bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor"},
    .forms = function | method,
    .doc = "How often each non-negative whole number occurs, or the sum of its weights.",
    .cpu = [](const Tensor& self, const Tensor& weights, int64_t minlength) -> Tensor {
      check(minlength >= 0, "minlength should be >= 0");
      check(self.dim() == 1, "bincount only supports 1-d non-negative integral inputs.");
      check(is_integral(self.dtype()), "bincount only supports 1-d non-negative integral inputs.");
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

constexpr auto searched = [](const Tensor& sorted, const Tensor& values, bool out_int32, bool right, std::optional<Text> side, const Tensor& sorter) -> Tensor {
  if (side) {
    check(*side == "left" || *side == "right", "torch.searchsorted(): side can only be 'left' or 'right' but got {}", text_arg(*side));
    check(!(*side == "left" && right), "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True");
    right = *side == "right";
  }
  check(sorted.dim() == 1 || sorted.dim() == values.dim(), "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor {} and input value tensor {}",
        sorted.sizes(), values.sizes());
  Tensor out = empty(values.sizes(), out_int32 ? Dtype::int32 : Dtype::int64, values.device());
  if (out.is_meta() || out.numel() == 0) return out;
  Tensor order = sorted;
  if (sorter.defined()) {
    BelowAutograd guard;
    order = op<"gather">(sorted, -1, sorter);
  }
  const Tensor both[] = {order, values};
  const Dtype d = result_type(both, 2);
  const Tensor b = dense_as(order, d), v = dense_as(values, d);
  const int64_t n = b.size(-1), width = sorted.dim() == 1 ? v.numel() : v.size(-1), rows = width ? v.numel() / width : 0;
  dispatch_real(d, "searchsorted_out_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    for_rows(rows, width, [&](int64_t r) {
      const T* from = b.data<T>() + (sorted.dim() == 1 ? 0 : r * n);
      for (int64_t i = 0; i < width; ++i) {
        const C x = C(v.data<T>()[r * width + i]);
        int64_t low = 0, high = n;
        while (low < high) {  // NaN sorts last
          const int64_t mid = low + (high - low) / 2;
          const C m = C(from[mid]);
          if (right ? !(m > x) : !(m >= x)) low = mid + 1;
          else high = mid;
        }
        if (out_int32) out.data<int32_t>()[r * width + i] = int32_t(low);
        else out.data<int64_t>()[r * width + i] = low;
      }
    });
  });
  return out;
};
MT_OP(OpDef{
    .schema = {"searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
               "searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor"},
    .forms = function | out,
    .doc = "Where each value would be inserted to keep the order.",
    .cpu = searched,
    .meta = searched,
    .grad = not_differentiable,
    .overloads = {overload("Scalar", {.cpu = [](const Tensor& s, const Value& v, bool i, bool r, std::optional<Text> side, const Tensor& sorter) -> Tensor {
      return searched(s, detail::tensor_of(v), i, r, side, sorter);
    }})},
});
MT_OP(OpDef{
    .schema = {"bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
               "bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor"},
    .forms = function | out,
    .doc = "The interval between boundaries that each value lies in.",
    .cpu = [](const Value& self, const Tensor& boundaries, bool out_int32, bool right) -> Tensor {
      check(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim({})", boundaries.dim());
      return searched(boundaries, detail::tensor_of(self), out_int32, right, std::nullopt, Tensor());
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
