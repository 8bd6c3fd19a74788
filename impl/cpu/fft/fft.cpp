// Fourier transforms of rows: which rows run together, and how a row is transformed.
#include "cpu/fft/fft.h"

#include <algorithm>

#include "core/allocator.h"
#include "core/capability.h"
#include "cpu/copy/nest.h"
#include "cpu/fft/fft_kernels.h"
#include "cpu/fft/fft_plan.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace detail {
namespace {

constexpr int64_t grain = 1 << 15;       // complex numbers worth a thread
constexpr int64_t short_row = 48;        // shorter rows always run several at a time, whatever their strides
constexpr int64_t max_long_row_scratch =
    1 << 18;  // bytes of scratch up to which longer rows do, if a full group can be transposed in registers
constexpr int64_t max_group_scratch = 1 << 15;  // bytes of scratch limit for groups of more rows than a vector has elements
template <class T>
constexpr int64_t max_lanes = 256 / sizeof(T);
template <class T>
constexpr int64_t elements_per_line = 64 / sizeof(T);
// Padding between the arrays of a group: arrays whose length is a power of two would map to the same cache sets.
template <class T>
constexpr int64_t group_padding = 5 * 64 / sizeof(T);

template <class T>
const FftKernels<T>& kernels() {
#if MT_HAS_X86_TARGETS
  const Capability level = cpu_capability();
  if constexpr (std::is_same_v<T, float>)
    return level == Capability::avx512 ? fft_avx512_float : level == Capability::avx2 ? fft_avx2_float : fft_baseline_float;
  else
    return level == Capability::avx512 ? fft_avx512_double : level == Capability::avx2 ? fft_avx2_double : fft_baseline_double;
#else
  if constexpr (std::is_same_v<T, float>)
    return fft_baseline_float;
  else
    return fft_baseline_double;
#endif
}

template <class T>
class Buffer {
 public:
  explicit Buffer(int64_t count) : count_(size_t(count)), data_(static_cast<T*>(allocate(count_ * sizeof(T)))) {}
  ~Buffer() { deallocate(data_, count_ * sizeof(T)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() const { return data_; }
  // The i-th of several arrays of `count` complex numbers in the buffer.
  Split<T> split(int64_t i, int64_t count) const { return {data_ + 2 * i * count, data_ + (2 * i + 1) * count}; }

 private:
  size_t count_;
  T* data_;
};

template <class T>
Split<T> transform(const Plan<T>& plan, Split<T> x, Split<T> y, int64_t lanes);

template <class T>
void copy_lanes(Split<T> from, int64_t i, Split<T> to, int64_t k, int64_t lanes) {
  std::copy_n(from.re + i * lanes, lanes, to.re + k * lanes);
  std::copy_n(from.im + i * lanes, lanes, to.im + k * lanes);
}

// Computes a transform of prime length as a cyclic convolution.
template <class T>
Split<T> transform_cyclic(const Plan<T>& plan, Split<T> x, Split<T> y, int64_t lanes) {
  const int64_t count = plan.n - 1;
  for (int64_t q = 0; q < count; ++q) copy_lanes(x, plan.order[size_t(q)], y, q, lanes);
  const Split<T> rest{x.re + lanes, x.im + lanes};  // only the first element of x is still needed
  const Split<T> a = transform(*plan.convolution, y, rest, lanes), other = a.re == y.re ? rest : y;
  T total_re[max_lanes<T>], total_im[max_lanes<T>];
  for (int64_t v = 0; v < lanes; ++v) total_re[v] = x.re[v] + a.re[v], total_im[v] = x.im[v] + a.im[v];
  kernels<T>().multiply(a, count, lanes, plan.kernel.data());
  for (int64_t v = 0; v < lanes; ++v) a.re[v] += x.re[v], a.im[v] += x.im[v];  // adding to the mean adds to each element
  const Split<T> b = transform(*plan.convolution, a.swap_parts(), other.swap_parts(), lanes).swap_parts();
  const Split<T> to = b.re == y.re ? x : y;
  std::copy_n(total_re, lanes, to.re);
  std::copy_n(total_im, lanes, to.im);
  for (int64_t q = 0; q < count; ++q) copy_lanes(b, q, to, plan.order[size_t(q ? count - q : 0)], lanes);
  return to;
}

// Computes the forward transform of `lanes` rows in x; y is scratch. Returns which of the two holds the result.
template <class T>
Split<T> transform(const Plan<T>& plan, Split<T> x, Split<T> y, int64_t lanes) {
  if (!plan.order.empty()) return transform_cyclic(plan, x, y, lanes);
  const FftKernels<T>& k = kernels<T>();
  if (plan.convolution) {
    const int64_t padded = plan.convolution->n;
    k.multiply(x, plan.n, lanes, plan.chirp.data());
    std::fill(x.re + plan.n * lanes, x.re + padded * lanes, T(0));
    std::fill(x.im + plan.n * lanes, x.im + padded * lanes, T(0));
    Split<T> a = transform(*plan.convolution, x, y, lanes);
    k.multiply(a, padded, lanes, plan.kernel.data());
    const Split<T> other = a.re == x.re ? y : x;
    a = transform(*plan.convolution, a.swap_parts(), other.swap_parts(), lanes).swap_parts();
    k.multiply(a, plan.n, lanes, plan.chirp.data());
    return a;
  }
  int64_t len = lanes;
  for (const auto& pass : plan.passes) {
    if (len == 1 && k.first[pass.radix])
      k.first[pass.radix](x, y, pass.m, len, plan.first_twiddles.data());
    else
      k.pass[pass.radix](x, y, pass.m, len, plan.twiddles.data() + pass.twiddles);
    len *= pass.radix;
    std::swap(x, y);
  }
  return x;
}

// Transforms a long row as a matrix: transforms its columns, multiplies by twiddles, transforms its rows, and stores it by columns.
template <class T>
void transform_long(const Plan<T>& plan, const T* in, int64_t in_step, int64_t in_imaginary, T* out, int64_t out_step,
                    int64_t out_imaginary, bool forward, T scale) {
  const FftKernels<T>& k = kernels<T>();
  const int64_t height = plan.columns->n, width = plan.rows->n;
  constexpr int64_t L = elements_per_line<T>;
  Buffer<T> matrix(2 * plan.n);
  const Split<T> whole = matrix.split(0, plan.n);
  const int64_t pieces = std::max<int64_t>(1, grain / (height * L));
  parallel_for(0, (width + L - 1) / L, pieces, [&](int64_t begin, int64_t end) {
    Buffer<T> buffer(4 * plan.columns->work * L);
    // exp(-2 pi i r c / n) as a product, with r = high * block + low, for each lane's c.
    int64_t block = 1;
    while (block * block < height) block *= 2;
    const int64_t highs = (height + block - 1) / block;
    Buffer<T> factors(2 * (block + highs) * L);
    const Split<T> low = factors.split(0, block * L);
    const Split<T> high{factors.data() + 2 * block * L, factors.data() + (2 * block + highs) * L};
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t c = piece * L, lanes = std::min(L, width - c);
      const T* rows[L];
      for (int64_t v = 0; v < lanes; ++v) rows[v] = in + (c + v) * in_step;
      const Split<T> x = buffer.split(0, plan.columns->work * lanes), y = buffer.split(1, plan.columns->work * lanes);
      k.load(rows, lanes, height, in_step * width, in_imaginary, x);
      Split<T> a = forward ? transform(*plan.columns, x, y, lanes) : transform(*plan.columns, x.swap_parts(), y.swap_parts(), lanes);
      auto root = [&](int64_t row, int64_t lane, T* re, T* im) {
        const std::complex<double> w = plan.roots[int64_t(__int128(row) * (c + lane) % plan.n)];
        *re = T(w.real()), *im = T(w.imag());
      };
      for (int64_t v = 0; v < lanes; ++v) {
        for (int64_t i = 0; i < block && i < height; ++i) root(i, v, low.re + i * lanes + v, low.im + i * lanes + v);
        for (int64_t i = 0; i < highs; ++i) root(i * block, v, high.re + i * lanes + v, high.im + i * lanes + v);
      }
      for (int64_t i = 0; i < highs; ++i) {
        const int64_t first = i * block, count = std::min(block, height - first);
        const Split<T> part{a.re + first * lanes, a.im + first * lanes};
        k.multiply_lanes(part, count * lanes, low.re, low.im);
        for (int64_t r = 0; r < count; ++r)
          k.multiply_lanes({part.re + r * lanes, part.im + r * lanes}, lanes, high.re + i * lanes, high.im + i * lanes);
      }
      for (int64_t r = 0; r < height; ++r) {
        std::copy_n(a.re + r * lanes, lanes, whole.re + r * width + c);
        std::copy_n(a.im + r * lanes, lanes, whole.im + r * width + c);
      }
    }
  });
  parallel_for(0, (height + L - 1) / L, std::max<int64_t>(1, grain / (width * L)), [&](int64_t begin, int64_t end) {
    Buffer<T> buffer(4 * plan.rows->work * L);
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t r = piece * L, lanes = std::min(L, height - r);
      const T* rows[L];
      T* results[L];
      for (int64_t v = 0; v < lanes; ++v) rows[v] = whole.re + (r + v) * width, results[v] = out + (r + v) * out_step;
      const Split<T> x = buffer.split(0, plan.rows->work * lanes), y = buffer.split(1, plan.rows->work * lanes);
      k.load(rows, lanes, width, 1, whole.im - whole.re, x);
      Split<T> a = transform(*plan.rows, x, y, lanes);
      if (!forward) a = a.swap_parts();
      k.store(results, lanes, width, out_step * height, out_imaginary, a, scale);
    }
  });
}

// Calls body(in rows, out rows, lanes, x, y) for all rows in groups; x and y are scratch of `size` elements per lane.
template <class T, class F>
void for_rows(const FftRows<T>& rows, int64_t n, int64_t size, F&& body) {
  Nest nest(rows.sizes);
  nest.add(rows.out, sizeof(T), rows.out_strides);
  nest.add(const_cast<T*>(rows.in), sizeof(T), rows.in_strides);
  nest.finish();
  const int64_t total = nest.numel();
  if (total == 0) return;
  // Rows that are neighbours in memory share cache lines and run together; short rows run together to fill the vectors.
  bool neighbours = false;
  nest.runs(0, 1, [&](char* const*, const int64_t* strides, int64_t) {
    neighbours = strides[0] <= int64_t(2 * sizeof(T)) && strides[1] <= int64_t(2 * sizeof(T)) && strides[1] > 0;
  });
  const int64_t vector = cpu_capability() == Capability::avx512 ? 64 : 32, rows_per_block = vector / int64_t(sizeof(T));
  int64_t together = neighbours ? elements_per_line<T> : 1;
  if (!neighbours && (n < short_row || (total >= rows_per_block && 4 * size * vector <= max_long_row_scratch))) {
    together = rows_per_block;
    while (2 * together <= max_lanes<T> && 8 * size * together * int64_t(sizeof(T)) <= max_group_scratch) together *= 2;
  }
  const int64_t groups = (total + together - 1) / together;
  parallel_for(0, groups, std::max<int64_t>(1, grain / (n * together)), [&](int64_t begin, int64_t end) {
    const T* in[max_lanes<T>];
    T* out[max_lanes<T>];
    int64_t lanes = 0;
    Buffer<T> buffer(4 * (size * together + group_padding<T>));
    auto run = [&] {
      for (int64_t v = 0, each; v < lanes; v += each) {
        const int64_t left = lanes - v;
        each = neighbours || left == together ? left : left >= rows_per_block ? rows_per_block : n < short_row ? left : 1;
        body(static_cast<const T* const*>(in + v), static_cast<T* const*>(out + v), each, buffer.split(0, size * each + group_padding<T>),
             buffer.split(1, size * each + group_padding<T>));
      }
    };
    nest.runs(begin * together, std::min(end * together, total), [&](char* const* data, const int64_t* strides, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        out[lanes] = reinterpret_cast<T*>(data[0] + i * strides[0]);
        in[lanes] = reinterpret_cast<const T*>(data[1] + i * strides[1]);
        if (++lanes < together) continue;
        run();
        lanes = 0;
      }
    });
    if (lanes) run();
  });
}

// Calls body(in, out) for one row after another: a long row's transform uses all threads itself.
template <class T, class F>
void run_long_rows(const FftRows<T>& rows, F&& body) {
  Nest nest(rows.sizes);
  nest.add(rows.out, sizeof(T), rows.out_strides);
  nest.add(const_cast<T*>(rows.in), sizeof(T), rows.in_strides);
  nest.finish();
  nest.runs(0, nest.numel(), [&](char* const* data, const int64_t* strides, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      body(reinterpret_cast<const T*>(data[1] + i * strides[1]), reinterpret_cast<T*>(data[0] + i * strides[0]));
  });
}

}  // namespace
}  // namespace detail

using detail::Buffer;
using detail::PlanKind;
using detail::Split;

template <class T>
void fft_complex(const FftRows<T>& rows, int64_t n, bool forward, T scale) {
  const auto plan = detail::plan_of<T>(n, PlanKind::complex);
  if (plan->rows) {
    detail::run_long_rows(rows, [&](const T* in, T* out) {
      detail::transform_long(*plan, in, rows.in_step, 1, out, rows.out_step, 1, forward, scale);
    });
    return;
  }
  const auto& k = detail::kernels<T>();
  detail::for_rows(rows, n, plan->work, [&](const T* const* in, T* const* out, int64_t lanes, Split<T> x, Split<T> y) {
    k.load(in, lanes, n, rows.in_step, 1, x);
    const Split<T> a = forward ? detail::transform(*plan, x, y, lanes)
                               : detail::transform(*plan, x.swap_parts(), y.swap_parts(), lanes).swap_parts();
    k.store(out, lanes, n, rows.out_step, 1, a, scale);
  });
}

template <class T>
void fft_real(const FftRows<T>& rows, int64_t n, T scale) {
  const bool even = n % 2 == 0;
  const int64_t half = n / 2, count = even ? half : n;
  const auto plan = detail::plan_of<T>(count, even ? PlanKind::real : PlanKind::complex);
  const auto& k = detail::kernels<T>();
  // A row of even length is read as n / 2 complex numbers: even elements are real parts, odd ones imaginary parts, so the step doubles.
  const int64_t step = even ? 2 * rows.in_step : rows.in_step, imaginary = even ? rows.in_step : 0;
  if (plan->rows) {
    detail::run_long_rows(rows, [&](const T* in, T* out) {
      Buffer<T> buffer(4 * (count + 1));
      const Split<T> z = buffer.split(0, count + 1), y = buffer.split(1, count + 1);
      if (!even) {  // imaginary parts of zero; pairs read the row in place
        k.load(&in, 1, n, step, 0, y);
        detail::transform_long(*plan, y.re, 1, y.im - y.re, z.re, 1, z.im - z.re, true, T(1));
        k.store(&out, 1, half + 1, rows.out_step, 1, z, scale);
        return;
      }
      detail::transform_long(*plan, in, step, imaginary, z.re, 1, z.im - z.re, true, T(1));
      k.merge_real_halves(z, y, half, 1, plan->real.data());
      k.store(&out, 1, half + 1, rows.out_step, 1, y, scale);
    });
    return;
  }
  detail::for_rows(rows, n, plan->work + 1, [&](const T* const* in, T* const* out, int64_t lanes, Split<T> x, Split<T> y) {
    k.load(in, lanes, count, step, imaginary, x);
    Split<T> a = detail::transform(*plan, x, y, lanes);
    if (even) {
      const Split<T> joined = a.re == x.re ? y : x;
      k.merge_real_halves(a, joined, half, lanes, plan->real.data());
      a = joined;
    }
    k.store(out, lanes, half + 1, rows.out_step, 1, a, scale);
  });
}

template <class T>
void fft_hermitian(const FftRows<T>& rows, int64_t n, T scale) {
  const bool even = n % 2 == 0;
  const int64_t half = n / 2, count = even ? half : n;
  const auto plan = detail::plan_of<T>(count, even ? PlanKind::real : PlanKind::complex);
  const auto& k = detail::kernels<T>();
  const int64_t step = even ? 2 * rows.out_step : rows.out_step, imaginary = even ? rows.out_step : 0;
  // Converts the half spectrum in y to the complex transform's input, in z.
  auto prepare = [&](Split<T> y, Split<T> z, int64_t lanes) {
    if (even) return k.split_real_halves(y, z, half, lanes, plan->real.data());
    std::copy_n(y.re, (half + 1) * lanes, z.re);
    std::copy_n(y.im, (half + 1) * lanes, z.im);
    std::fill_n(z.im, lanes, T(0));
    for (int64_t i = 1; i <= half; ++i)
      for (int64_t v = 0; v < lanes; ++v) {
        z.re[(n - i) * lanes + v] = y.re[i * lanes + v];
        z.im[(n - i) * lanes + v] = -y.im[i * lanes + v];
      }
  };
  if (plan->rows) {
    detail::run_long_rows(rows, [&](const T* in, T* out) {
      Buffer<T> buffer(4 * (count + 1));
      const Split<T> y = buffer.split(0, count + 1), z = buffer.split(1, count + 1);
      k.load(&in, 1, half + 1, rows.in_step, 1, y);
      prepare(y, z, 1);
      detail::transform_long(*plan, z.re, 1, z.im - z.re, out, step, imaginary, false, scale);
    });
    return;
  }
  detail::for_rows(rows, n, plan->work + 1, [&](const T* const* in, T* const* out, int64_t lanes, Split<T> y, Split<T> z) {
    k.load(in, lanes, half + 1, rows.in_step, 1, y);
    prepare(y, z, lanes);
    const Split<T> a = detail::transform(*plan, z.swap_parts(), y.swap_parts(), lanes).swap_parts();
    k.store(out, lanes, count, step, imaginary, a, scale);
  });
}

template void fft_complex(const FftRows<float>&, int64_t, bool, float);
template void fft_complex(const FftRows<double>&, int64_t, bool, double);
template void fft_real(const FftRows<float>&, int64_t, float);
template void fft_real(const FftRows<double>&, int64_t, double);
template void fft_hermitian(const FftRows<float>&, int64_t, float);
template void fft_hermitian(const FftRows<double>&, int64_t, double);

}  // namespace mt::cpu
