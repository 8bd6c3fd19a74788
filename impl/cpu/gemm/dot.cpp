// Inner products: vectors are read in place if contiguous, or in blocks of a copy if strided or to be widened.
#include "cpu/gemm/dot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpu/buffer.h"
#include "cpu/clones.h"
#include "cpu/copy/convert.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

constexpr int64_t chunk = 16384, block = 4096;

// product_sums[0] and [1] += products at even and at odd indices; with Crossed, [2] and [3] += products of x with the other element of each
// pair of y.
template <class P, bool Crossed>
struct AddProducts {
  template <int Bytes>
  struct ForVectors {
    typedef P Vector __attribute__((vector_size(Bytes)));
    static constexpr int64_t lanes = Bytes / sizeof(P), step = 4 * lanes;

    static void run(const P* x, const P* y, int64_t n, P* product_sums) {
      Vector straight[4] = {}, crossed[4] = {};
      int64_t i = 0;
      for (; i + step <= n; i += step) add_products_of_vectors(x + i, y + i, straight, crossed);
      if (i < n) {
        P left[step] = {}, right[step] = {};
        std::copy_n(x + i, n - i, left), std::copy_n(y + i, n - i, right);
        add_products_of_vectors(left, right, straight, crossed);
      }
      add_lanes_to(straight, product_sums);
      if constexpr (Crossed) add_lanes_to(crossed, product_sums + 2);
    }

   private:
    MT_INLINE static void add_products_of_vectors(const P* x, const P* y, Vector* straight, Vector* crossed) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        Vector a, b;
        std::memcpy(&a, x + k * lanes, Bytes), std::memcpy(&b, y + k * lanes, Bytes);
        straight[k] += a * b;
        if constexpr (Crossed) swap_pairs(b, std::make_integer_sequence<int, lanes>()), crossed[k] += a * b;
      }
    }
    template <int... I>
    MT_INLINE static void swap_pairs(Vector& v, std::integer_sequence<int, I...>) {
      v = __builtin_shufflevector(v, v, (I ^ 1)...);
    }
    MT_INLINE static void add_lanes_to(const Vector* of, P* sums) {
      const Vector all = (of[0] + of[1]) + (of[2] + of[3]);
      for (int j = 0; j < lanes; ++j) sums[j & 1] += all[j];
    }
  };
};

template <class P, bool IsComplex>
ProductSums compute_product_sums(Dtype dtype, int64_t n, const void* x, int64_t x_stride, const void* y, int64_t y_stride) {
  constexpr int64_t parts = IsComplex ? 2 : 1;
  constexpr bool is_double = sizeof(P) == 8;
  constexpr Dtype wide = IsComplex ? (is_double ? Dtype::complex128 : Dtype::complex64) : (is_double ? Dtype::float64 : Dtype::float32);
  const auto kernel = detail::choose_width<AddProducts<P, IsComplex>::template ForVectors>(
      AddProducts<P, IsComplex>::template ForVectors<32>::run);
  const int64_t size = parts * int64_t(sizeof(P)), count = (n + chunk - 1) / chunk;
  const Conversion widen(wide, dtype);
  Buffer<P> sums(4 * count);
  parallel_for(0, count, 8, [&](int64_t begin, int64_t end) {
    const bool copies_x = dtype != wide || x_stride != size, copies_y = dtype != wide || y_stride != size;
    Buffer<P> left(copies_x ? parts * block : 0), right(copies_y ? parts * block : 0);
    for (int64_t index = begin; index < end; ++index) {
      P* const total = sums.data() + 4 * index;
      std::fill_n(total, 4, P(0));
      const int64_t stop = std::min(n, (index + 1) * chunk);
      for (int64_t start = index * chunk; start < stop; start += block) {
        const int64_t length = std::min(block, stop - start);
        auto make_contiguous = [&](const void* from, int64_t stride, bool copies, P* to) -> const P* {
          const char* const first = static_cast<const char*>(from) + start * stride;
          if (!copies) return reinterpret_cast<const P*>(first);
          widen(to, size, first, stride, length);
          return to;
        };
        kernel(make_contiguous(x, x_stride, copies_x, left.data()), make_contiguous(y, y_stride, copies_y, right.data()), parts * length,
               total);
      }
    }
  });
  P total[4] = {};
  for (int64_t i = 0; i < 4 * count; ++i) total[i & 3] += sums.data()[i];
  if (!IsComplex) return {double(total[0] + total[1])};
  return {double(total[0]), double(total[1]), double(total[2]), double(total[3])};
}

}  // namespace

ProductSums dot(Dtype dtype, int64_t n, const void* x, int64_t x_stride, const void* y, int64_t y_stride) {
  const auto sums = dtype == Dtype::complex128  ? compute_product_sums<double, true>
                    : dtype == Dtype::complex64 ? compute_product_sums<float, true>
                    : dtype == Dtype::float64   ? compute_product_sums<double, false>
                                                : compute_product_sums<float, false>;
  return sums(dtype, n, x, x_stride, y, y_stride);
}

}  // namespace mt::cpu
