// Looking up places: by binary search among those of a coalesced tensor.
#include "rules/sparse_places.h"

#include <algorithm>
#include <vector>

#include "cpu/parallel.h"

namespace mt {

Tensor values_at(const Tensor& dense, const Tensor& indices) {
  BelowAutograd guard;
  const int64_t dims = indices.size(0), n = indices.size(1);
  if (dims == 0) return op<"repeat_interleave.self_int">(op<"unsqueeze">(dense, int64_t(0)), n, int64_t(0));
  std::vector<Tensor> places;
  for (int64_t d = 0; d < dims; ++d) places.push_back(op<"select.int">(indices, int64_t(0), d));
  return op<"index.Tensor">(dense, places);
}

namespace {
// For each of `places` its number among the `searched` ones, which are in order and differ, or -1.
Tensor numbers_of(const Tensor& places, const Tensor& searched) {
  const int64_t n = places.numel();
  const Tensor positions = empty({n}, Dtype::int64);
  const auto *const first = searched.data<int64_t>(), *const last = first + searched.numel(), *const place = places.data<int64_t>();
  auto* const out = positions.data<int64_t>();
  cpu::parallel_for(0, n, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto* const found = std::lower_bound(first, last, place[i]);
      out[i] = found != last && *found == place[i] ? found - first : -1;
    }
  });
  return positions;
}
}  // namespace

Tensor positions_of(const Tensor& wanted, const Tensor& stored, IntList sizes) {
  return numbers_of(flat_places(wanted, sizes), flat_places(stored, sizes));
}

Pairs equal_places(const Tensor& source, const Tensor& sorted) {
  const Tensor numbers = numbers_of(source, sorted);
  const int64_t n = source.numel();
  const Tensor first = empty({n}, Dtype::int64), second = empty({n}, Dtype::int64);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t found = numbers.data<int64_t>()[i];
    if (found < 0) continue;
    first.data<int64_t>()[count] = i;
    second.data<int64_t>()[count++] = found;
  }
  return {op<"narrow">(first, 0, 0, count), op<"narrow">(second, 0, 0, count)};
}

Tensor kept_where(const Tensor& self, const Tensor& mask, bool by_count) {
  BelowAutograd guard;
  const Tensor ones = op<"ones">(IntList{nnz(mask)}, Dtype::int64);
  const Tensor counts = coalesced(coo_tensor(parts_of(mask).indices, ones, mask.sizes().first(sparse_dim(mask)), parts_of(mask).coalesced));
  const Tensor positions = positions_of(parts_of(self).indices, parts_of(counts).indices, counts.sizes());
  Dims column(parts_of(self).values.dim());
  for (int64_t& size : column) size = 1;
  column[0] = nnz(self);
  const Tensor is_kept = op<"view">(op<"ge.Scalar">(positions, Scalar(0)), IntList(column));
  const Tensor& values = parts_of(self).values;
  Tensor kept = values;
  if (by_count && nnz(counts) > 0) {
    const Tensor times = op<"index_select">(parts_of(counts).values, int64_t(0), op<"clamp_min">(positions, Scalar(0)));
    kept = op<"mul.Tensor">(values, op<"to.dtype">(op<"view">(times, IntList(column)), values.dtype()));
  }
  return coo_tensor(op<"clone">(parts_of(self).indices), op<"where.ScalarOther">(is_kept, kept, Scalar(0)), self.sizes(),
                    parts_of(self).coalesced);
}

}  // namespace mt
