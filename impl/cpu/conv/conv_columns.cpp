// A product computes columns of contributions to pixels, block by block; each contribution is then added to its pixel.
#include "cpu/conv/conv_columns.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/half.h"
#include "cpu/buffer.h"
#include "cpu/clones.h"
#include "cpu/copy/convert.h"
#include "cpu/gemm/gemm.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {
namespace {

// A block of output positions, and of (channel, kernel element) pairs.
struct Block {
  int64_t first, count;
};

constexpr int64_t divide_up(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

// Adds columns[pair][position] to the pixels of one image that they belong to.
template <class T>
struct AddColumns {
  static MT_INLINE void run(const ConvShape* shape, const T* columns, Block pairs, Block positions, T* image) {
    const ConvShape& s = *shape;
    const int64_t step = s.stride[2], taps = s.taps(), size = s.in_size();
    for (int64_t p = pairs.first; p < pairs.first + pairs.count; ++p, columns += positions.count) {
      const int64_t tap = p % taps, plane_of_tap = tap / (s.kernel[1] * s.kernel[2]), line_of_tap = tap / s.kernel[2] % s.kernel[1];
      const int64_t at = tap % s.kernel[2] * s.dilation[2] - s.padding[2];
      const int64_t low = divide_up(-at, step), high = std::min(s.out[2], divide_up(s.in[2] - at, step));
      T* const channel = image + p / taps * size;
      int64_t line = positions.first / s.out[2], begin = positions.first % s.out[2];
      for (int64_t done = 0; done < positions.count; ++line, begin = 0) {
        const int64_t end = std::min(s.out[2], begin + positions.count - done);
        const int64_t plane = line / s.out[1] * s.stride[0] - s.padding[0] + plane_of_tap * s.dilation[0];
        const int64_t row = line % s.out[1] * s.stride[1] - s.padding[1] + line_of_tap * s.dilation[1];
        if (plane >= 0 && plane < s.in[0] && row >= 0 && row < s.in[1]) {
          const int64_t from = std::max(low, begin), count = std::min(high, end) - from;
          const T* const values = columns + done + from - begin;
          T* const to = channel + (plane * s.in[1] + row) * s.in[2] + at + from * step;
          if (step == 1)
            for (int64_t i = 0; i < count; ++i) to[i] += values[i];
          else
            for (int64_t i = 0; i < count; ++i) to[i * step] += values[i];
        }
        done += end - begin;
      }
    }
  }
};

template <class T>
std::vector<float> widen_columns(const T* from, int64_t n) {
  std::vector<float> out(static_cast<size_t>(n));
  const Conversion widen(Dtype::float32, std::is_same_v<T, Half> ? Dtype::float16 : Dtype::bfloat16);
  widen(out.data(), sizeof(float), from, sizeof(T), n);
  return out;
}

}  // namespace

bool is_read_with_gaps(const ConvShape& s) {
  const int64_t step = s.stride[0] * s.stride[1] * s.stride[2];
  // The 8 stands for the cost of writing each contribution to memory and reading it once more.
  return 4 * s.in_size() * s.out_channels > 5 * s.out_size() * step * (s.out_channels + 8);
}

template <class T>
void columns_backward_input(const ConvShape& s, const T* y, const T* w, const T* bias, T* x) {
  if constexpr (!std::is_floating_point_v<T>) {
    const int64_t size = s.batch * s.groups * s.in_channels * s.in_size();
    std::vector<float> sums(static_cast<size_t>(size)), biases;
    if (bias) biases = widen_columns(bias, s.groups * s.in_channels);
    columns_backward_input<float>(s, widen_columns(y, s.batch * s.groups * s.out_channels * s.out_size()).data(),
                                  widen_columns(w, s.groups * s.out_channels * s.in_channels * s.taps()).data(),
                                  bias ? biases.data() : nullptr, sums.data());
    const Conversion round(std::is_same_v<T, Half> ? Dtype::float16 : Dtype::bfloat16, Dtype::float32);
    round(x, sizeof(T), sums.data(), sizeof(float), size);
  } else {
    constexpr int64_t most_pairs = 192, most_positions = 512;
    auto add = run_baseline<AddColumns<T>, const ConvShape*, const T*, Block, Block, T*>;
    if (cpu_capability() >= Capability::avx2) add = run_avx2<AddColumns<T>>;  // limited by memory: wider vectors would not help
    const int64_t taps = s.taps(), size = s.in_size(), out = s.out_size();
    const int64_t channels = std::clamp<int64_t>(most_pairs / taps, 1, s.in_channels), pieces = divide_up(s.in_channels, channels);
    const int64_t grain = std::max<int64_t>(1, 65536 / (channels * taps * s.out_channels * out));
    parallel_for(0, s.batch * s.groups * pieces, grain, [&](int64_t begin, int64_t end) {
      Buffer<T> sums(std::min(most_pairs, channels * taps) * std::min(most_positions, out));
      for (int64_t i = begin; i < end; ++i) {
        const int64_t group = i / pieces % s.groups, image = i / pieces / s.groups, first = i % pieces * channels;
        const int64_t count = std::min(channels, s.in_channels - first), place = image * s.groups + group;
        T* const to = x + (place * s.in_channels + first) * size;
        for (int64_t c = 0; c < count; ++c) std::fill_n(to + c * size, size, bias ? bias[group * s.in_channels + first + c] : T(0));
        for (int64_t p = 0; p < count * taps; p += most_pairs)
          for (int64_t o = 0; o < out; o += most_positions) {
            const Block pairs{p, std::min(most_pairs, count * taps - p)}, positions{o, std::min(most_positions, out - o)};
            const int64_t length = s.in_channels * taps;
            gemm<T>(pairs.count, positions.count, s.out_channels, 1, {w + group * s.out_channels * length + first * taps + p, 1, length},
                    {y + place * s.out_channels * out + o, out, 1}, 0, {sums.data(), positions.count, 1});
            add(&s, sums.data(), pairs, positions, to);
          }
      }
    });
  }
}

template void columns_backward_input<float>(const ConvShape&, const float*, const float*, const float*, float*);
template void columns_backward_input<double>(const ConvShape&, const double*, const double*, const double*, double*);
template void columns_backward_input<Half>(const ConvShape&, const Half*, const Half*, const Half*, Half*);
template void columns_backward_input<BFloat16>(const ConvShape&, const BFloat16*, const BFloat16*, const BFloat16*, BFloat16*);

}  // namespace mt::cpu::detail
