// Shared by median and nanmedian: the lower middle of the sorted elements, with NaN counted or skipped.
#pragma once

#include <algorithm>
#include <vector>

#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/reduction/reducers.h"
#include "rules/reduction/sorting.h"

namespace mt {

// The index that torch returns if all elements are NaN, which no comparison distinguishes.
inline int64_t median_index_if_all_are_nan(int64_t n) {
  std::vector<int64_t> places(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) places[size_t(i)] = i;
  std::nth_element(places.begin(), places.begin(), places.end(), [](int64_t, int64_t) { return false; });
  return places[0];
}

// For integers in a small range: finds the element of rank `k` and the number of smaller elements by counting each value, in four tables,
// so that equal neighbours do not wait for each other's increments. Returns false if the range is large.
template <class T>
bool find_kth_by_counting(const T* row, int64_t n, int64_t k, std::vector<uint32_t>& counts, T& value, int64_t& less) {
  uint64_t first = 0, range = 0;
  for (int64_t seen : {std::min<int64_t>(n, 128), n}) {  // a large range usually shows early
    const auto [low, high] = std::minmax_element(row, row + seen);
    first = uint64_t(int64_t(*low)), range = uint64_t(int64_t(*high)) - first;
    if (range >= uint64_t(std::clamp<int64_t>(n, 128, 16384))) return false;
  }
  counts.assign(4 * (range + 1), 0);
  for (int64_t i = 0; i < n; ++i) ++counts[4 * (uint64_t(int64_t(row[i])) - first) + uint64_t(i % 4)];
  less = 0;
  for (uint64_t v = 0;; ++v) {
    const int64_t here = int64_t(counts[4 * v]) + counts[4 * v + 1] + counts[4 * v + 2] + counts[4 * v + 3];
    if (less + here > k) return value = T(first + v), true;
    less += here;
  }
}

// The lower middle of each row and, if requested, its index. Any NaN is the answer; with SkipNan only if there is nothing else. Among
// equal elements the index is the one that a stable sort puts in the middle.
template <bool SkipNan, class T>
[[gnu::noinline]] void median_rows(int64_t rows, int64_t n, cpu::Rows<const T> in, cpu::Rows<T> values, cpu::Rows<int64_t> places) {
  using C = ComputeType<T>;
  cpu::parallel_for(0, rows, std::max<int64_t>(1, 16384 / n), [&](int64_t begin, int64_t end) {
    std::vector<C> numbers(static_cast<size_t>(n));
    std::vector<uint32_t> counts;
    for (int64_t r = begin; r < end; ++r) {
      const T* row = in.data + r * in.row_stride;
      int64_t count = 0, place = 0;
      for (int64_t i = 0; i < n; ++i) numbers[size_t(count)] = C(row[i]), count += !isnan_(C(row[i]));
      if (count == 0 || (!SkipNan && count < n)) {
        if (SkipNan && places.data) place = median_index_if_all_are_nan(n);
        while (!isnan_(C(row[place]))) ++place;
      } else {
        int64_t less = 0;
        C value{};
        bool is_found = false;
        if constexpr (std::is_integral_v<T>) is_found = find_kth_by_counting(row, n, (n - 1) / 2, counts, value, less);
        if (!is_found) {
          const auto middle = numbers.begin() + (count - 1) / 2;
          std::nth_element(numbers.begin(), middle, numbers.begin() + count);
          value = *middle;
          for (int64_t i = 0; places.data && i < n; ++i) less += C(row[i]) < value;
        }
        if (!places.data) {
          values.data[r * values.row_stride] = T(value);
          continue;
        }
        int64_t equal_before = (count - 1) / 2 - less;
        while (C(row[place]) != value || equal_before-- > 0) ++place;
      }
      values.data[r * values.row_stride] = row[place];
      if (places.data) places.data[r * places.row_stride] = place;
    }
  });
}

template <bool SkipNan>
void median_along(const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices, const char* name) {
  if (self.dtype() == Dtype::boolean) not_implemented_for(name, self.dtype());
  sort_along(self, dim, 1, restore_reduced_dim(values, self, dim), restore_reduced_dim(indices, self, dim), name,
             [&]<class T>(Type<T>, int64_t rows, int64_t n, auto in, auto v, auto i) {
               median_rows<SkipNan && !std::is_integral_v<T>, T>(rows, n, in, v, i);
             });
}
template <bool SkipNan>
void median_of_all(const Tensor& self, const Tensor& out) {
  if (self.dtype() == Dtype::boolean || is_complex(self.dtype())) not_implemented_for("median_cpu", self.dtype());
  if (self.numel() == 0) {  // torch converts NaN, which gives the most negative integer
    dispatch_real(out.dtype(), "median_cpu", [&]<class T>(Type<T>) {
      if constexpr (std::is_integral_v<T>)
        *out.data<T>() = T(std::is_same_v<T, int64_t> ? INT64_MIN : int64_t(INT32_MIN));
      else
        *out.data<T>() = T(__builtin_nanf(""));
    });
    return;
  }
  Tensor flat = self;
  if (!self.is_contiguous()) copy_into(flat = empty(self.sizes(), self.dtype()), self);
  dispatch_real(self.dtype(), "median_cpu", [&]<class T>(Type<T>) {
    median_rows<SkipNan && !std::is_integral_v<T>, T>(1, flat.numel(), {flat.data<T>(), 0, 1}, {out.data<T>(), 0, 1}, {nullptr, 0, 1});
  });
}
inline void median_shape(Specs& out, const char* name, const Tensor& self, int64_t dim, bool keepdim) {
  const int64_t d = wrap_dim(dim, self.dim());
  check(self.dim() == 0 || self.size(d) > 0, ErrorKind::index, messages::reduction_dim_is_empty, name, d);
  const Dims sizes = sizes_without(self, d, keepdim);
  out.add(sizes, self.dtype());
  out.add(sizes, Dtype::int64);
}
// The gradient of a median, shared by all elements that equal it; for a NaN median, by all NaN elements.
inline Tensor median_gradient(const Tensor& g, const Tensor& x, const Tensor& y) {
  Tensor equal = op<"logical_or">(op<"eq">(x, y), op<"logical_and">(op<"isnan">(x), op<"isnan">(y)));
  return g * equal / op<"sum">(equal);
}

}  // namespace mt
