// Resampling in passes: computes a weighted sum of input rows, and resamples within rows; the backward pass uses transposed taps.
#include "rules/resample/resample.h"

#include <cstring>
#include <string>
#include <utility>

#include "cpu/buffer.h"
#include "cpu/copy/blend_bytes.h"
#include "cpu/copy/convert.h"
#include "cpu/copy/copy.h"
#include "cpu/pool/pool.h"
#include "rules/reduction/rows.h"
#include "rules/resample/resample_rows.h"

namespace mt {
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

int64_t rows_of(IntList spatial) {
  int64_t n = 1;
  for (int64_t d = 0; d + 1 < spatial.size(); ++d) n *= spatial[d];
  return n;
}
IntList spatial_of(IntList sizes) { return {sizes.data + 2, sizes.size() - 2}; }

template <class C>
void divide_by_tap_counts(const std::vector<Taps<C>>& taps, int64_t row, C* values) {
  C across[3] = {1, 1, 1};
  for (size_t d = taps.size() - 1; d-- > 0; row /= taps[d].places) across[d] = C(taps[d].count[size_t(row % taps[d].places)]);
  const int32_t* const along = taps.back().count.data();
  for (int64_t i = 0; i < taps.back().places; ++i) values[i] = values[i] / across[0] / across[1] / C(along[i]);
}

// If a plane has fewer input rows than output rows, resamples each input row once and then computes weighted sums of rows; otherwise sums
// rows first, and resamples the sums. Half types are converted to float row by row.
template <class C>
void resample_planes(const Tensor& in, const Tensor& out, const std::vector<Taps<C>>& taps, int64_t outer, int64_t inner) {
  const Taps<C>& last = taps.back();
  const int64_t width = last.places * inner, in_width = last.input * inner, size = in.itemsize(), out_size = out.itemsize();
  int64_t kept = 1, rows = 1, rows_in = 1;
  for (size_t d = 0; d + 1 < taps.size(); ++d) kept *= taps[d].most, rows *= taps[d].places, rows_in *= taps[d].input;
  const bool from_half = is_half(in.dtype()), into_half = is_half(out.dtype()), rows_first = rows_in < rows;
  const int64_t kept_width = rows_first ? width : from_half ? in_width : 0, cost = width * last.most + in_width * kept;
  const cpu::Conversion to_float = from_half ? cpu::Conversion(Dtype::float32, in.dtype()) : cpu::Conversion(),
                        to_half = into_half ? cpu::Conversion(out.dtype(), Dtype::float32) : cpu::Conversion();
  const AllRows<C> all(taps, rows, kept);
  const auto resample_row = row_clone<ResampleRow<C>>(ResampleRow<C>::run);
  const auto blend_rows = row_clone<Blend<C>>(Blend<C>::run);
  const char* const source = static_cast<const char*>(in.data());
  char* const target = static_cast<char*>(out.data());
  cpu::parallel_for(0, outer * rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, cost)), [&](int64_t begin, int64_t end) {
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

// Resamples to nearest neighbours, which only moves elements.
template <class T>
void move_nearest(const Tensor& in, const Tensor& out, const std::vector<Taps<float>>& taps, int64_t outer, int64_t inner) {
  const int64_t rows = rows_of(spatial_of(out.sizes())), places = out.size(-1), plane = product(spatial_of(in.sizes())) * inner;
  const int32_t* index = taps.back().index.data();
  cpu::parallel_for(0, outer * rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, places * inner)), [&](int64_t begin, int64_t end) {
    Rows<float> from;
    const T* before = nullptr;
    for (int64_t r = begin; r < end; ++r) {
      from.find_input_rows(taps, r % rows);
      const T* row = reinterpret_cast<const T*>(in.data()) + r / rows * plane + from.rows[0] * taps.back().input * inner;
      T* to = reinterpret_cast<T*>(out.data()) + r * places * inner;
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
  cpu::BlendBytes blend_ = cpu::blend_bytes();
};
constexpr int64_t interleaved_rows = 16;
// Rows of positions of a few bytes: several rows are interleaved, so that a position fills a vector.
void resample_interleaved(const uint8_t* from, uint8_t* to, const Taps<double>& t, const std::vector<int16_t>& weight, int bits,
                          int64_t rows, int64_t inner) {
  constexpr int64_t side = interleaved_rows;
  const int64_t in_width = t.input * inner, width = t.places * inner;
  const auto transpose = [](uint8_t* target, int64_t to_row, const uint8_t* source, int64_t from_column, int64_t lines, int64_t columns) {
    cpu::transpose_tile(reinterpret_cast<char*>(target), to_row, reinterpret_cast<const char*>(source), from_column, lines, columns, 1);
  };
  cpu::parallel_for(0, (rows + side - 1) / side, std::max<int64_t>(1, 16384 / (side * width * t.most)), [&](int64_t begin, int64_t end) {
    BytesRow row(t, weight, bits);
    cpu::Buffer<uint8_t> transposed(in_width * side), made(width * side), last(width * side);
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

// Bytes are weighted in fixed point with as many bits as the largest weight leaves in 16, last dimension first, rounding to bytes in
// between.
void resample_bytes(const Tensor& in, const Tensor& out, const std::vector<Taps<double>>& taps, int64_t outer, int64_t inner) {
  int64_t before = outer, after = inner, between = outer * inner;
  for (const Taps<double>& t : taps) before *= t.input;
  for (size_t d = 0; d < taps.size(); ++d) between *= d ? taps[d].places : taps[d].input;
  cpu::Buffer<uint8_t> kept(taps.size() > 1 ? between : 0);  // the output of the pass over the last dimension
  const uint8_t* from = static_cast<const uint8_t*>(in.data());
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
    uint8_t* to = d ? kept.data() : static_cast<uint8_t*>(out.data());
    if (after < interleaved_rows) {
      resample_interleaved(from, to, t, weight, bits, before, after);
    } else {
      const int64_t cost = after * t.places * t.most;
      cpu::parallel_for(0, before, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost)), [&](int64_t begin, int64_t end) {
        BytesRow row(t, weight, bits);
        for (int64_t o = begin; o < end; ++o) row.run(from + o * t.input * after, after, to + o * t.places * after);
      });
    }
    from = to;
    after *= t.places;
  }
}

struct Arguments {
  IntList output_size, input_size;
  bool align_corners = false;
  std::optional<double> scales[3];
};
Arguments read_resample_arguments(const Call& call, Filter filter, int rank, bool is_backward) {
  Arguments a;
  int i = 1;
  a.output_size = Unbox<IntList>::from(call.args[i++]);
  if (is_backward) a.input_size = Unbox<IntList>::from(call.args[i++]);
  if (!is_nearest(filter)) a.align_corners = Unbox<bool>::from(call.args[i++]);
  for (int d = 0; d < rank; ++d) a.scales[d] = Unbox<std::optional<double>>::from(call.args[i++]);
  return a;
}

// A copy in the result's memory format, channels-last or contiguous, viewed as (outer, spatial..., inner).
struct ImageCopy {
  Tensor tensor;
  int64_t outer, inner;
};
ImageCopy make_image_copy(const Tensor& t, MemoryFormat format) {
  Tensor dense_one = t;
  if (!t.is_contiguous(format)) {
    dense_one = empty_strided(t.sizes(), strides_of_format(t.sizes(), format), t.dtype());
    copy_into(dense_one, t);
  }
  const bool last = format != MemoryFormat::contiguous;
  return {dense_one, last ? t.size(0) : t.size(0) * t.size(1), last ? t.size(1) : 1};
}
void add_in_format(Specs& out, IntList sizes, Dtype dtype, MemoryFormat format) {
  if (format == MemoryFormat::contiguous) return out.add(sizes, dtype);
  out.add_strided(sizes, strides_of_format(sizes, format), dtype);
}
MemoryFormat backward_format(const Tensor& grad, Filter filter, int rank) {
  const bool keeps = rank == 2 ? is_nearest(filter) || filter == Filter::linear || filter == Filter::linear_aa
                               : rank == 3 && filter == Filter::linear;
  return keeps ? grad.suggested_memory_format() : MemoryFormat::contiguous;
}

template <class C>
std::vector<Taps<C>> make_all_taps(const Arguments& a, Filter filter, IntList in, IntList out, bool shortcuts, bool skips_equal = false) {
  std::vector<Taps<C>> taps;
  for (int64_t d = 0; d < in.size(); ++d)
    taps.push_back(taps_of<C>(filter, in[d], out[d], a.align_corners, a.scales[d], shortcuts, skips_equal));
  return taps;
}

void check_sizes(const Arguments& a, IntList input, int rank) {
  check(a.output_size.size() == rank, "It is expected output_size equals to {}, but got size {}", rank, a.output_size.size());
  check(input.size() == rank + 2, "It is expected input_size equals to {}, but got size {}", rank + 2, input.size());
  bool positive = true;
  for (int d = 0; d < rank; ++d) positive = positive && input[2 + d] > 0 && a.output_size[d] > 0;
  if (positive) return;
  const IntList i = input, o = a.output_size;
  if (rank == 1) fail("Input and output sizes should be greater than 0, but got input (W: {}) and output (W: {})", i[2], o[0]);
  if (rank == 2)
    fail("Input and output sizes should be greater than 0, but got input (H: {}, W: {}) output (H: {}, W: {})", i[2], i[3], o[0], o[1]);
  fail(
      "Input and output sizes should be greater than 0, but got input (D: {}, H: {}, W: {}) output (D: {}, H: {}, W: "
      "{})",
      i[2], i[3], i[4], o[0], o[1], o[2]);
}
Dims sizes_with_spatial(IntList input, IntList spatial) {
  Dims sizes{input[0], input[1]};
  for (int64_t s : spatial) sizes.push_back(s);
  return sizes;
}

// Whether torch uses its channels-last kernels, as it also does for small results: these have other names in error messages, and find
// neighbours differently.
bool uses_channels_last(const Tensor& in, IntList out, int rank) {
  const MemoryFormat format = in.suggested_memory_format();
  if (rank == 1) return false;
  if (format != MemoryFormat::contiguous && in.size(1) > 3) return true;
  return rank == 2 && out[out.size() - 1] + out[out.size() - 2] <= 128;
}
std::string forward_name(const Tensor& in, IntList out, Filter filter, int rank) {
  if (is_antialiased(filter)) return "compute_index_ranges_weights";
  if (filter != Filter::cubic && uses_channels_last(in, out, rank)) {
    const char* kind = is_nearest(filter) ? "nearest" : rank == 2 ? "bilinear" : "trilinear";
    return std::string("upsample_") + kind + (rank == 2 ? "2d" : "3d") + "_channels_last";
  }
  return filter == Filter::cubic ? "compute_indices_weights_cubic"
         : is_nearest(filter)    ? "compute_indices_weights_nearest"
                                 : "compute_indices_weights_linear";
}

}  // namespace

void infer_resampled(Specs& out, const Call& call, Filter filter, int rank) {
  const Tensor& self = Unbox<Tensor>::from(call.args[0]);
  const Arguments a = read_resample_arguments(call, filter, rank, false);
  check_sizes(a, self.sizes(), rank);
  bool filled = self.numel() != 0 || self.size(1) != 0;
  if (rank == 1) filled = self.size(1) != 0;
  check(filled, "Non-empty {}D data tensor expected but got a tensor with sizes {}", rank + 2, self.sizes());
  add_in_format(out, sizes_with_spatial(self.sizes(), a.output_size), self.dtype(),
                rank == 1 ? MemoryFormat::contiguous : self.suggested_memory_format());
}

void resample(Tensor& out, const Call& call, Filter filter, int rank) {
  const Tensor& self = Unbox<Tensor>::from(call.args[0]);
  const Arguments a = read_resample_arguments(call, filter, rank, false);
  if (is_antialiased(filter) && out.sizes() == self.sizes()) return copy_into(out, self);
  const bool bytes = self.dtype() == Dtype::uint8 && (is_nearest(filter) || rank == 2);
  const bool halves = is_half(self.dtype()) && !is_antialiased(filter);
  if (!bytes && !halves && self.dtype() != Dtype::float32 && self.dtype() != Dtype::float64)
    not_implemented_for(forward_name(self, out.sizes(), filter, rank).c_str(), self.dtype());
  if (out.numel() == 0) return;
  const MemoryFormat format = rank == 1 ? MemoryFormat::contiguous : self.suggested_memory_format();
  const auto [in, outer, inner] = make_image_copy(self, format);
  const auto [result, unused_outer, unused_inner] = make_image_copy(out, format);
  const IntList from = spatial_of(in.sizes()), to = spatial_of(out.sizes());
  if (is_nearest(filter)) {
    const bool shortcuts = uses_channels_last(self, out.sizes(), rank);
    dispatch_by_size(in.itemsize(), [&, &in = in, &result = result, outer = outer, inner = inner]<class T>(Type<T>) {
      move_nearest<T>(in, result, make_all_taps<float>(a, filter, from, to, shortcuts), outer, inner);
    });
  } else if (bytes) {
    resample_bytes(in, result, make_all_taps<double>(a, filter, from, to, false, true), outer, inner);
  } else {
    const auto run = [&, &in = in, &result = result, outer = outer, inner = inner]<class C>(Type<C>) {
      resample_planes<C>(in, result, make_all_taps<C>(a, filter, from, to, false, is_antialiased(filter)), outer, inner);
    };
    in.dtype() == Dtype::float64 ? run(Type<double>()) : run(Type<float>());
  }
  if (result.get() != out.get()) copy_into(out, result);
}

void infer_resample_backward(Specs& out, const Call& call, Filter filter, int rank) {
  const Tensor& grad = Unbox<Tensor>::from(call.args[0]);
  const Arguments a = read_resample_arguments(call, filter, rank, true);
  check_sizes(a, a.input_size, rank);
  const Dims wanted = sizes_with_spatial(a.input_size, a.output_size);
  if (rank == 1) {
    for (int64_t d = 0; d < 3; ++d)
      check(grad.dim() == 3 && grad.size(d) == wanted[d],
            "Expected a tensor of dimension 3 and tensor.size[{}] == {} but got: dimension {} and tensor.size[{}] = {}", d, wanted[d],
            grad.dim(), d, d < grad.dim() ? grad.size(d) : 0);
  } else {
    check(grad.dim() == rank + 2, "Expected grad_output to be a tensor of dimension {} but got: dimension {}", rank + 2, grad.dim());
    for (int64_t d = 0; d < rank + 2; ++d)
      check(grad.size(d) == wanted[d],
            "Expected grad_output to have the same shape as output; output.size({}) = {} but got grad_output.size({}) "
            "= {}",
            d, wanted[d], d, grad.size(d));
  }
  add_in_format(out, a.input_size, grad.dtype(), backward_format(grad, filter, rank));
}

namespace {
// Whether each input element is the mean of equally many output elements; returns their window shape.
bool are_equal_windows(const std::vector<Taps<float>>& taps, cpu::PoolShape& shape) {
  bool whole = true;
  for (size_t d = 0; whole && d < taps.size(); ++d) {
    const size_t i = 3 - taps.size() + d;
    const int64_t times = taps[d].places / taps[d].input;
    shape.in[i] = taps[d].places, shape.out[i] = taps[d].input, shape.kernel[i] = shape.stride[i] = times;
    whole = times > 0 && times * taps[d].input == taps[d].places;
    for (int64_t k = 0; whole && k < taps[d].places; ++k) whole = taps[d].index[size_t(k)] == k / times;
  }
  return whole;
}
}  // namespace

void resample_backward(Tensor& grad_input, const Call& call, Filter filter, int rank) {
  const Tensor& grad = Unbox<Tensor>::from(call.args[0]);
  const Arguments a = read_resample_arguments(call, filter, rank, true);
  std::string name = call.op.functional->base_name;
  if (is_antialiased(filter)) name = name.substr(1) + "_cpu";
  if (is_antialiased(filter) && is_half(grad.dtype())) not_implemented_for(name.c_str(), grad.dtype());
  if (grad.dtype() != Dtype::float32 && grad.dtype() != Dtype::float64 && !is_half(grad.dtype()))
    not_implemented_for(name.c_str(), grad.dtype());
  if (grad_input.numel() == 0) return;
  const MemoryFormat format = backward_format(grad, filter, rank);
  const auto [g, outer, inner] = make_image_copy(grad, format);
  const auto [result, unused_outer, unused_inner] = make_image_copy(grad_input, format);
  // The backward pass always finds neighbours in float, and with the `shortcuts` of nearest_taps().
  const IntList from = spatial_of(a.input_size);
  const std::vector<Taps<float>> narrow = is_nearest(filter) ? make_all_taps<float>(a, filter, from, a.output_size, true)
                                                             : std::vector<Taps<float>>();
  cpu::PoolShape windows{outer, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
  if (is_nearest(filter) && inner == 1 && are_equal_windows(narrow, windows)) {
    visit_floating(grad.dtype(), [&, &g = g, &result = result]<class T>(Type<T>) {
      cpu::avg_pool<T>(windows, {true, 1}, g.template data<T>(), result.template data<T>());
    });
  } else {
    // The transpose: every input element gathers from the outputs to which it contributed.
    const auto run = [&, &g = g, &result = result, outer = outer, inner = inner]<class C>(Type<C>) {
      std::vector<Taps<C>> taps;
      std::vector<Taps<C>> given;
      for (const Taps<float>& t : narrow)
        given.push_back({t.places, t.most, t.input, t.index, std::vector<C>(t.weight.begin(), t.weight.end()), t.count});
      if (!is_nearest(filter)) given = make_all_taps<C>(a, filter, from, a.output_size, true);
      for (const Taps<C>& t : given) taps.push_back(transpose_taps(t));
      resample_planes<C>(g, result, taps, outer, inner);
    };
    grad.dtype() == Dtype::float64 ? run(Type<double>()) : run(Type<float>());
  }
  if (result.get() != grad_input.get()) copy_into(grad_input, result);
}

namespace {
std::vector<Taps<float>> make_all_windows(IntList in, IntList out, int64_t n) {
  std::vector<Taps<float>> taps;
  for (int64_t d = n; d > 0; --d) taps.push_back(window_taps(in[in.size() - d], out[out.size() - d]));
  return taps;
}
}  // namespace

void window_means(const Tensor& in, const Tensor& out, int64_t n) {
  const std::vector<Taps<float>> taps = make_all_windows(in.sizes(), out.sizes(), n);
  resample_planes<float>(in, out, taps, product({in.sizes().data, in.dim() - n}), 1);
}
void window_means_backward(const Tensor& grad, const Tensor& out, int64_t n) {
  const std::vector<Taps<float>> taps = make_all_windows(out.sizes(), grad.sizes(), n);
  // Divides by the windows' sizes first, which makes the gradients of means those of sums.
  Tensor g = empty(grad.sizes(), Dtype::float32);
  copy_into(g, grad);
  const int64_t width = taps.back().places;
  for (int64_t r = 0; r * width < g.numel(); ++r) divide_by_tap_counts(taps, r, g.data<float>() + r * width);
  std::vector<Taps<float>> shares;
  for (const Taps<float>& t : taps) shares.push_back(transpose_taps(t));
  resample_planes<float>(g, out, shares, product({grad.sizes().data, grad.dim() - n}), 1);
}

Dims resolve_sizes(const Tensor& input, std::optional<IntList> output_size, std::optional<List<double>> scales) {
  const int64_t spatial = input.dim() - 2;
  check(output_size.has_value() != scales.has_value(), "Must specify exactly one of output_size and scale_factors");
  constexpr const char* mismatch =
      "Expected static_cast<int64_t>({}->size()) == spatial_dimensions to be true, but got false.  (Could this error "
      "message be improved?  If so, please "
      "report an enhancement request to PyTorch.)";
  if (output_size) {
    check(output_size->size() == spatial, mismatch, "output_size");
    return Dims(*output_size);
  }
  check(scales->size() == spatial, mismatch, "scale_factors");
  Dims sizes;
  for (int64_t d = 0; d < spatial; ++d) {
    const double size = double(input.size(d + 2)) * (*scales)[d];
    // Beyond int64, torch's conversion gives the smallest int64.
    sizes.push_back(size >= -0x1p63 && size < 0x1p63 ? int64_t(size) : INT64_MIN);
  }
  return sizes;
}

}  // namespace mt
