// cumsum: running sums along a dimension.
#include "dispatch/autocast.h"
#include "rules/checked.h"
#include "rules/scan.h"
#include "rules/wide_rows.h"

namespace mt {
namespace {

// Dense lines' running sums in C, four places at a time: the chain of dependent steps has a quarter of a line's length.
template <class T, class C>
struct RunningSums {
  static void run(const T* in, T* out, int64_t n, int64_t lines) {
    for (; lines > 0; --lines, in += n, out += n) line(in, out, n);
  }
  [[gnu::always_inline]] static void line(const T* in, T* out, int64_t n) {
    typedef T Four __attribute__((vector_size(4 * sizeof(T)), aligned(alignof(T)), may_alias));
    typedef C Sums __attribute__((vector_size(4 * sizeof(C))));
    const Sums zero = {};
    Sums total = {};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      Sums v = __builtin_convertvector(*reinterpret_cast<const Four*>(in + i), Sums);
      v += __builtin_shufflevector(zero, v, 0, 4, 5, 6);
      v += __builtin_shufflevector(zero, v, 0, 0, 4, 5);
      *reinterpret_cast<Four*>(out + i) = __builtin_convertvector(total + v, Four);
      total += __builtin_shufflevector(v, v, 3, 3, 3, 3);
    }
    for (C sum = total[0]; i < n; ++i) out[i] = T(sum = sum + C(in[i]));
  }
};

template <class T>
void sum_rows(const Tensor& self, const Tensor& out) {
  using C = ComputeType<T>;
  using Sums = RunningSums<C, std::conditional_t<std::is_same_v<T, float>, double, C>>;
  const int64_t n = self.dim() ? self.size(-1) : 1;
  const auto row = row_clone<Sums>(Sums::run);
  for_row_pieces(self.numel() / n, n, [&](int64_t begin, int64_t end) {
    WideRows<T> wide(self.dtype(), n, 1);
    const int64_t together = wide.converts ? 1 : end - begin;
    for (int64_t r = begin; r < end; r += together) {
      T* to = out.data<T>() + r * n;
      row(wide.read(self.data<T>() + r * n, 0), wide.result(to, 0), n, together);
      wide.write(to, 0);
    }
  });
}

MT_OP(OpDef{
    .schema = {"cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "Running sums along `dim`; integers in int64.",
    .rule = in_dtype_of_target(structured([](Specs& out, const Tensor& self, int64_t dim, std::optional<Dtype> dtype) {
      wrap_dim(dim, self.dim());
      out.add(self.sizes(), dtype ? *dtype : is_integral(self.dtype(), true) ? Dtype::int64 : self.dtype());
    })),
    .cpu =
        [](const Tensor& given, int64_t dim, std::optional<Dtype>, Tensor& out) {
          Tensor self = given;
          if (given.dtype() != out.dtype()) {
            self = empty(given.sizes(), out.dtype());
            copy_into(self, given);
          }
          dispatch_numbers_and_unsigned(out.dtype(), "cumsum_out_cpu", [&]<class T>(Type<T>) {
            constexpr bool is_common = std::is_same_v<T, int64_t> || std::is_floating_point_v<ComputeType<T>>;
            if constexpr (is_common)
              if (self.numel() > 0 && self.is_contiguous() && out.is_contiguous() &&
                  wrap_dim(dim, self.dim()) == std::max<int64_t>(self.dim(), 1) - 1)
                return sum_rows<T>(self, out);
            using C = std::conditional_t<std::is_same_v<T, float>, double, ComputeType<T>>;
            scan<T, T>(self, out, wrap_dim(dim, self.dim()), C(0), [](C& total, const T& x, int64_t, T& to) {
              total = total + C(x);
              to = T(total);
            });
          });
        },
    .npu = {"Cumsum(self, dim, dtype)"},
    .autocast = Autocast::fp32 | on_npu(fp32_dtype),
    .grad = {wrt("self",
                 [](Grad g, In<"dim", int64_t> dim) {
                   return op<"flip">(op<"cumsum">(op<"flip">(g, IntList{*dim}), *dim), IntList{*dim});
                 })},
});

}  // namespace
}  // namespace mt
