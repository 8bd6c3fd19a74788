// _fused_rms_norm: rows divided by their root mean square, and the factors used.
#include "rules/form/unwatched.h"
#include "rules/nn/layer_norm.h"
#include "rules/reduction/reduction.h"

namespace mt {
namespace {

template <class C>
struct SquareSum : SumReducer<C> {
  template <class In>
  static void step(C& acc, const In& v, int64_t) {
    acc = acc + v * v;
  }
};

// Normalises one row, with the same bits as the composite body of this operator: squares are summed in the order in which `mean` sums them.
template <class C>
struct RmsNormRow {
  static void run(const C* x, const C* weight, C* out, C* factor, int64_t n, double eps) {
    const SquareSum<C> squares;
    WideOf<C> total = 0;
    for (int64_t i = 0; i < n; i += fold_block) total += detail::fold_dense<SquareSum<C>, C>(x + i, std::min(fold_block, n - i), squares);
    const C f = C(1) / std::sqrt(C(total / WideOf<C>(n)) + C(eps));
    *factor = f;
    if (weight)
      for (int64_t i = 0; i < n; ++i) out[i] = x[i] * f * weight[i];
    else
      for (int64_t i = 0; i < n; ++i) out[i] = x[i] * f;
  }
};

// Whether to use RmsNormRow. A single row is left to the composite body, whose operators split it between threads.
bool can_normalise_rows(const Tensor& input, const Tensor& weight, int64_t n) {
  return has_no_observers({&input, &weight}) && is_floating(input.dtype()) && !is_float8(input.dtype()) && input.numel() > n &&
         input.is_contiguous() && (!weight.defined() || (weight.dtype() == input.dtype() && weight.is_contiguous()));
}

Tensors<2> normalise_rows(const Tensor& input, int64_t n, const Tensor& weight, double eps, const Dims& factor_sizes) {
  const Dtype wide = compute_dtype(input.dtype());
  const Tensor out = empty(input.sizes(), input.dtype()), factor = empty(factor_sizes, wide), w = dense_as(weight, wide);
  dispatch_floating(input.dtype(), "rms_norm", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const C* const wp = w.defined() ? w.template data<C>() : nullptr;
    const auto row = row_clone<RmsNormRow<C>>(RmsNormRow<C>::run);
    cpu::for_row_pieces(factor.numel(), n * 2, [&](int64_t begin, int64_t end) {
      cpu::ConvertedRows<T> converted(input.dtype(), n, 1);
      for (int64_t r = begin; r < end; ++r) {
        T* const to = out.template data<T>() + r * n;
        const C* const x = converted.read(input.template data<T>() + r * n, 0);
        row(x, wp, converted.result(to, 0), factor.template data<C>() + r, n, eps);
        converted.write(to, 0);
      }
    });
  });
  return {{out, factor}};
}

MT_OP(OpDef{
    .schema = {"_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes ``x * r * weight`` with ``r = 1 / sqrt(mean(x^2) + eps)`` over the last dimensions, and r.

r is float32 at least. ``torch.rms_norm`` calls it.)",
    .composite = [](const Tensor& input, IntList shape, const Tensor& weight, std::optional<double> eps) -> Tensors<2> {
      check_normalized_shape(input, shape, weight, Tensor(), true);
      Dims dims, factor_sizes(input.sizes());
      for (int64_t i = input.dim() - shape.size(); i < input.dim(); ++i) dims.push_back(i), factor_sizes[i] = 1;
      const Dtype wide = compute_dtype(input.dtype());
      const double e = eps.value_or(wide == Dtype::float64 ? 2.220446049250313e-16 : 1.1920928955078125e-07);
      if (const int64_t n = product(shape); can_normalise_rows(input, weight, n)) return normalise_rows(input, n, weight, e, factor_sizes);
      const Tensor x = wide == input.dtype() ? Tensor(input) : op<"to.dtype">(input, wide);
      const Tensor factor = op<"rsqrt">(op<"add_">(op<"mean.dim">(op<"pow.Tensor_Scalar">(x, 2), dims, true), e));
      Tensor y = x * factor;
      if (weight.defined()) y = y * weight;
      y = op<"contiguous">(y, input.suggested_memory_format());
      return {{y.dtype() == input.dtype() ? y : op<"to.dtype">(y, input.dtype()), factor}};
    },
});

}  // namespace
}  // namespace mt
