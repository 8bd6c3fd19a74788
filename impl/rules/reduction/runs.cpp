// Runs of equal elements or slices.
#include "rules/reduction/runs.h"

#include <algorithm>
#include <cstring>
#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "cpu/clones.h"
#include "rules/form/algebra.h"
#include "rules/index/picks.h"

namespace mt {

Tensor make_int64_tensor(const std::vector<int64_t>& v) {
  Tensor t = empty({int64_t(v.size())}, Dtype::int64);
  if (!v.empty()) std::memcpy(t.data(), v.data(), v.size() * 8);
  return t;
}

namespace {

struct MarkRunStarts {
  template <class T>
  static MT_INLINE void run(const T* values, int64_t n, bool* starts_run) {
    for (int64_t i = 1; i < n; ++i) {
      if constexpr (is_complex_type<T>)
        starts_run[i] = !(values[i] == values[i - 1]);
      else
        starts_run[i] = !(ComputeType<T>(values[i]) == ComputeType<T>(values[i - 1]));
    }
  }
};
// begins[i]: whether element i differs from the one before; true for the first.
void mark_run_starts(const Tensor& flat, bool* begins) {
  const int64_t n = flat.numel();
  if (n > 0) begins[0] = true;
  auto compare_typed = [&]<class T>(Type<T>) {
    static const auto run = cpu::detail::choose_clone<MarkRunStarts>(MarkRunStarts::run<T>);
    run(static_cast<const T*>(flat.data()), n, begins);
  };
  if (is_integral(flat.dtype(), true)) return dispatch_by_size(flat.itemsize(), compare_typed);
  dispatch_all_and_unsigned(flat.dtype(), "unique", [&]<class T>(Type<T> type) {
    if constexpr (!std::is_integral_v<T>) compare_typed(type);
  });
}

}  // namespace

Runs runs_of(const Tensor& flat, bool with_run_of) {
  const int64_t n = flat.numel();
  Tensor begins = empty({n}, Dtype::boolean);
  bool* const b = begins.data<bool>();
  mark_run_starts(flat, b);
  const MaskSelection picks(b, n);
  Runs r{empty({picks.count()}, Dtype::int64), with_run_of ? empty({n}, Dtype::int64) : Tensor()};
  picks.for_pieces([&](int64_t begin, int64_t end, int64_t place) {
    write_selected(picks.mask, begin, end, r.first.data<int64_t>() + place, [](int64_t i) { return i; });
    if (!with_run_of) return;
    int64_t* const to = r.run_of.data<int64_t>();
    for (int64_t i = begin; i < end; ++i) to[i] = (place += b[i]) - 1;
  });
  return r;
}

Tensor count_runs(const Runs& r, int64_t n) {
  const int64_t count = r.first.numel(), *const first = r.first.data<int64_t>();
  Tensor counts = empty({count}, Dtype::int64);
  int64_t* const to = counts.data<int64_t>();
  for (int64_t i = 0; i + 1 < count; ++i) to[i] = first[i + 1] - first[i];
  if (count > 0) to[count - 1] = n - first[count - 1];
  return counts;
}

namespace {
// Negative if the first slice sorts before the second, 0 if they are equal, positive otherwise.
using CompareSlices = int (*)(const char* a, const char* b, int64_t width);
// Compares slices element by element: -1 if a is before b, 1 if behind, 0 if they are equal; 2 if they differ only in NaN, which has no
// order and equals nothing.
template <class T>
inline int compare_slices(const char* a, const char* b, int64_t width) {
  bool has_nan = false;
  for (int64_t k = 0; k < width; ++k) {
    const ComputeType<T> x = reinterpret_cast<const T*>(a)[k], y = reinterpret_cast<const T*>(b)[k];
    if (x < y) return -1;
    if (y < x) return 1;
    has_nan |= x != y;
  }
  return has_nan ? 2 : 0;
}
}  // namespace

Tensors<3> unique_slices(const Tensor& self, int64_t dim, SliceOrder slice_order, bool inverse, bool counts) {
  if (is_complex(self.dtype())) not_implemented_for("unique_dim", self.dtype());
  check(self.dim() > 0, ErrorKind::index, messages::dim_of_scalar_tensor, dim);
  const int64_t d = wrap_dim(dim, self.dim());
  for (int64_t k = 0; k < self.dim(); ++k)
    check(k == d || self.size(k) != 0, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  if (self.size(d) == 0) return {{op<"clone">(self), empty_int64(), empty_int64()}};
  Tensor rows = op<"contiguous">(op<"reshape">(op<"movedim">(self, d, 0), IntList{self.size(d), -1}));
  const int64_t n = rows.size(0), width = rows.size(1);
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) order[size_t(i)] = i;
  std::vector<int64_t> first, run(static_cast<size_t>(n));
  const char* const data = static_cast<const char*>(rows.data());
  const int64_t bytes = width * rows.itemsize();
  auto find_runs = [&](auto compare_typed) {
    auto compare = [&](int64_t a, int64_t b) { return compare_typed(data + a * bytes, data + b * bytes, width); };
    if (slice_order == SliceOrder::sorted) {
      auto is_before = [&](int64_t a, int64_t b) { return compare(a, b) < 0; };
      // With NaN, is_before is no strict weak order. Up to 16 slices, std::sort is an insertion sort, which puts slices with NaN where
      // torch does; for more, std::stable_sort does not read out of bounds.
      constexpr int64_t inserted = 16;
      n <= inserted ? std::sort(order.begin(), order.end(), is_before) : std::stable_sort(order.begin(), order.end(), is_before);
    }
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = order[size_t(i)];
      if (i == 0 || compare(order[size_t(i - 1)], at) != 0) first.push_back(i);
      run[size_t(at)] = int64_t(first.size()) - 1;
    }
  };
  // Sorting code is large: the common dtypes have their own copy, all others compare through a function pointer.
  if (rows.dtype() == Dtype::int64) {
    find_runs([](const char* a, const char* b, int64_t k) { return compare_slices<int64_t>(a, b, k); });
  } else if (rows.dtype() == Dtype::int32) {
    find_runs([](const char* a, const char* b, int64_t k) { return compare_slices<int32_t>(a, b, k); });
  } else if (rows.dtype() == Dtype::float32) {
    find_runs([](const char* a, const char* b, int64_t k) { return compare_slices<float>(a, b, k); });
  } else {
    CompareSlices compare_typed = nullptr;
    dispatch_real_and_unsigned(rows.dtype() == Dtype::boolean ? Dtype::uint8 : rows.dtype(), "unique_dim",
                               [&]<class T>(Type<T>) { compare_typed = compare_slices<T>; });
    find_runs(compare_typed);
  }
  std::vector<int64_t> picked, count;
  for (size_t i = 0; i < first.size(); ++i) {
    picked.push_back(order[size_t(first[i])]);
    count.push_back((i + 1 < first.size() ? first[i + 1] : n) - first[i]);
  }
  // Joins the distinct slices in the order in which they were found.
  Dims sizes(self.sizes());
  sizes.erase(d);
  sizes.insert(0, int64_t(picked.size()));
  Tensor kept = op<"movedim">(op<"view">(op<"index_select">(rows, 0, make_int64_tensor(picked)), sizes), 0, d);
  return {{kept, inverse ? make_int64_tensor(run) : empty_int64(), counts ? make_int64_tensor(count) : empty_int64()}};
}

}  // namespace mt
