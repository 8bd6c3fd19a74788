// Sums and products of tensors of coordinates.
#include "rules/sparse_pointwise.h"

#include "rules/alpha.h"

namespace mt {
namespace {

void check_stores(const Call& call, Dtype made, const char* name) {
  const Tensor& target = written_by(call);
  if (target.defined())
    check(can_cast(made, target.dtype()), "Can't convert result type {} to output {} in {} operation", made, target.dtype(), name);
}

Tensor as_dtype(const Tensor& t, Dtype dtype) { return t.dtype() == dtype ? t : op<"to.dtype">(t, dtype); }
Tensor scaled(const Tensor& values, const Scalar& alpha) { return alpha.equals(1) ? values : op<"mul">(values, alpha); }
bool has_no_elements(const Tensor& t) { return nnz(t) == 0; }

// The leading sizes as one, for rows that `flat_places` counts.
Dims rows_of(IntList sizes, int64_t sparse_dims) {
  Dims rows{product(sizes.first(sparse_dims))};
  for (int64_t d = sparse_dims; d < sizes.size(); ++d) rows.push_back(sizes[d]);
  return rows;
}

// ---- sums ----

// Two orders of places as one, in which both find their elements: equal places are one where they meet.
struct Merged {
  Tensor of_first, of_second;  // where their elements go
  int64_t count = 0;
};
Merged merged(const Tensor& first, const Tensor& second) {
  const int64_t n = first.numel(), m = second.numel();
  Merged made{empty({n}, Dtype::int64), empty({m}, Dtype::int64)};
  const auto *a = first.data<int64_t>(), *b = second.data<int64_t>();
  auto *to_a = made.of_first.data<int64_t>(), *to_b = made.of_second.data<int64_t>();
  for (int64_t i = 0, j = 0; i < n || j < m; ++made.count) {
    const bool takes_a = i < n && (j == m || a[i] <= b[j]), takes_b = j < m && (i == n || b[j] <= a[i]);
    if (takes_a) to_a[i++] = made.count;
    if (takes_b) to_b[j++] = made.count;
  }
  return made;
}

Tensor merged_sum(const Tensor& a, const Tensor& b, const Tensor& values, const Tensor& other, const Scalar& alpha) {
  const SparseParts &first = parts_of(a), &second = parts_of(b);
  const bool is_coalesced = first.coalesced && second.coalesced;
  const Merged places = merged(flat_places(first.indices, a.sizes()), flat_places(second.indices, a.sizes()));
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

// Values that do not lie densely are not merged: all elements of one follow those of the other.
Tensor joined_sum(const Tensor& a, const Tensor& b, const Tensor& values, const Tensor& other, const Scalar& alpha) {
  const Tensor indices[] = {parts_of(a).indices, parts_of(b).indices}, both[] = {values, scaled(other, alpha)};
  const Tensor sum = coo_tensor(op<"cat">(TensorList(indices, 2), 1), op<"cat">(TensorList(both, 2), 0), a.sizes(), false);
  if (nnz(sum) <= sum.numel()) return sum;
  const Tensor one_each = coalesced(sum);  // or repeated sums would grow for ever
  one_each->sparse->coalesced = false;
  return one_each;
}

Tensor sum_of_sparse(const Call& call, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  check(self.sizes() == other.sizes(), "add: expected sizes of 'self' and 'other' to match, but {} != {}", self.sizes(), other.sizes());
  const Dtype dtype = promote(self.dtype(), other.dtype());
  check_stores(call, dtype, "add");
  const auto copied = [&](const Tensor& t, const Scalar& factor) {
    const Tensor copy = op<"clone">(t);
    return with_values(copy, as_dtype(scaled(parts_of(copy).values, factor), dtype));
  };
  if (has_no_elements(other)) return copied(self, Scalar(1));
  if (has_no_elements(self)) return copied(other, alpha);
  check(sparse_dim(self) == sparse_dim(other),
        "add: expected 'self' and 'other' to have same density, but 'self' has {} sparse dimensions while 'other' has {} sparse dimensions",
        sparse_dim(self), sparse_dim(other));
  const Tensor values = as_dtype(parts_of(self).values, dtype), more = as_dtype(parts_of(other).values, dtype);
  const bool dense = values.is_contiguous() && more.is_contiguous();
  check(dtype != Dtype::float16 && dtype != Dtype::boolean, ErrorKind::not_implemented, "\"{}\" not implemented for '{}'",
        dense ? "cadd_sparse" : "add_out_sparse_cpu", dtype);
  return dense ? merged_sum(self, other, values, more, alpha) : joined_sum(self, other, values, more, alpha);
}

// Adds rows of `other` to those of `sum`, which lies densely.
void add_to(const Tensor& sum, const Tensor& other, const Scalar& alpha) {
  if (has_no_elements(other) || other.numel() == 0) return;
  op<"index_add_">(op<"view">(sum, IntList(rows_of(sum.sizes(), sparse_dim(other)))), 0,
                   flat_places(parts_of(other).indices, other.sizes()), as_dtype(parts_of(other).values, sum.dtype()), alpha);
}

Tensor sum_with_dense(const Call& call, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  check(self.sizes() == other.sizes(),
        "add: expected 'self' and 'other' to have same size, but self has size {} while other has size {} (FYI: dense-sparse addition does "
        "not currently support broadcasting)",
        self.sizes(), other.sizes());
  const Dtype dtype = promote(self.dtype(), other.dtype());
  check_stores(call, dtype, "add");
  check(call.op.form != Form::out || !is_sparse(written_by(call)),
        "Expected !r.is_sparse() to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement "
        "request to PyTorch.)");
  if (call.op.form == Form::inplace && dtype == self.dtype() && self.is_contiguous()) {
    add_to(self, other, alpha);
    return self;
  }
  const Tensor sum = op<"clone">(as_dtype(self, dtype), MemoryFormat::contiguous);
  add_to(sum, other, alpha);
  if (call.op.form != Form::inplace) return sum;
  copy_into(self, sum);
  return self;
}

}  // namespace

const Tensor& written_by(const Call& call) {
  static const Tensor none;
  if (call.op.form == Form::functional) return none;
  return Unbox<Tensor>::from(call.args[call.op.form == Form::inplace ? 0 : call.op.functional->n_args]);
}

void check_sparse_out(const Call& call) {
  check(call.op.form != Form::out || is_sparse(written_by(call)),
        "Expected self.is_sparse() && result.is_sparse() to be true, but got false.  (Could this error message be improved?  If so, please "
        "report an enhancement request to PyTorch.)");
}

Tensor sparse_sum(const Call& call, const Scalar& alpha) {
  const Tensor self = detail::tensor_of(call.args[0]), other = detail::tensor_of(call.args[1]);
  const Tensor operands[] = {self, other};
  check(is_sparse(other), "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
  if (call.op.form == Form::functional) check_alpha(result_type(operands, 2), alpha);
  BelowAutograd guard;
  if (!is_sparse(self)) return sum_with_dense(call, self, other, alpha);
  if (call.op.form == Form::out) check_sparse_out(call);
  return sum_of_sparse(call, self, other, alpha);
}

}  // namespace mt
