// _fft_r2c: the forward transform of real numbers. Half of the elements of the last transformed dimension determine the others.
#include "core/messages.h"
#include "rules/fft/fft.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

// All dimensions but the last by descending strides, then the last.
Dims transform_order_of_dims(const Tensor& self, IntList dim) {
  Dims order = fft_order(self.strides(), IntList(dim.data, dim.size() - 1));
  order.push_back(dim.back());
  return order;
}

constexpr auto infer_fft_r2c_shape = [](Specs& out, const Tensor& self, IntList dim, int64_t, bool onesided) {
  check(is_floating(self.dtype()), "Only supports floating-point dtypes, but found: {}", self.dtype());
  check(!dim.empty(), "_fft_r2c needs at least one dimension");
  check(!is_half(self.dtype()), messages::fft_dtype_unsupported, self.dtype());
  for (int64_t d : dim) check(d >= 0 && d < self.dim(), ErrorKind::index, messages::dimension_out_of_range_from_zero, self.dim() - 1, d);
  check(
      self.size(dim.back()) != 0,
      "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be any value and is ambiguous");
  Dims sizes(self.sizes());
  if (onesided) sizes[dim.back()] = sizes[dim.back()] / 2 + 1;
  out.add_strided(sizes, fft_result_strides(sizes, self.strides(), transform_order_of_dims(self, dim)), complex_of(self.dtype()));
};

// to[j] = conjugate of from[-j].
template <class R>
struct MirrorConjugateRow {
  static void run(const R* __restrict from, R* __restrict to, int64_t n) {
    if constexpr (sizeof(R) == 4) {
      constexpr uint64_t sign = uint64_t{1} << 63;  // of the second float
      for (int64_t j = 0; j < n; ++j) {
        uint64_t pair;
        std::memcpy(&pair, from - 2 * j, sizeof pair);
        pair ^= sign;
        std::memcpy(to + 2 * j, &pair, sizeof pair);
      }
    } else {
      for (int64_t j = 0; j < n; ++j) to[2 * j] = from[-2 * j], to[2 * j + 1] = -from[-2 * j + 1];
    }
  }
};
// The other half along `last`: the conjugates of mirrored elements, mirrored along all of `dim`.
void fill_conjugate_half(const Tensor& out, IntList dim, int64_t last) {
  BelowAutograd guard;
  const int64_t n = out.size(last), half = n / 2 + 1;
  if (half >= n) return;
  if (dim.size() == 1 && last == out.dim() - 1 && out.is_contiguous())
    return dispatch_floating(real_of(out.dtype()), "fft", [&]<class R>(Type<R>) {
      if constexpr (std::is_floating_point_v<R>) {
        static const auto mirror = row_clone<MirrorConjugateRow<R>>(MirrorConjugateRow<R>::run);
        R* const rows = static_cast<R*>(out.data());
        cpu::parallel_for(0, out.numel() / n, std::max<int64_t>(1, 32768 / n), [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) mirror(rows + 2 * (r * n + n - half), rows + 2 * (r * n + half), n - half);
        });
      }
    });
  Tensor source = op<"narrow">(out, last, 1, n - half);
  Dims flips{last};
  for (int64_t d : dim) {
    if (d == last || out.size(d) < 2) continue;
    // Element 0 is its own mirror image: after the flip it is rolled back to the front.
    source = op<"roll">(op<"flip">(source, IntList{d}), IntList{1}, IntList{d});
  }
  op<"copy_">(op<"narrow">(out, last, half, n - half), op<"conj_physical">(op<"flip">(source, IntList(flips))));
}

constexpr auto compute_fft_r2c = [](const Tensor& self, IntList dim, int64_t norm, bool onesided, Tensor& out) {
  if (out.numel() == 0) return;
  const Dims order = transform_order_of_dims(self, dim);
  const int64_t last = order.back();
  Tensor half = out;
  if (!onesided) {
    BelowAutograd guard;
    half = op<"narrow">(out, last, 0, self.size(last) / 2 + 1);
  }
  fft_along(FftKind::real, self, half, last, self.size(last), true, fft_scale(norm, self.sizes(), dim));
  for (int64_t i = order.size() - 2; i >= 0; --i) fft_along(FftKind::complex, half, half, order[i], half.size(order[i]), true, 1);
  if (!onesided) fill_conjugate_half(out, dim, last);
};

MT_OP(OpDef{
    .schema = {"_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the forward transform of real numbers along `dim`.

With `onesided` the half of the last dimension that the other half implies is left out.
torch.fft's rfft and fft use it.)",
    .rule = structured(infer_fft_r2c_shape),
    .cpu = compute_fft_r2c,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", IntList> dim, In<"normalization", int64_t> norm, In<"onesided", bool> onesided) {
                   Tensor full = g;
                   const int64_t last = (*dim).back(), ndim = g.dim();
                   if (*onesided && self.sizes[last] > g.size(last)) {
                     Dims pad(2 * (ndim - last));
                     pad.back() = self.sizes[last] - g.size(last);
                     full = op<"constant_pad_nd">(full, IntList(pad), 0);
                   }
                   return op<"real">(op<"_fft_c2c">(full, *dim, *norm, false));
                 })},
    .grad_name = "FftR2CBackward0",
    .out_policy = OutPolicy{},  // a resized out= becomes contiguous
});

}  // namespace
}  // namespace mt
