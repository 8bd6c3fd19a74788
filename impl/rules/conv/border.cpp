// Reflection and replication padding: copies rows from their source rows, the middle of each in one piece.
#include "rules/conv/border.h"

#include <cstring>
#include <string>
#include <vector>

#include "core/messages.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

constexpr int64_t sum_wrapping(int64_t a, int64_t b, int64_t c) { return int64_t(uint64_t(a) + uint64_t(b) + uint64_t(c)); }

// The input index for each output index of a dimension.
std::vector<int64_t> source_indices_of(int64_t size, int64_t before, int64_t out, Border border) {
  std::vector<int64_t> from(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    int64_t k = i - before;
    if (border == Border::reflect) k = k < 0 ? -k : k >= size ? 2 * (size - 1) - k : k;
    from[size_t(i)] = k < 0 ? 0 : k >= size ? size - 1 : k;
  }
  return from;
}

bool is_batched(const Tensor& t, int rank) { return t.dim() == rank + 2; }
MemoryFormat channels_last_format_or_contiguous(const Tensor& t, int rank) {
  return rank > 1 && is_batched(t, rank) ? t.suggested_memory_format() : MemoryFormat::contiguous;
}
std::string kernel_name(Border border, int rank, const char* end) {
  return std::string(border == Border::reflect ? "reflection" : "replication") + "_pad" + std::to_string(rank) + "d" + end;
}

// A contiguous or channels-last tensor as (outer, padded dimensions..., inner).
struct Planes {
  Tensor tensor;
  int64_t outer, inner;
  Dims sizes;
};
Planes make_planes(const Tensor& t, MemoryFormat format, int rank) {
  Tensor packed = t;
  if (!t.is_contiguous(format)) {
    packed = empty_strided(t.sizes(), strides_of_format(t.sizes(), format), t.dtype());
    copy_into(packed, t);
  }
  const bool last = format != MemoryFormat::contiguous;
  Planes p{packed, last ? t.size(0) : 1, last ? t.size(1) : 1, Dims(IntList(t.sizes().data + t.dim() - rank, rank))};
  if (!last)
    for (int64_t d = 0; d < t.dim() - rank; ++d) p.outer *= t.size(d);
  return p;
}

struct SourceIndices {
  std::vector<std::vector<int64_t>> dims;  // first dimension first: the input index for each output index
  SourceIndices(IntList in, IntList out, IntList pad, Border border) {
    for (int64_t d = 0; d < in.size(); ++d) dims.push_back(source_indices_of(in[d], pad[2 * (in.size() - 1 - d)], out[d], border));
  }
  // The offset of each output row's source row (over all dimensions but the last), in rows of the input's plane.
  std::vector<int64_t> source_row_offsets(IntList in) const {
    std::vector<int64_t> from{0};
    for (int64_t d = 0; d + 1 < in.size(); ++d) {
      std::vector<int64_t> finer;
      for (int64_t row : from)
        for (int64_t source : dims[size_t(d)]) finer.push_back(row * in[d] + source);
      from = std::move(finer);
    }
    return from;
  }
};
int64_t count_rows(IntList sizes) {
  int64_t n = 1;
  for (int64_t d = 0; d + 1 < sizes.size(); ++d) n *= sizes[d];
  return n;
}

// The range [first, last) of output positions in a row that copies contiguous input elements; positions outside of it are padding.
struct Neighbours {
  int64_t first, last;
};
Neighbours find_middle_without_border(int64_t places, int64_t width, IntList pad) {
  const int64_t first = std::min(std::max<int64_t>(pad[0], 0), places);
  return {first, std::max(first, std::min(places, width + pad[0]))};
}

template <class T>
void copy_planes_with_border(const Planes& in, const Planes& out, const SourceIndices& sources, IntList pad) {
  const int64_t rows = count_rows(out.sizes), in_rows = count_rows(in.sizes), places = out.sizes.back(), width = in.sizes.back(),
                inner = in.inner;
  const std::vector<int64_t>&from = sources.dims.back(), from_row = sources.source_row_offsets(in.sizes);
  const T* const data = static_cast<const T*>(in.tensor.data());
  T* const to = static_cast<T*>(out.tensor.data());
  const int64_t *const source = from.data(), *const source_row = from_row.data(), before = pad[0];
  const Neighbours middle = find_middle_without_border(places, width, pad);
  // Captured by value: elements may alias the counts, which each store would otherwise force to be read again.
  const auto copy_rows = [=](int64_t begin, int64_t end) {
    int64_t plane = begin / rows, row_in_plane = begin % rows;
    for (int64_t r = begin; r < end; ++r) {
      const T* const row = data + (plane * in_rows + source_row[row_in_plane]) * width * inner;
      if (++row_in_plane == rows) row_in_plane = 0, ++plane;
      T* const result = to + r * places * inner;
      if (const int64_t n = (middle.last - middle.first) * inner; n > 0)
        std::memcpy(static_cast<void*>(result + middle.first * inner), row + (middle.first - before) * inner, size_t(n) * sizeof(T));
      const auto place = [&](int64_t i) {
        for (int64_t c = 0; c < inner; ++c) result[i * inner + c] = row[source[i] * inner + c];
      };
      for (int64_t i = 0; i < middle.first; ++i) place(i);
      for (int64_t i = middle.last; i < places; ++i) place(i);
    }
  };
  cpu::parallel_for(0, in.outer * rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, places * inner)), copy_rows);
}

template <class T>
struct AddElements {
  using C = ComputeType<T>;
  static void run(const T* addends, int64_t n, C* sums) {
    for (int64_t i = 0; i < n; ++i) sums[i] += C(addends[i]);
  }
};

template <class T>
void add_border_gradients(const Planes& grad, const Planes& out, const SourceIndices& sources, IntList pad) {
  using C = ComputeType<T>;
  constexpr bool in_place = std::is_same_v<T, C>;
  const int64_t rows = count_rows(grad.sizes), places = grad.sizes.back(), width = out.sizes.back(), inner = grad.inner;
  const int64_t plane = count_rows(out.sizes) * width * inner;
  const std::vector<int64_t>&from = sources.dims.back(), from_row = sources.source_row_offsets(out.sizes);
  const auto [first, last] = find_middle_without_border(places, width, pad);
  const auto add = row_clone<AddElements<T>>(AddElements<T>::run);
  cpu::parallel_for(0, grad.outer, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, rows * places * inner)),
                    [&](int64_t begin, int64_t end) {
                      std::vector<C> own(size_t(in_place ? 0 : plane));
                      for (int64_t o = begin; o < end; ++o) {
                        T* const to = out.tensor.data<T>() + o * plane;
                        C* sums = own.data();
                        if constexpr (in_place) sums = to;
                        std::fill_n(sums, plane, C(0));
                        for (int64_t r = 0; r < rows; ++r) {
                          const T* g = grad.tensor.data<T>() + (o * rows + r) * places * inner;
                          C* row = sums + from_row[size_t(r)] * width * inner;
                          auto place = [&](int64_t i) { add(g + i * inner, inner, row + from[size_t(i)] * inner); };
                          for (int64_t i = 0; i < first; ++i) place(i);
                          if (last > first) add(g + first * inner, (last - first) * inner, row + (first - pad[0]) * inner);
                          for (int64_t i = last; i < places; ++i) place(i);
                        }
                        if constexpr (!in_place)
                          for (int64_t j = 0; j < plane; ++j) to[j] = T(sums[j]);
                      }
                    });
}

Dims padded_sizes(const Tensor& self, IntList pad, int rank) {
  Dims sizes(self.sizes());
  for (int d = 0; d < rank; ++d) {
    int64_t& s = sizes[self.dim() - 1 - d];
    s = sum_wrapping(s, pad[2 * d], pad[2 * d + 1]);
  }
  return sizes;
}

void check_input(const Tensor& self, IntList pad, Border border, int rank) {
  if (border == Border::reflect)
    check(pad.size() == 2 * rank, "padding size is expected to be {}, but got: {}", 2 * rank, pad.size());
  else
    check(pad.size() == 2 * rank, "padding size is expected to be {}", 2 * rank);
  bool valid = self.dim() == rank + 1 || self.dim() == rank + 2;
  for (int64_t d = self.dim() == rank + 2 ? 1 : 0; valid && d < self.dim(); ++d) valid = self.size(d) != 0;
  check(valid,
        "Expected {}D or {}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
        "but got: {}",
        rank + 1, rank + 2, self.sizes());
  if (border != Border::reflect) return;
  for (int d = 0; d < rank; ++d) {
    const int64_t dim = self.dim() - 1 - d, size = self.size(dim);
    check(pad[2 * d] < size && pad[2 * d + 1] < size,
          "Argument #{}: Padding size should be less than the corresponding input dimension, but got: padding ({}, {}) "
          "at dimension {} of input {}",
          4 + 2 * d, pad[2 * d], pad[2 * d + 1], dim, self.sizes());
  }
}

template <class F>
void dispatch_padded(Dtype dtype, const std::string& name, F&& f) {
  if (dtype == Dtype::complex32) not_implemented_for(name.c_str(), dtype);
  dispatch_numbers(dtype, name.c_str(), f);
}

}  // namespace

void infer_border(Specs& out, const Tensor& self, IntList pad, Border border, int rank) {
  check_input(self, pad, border, rank);
  const Dims sizes = padded_sizes(self, pad, rank);
  const int64_t n = sizes.size();
  bool any = false;
  for (int d = 1; d <= rank; ++d) any = any || sizes[n - d] >= 1;
  const IntList in = self.sizes();
  if (!any && rank == 1) fail("input (W: {}) is too small. Calculated output W: {}", in[n - 1], sizes[n - 1]);
  if (!any && rank == 2)
    fail(border == Border::reflect ? "input (H: {}, W: {}) is too small. Calculated output H: {} W: {}"
                                   : "input (H: {}, W: {} ) is too small. Calculated output H: {} W: {}",
         in[n - 2], in[n - 1], sizes[n - 2], sizes[n - 1]);
  if (!any)
    fail("input (D: {} H: {}, W: {}) is too small. Calculated output D: {} H: {} W: {}", in[n - 3], in[n - 2], in[n - 1], sizes[n - 3],
         sizes[n - 2], sizes[n - 1]);
  for (int64_t s : sizes) check(s >= 0, messages::negative_size_in, s, sizes);
  const MemoryFormat format = channels_last_format_or_contiguous(self, rank);
  if (format == MemoryFormat::contiguous) return out.add(sizes, self.dtype());
  out.add_strided(sizes, strides_of_format(sizes, format), self.dtype());
}

void pad_border(const Tensor& self, IntList pad, Border border, int rank, const Tensor& out) {
  dispatch_padded(self.dtype(), kernel_name(border, rank, ""), [&]<class T>(Type<T>) {
    if (out.numel() == 0) return;
    const MemoryFormat format = channels_last_format_or_contiguous(self, rank);
    const Planes in = make_planes(self, format, rank), result = make_planes(out, format, rank);
    copy_planes_with_border<T>(in, result, SourceIndices(in.sizes, result.sizes, pad, border), pad);
    if (result.tensor.get() != out.get()) copy_into(out, result.tensor);
  });
}

void infer_border_backward(Specs& out, const Tensor& grad, const Tensor& self, IntList pad, Border border, int rank) {
  check_input(self, pad, border, rank);
  const Dims sizes = padded_sizes(self, pad, rank);
  static constexpr const char* names[] = {"width", "height", "depth"};
  const bool underscored = border == Border::reflect && rank != 2, comma = border == Border::reflect || rank != 1;
  check(grad.dim() == self.dim(), "Expected the gradient to have {} dimensions, but got {}", self.dim(), grad.dim());
  for (int d = 0; d < rank; ++d)
    check(grad.size(-1 - d) == sizes[sizes.size() - 1 - d], "{} {} unexpected. Expected: {}{} Got: {}",
          underscored ? "grad_output" : "gradOutput", names[d], sizes[sizes.size() - 1 - d], comma ? "," : "", grad.size(-1 - d));
  check(grad.sizes() == IntList(sizes) && grad.dtype() == self.dtype(), messages::expected_gradient_of_sizes, sizes, self.dtype(),
        grad.sizes(), grad.dtype());
  const MemoryFormat format = channels_last_format_or_contiguous(self, rank);
  if (format == MemoryFormat::contiguous) return out.add(self.sizes(), self.dtype());
  out.add_strided(self.sizes(), strides_of_format(self.sizes(), format), self.dtype());
}

void pad_border_backward(const Tensor& grad, IntList pad, Border border, int rank, const Tensor& grad_input) {
  const std::string name = kernel_name(border, rank, "_backward");
  dispatch_floating_and_complex(grad.dtype(), name.c_str(), [&]<class T>(Type<T>) {
    if (grad_input.numel() == 0) return;
    const MemoryFormat format = channels_last_format_or_contiguous(grad_input, rank);
    const Planes g = make_planes(grad, format, rank), result = make_planes(grad_input, format, rank);
    add_border_gradients<T>(g, result, SourceIndices(result.sizes, g.sizes, pad, border), pad);
    if (result.tensor.get() != grad_input.get()) copy_into(grad_input, result.tensor);
  });
}

}  // namespace mt
