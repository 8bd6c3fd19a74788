// Resampling in passes: computes a weighted sum of input rows, and resamples within rows.
#include "cpu/resample/resample.h"

#include <cstring>
#include <utility>

#include "core/complex.h"
#include "cpu/buffer.h"
#include "cpu/clones.h"
#include "cpu/copy/blend_bytes.h"
#include "cpu/copy/convert.h"
#include "cpu/copy/copy.h"
#include "cpu/resample/resample_rows.h"

namespace mt::cpu {
namespace {

// Computes to[j] = the sum over r of weights[r] * lines[r][j], for n elements.
template <class C>
[[gnu::always_inline]] inline void blend_lines(const C* const* lines, const C* weights, int64_t rows, C* __restrict to, int64_t n) {
  if (rows == 2) {
    const C *a = lines[0], *b = lines[1];
    const C wa = weights[0], wb = weights[1];
    for (int64_t j = 0; j < n; ++j) to[j] = wa * a[j] + wb * b[j];
    return;
  }
  for (int64_t j = 0; rows < 4 && j < n; ++j) to[j] = rows ? weights[0] * lines[0][j] : C(0);
  int64_t r = rows < 4 ? 1 : 0;
  for (; r + 4 <= rows; r += 4) {
    const C *a = lines[r], *b = lines[r + 1], *c = lines[r + 2], *d = lines[r + 3];
    const C wa = weights[r], wb = weights[r + 1], wc = weights[r + 2], wd = weights[r + 3];
    if (r == 0)
      for (int64_t j = 0; j < n; ++j) to[j] = (wa * a[j] + wb * b[j]) + (wc * c[j] + wd * d[j]);
    else
      for (int64_t j = 0; j < n; ++j) to[j] += (wa * a[j] + wb * b[j]) + (wc * c[j] + wd * d[j]);
  }
  for (; r < rows; ++r)
    for (int64_t j = 0; j < n; ++j) to[j] += weights[r] * lines[r][j];
}
template <class C>
struct Blend {
  static void run(const C* const* lines, const C* weights, int64_t rows, C* to, int64_t n) { blend_lines(lines, weights, rows, to, n); }
};

// Resamples one row of positions with `inner` elements each.
template <class C>
struct ResampleRow {
  // K taps for all positions, or with K = 0 any number.
  template <int K>
  [[gnu::always_inline]] static inline void gather(const C* row, const Taps<C>& taps, C* __restrict to) {
    const int32_t* index = taps.index.data();
    const C* weight = taps.weight.data();
    const int64_t places = taps.places, most = K ? K : taps.most;
    for (int64_t i = 0; i < places; ++i) {
      const int64_t n = K ? K : taps.taps_of(i);
      C sum = n ? weight[i] * row[index[i]] : C(0);
      for (int64_t t = 1; t < most && t < n; ++t) sum += weight[t * places + i] * row[index[t * places + i]];
      to[i] = sum;
    }
  }
  static void run(const C* row, const Taps<C>* given, C* to, int64_t inner) {
    const Taps<C>& taps = *given;
    if (inner == 1) {
      if (!taps.count.empty()) return gather<0>(row, taps, to);
      if (taps.most == 2) return gather<2>(row, taps, to);
      if constexpr (std::is_same_v<C, float>) {
        if (taps.most == 4) return gather<4>(row, taps, to);
        if (taps.most == 5) return gather<5>(row, taps, to);
      }
      return gather<0>(row, taps, to);
    }
    constexpr int64_t together = 8;
    const C* lines[together];
    C weights[together];
    for (int64_t i = 0; i < taps.places; ++i, to += inner) {
      const int64_t n = taps.taps_of(i);
      if (n <= together) {
        for (int64_t t = 0; t < n; ++t)
          lines[t] = row + taps.index[size_t(t * taps.places + i)] * inner, weights[t] = taps.weight[size_t(t * taps.places + i)];
        blend_lines(lines, weights, n, to, inner);
        continue;
      }
      for (int64_t c = 0; c < inner; ++c) to[c] = 0;
      for (int64_t t = 0; t < n; ++t) {
        const C* from = row + taps.index[size_t(t * taps.places + i)] * inner;
        const C w = taps.weight[size_t(t * taps.places + i)];
        for (int64_t c = 0; c < inner; ++c) to[c] += w * from[c];
      }
    }
  }
};

// Resamples a row of positions of `inner` bytes each, at least 16, in fixed-point arithmetic.
class BytesRow {
 public:
  BytesRow(const Taps<double>& taps, const std::vector<int16_t>& weights, int bits) : taps_(taps), bits_(bits) {
    const int64_t even = taps.most + taps.most % 2;
    lines_.resize(size_t(even)), weights_.resize(size_t(taps.places * even));
    for (int64_t i = 0; i < taps.places; ++i)
      for (int64_t t = 0; t < taps.taps_of(i); ++t) weights_[size_t(i * even + t)] = weights[size_t(t * taps.places + i)];
  }
  void run(const uint8_t* row, int64_t inner, uint8_t* out) {
    const int64_t places = taps_.places, even = int64_t(lines_.size());
    for (int64_t i = 0; i < places; ++i, out += inner) {
      const int64_t n = taps_.taps_of(i), used = n + n % 2;  // an additional tap has weight 0
      for (int64_t t = 0; t < used; ++t) lines_[size_t(t)] = row + taps_.index[size_t(std::min(t, n - 1) * places + i)] * inner;
      blend_(lines_.data(), weights_.data() + i * even, used, bits_, inner, out);
    }
  }

 private:
  const Taps<double>& taps_;
  int bits_;
  std::vector<int16_t> weights_;  // by position, an even number each
  std::vector<const uint8_t*> lines_;
  BlendBytes blend_ = blend_bytes();
};
constexpr int64_t interleaved_rows = 16;
// Rows of positions of a few bytes: several rows are interleaved, so that a position fills a vector.
void resample_interleaved(const uint8_t* from, uint8_t* to, const Taps<double>& t, const std::vector<int16_t>& weight, int bits,
                          int64_t rows, int64_t inner) {
  constexpr int64_t side = interleaved_rows;
  const int64_t in_width = t.input * inner, width = t.places * inner;
  const auto transpose = [](uint8_t* target, int64_t to_row, const uint8_t* source, int64_t from_column, int64_t lines, int64_t columns) {
    transpose_tile(reinterpret_cast<char*>(target), to_row, reinterpret_cast<const char*>(source), from_column, lines, columns, 1);
  };
  parallel_for(0, (rows + side - 1) / side, std::max<int64_t>(1, 16384 / (side * width * t.most)), [&](int64_t begin, int64_t end) {
    BytesRow row(t, weight, bits);
    Buffer<uint8_t> transposed(in_width * side), made(width * side), last(width * side);
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = std::max<int64_t>(0, std::min(b * side, rows - side)), known = b * side - first;  // rows of the block before
      if (rows < side) std::memset(transposed.data(), 0, size_t(in_width * side));
      transpose(transposed.data(), side, from + first * in_width, in_width, in_width, std::min(rows, side));
      row.run(transposed.data(), inner * side, made.data());
      uint8_t* const target = to + b * side * width;
      if (known == 0 && rows >= side) {
        transpose(target, width, made.data(), side, side, width);
      } else {
        transpose(last.data(), width, made.data(), side, side, width);
        std::memcpy(target, last.data() + known * width, size_t((std::min(rows, side) - known) * width));
      }
    }
  });
}

}  // namespace

template <class C>
void resample_planes(const void* in, Dtype in_dtype, void* out, Dtype out_dtype, const std::vector<Taps<C>>& taps, int64_t outer,
                     int64_t inner) {
  const Taps<C>& last = taps.back();
  const int64_t width = last.places * inner, in_width = last.input * inner, size = element_size(in_dtype),
                out_size = element_size(out_dtype);
  int64_t kept = 1, rows = 1, rows_in = 1;
  for (size_t d = 0; d + 1 < taps.size(); ++d) kept *= taps[d].most, rows *= taps[d].places, rows_in *= taps[d].input;
  const bool from_half = is_half(in_dtype), into_half = is_half(out_dtype), rows_first = rows_in < rows;
  const int64_t kept_width = rows_first ? width : from_half ? in_width : 0, cost = width * last.most + in_width * kept;
  const Conversion to_float = from_half ? Conversion(Dtype::float32, in_dtype) : Conversion(),
                   to_half = into_half ? Conversion(out_dtype, Dtype::float32) : Conversion();
  const AllRows<C> all(taps, rows, kept);
  const auto resample_row = detail::choose_clone<ResampleRow<C>>(ResampleRow<C>::run);
  const auto blend_rows = detail::choose_clone<Blend<C>>(Blend<C>::run);
  const char* const source = static_cast<const char*>(in);
  char* const target = static_cast<char*>(out);
  parallel_for(0, outer * rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, cost)), [&](int64_t begin, int64_t end) {
    std::vector<C> buffer(size_t(kept * kept_width + in_width + width));
    C *const temp = buffer.data(), *const made = temp + in_width, *const ready = made + width;
    std::vector<int64_t> holds(size_t(kept), -1);  // the row that each slot holds
    std::vector<const C*> lines(static_cast<size_t>(kept));
    std::vector<C> weights(static_cast<size_t>(kept));
    const auto line = [&](int64_t row, int64_t slot) -> const C* {
      const char* const from = source + row * in_width * size;
      if (kept_width == 0) return reinterpret_cast<const C*>(from);
      C* const to = ready + slot * kept_width;
      if (std::exchange(holds[size_t(slot)], row) == row) return to;
      C* const wide = rows_first ? temp : to;
      if (from_half) to_float(wide, sizeof(C), from, size, in_width);
      if (rows_first) resample_row(from_half ? wide : reinterpret_cast<const C*>(from), &last, to, inner);
      return to;
    };
    for (int64_t r = begin, plane = begin / rows, row = begin % rows; r < end; ++r, ++row) {
      if (row == rows) row = 0, ++plane;
      const int64_t n = all.count(row);
      const auto* const need = all.input_rows_of(row);
      for (int64_t i = 0; i < n; ++i) {
        lines[size_t(i)] = line(plane * rows_in + need[i].row, need[i].slot);
        weights[size_t(i)] = need[i].weight;
      }
      char* const to = target + r * width * out_size;
      C* const values = into_half ? made : reinterpret_cast<C*>(to);
      if (rows_first) {
        blend_rows(lines.data(), weights.data(), n, values, width);
      } else if (n == 1 && weights[0] == C(1)) {
        resample_row(lines[0], &last, values, inner);
      } else {
        blend_rows(lines.data(), weights.data(), n, temp, in_width);
        resample_row(temp, &last, values, inner);
      }
      if (last.are_means) divide_by_tap_counts(taps, row, values);
      if (into_half) to_half(to, out_size, made, sizeof(C), width);
    }
  });
}

template void resample_planes<float>(const void*, Dtype, void*, Dtype, const std::vector<Taps<float>>&, int64_t, int64_t);
template void resample_planes<double>(const void*, Dtype, void*, Dtype, const std::vector<Taps<double>>&, int64_t, int64_t);

template <class T>
void move_nearest(const T* in, T* out, const std::vector<Taps<float>>& taps, int64_t outer, int64_t inner) {
  int64_t rows = 1, plane = taps.back().input * inner;
  for (size_t d = 0; d + 1 < taps.size(); ++d) rows *= taps[d].places, plane *= taps[d].input;
  const int64_t places = taps.back().places;
  const int32_t* index = taps.back().index.data();
  parallel_for(0, outer * rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, places * inner)), [&](int64_t begin, int64_t end) {
    Rows<float> from;
    const T* before = nullptr;
    for (int64_t r = begin; r < end; ++r) {
      from.find_input_rows(taps, r % rows);
      const T* row = in + r / rows * plane + from.rows[0] * taps.back().input * inner;
      T* to = out + r * places * inner;
      if (row == std::exchange(before, row))
        std::memcpy(to, to - places * inner, size_t(places * inner) * sizeof(T));
      else if (inner == 1)
#pragma GCC unroll 4
        for (int64_t i = 0; i < places; ++i) {
          uint32_t at = uint32_t(index[i]);
          asm("" : "+r"(at));  // keeps gcc from building a vector of single loads, which would be slower
          to[i] = row[at];
        }
      else
        for (int64_t i = 0; i < places; ++i) std::memcpy(to + i * inner, row + index[i] * inner, size_t(inner) * sizeof(T));
    }
  });
}

template void move_nearest<uint8_t>(const uint8_t*, uint8_t*, const std::vector<Taps<float>>&, int64_t, int64_t);
template void move_nearest<uint16_t>(const uint16_t*, uint16_t*, const std::vector<Taps<float>>&, int64_t, int64_t);
template void move_nearest<uint32_t>(const uint32_t*, uint32_t*, const std::vector<Taps<float>>&, int64_t, int64_t);
template void move_nearest<uint64_t>(const uint64_t*, uint64_t*, const std::vector<Taps<float>>&, int64_t, int64_t);
template void move_nearest<Complex<double>>(const Complex<double>*, Complex<double>*, const std::vector<Taps<float>>&, int64_t, int64_t);

void resample_bytes(const uint8_t* in, uint8_t* out, const std::vector<Taps<double>>& taps, int64_t outer, int64_t inner) {
  int64_t before = outer, after = inner, between = outer * inner;
  for (const Taps<double>& t : taps) before *= t.input;
  for (size_t d = 0; d < taps.size(); ++d) between *= d ? taps[d].places : taps[d].input;
  Buffer<uint8_t> kept(taps.size() > 1 ? between : 0);  // the output of the pass over the last dimension
  const uint8_t* from = in;
  for (size_t d = taps.size(); d-- > 0;) {
    const Taps<double>& t = taps[d];
    before /= t.input;
    // Merges the weights of taps that clamping at the border maps to the same input position; this affects the rounding to fixed point.
    std::vector<double> merged = t.weight;
    for (int64_t i = t.places; i < int64_t(merged.size()); ++i)
      for (int64_t j = i % t.places; j < i; j += t.places)
        if (t.count.empty() && t.index[size_t(j)] == t.index[size_t(i)]) merged[size_t(j)] += merged[size_t(i)], merged[size_t(i)] = 0;
    double largest = 0;
    for (double w : merged) largest = std::max(largest, w);
    int bits = 0;
    while (bits < 22 && int(0.5 + largest * double(1 << (bits + 1))) < (1 << 15)) ++bits;
    std::vector<int16_t> weight(merged.size());
    for (size_t i = 0; i < weight.size(); ++i) weight[i] = int16_t(merged[i] * double(1 << bits) + (merged[i] < 0 ? -0.5 : 0.5));
    uint8_t* to = d ? kept.data() : out;
    if (after < interleaved_rows) {
      resample_interleaved(from, to, t, weight, bits, before, after);
    } else {
      const int64_t cost = after * t.places * t.most;
      parallel_for(0, before, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost)), [&](int64_t begin, int64_t end) {
        BytesRow row(t, weight, bits);
        for (int64_t o = begin; o < end; ++o) row.run(from + o * t.input * after, after, to + o * t.places * after);
      });
    }
    from = to;
    after *= t.places;
  }
}

}  // namespace mt::cpu
