// Kernels that move, select and join the indices of sparse tensors; values follow.
#include "rules/sparse/sparse_shape.h"

#include <algorithm>
#include <numeric>

#include "core/messages.h"
#include "rules/index/rows_by_index.h"

namespace mt {
namespace {

// A tensor from new components: coalesced if it has at most one element.
Tensor make_from_components(Tensor indices, Tensor values, IntList sizes) {
  const bool is_coalesced = indices.size(1) < 2;
  return coo_tensor(std::move(indices), std::move(values), sizes, is_coalesced);
}
Tensor select_columns(const Tensor& t, const Tensor& chosen) { return op<"index_select">(t, 1, chosen); }
Tensor select_rows(const Tensor& t, const Tensor& chosen) { return op<"index_select">(t, 0, chosen); }
Tensor select_index_row(const Tensor& indices, int64_t d) { return op<"select">(indices, 0, d); }
Tensor make_int64_vector(const int64_t* data, int64_t n) {
  const Tensor made = empty({n}, Dtype::int64);
  std::copy_n(data, n, made.data<int64_t>());
  return made;
}
Tensor make_int64_vector(const std::vector<int64_t>& items) { return make_int64_vector(items.data(), int64_t(items.size())); }
Tensor remove_index_row(const Tensor& indices, int64_t d) {
  std::vector<int64_t> kept;
  for (int64_t k = 0; k < indices.size(0); ++k)
    if (k != d) kept.push_back(k);
  return select_rows(indices, make_int64_vector(kept));
}

// The positions of each number below `size` in a list, in order: by a table of where each number's positions begin or, if that would be
// much longer than the list, by search.
class PositionsByValue {
 public:
  PositionsByValue(const int64_t* numbers, int64_t n, int64_t size) {
    const bool sorted = is_ascending(numbers, n);
    if (size <= 4 * n) {
      begins_.resize(size_t(size) + 2);
      if (sorted) {
        write_starts(numbers, n, size, begins_.data());
        return;
      }
      for (int64_t i = 0; i < n; ++i) ++begins_[size_t(numbers[i]) + 2];
      for (size_t k = 2; k < begins_.size(); ++k) begins_[k] += begins_[k - 1];
      order_.resize(static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i) order_[size_t(begins_[size_t(numbers[i]) + 1]++)] = i;
      return;
    }
    sorted_.assign(numbers, numbers + n);
    if (sorted) return;
    order_.resize(static_cast<size_t>(n));
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return numbers[a] < numbers[b]; });
    for (int64_t i = 0; i < n; ++i) sorted_[size_t(i)] = numbers[order_[size_t(i)]];
  }
  int64_t begin(int64_t number) const {
    if (!begins_.empty()) return begins_[size_t(number)];
    return std::lower_bound(sorted_.begin(), sorted_.end(), number) - sorted_.begin();
  }
  int64_t end(int64_t number) const { return begin(number + 1); }
  int64_t original_position(int64_t k) const { return order_.empty() ? k : order_[size_t(k)]; }

 private:
  std::vector<int64_t> begins_, sorted_, order_;
};

// The indices of the true elements of a vector.
Tensor positions_of_true(const Tensor& mask) { return op<"view">(op<"nonzero">(mask), IntList({-1})); }

}  // namespace

Tensor sparse_transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  const int64_t a = wrap_dim(dim0, self.dim()), b = wrap_dim(dim1, self.dim()), dims = sparse_dim(self);
  if (a == b) return alias(self, true);
  check(a < dims && b < dims, "sparse transpose: transposed dimensions must be sparse Got sparse_dim: {}, d0: {}, d1: {}", dims, a, b);
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  Dims sizes(self.sizes()), order;
  std::swap(sizes[a], sizes[b]);
  for (int64_t d = 0; d < dims; ++d) order.push_back(d == a ? b : d == b ? a : d);
  const bool stays = parts.coalesced && parts.indices.numel() == 0 && parts.values.numel() == 0;
  return coo_tensor(select_rows(parts.indices, make_int64_vector(order.data(), dims)), op<"clone">(parts.values), sizes, stays);
}

Tensor sparse_permute(const Tensor& self, IntList dims) {
  check(dims.size() == self.dim(), messages::permute_coo_rank_mismatch, self.dim(), dims.size());
  const int64_t split = sparse_dim(self);
  Dims sizes, seen(self.dim(), 0), order, inner{0};
  bool crosses = false, sparse_stay = true;
  for (int64_t i = 0; i < dims.size(); ++i) {
    const int64_t d = wrap_dim(dims[i], self.dim());
    check(!seen[d], messages::permute_duplicate_dims);
    seen[d] = 1;
    crosses |= (d < split) != (i < split);
    sparse_stay &= i >= split || d == i;
    sizes.push_back(self.size(d));
    if (i < split)
      order.push_back(d);
    else
      inner.push_back(d - split + 1);
  }
  check(
      !crosses,
      "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Only transpositions within sparse and dense "
      "dimensions are supported.");
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  return coo_tensor(sparse_stay ? parts.indices : select_rows(parts.indices, make_int64_vector(order.data(), split)),
                    op<"permute">(parts.values, IntList(inner)), sizes, parts.coalesced && sparse_stay);
}

Tensor sparse_unsqueeze(const Tensor& self, int64_t dim) {
  const int64_t d = wrap_dim(dim, self.dim() + 1), split = sparse_dim(self);
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  Dims sizes(self.sizes());
  sizes.insert(d, 1);
  if (d > split) return make_from_components(parts.indices, op<"unsqueeze">(parts.values, d - split + 1), sizes);
  const Tensor joined[] = {op<"narrow">(parts.indices, 0, 0, d), op<"zeros">(IntList({1, nnz(self)}), Dtype::int64, nullptr, self.device()),
                           op<"narrow">(parts.indices, 0, d, split - d)};
  return make_from_components(op<"cat">(TensorList(joined, 3), 0), parts.values, sizes);
}

Tensor sparse_select(const Tensor& self, int64_t dim, int64_t index) {
  check(self.dim() > 0, ErrorKind::index, messages::select_of_scalar_tensor);
  const int64_t d = wrap_dim(dim, self.dim()), size = self.size(d), split = sparse_dim(self);
  check(index >= -size && index < size, ErrorKind::index, messages::select_index_out_of_range, index, self.sizes(), d);
  const int64_t at = index < 0 ? index + size : index;
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  Dims sizes(self.sizes());
  sizes.erase(d);
  if (d >= split) return make_from_components(parts.indices, op<"select">(parts.values, d - split + 1, at), sizes);
  const Tensor found = positions_of_true(op<"eq">(select_index_row(parts.indices, d), at)), values = select_rows(parts.values, found);
  if (split == 1) return op<"sum.dim_IntList">(values, IntList({0}), false, self.dtype());
  return make_from_components(select_columns(remove_index_row(parts.indices, d), found), values, sizes);
}

Tensor sparse_narrow_copy(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  check(self.dim() > 0, messages::narrow_of_scalar_tensor);
  check(length >= 0, messages::narrow_length_is_negative);
  check(dim >= 0 && dim < self.dim(), "Dimension {} out of range. Expecting 0 <= dim < {}.", dim, self.dim());
  check(start >= 0 && start <= self.size(dim) && length <= self.size(dim) - start,
        "Invalid range to narrow. range(start, start+length) must be a subset of range(0, {}).", self.size(dim));
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  const int64_t split = sparse_dim(self);
  Dims sizes(self.sizes());
  sizes[dim] = length;
  if (dim >= split)
    return coo_tensor(op<"clone">(parts.indices), op<"narrow_copy">(parts.values, dim - split + 1, start, length), sizes, parts.coalesced);
  const Tensor at = select_index_row(parts.indices, dim);
  const Tensor found = positions_of_true(op<"logical_and">(op<"ge">(at, start), op<"lt">(at, start + length)));
  const Tensor indices = select_columns(parts.indices, found);
  op<"sub_">(select_index_row(indices, dim), start);
  return coo_tensor(indices, select_rows(parts.values, found), sizes, parts.coalesced);
}

Tensor sparse_index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  check(self.dim() > 0, ErrorKind::index, "index_select() cannot be applied to a 0-dim tensor.");
  check(index.dim() == 1 && index.dtype() == Dtype::int64 && index.layout() == Layout::strided, ErrorKind::index,
        "index_select() argument index must be 1-D strided (non-sparse) long-tensor.");
  check(!self.is_meta() && !index.is_meta(), ErrorKind::not_implemented, messages::meta_sparse_has_no_elements);
  const int64_t d = wrap_dim(dim, self.dim()), size = self.size(d), split = sparse_dim(self), n = index.numel();
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  Dims sizes(self.sizes());
  sizes[d] = n;
  const Tensor wanted = op<"contiguous">(index);
  const auto* at = wanted.data<int64_t>();
  if (d >= split) {
    for (int64_t i = 0; i < n; ++i)
      check(at[i] >= 0 && at[i] < size, messages::index_out_of_bounds_for_dimension, at[i], d - split + 1, size);
    return make_from_components(parts.indices, op<"index_select">(parts.values, d - split + 1, wanted), sizes);
  }
  const Tensor along = op<"contiguous">(select_index_row(parts.indices, d));
  const auto* has = along.data<int64_t>();
  const int64_t count = nnz(self);
  const auto check_range = [&](const int64_t* numbers, int64_t length, int64_t low) {
    if (are_all_within(numbers, length, low, size)) return;
    for (int64_t i = 0; i < length; ++i)
      check(numbers[i] >= low && numbers[i] < size, ErrorKind::index,
            "index_select(): index contains {} that is out of range for tensor of size {} at dimension {}", numbers[i], self.sizes(), d);
  };
  check_range(at, n, -size);
  check_range(has, count, 0);
  std::vector<int64_t> asked(at, at + n);
  for (int64_t& k : asked) k += k < 0 ? size : 0;
  // Iterates over the shorter list, and for each index over its positions in the other.
  const bool by_asked = count >= n;
  const PositionsByValue others = by_asked ? PositionsByValue(has, count, size) : PositionsByValue(asked.data(), n, size);
  const List<int64_t> walked = by_asked ? List<int64_t>(asked.data(), n) : List<int64_t>(has, count);
  int64_t total = 0;
  for (int64_t number : walked) total += others.end(number) - others.begin(number);
  const Tensor chosen = empty({total}, Dtype::int64), places = empty({total}, Dtype::int64);
  auto *other = (by_asked ? chosen : places).data<int64_t>(), *own = (by_asked ? places : chosen).data<int64_t>();
  for (int64_t i = 0; i < walked.size(); ++i)
    for (int64_t k = others.begin(walked[i]), end = others.end(walked[i]); k < end; ++k) *other++ = others.original_position(k), *own++ = i;
  const Tensor indices = select_columns(parts.indices, chosen);
  op<"copy_">(select_index_row(indices, d), places);
  return make_from_components(indices, select_rows(parts.values, chosen), sizes);
}

Tensor sparse_broadcast_to(const Tensor& self, IntList size) {
  const int64_t more = size.size() - self.dim(), split = sparse_dim(self);
  check(more >= 0, "the requested broadcast shape has fewer dimensions than the input");
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  Dims repeated(size.first(more)), inner{nnz(self)},
      from;  // expanded dimensions, and for each row of indices the dimension that it belongs to
  for (int64_t k = 0; k < more; ++k) from.push_back(k);
  int64_t first_repeated = more ? 0 : size.size(), last_kept = -1;
  for (int64_t d = 0; d < self.dim(); ++d) {
    const int64_t wanted = size[more + d];
    check(self.size(d) == wanted || self.size(d) == 1,
          "The input's length {} at dimension {} does not broadcast over the requested shape of length {} at dimension {}", self.size(d), d,
          wanted, more + d);
    if (d >= split) {
      inner.push_back(wanted);
    } else if (self.size(d) == wanted) {
      from.push_back(-1 - d);
      last_kept = more + d;
    } else {
      from.push_back(repeated.size());
      repeated.push_back(wanted);
      first_repeated = std::min(first_repeated, more + d);
    }
  }
  Tensor values = op<"expand">(parts.values, inner);
  if (repeated.empty()) return coo_tensor(parts.indices, values, size, parts.coalesced);
  const int64_t times = product(repeated);
  const Tensor places = op<"t">(op<"nonzero">(op<"ones">(repeated, Dtype::boolean))), all = op<"repeat">(places, IntList({1, nnz(self)}));
  const Tensor own = op<"repeat_interleave">(parts.indices, times, 1);
  std::vector<Tensor> stacked;
  for (int64_t k : from) stacked.push_back(k < 0 ? select_index_row(own, -1 - k) : select_index_row(all, k));
  const bool in_order = self.dim() == 0 || (parts.coalesced && last_kept < first_repeated);
  return coo_tensor(op<"stack">(stacked, 0), op<"repeat_interleave">(values, times, 0), size, in_order);
}

Tensor sparse_cat(TensorList tensors, int64_t dim) {
  const Tensor& first = tensors[0];
  const int64_t d = wrap_dim(dim, first.dim()), split = op<"sparse_dim", int64_t>(first);
  BelowAutograd guard;
  Dims sizes(first.sizes());
  sizes[d] = 0;
  int64_t end = 0;
  Dtype dtype = first.dtype();
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    check(is_sparse(t), "Concatenating sparse tensors, but a dense tensor was found at position {}.", i);
    bool fits = t.dim() == first.dim();
    for (int64_t k = 0; fits && k < t.dim(); ++k) fits = k == d || t.size(k) == first.size(k);
    check(fits, "All tensors must have the same shape: {} (except in the concatenating dimension), but found shape: {} at position {}.",
          first.sizes(), t.sizes(), i);
    check(sparse_dim(t) == split, "All tensors must have the same sparse_dim and dense_dim: {}, {}, but tensor at position {} has {}, {}.",
          split, first.dim() - split, i, sparse_dim(t), dense_dim(t));
    sizes[d] += t.size(d);
    dtype = promote(dtype, t.dtype());
  }
  std::vector<Tensor> indices, values;
  for (const Tensor& t : tensors) {
    const SparseComponents& parts = components_of(t);
    indices.push_back(parts.indices);
    values.push_back(parts.values);
    if (d >= split) {  // each padded with zeros for the elements of the others
      Dims all(parts.values.sizes());
      all[d - split + 1] = sizes[d];
      values.back() = op<"zeros">(all, t.dtype(), nullptr, t.device());
      op<"copy_">(op<"narrow">(values.back(), d - split + 1, end, t.size(d)), parts.values);
    }
    end += t.size(d);
  }
  const Tensor joined = op<"cat">(indices, 1);
  int64_t column = 0, before = 0;
  for (const Tensor& t : tensors) {
    if (d < split && before > 0) op<"add_">(op<"narrow">(select_index_row(joined, d), 0, column, nnz(t)), before);
    column += nnz(t);
    before += t.size(d);
  }
  return make_from_components(joined, op<"to.dtype">(op<"cat">(values, 0), dtype), sizes);
}

}  // namespace mt
