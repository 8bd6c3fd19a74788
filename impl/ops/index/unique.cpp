// unique: the different elements, in order; unique_consecutive: runs of equal ones.
#include <algorithm>
#include <cstring>
#include <vector>
#include "core/dispatch_dtype.h"
#include "rules/algebra.h"

namespace mt {
namespace {

// Marks where a new value begins in a flat tensor and counts along.
struct Runs {
  std::vector<int64_t> first;    // positions where runs begin
  std::vector<int64_t> run_of;   // which run each position belongs to
};
Runs runs_of(const Tensor& flat) {
  Runs r;
  dispatch_all(flat.dtype(), "unique", [&]<class T>(Type<T>) {
    const T* p = flat.data<T>();
    for (int64_t i = 0; i < flat.numel(); ++i) {
      bool same = i > 0;
      if constexpr (is_complex_type<T>) same = same && p[i] == p[i - 1];
      else same = same && ComputeType<T>(p[i]) == ComputeType<T>(p[i - 1]);
      if (!same) r.first.push_back(i);
      r.run_of.push_back(int64_t(r.first.size()) - 1);
    }
  });
  return r;
}
Tensor longs(const std::vector<int64_t>& v) {
  Tensor t = empty({int64_t(v.size())}, Dtype::int64);
  if (!v.empty()) std::memcpy(t.data(), v.data(), v.size() * 8);
  return t;
}
Tensor counts_of(const Runs& r, int64_t n) {
  std::vector<int64_t> counts;
  for (size_t i = 0; i < r.first.size(); ++i) counts.push_back((i + 1 < r.first.size() ? r.first[i + 1] : n) - r.first[i]);
  return longs(counts);
}
Tensor no_longs() { return empty({0}, Dtype::int64); }

constexpr auto unique_flat = [](const Tensor& self, bool, bool inverse, bool counts) -> Tensors<3> {
  check(!is_complex(self.dtype()), ErrorKind::not_implemented, "\"unique\" not implemented for '{}'", self.dtype());
  BelowAutograd guard;
  auto sorted = op<"sort.stable", Tensors<2>>(op<"reshape">(self, IntList{-1}), true, 0, false);
  const Runs r = runs_of(sorted[0]);
  Tensors<3> out{{op<"index_select">(sorted[0], 0, longs(r.first)), no_longs(), no_longs()}};
  if (inverse) {
    Tensor positions = op<"scatter.src">(op<"zeros">(IntList{self.numel()}, Dtype::int64), 0, sorted[1], longs(r.run_of));
    out[1] = op<"view">(positions, self.sizes());
  }
  if (counts) out[2] = counts_of(r, self.numel());
  return out;
};
MT_OP(OpDef{
    .schema = {"_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "The different elements in order; where each element went, and how often each occurs, if asked.",
    .cpu = unique_flat,
    .grad = not_differentiable,
});

constexpr auto consecutive = [](const Tensor& self, bool inverse, bool counts, std::optional<int64_t> dim) -> Tensors<3> {
  BelowAutograd guard;
  if (dim) return op<"unique_dim_consecutive", Tensors<3>>(self, *dim, inverse, counts);
  const Tensor flat = op<"contiguous">(op<"reshape">(self, IntList{-1}));
  const Runs r = runs_of(flat);
  Tensors<3> out{{op<"index_select">(flat, 0, longs(r.first)), no_longs(), no_longs()}};
  if (inverse) out[1] = op<"view">(longs(r.run_of), self.sizes());
  if (counts) out[2] = counts_of(r, self.numel());
  return out;
};
MT_OP(OpDef{
    .schema = {"unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "The first element of each run of equal elements.",
    .cpu = consecutive,
    .grad = not_differentiable,
});

// Slices along `dim` as rows, compared as a whole.
Tensors<3> by_slices(const Tensor& self, int64_t dim, bool sort, bool inverse, bool counts) {
  const int64_t d = wrap_dim(dim, self.dim());
  if (self.size(d) == 0) {
    for (int64_t k = 0; k < self.dim(); ++k) check(k == d || self.size(k) != 0, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
    return {{op<"clone">(self), no_longs(), no_longs()}};
  }
  Tensor rows = op<"contiguous">(op<"reshape">(op<"movedim">(self, d, 0), IntList{self.size(d), -1}));
  const int64_t n = rows.size(0), width = rows.size(1);
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) order[size_t(i)] = i;
  std::vector<int64_t> first, run(static_cast<size_t>(n));
  dispatch_real(rows.dtype() == Dtype::boolean ? Dtype::uint8 : rows.dtype(), "unique_dim", [&]<class T>(Type<T>) {
    const T* p = static_cast<const T*>(rows.data());
    auto less = [&](int64_t a, int64_t b) {
      for (int64_t k = 0; k < width; ++k) {
        const ComputeType<T> x = p[a * width + k], y = p[b * width + k];
        if (x < y) return true;
        if (y < x) return false;
      }
      return false;
    };
    if (sort) std::stable_sort(order.begin(), order.end(), less);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = order[size_t(i)];
      if (i == 0 || less(order[size_t(i - 1)], at) || less(at, order[size_t(i - 1)])) first.push_back(i);
      run[size_t(at)] = int64_t(first.size()) - 1;
    }
  });
  std::vector<int64_t> picked, count;
  for (size_t i = 0; i < first.size(); ++i) {
    picked.push_back(order[size_t(first[i])]);
    count.push_back((i + 1 < first.size() ? first[i + 1] : n) - first[i]);
  }
  // The slices lie one after the other, as they were compared.
  Dims sizes(self.sizes());
  sizes.erase(d);
  sizes.insert(0, int64_t(picked.size()));
  Tensor kept = op<"movedim">(op<"view">(op<"index_select">(rows, 0, longs(picked)), sizes), 0, d);
  return {{kept, inverse ? longs(run) : no_longs(), counts ? longs(count) : no_longs()}};
}
MT_OP(OpDef{
    .schema = {"unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)"},
    .forms = function,
    .doc = "The different slices along `dim`, in order.",
    .cpu = [](const Tensor& self, int64_t dim, bool, bool inverse, bool counts) -> Tensors<3> {
      BelowAutograd guard;
      return by_slices(self, dim, true, inverse, counts);
    },
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = "The first slice of each run of equal slices along `dim`.",
    .cpu = [](const Tensor& self, int64_t dim, bool inverse, bool counts) -> Tensors<3> {
      BelowAutograd guard;
      return by_slices(self, dim, false, inverse, counts);
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
