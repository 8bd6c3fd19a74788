// Looks up linear indices in a coalesced tensor: continues from the last one found if they ascend, otherwise by binary search.
#include "rules/sparse/sparse_lookup.h"

#include <algorithm>
#include <vector>

#include "cpu/threads/parallel.h"

namespace mt {

Tensor gather_values_at(const Tensor& dense, const Tensor& indices) {
  BelowAutograd guard;
  const int64_t dims = indices.size(0), n = indices.size(1);
  if (dims == 0) return op<"repeat_interleave.self_int">(op<"unsqueeze">(dense, int64_t(0)), n, int64_t(0));
  std::vector<Tensor> places;
  for (int64_t d = 0; d < dims; ++d) places.push_back(op<"select.int">(indices, int64_t(0), d));
  return op<"index.Tensor">(dense, places);
}

namespace {
// Returns the first of the sorted numbers in (at, last) that is not less than `place`; *at is smaller. Doubles its steps, then searches by
// bisection.
const int64_t* search_from(const int64_t* at, const int64_t* last, int64_t place) {
  int64_t step = 1;
  for (; step < last - at && at[step] < place; step *= 2) at += step;
  return std::lower_bound(at + 1, step < last - at ? at + step : last, place);
}

// For each of `places` its position in `searched`, which is sorted and has unique elements, or -1.
Tensor find_positions(const Tensor& places, const Tensor& searched) {
  const int64_t n = places.numel();
  const Tensor positions = empty({n}, Dtype::int64);
  const auto *const first = searched.data<int64_t>(), *const last = first + searched.numel(), *const place = places.data<int64_t>();
  auto* const out = positions.data<int64_t>();
  cpu::parallel_for(0, n, 4096, [&](int64_t begin, int64_t end) {
    const int64_t* found = first;
    for (int64_t i = begin; i < end; ++i) {
      if (i == begin || place[i] < place[i - 1])
        found = std::lower_bound(first, last, place[i]);
      else if (found != last && *found < place[i])
        found = search_from(found, last, place[i]);
      out[i] = found != last && *found == place[i] ? found - first : -1;
    }
  });
  return positions;
}
}  // namespace

Tensor find_positions_in(const Tensor& wanted, const Tensor& stored, IntList sizes) {
  return find_positions(linearize_indices(wanted, sizes), linearize_indices(stored, sizes));
}

Pairs match_indices(const Tensor& source, const Tensor& sorted) {
  const Tensor numbers = find_positions(source, sorted);
  const int64_t n = source.numel();
  const Tensor first = empty({n}, Dtype::int64), second = empty({n}, Dtype::int64);
  const auto* number = numbers.data<int64_t>();
  auto *of_source = first.data<int64_t>(), *of_sorted = second.data<int64_t>();
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {  // an entry written without a match is overwritten
    of_source[count] = i;
    of_sorted[count] = number[i];
    count += number[i] >= 0;
  }
  return {op<"narrow">(first, 0, 0, count), op<"narrow">(second, 0, 0, count)};
}

Tensor select_by_mask_indices(const Tensor& self, const Tensor& mask, bool by_count) {
  BelowAutograd guard;
  const Tensor ones = op<"ones">(IntList{nnz(mask)}, Dtype::int64);
  const Tensor counts = coalesce(
      coo_tensor(components_of(mask).indices, ones, mask.sizes().first(sparse_dim(mask)), components_of(mask).coalesced));
  const Tensor positions = find_positions_in(components_of(self).indices, components_of(counts).indices, counts.sizes());
  Dims column(components_of(self).values.dim());
  for (int64_t& size : column) size = 1;
  column[0] = nnz(self);
  const Tensor is_kept = op<"view">(op<"ge.Scalar">(positions, Scalar(0)), IntList(column));
  const Tensor& values = components_of(self).values;
  Tensor kept = values;
  if (by_count && nnz(counts) > 0) {
    const Tensor times = op<"index_select">(components_of(counts).values, int64_t(0), op<"clamp_min">(positions, Scalar(0)));
    kept = op<"mul.Tensor">(values, op<"to.dtype">(op<"view">(times, IntList(column)), values.dtype()));
  }
  return coo_tensor(op<"clone">(components_of(self).indices), op<"where.ScalarOther">(is_kept, kept, Scalar(0)), self.sizes(),
                    components_of(self).coalesced);
}

}  // namespace mt
