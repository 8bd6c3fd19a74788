// Sums and products of sparse_coo tensors.
#include "rules/sparse/sparse_pointwise.h"

#include <algorithm>

#include "core/messages.h"
#include "rules/pointwise/alpha.h"
#include "rules/sparse/sparse_lookup.h"

namespace mt {
namespace {

void check_target_dtype(const Call& call, Dtype made, const char* where) {
  const Tensor& target = target_of_call(call);
  if (target.defined()) check(can_cast(made, target.dtype()), "Can't convert result type {} to output {}{}", made, target.dtype(), where);
}

Tensor scale_values(const Tensor& values, const Scalar& alpha) { return alpha.equals(1) ? values : op<"mul">(values, alpha); }
// Resizes `out` as sparse_resize_ does, with its restrictions for a tensor that has elements.
void resize_out(const Call& call, const Tensor& like) {
  if (call.op.form == Form::out) resize_sparse(target_of_call(call), like.sizes(), sparse_dim(like), dense_dim(like));
}
bool has_no_elements(const Tensor& t) { return nnz(t) == 0; }

// ---- sums ----

// Two sorted index lists merged into one: equal indices are combined.
struct MergedIndices {
  Tensor of_first, of_second;  // positions of their elements in the merged list
  int64_t count = 0;
};
MergedIndices merge_indices(const Tensor& first, const Tensor& second) {
  const int64_t n = first.numel(), m = second.numel();
  MergedIndices made{empty({n}, Dtype::int64), empty({m}, Dtype::int64)};
  const auto *a = first.data<int64_t>(), *b = second.data<int64_t>();
  auto *to_a = made.of_first.data<int64_t>(), *to_b = made.of_second.data<int64_t>();
  for (int64_t i = 0, j = 0; i < n || j < m; ++made.count) {
    const bool takes_a = i < n && (j == m || a[i] <= b[j]), takes_b = j < m && (i == n || b[j] <= a[i]);
    if (takes_a) to_a[i++] = made.count;
    if (takes_b) to_b[j++] = made.count;
  }
  return made;
}

Tensor merge_and_sum(const Tensor& a, const Tensor& b, const Tensor& values, const Tensor& other, const Scalar& alpha) {
  const SparseComponents &first = components_of(a), &second = components_of(b);
  const bool is_coalesced = first.coalesced && second.coalesced;
  const MergedIndices places = merge_indices(linearize_indices(first.indices, a.sizes()), linearize_indices(second.indices, a.sizes()));
  if (places.count == nnz(a) && places.count == nnz(b))
    return coo_tensor(op<"clone">(first.indices), op<"add">(values, other, alpha), a.sizes(), is_coalesced);
  Dims sizes(values.sizes());
  sizes[0] = places.count;
  const Tensor sum = op<"zeros">(sizes, values.dtype(), nullptr, values.device());
  const Tensor indices = empty({sparse_dim(a), places.count}, Dtype::int64);
  op<"index_add_">(sum, 0, places.of_first, values);
  op<"index_add_">(sum, 0, places.of_second, other, alpha);
  op<"index_copy_">(indices, 1, places.of_first, first.indices);
  op<"index_copy_">(indices, 1, places.of_second, second.indices);
  return coo_tensor(indices, sum, a.sizes(), is_coalesced);
}

// Non-contiguous values are not merged: all elements of one operand follow those of the other.
Tensor add_by_concatenation(const Tensor& a, const Tensor& b, const Tensor& values, const Tensor& other, const Scalar& alpha) {
  const Tensor indices[] = {components_of(a).indices, components_of(b).indices}, both[] = {values, scale_values(other, alpha)};
  const Tensor sum = coo_tensor(op<"cat">(TensorList(indices, 2), 1), op<"cat">(TensorList(both, 2), 0), a.sizes(), false);
  if (nnz(sum) <= sum.numel()) return sum;
  const Tensor all_ones_3d = coalesce(sum);  // otherwise repeated sums would grow without bound
  all_ones_3d->sparse->coalesced = false;
  return all_ones_3d;
}

Tensor sum_of_sparse(const Call& call, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  check(self.sizes() == other.sizes(), "add: expected sizes of 'self' and 'other' to match, but {} != {}", self.sizes(), other.sizes());
  const Dtype dtype = promote(self.dtype(), other.dtype());
  check_target_dtype(call, dtype, " in add operation");
  const auto scale_copy = [&](const Tensor& t, const Scalar& factor) {
    const Tensor copy = op<"clone">(t);
    return with_values(copy, as_dtype(scale_values(components_of(copy).values, factor), dtype));
  };
  if (has_no_elements(other)) return scale_copy(self, Scalar(1));
  if (has_no_elements(self)) return scale_copy(other, alpha);
  check(sparse_dim(self) == sparse_dim(other),
        "add: expected 'self' and 'other' to have same density, but 'self' has {} sparse dimensions while 'other' has {} sparse dimensions",
        sparse_dim(self), sparse_dim(other));
  const Tensor values = as_dtype(components_of(self).values, dtype), more = as_dtype(components_of(other).values, dtype);
  const bool dense = values.is_contiguous() && more.is_contiguous();
  check(dtype != Dtype::float16 && dtype != Dtype::boolean, ErrorKind::not_implemented, messages::kernel_not_implemented_for,
        dense ? "cadd_sparse" : "add_out_sparse_cpu", dtype);
  return dense ? merge_and_sum(self, other, values, more, alpha) : add_by_concatenation(self, other, values, more, alpha);
}

// Adds the rows of values of sparse `other` to rows of `sum`, which is dense and contiguous.
void add_sparse_to_dense(const Tensor& sum, const Tensor& other, const Scalar& alpha) {
  if (has_no_elements(other) || other.numel() == 0) return;
  op<"index_add_">(op<"view">(sum, IntList(merge_leading_sizes(sum.sizes(), sparse_dim(other)))), 0,
                   linearize_indices(components_of(other).indices, other.sizes()), as_dtype(components_of(other).values, sum.dtype()),
                   alpha);
}

Tensor sum_with_dense(const Call& call, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  check(self.sizes() == other.sizes(),
        "add: expected 'self' and 'other' to have same size, but self has size {} while other has size {} (FYI: dense-sparse addition does "
        "not currently support broadcasting)",
        self.sizes(), other.sizes());
  const Tensor operands[] = {self, other};
  const Dtype dtype = call.op.form == Form::functional ? result_type(operands, 2) : promote(self.dtype(), other.dtype());
  check_target_dtype(call, dtype, " in add operation");
  check(call.op.form != Form::out || !is_sparse(target_of_call(call)),
        "Expected !r.is_sparse() to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement "
        "request to PyTorch.)");
  if (call.op.form == Form::inplace && dtype == self.dtype() && self.is_contiguous()) {
    add_sparse_to_dense(self, other, alpha);
    return self;
  }
  const Tensor sum = op<"clone">(as_dtype(self, dtype), MemoryFormat::contiguous);
  add_sparse_to_dense(sum, other, alpha);
  if (call.op.form != Form::inplace) return sum;
  copy_into(self, sum);
  return self;
}

// ---- products ----

// If both are coalesced and of one size, the result has the common indices; otherwise all indices of one operand, with zeros where the
// other has none.
Tensor product_of_sparse(const Call& call, const Tensor& a, const Tensor& b) {
  const int64_t dims = sparse_dim(a);
  if (a.sizes() == b.sizes() && (has_no_elements(a) || has_no_elements(b)))
    return make_empty_like(a, promote(a.dtype(), b.dtype()), a.device());
  check(a.dim() == b.dim() && dims == sparse_dim(b) && a.sizes().first(dims) == b.sizes().first(dims),
        "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse dimensions, and shape of "
        "sparse dimensions");
  const Dtype dtype = promote(a.dtype(), b.dtype());
  const Dims sizes = broadcast_shapes(a.sizes(), b.sizes());
  const bool in_order = components_of(a).coalesced && components_of(b).coalesced, common_only = in_order && a.sizes() == b.sizes();
  check_target_dtype(call, dtype, common_only ? " in mul operation" : "");
  Dims value_sizes{0};
  for (int64_t d = dims; d < sizes.size(); ++d) value_sizes.push_back(sizes[d]);
  if (has_no_elements(a) || has_no_elements(b)) return coo_tensor(empty({dims, 0}, Dtype::int64), empty(value_sizes, dtype), sizes, true);
  check(!common_only || dtype != Dtype::boolean, ErrorKind::not_implemented, "\"mul_out_sparse\" not implemented for '{}'", dtype);
  const bool sorts_a = components_of(a).coalesced != components_of(b).coalesced ? components_of(a).coalesced : nnz(a) >= nnz(b);
  const Tensor &source = sorts_a ? b : a, sorted = coalesce(sorts_a ? a : b);
  const Pairs found = match_indices(linearize_indices(components_of(source).indices, sizes),
                                    linearize_indices(components_of(sorted).indices, sizes));
  const bool finds_all = found.of_source.numel() == nnz(source), meets_all = in_order && found.of_sorted.numel() == nnz(sorted);
  const auto select_values = [&](const Tensor& t, const Tensor& places, bool all) {
    const Tensor values = as_dtype(components_of(t).values, dtype);
    return all ? values : op<"index_select">(values, 0, places);
  };
  const Tensor product = op<"mul">(select_values(source, found.of_source, finds_all), select_values(sorted, found.of_sorted, meets_all));
  if (common_only || finds_all) {
    const Tensor& indices = components_of(source).indices;
    return coo_tensor(finds_all ? op<"clone">(indices) : op<"index_select">(indices, 1, found.of_source), product, sizes,
                      components_of(source).coalesced);
  }
  value_sizes[0] = nnz(source);
  const Tensor values = op<"zeros">(value_sizes, dtype, nullptr, a.device());
  op<"index_copy_">(values, 0, found.of_source, product);
  return coo_tensor(op<"clone">(components_of(source).indices), values, sizes, components_of(source).coalesced);
}

// Adds `leading` dimensions before the sparse ones, and repeats each index for all their positions.
Tensor repeat_indices(const Tensor& indices, IntList leading) {
  const int64_t n = product(leading);
  const Tensor of_leading = op<"t">(op<"nonzero">(op<"ones">(leading, Dtype::boolean)));
  const Tensor parts[] = {op<"repeat_interleave">(of_leading, indices.size(1), 1), op<"repeat">(indices, IntList({1, n}))};
  return op<"cat">(TensorList(parts, 2), 0);
}

// The elements of `dense`, broadcast to the sizes of `self`, at its indices.
Tensor product_with_dense(const Call& call, const Tensor& given, const Tensor& dense) {
  const Tensor operands[] = {given, dense};
  const Dtype dtype = result_type(operands, 2);
  // For tensors written in place, torch forgets whether they are coalesced.
  const bool is_written = call.op.form == Form::inplace && given.get() == target_of_call(call).get();
  const bool in_order = is_written ? nnz(given) < 2 : components_of(given).coalesced;
  if (dense.dim() == 0) {
    if (is_written) check(can_cast(dtype, given.dtype()), messages::values_dtype_mismatch, dtype, given.dtype());
    const Tensor values = as_dtype(op<"mul">(components_of(given).values, dense), dtype);
    return coo_tensor(op<"clone">(components_of(given).indices), values, given.sizes(), in_order);
  }
  check_target_dtype(call, dtype, " in mul operation");
  const Dims sizes = broadcast_shapes(dense.sizes(), given.sizes());
  const int64_t more = std::max<int64_t>(dense.dim() - given.dim(), 0), inner = dense_dim(given);
  Dims value_sizes{0};
  for (int64_t d = sizes.size() - inner; d < sizes.size(); ++d) value_sizes.push_back(sizes[d]);
  if (has_no_elements(given) || given.numel() == 0 || dense.numel() == 0)
    return coo_tensor(empty({sparse_dim(given) + more, 0}, Dtype::int64), empty(value_sizes, dtype), sizes, true);
  const Tensor self = more ? coalesce(given) : given;
  const SparseComponents& parts = components_of(self);
  if (dense.dim() <= inner)
    return coo_tensor(op<"clone">(parts.indices), as_dtype(op<"mul">(parts.values, dense), dtype), sizes, more || in_order);
  // Views `dense` as leading dimensions, then one row for each combination of the sparse indices that it has.
  const int64_t shared = dense.dim() - inner - more, skipped = sparse_dim(self) - shared;
  Dims rows(dense.sizes().first(more));
  rows.push_back(product(dense.sizes().first(more + shared)) / product(rows));
  for (int64_t d = more + shared; d < dense.dim(); ++d) rows.push_back(dense.size(d));
  Tensor places = op<"narrow">(parts.indices, 0, skipped, shared);
  Dims own(IntList{dense.sizes().data + more, shared}), narrow_dims;
  for (int64_t d = 0; d < shared; ++d)
    if (own[d] == 1 && sizes[more + skipped + d] != 1) narrow_dims.push_back(d);
  if (!narrow_dims.empty()) {  // expanded elements all equal the first one
    places = op<"clone">(places);
    for (int64_t d : narrow_dims) op<"zero_">(op<"select">(places, 0, d));
  }
  const Tensor met = op<"index_select">(op<"reshape">(dense, IntList(rows)), more, linearize_indices(places, own));
  const Tensor values = as_dtype(op<"mul">(met, parts.values), dtype);
  if (!more) return coo_tensor(op<"clone">(parts.indices), values, sizes, in_order);
  return coo_tensor(repeat_indices(parts.indices, dense.sizes().first(more)), op<"flatten">(values, 0, more), sizes, true);
}

}  // namespace

const Tensor& target_of_call(const Call& call) {
  static const Tensor none;
  if (call.op.form == Form::functional) return none;
  return Unbox<Tensor>::from(call.args[call.op.form == Form::inplace ? 0 : call.op.functional->n_args]);
}

void check_sparse_out(const Call& call) { check_both_sparse(call.op.form != Form::out || is_sparse(target_of_call(call))); }

Tensor sparse_sum(const Call& call, const Scalar& alpha) {
  const Tensor self = detail::tensor_of(call.args[0]), other = detail::tensor_of(call.args[1]);
  const Tensor operands[] = {self, other};
  check(is_sparse(other), "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
  if (call.op.form == Form::functional) check_alpha(result_type(operands, 2), alpha);
  BelowAutograd guard;
  if (!is_sparse(self)) return sum_with_dense(call, self, other, alpha);
  check_sparse_out(call);
  const Tensor sum = sum_of_sparse(call, self, other, alpha);
  resize_out(call, sum);
  return sum;
}

Tensor sparse_product(const Call& call) {
  Tensor self = detail::tensor_of(call.args[0]), other = detail::tensor_of(call.args[1]);
  check_sparse_out(call);
  BelowAutograd guard;
  if (!is_sparse(self)) std::swap(self, other);
  if (is_sparse(other) && self.dim() == 0) std::swap(self, other);
  if (!is_sparse(other)) return product_with_dense(call, self, other);
  if (other.dim() > 0) return product_of_sparse(call, self, other);
  return product_with_dense(call, self, op<"to_dense">(other));
}

Tensor sparse_quotient(const Call& call, const char* name, bool rounded,
                       Tensor (*quotient)(const Call& call, const Tensor& values, const Tensor& divisor)) {
  const Tensor given = detail::tensor_of(call.args[0]), divisor = detail::tensor_of(call.args[1]);
  check(divisor.dim() == 0, "Sparse {} requires a scalar or zero-dim dense tensor divisor (got shape {} for divisor)", name,
        divisor.sizes());
  check(!is_sparse(divisor), "Sparse {} requires a scalar or zero-dim dense tensor divisor (got a sparse divisor)", name);
  const Tensor operands[] = {given, divisor};
  BelowAutograd guard;
  const Tensor self = rounded ? coalesce(given) : given;
  const Tensor values = quotient(call, components_of(self).values, divisor);
  if (call.op.form != Form::functional) check_result_cast(values.dtype(), target_of_call(call).dtype());
  check_sparse_out(call);
  resize_out(call, self);
  Dtype dtype = result_type(operands, 2);
  if (is_integral(dtype, true)) dtype = values.dtype();
  return coo_tensor(op<"clone">(components_of(self).indices), as_dtype(values, dtype), self.sizes(), components_of(self).coalesced);
}

}  // namespace mt
