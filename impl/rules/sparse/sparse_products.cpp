// Converts sparse tensors to rows, and calls the loop over rows.
#include "rules/sparse/sparse_products.h"

#include <complex>
#include <vector>

#include "core/messages.h"
#include "core/no_kernel.h"
#include "cpu/gemm/sparse_rows.h"
#include "dispatch/tensor_args.h"
#include "rules/index/rows_by_index.h"
#include "rules/matmul/matmul.h"
#include "rules/reduction/rows.h"

namespace mt {

SparseRows sparse_rows_of(const Tensor& coordinates) {
  BelowAutograd guard;
  const SparseComponents& parts = components_of(coordinates);
  const Tensor indices = dense(parts.indices);
  const int64_t n = indices.size(1), height = coordinates.size(0), width = coordinates.size(1);
  const int64_t *const row = indices.data<int64_t>(), *const column = row + n;
  for (int64_t i = 0; i < n; ++i) {
    check(column[i] >= 0 && column[i] < width, messages::addmm_column_out_of_bound, column[i], width);
    check(row[i] >= 0 && row[i] < height, messages::addmm_row_out_of_bound, row[i], height);
  }
  const Tensor starts = empty({height + 1}, Dtype::int64);
  auto* const start = starts.data<int64_t>();
  if (count_starts(row, n, height, start)) return {starts, op<"select.int">(indices, int64_t(0), int64_t(1)), parts.values, width};
  const Tensor order = empty({n}, Dtype::int64), columns = empty({n}, Dtype::int64);
  std::vector<int64_t> next(start, start + height);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = next[size_t(row[i])]++;
    order.data<int64_t>()[at] = i;
    columns.data<int64_t>()[at] = column[i];
  }
  return {starts, columns, op<"index_select">(parts.values, int64_t(0), order), width};
}

namespace {

template <class T>
struct LoopType {
  using type = T;
};
template <class T>
struct LoopType<Complex<T>> {
  using type = std::complex<T>;
};

template <class T>
T convert_number(const Scalar& s) {
  if constexpr (std::is_integral_v<T>)
    return T(s.to_int());
  else if constexpr (std::is_floating_point_v<T>)
    return T(s.to_double());
  else
    return T(typename T::value_type(s.to_complex().re), typename T::value_type(s.to_complex().im));
}

void check_rows(const SparseRows& rows, int64_t height, int64_t width) {
  const auto* start = rows.starts.data<int64_t>();
  const int64_t n = rows.columns.size(0);
  check(rows.starts.size(0) == height + 1 && rows.values.size(0) == n, "a sparse matrix of {} rows has parts that do not fit together",
        height);
  bool in_order = start[0] >= 0 && start[height] <= n;
  if (in_order && rows.width >= 0 && rows.width <= width) return;
  for (int64_t i = 0; i < height; ++i) in_order &= start[i] <= start[i + 1];
  check(in_order, "the rows of a sparse matrix begin at places that are not in order within its {} elements", n);
  check(are_all_within(rows.columns.data<int64_t>(), n, 0, width), "a sparse matrix of {} columns has an element outside of them", width);
}

}  // namespace

void add_sparse_product(const Tensor& out, const SparseRows& rows, const Tensor& right, const Scalar& beta, const Scalar& alpha,
                        const char* kernel_name) {
  const int64_t height = out.size(0), width = out.size(1);
  const Dtype dtype = rows.values.dtype();
  auto check_dtypes = [&] {
    for (const Tensor* t : {&out, &right}) check(t->dtype() == dtype, messages::expected_scalar_type, dtype, t->dtype());
    check_rows(rows, height, right.size(0));
  };
  if (is_half(dtype)) {  // rounded once, at the end
    check_dtypes();
    const Tensor sums = beta.equals(0) ? empty(out.sizes(), Dtype::float32) : dense_as(out, Dtype::float32);
    add_sparse_product(sums, {rows.starts, rows.columns, dense_as(rows.values, Dtype::float32), rows.width},
                       dense_as(right, Dtype::float32), beta, alpha, kernel_name);
    return copy_into(out, sums);
  }
  dispatch_numbers(dtype, kernel_name, [&]<class E>(Type<E>) {
    if constexpr (std::is_same_v<E, ComputeType<E>>) {
      using T = typename LoopType<E>::type;
      check_dtypes();
      const bool lies_in_rows = out.stride(1) == 1 || width == 1;
      const Tensor target = lies_in_rows ? Tensor(out) : beta.equals(0) ? empty(out.sizes(), dtype) : dense(out);
      const Tensor factor = right.stride(1) == 1 || width == 1 ? Tensor(right) : dense(right), values = dense(rows.values);
      cpu::sparse_product<T>({rows.starts.data<int64_t>(), rows.columns.data<int64_t>(), reinterpret_cast<const T*>(values.data()),
                              reinterpret_cast<const T*>(factor.data()), factor.stride(0), reinterpret_cast<T*>(target.data()),
                              target.stride(0), width, convert_number<T>(beta), convert_number<T>(alpha)},
                             height);
      if (!lies_in_rows) copy_into(out, target);
    }
  });
}

Tensor target_or_undefined(const Call& call) {
  for_each_tensor(call.op, call.args, [&](const Tensor& t) {
    if (t.is_meta()) fail_without_kernel("aten::" + call.op.schema.name, "SparseMeta", "");
  });
  if (call.op.form == Form::functional) return {};
  return Unbox<Tensor>::from(call.args[call.op.form == Form::out ? call.op.n_args - 1 : 0]);
}

namespace {

int64_t checked_size(const Tensor& t, int64_t dim) {
  check_dimensions(t, dim);
  return t.size(wrap_dim(dim, t.dim()));
}

}  // namespace

Tensor add_coordinates_product(const Tensor& target, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                               const Scalar& alpha) {
  BelowAutograd guard;
  const bool in_place = target.defined() && target.get() == self.get();
  Tensor added = self;
  if (!in_place) {
    const Dims sizes{checked_size(mat1, 0), checked_size(mat2, 1)};
    if (self.sizes() != IntList(sizes)) added = op<"expand">(self, IntList(sizes));
  }
  const Tensor& made = target.defined() ? target : added;
  check(!is_sparse(made), messages::sparse_addmm_expects_strided_result, name_of(made.layout()));
  check(mat1.layout() == Layout::sparse_coo && !is_sparse(mat2),
        "addmm_sparse_dense: expected either 'mat1' to have sparse layout and 'mat2' to have strided layout, got 'mat1' with layout {} and "
        "'mat2' with layout {}",
        name_of(mat1.layout()), name_of(mat2.layout()));
  check(sparse_dim(mat1) == 2, messages::addmm_expects_matrices, sparse_dim(mat1));
  check(dense_dim(mat1) == 0, "addmm: scalar values expected, got {}D values", dense_dim(mat1));
  check(mat2.dim() == 2, messages::addmm_expects_matrices, mat2.dim());
  const int64_t height = mat1.size(0), width = mat2.size(1);
  check(mat2.size(0) == mat1.size(1), "addmm: Argument #3 (dense): Expected dim 0 size {}, got {}", mat1.size(1), mat2.size(0));
  check(checked_size(added, 0) == height, "addmm: Argument #1 (t): Expected dim 0 size {}, got {}", height, added.size(0));
  check(checked_size(added, 1) == width, "addmm: Argument #1 (t): Expected dim 1 size {}, got {}", width, added.size(1));
  for (const Scalar* s : {&beta, &alpha})
    if (s->is_complex() && !is_complex(made.dtype())) s->check_fits(made.dtype());
  const Tensor out = target.defined() ? target : empty({height, width}, added.dtype());
  if (out.sizes() != IntList{height, width}) resize_to(out, {height, width});
  if (nnz(mat1) == 0) {
    copy_into(out, op<"mul">(added, op<"scalar_tensor">(beta, out.dtype())));
    return out;
  }
  const bool overwrites = share_memory(out, mat2) || share_memory(out, components_of(mat1).values);
  const Tensor result = overwrites ? empty(out.sizes(), out.dtype()) : out;
  if (!beta.equals(0) && result.get() != added.get()) copy_into(result, added);
  add_sparse_product(result, sparse_rows_of(mat1), mat2, beta, alpha, "addmm_sparse_dense");
  if (overwrites) copy_into(out, result);
  return out;
}

Tensor coordinates_product(const Tensor& target, const Tensor& mat1, const Tensor& mat2) {
  BelowAutograd guard;
  const bool has_left = is_sparse(mat1), has_right = is_sparse(mat2);
  if (target.defined()) check(!has_right, messages::expand_of_sparse);
  if (has_left && has_right) return op<"_sparse_sparse_matmul">(mat1, mat2);
  auto transpose = [](const Tensor& t) { return op<"transpose.int">(t, int64_t(-2), int64_t(-1)); };
  if (!target.defined() && !has_left) return transpose(coordinates_product({}, transpose(mat2), transpose(mat1)));
  const Tensor zero = op<"scalar_tensor">(Scalar(0), mat2.dtype());
  return add_coordinates_product(target, op<"expand">(zero, IntList{checked_size(mat1, -2), checked_size(mat2, -1)}), mat1, mat2, 0, 1);
}

}  // namespace mt
