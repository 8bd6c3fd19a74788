// Products of matrices in the compressed layouts.
#include <bit>
#include <cstring>
#include <vector>

#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "rules/index/rows_by_index.h"
#include "rules/matmul/matmul.h"
#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {
namespace {

bool has_no_element(const Tensor& t) { return is_sparse(t) && op<"_nnz", int64_t>(t) == 0; }

void check_matrices(const Tensor& mat1, const Tensor& mat2) {
  check(mat1.dim() == 2, messages::mat1_must_be_a_matrix, mat1.dim());
  check(mat2.dim() == 2, messages::mat2_must_be_a_matrix, mat2.dim());
  check(mat1.size(1) == mat2.size(0), messages::matrix_shapes_cannot_be_multiplied, mat1.size(0), mat1.size(1), mat2.size(0), mat2.size(1));
}

void check_dtype(Dtype dtype, const char* kernel) {
  check((is_floating(dtype) && !is_half(dtype)) || is_complex(dtype), ErrorKind::not_implemented, messages::kernel_not_implemented_for,
        kernel, dtype);
}

// Whether torch has this product for a result of this layout.
bool has_product_for_layouts(Layout result, const Tensor& mat1, const Tensor& mat2) {
  const Layout a = mat1.layout(), b = mat2.layout();
  const auto plain = [](Layout l) { return l == Layout::sparse_csr || l == Layout::sparse_csc; };
  switch (result) {
    case Layout::strided:
      if (a == Layout::strided) return plain(b) || b == Layout::sparse_bsc;
      if (b == Layout::strided) return plain(a) || a == Layout::sparse_bsr;
      return plain(a) && plain(b) && !(a == Layout::sparse_csc && b == Layout::sparse_csr);
    case Layout::sparse_csr: return plain(a) && plain(b);
    case Layout::sparse_csc: return a == Layout::sparse_csc && b == Layout::sparse_csc;
    default: return false;
  }
}

template <class T>
T number_of(const Scalar& s, Dtype dtype) {
  T x;
  s.store(dtype, &x);
  return x;
}

// alpha * (left @ right) + beta * added, row by row; the columns of a row are in the order of first use.
template <class T>
SparseRows product_of_rows(const SparseRows& left, const SparseRows& right, int64_t width, const SparseRows* added, T beta, T alpha) {
  const int64_t height = left.starts.size(0) - 1;
  const auto *ls = left.starts.data<int64_t>(), *lc = left.columns.data<int64_t>();
  const Tensor a = dense(left.values), b = dense(right.values), c = added ? dense(added->values) : Tensor();
  std::vector<T> sums(width), values;
  std::vector<int64_t> last_row(width, -1), met(width), columns;
  T* const sum = sums.data();
  int64_t *const seen = last_row.data(), *const found = met.data();
  const Tensor starts = empty({height + 1}, Dtype::int64);
  auto* start = starts.data<int64_t>();
  start[0] = 0;
  for (int64_t i = 0; i < height; ++i) {
    int64_t count = 0;
    const auto add_row = [&](T factor, const SparseRows& rows, const T* given, int64_t row) {
      const auto* column = rows.columns.data<int64_t>();
      const int64_t end = rows.starts.data<int64_t>()[row + 1];
      int64_t n = count;  // a local copy, which no store can alias
      for (int64_t m = rows.starts.data<int64_t>()[row]; m < end; ++m) {
        const int64_t at = column[m];
        const T value = factor * given[m];
        if (seen[at] != i) {
          seen[at] = i;
          found[n++] = at;
          sum[at] = value;
        } else {
          sum[at] += value;
        }
      }
      count = n;
    };
    for (int64_t k = ls[i]; k < ls[i + 1]; ++k) add_row(alpha * a.data<T>()[k], right, b.data<T>(), lc[k]);
    if (added) add_row(beta, *added, c.data<T>(), i);
    columns.insert(columns.end(), found, found + count);
    for (int64_t k = 0; k < count; ++k) values.push_back(sum[found[k]]);
    start[i + 1] = int64_t(columns.size());
  }
  SparseRows out{starts, empty({int64_t(columns.size())}, Dtype::int64), empty({int64_t(values.size())}, a.dtype())};
  std::copy(columns.begin(), columns.end(), out.columns.data<int64_t>());
  std::copy(values.begin(), values.end(), out.values.data<T>());
  return out;
}

Tensor sparse_result(Layout layout, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
  if (layout == Layout::sparse_csc) {  // multiply the transposes, which have rows
    const Tensor product = sparse_result(Layout::sparse_csr, self.defined() ? op<"t">(self) : self, op<"t">(mat2), op<"t">(mat1), beta,
                                         alpha);
    return op<"t">(product);
  }
  const Dtype dtype = mat1.dtype();
  check(mat2.dtype() == dtype, messages::expected_scalar_type, mat2.dtype(), dtype);
  check_dtype(dtype, "addmm_out_sparse_csr_impl_mkl_sparse");
  const SparseRows left = compressed_rows(mat1), right = compressed_rows(mat2);
  const bool adds = self.defined() && !beta.equals(0);
  const SparseRows added = adds ? compressed_rows(self) : SparseRows();
  if (adds) check(self.dtype() == dtype, messages::expected_scalar_type, self.dtype(), dtype);
  SparseRows made;
  dispatch_floating_and_complex(dtype, "addmm_out_sparse_csr_impl_mkl_sparse", [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, ComputeType<T>>)
      made = product_of_rows<T>(left, right, mat2.size(1), adds ? &added : nullptr, number_of<T>(beta, dtype), number_of<T>(alpha, dtype));
  });
  return compressed_tensor(Layout::sparse_csr, made.starts, made.columns, made.values, IntList({mat1.size(0), mat2.size(1)}));
}

// An undefined `self` means zeros.
Tensor compute_product(const Tensor& target, const Tensor& self, Layout layout, Dtype dtype, const Tensor& mat1, const Tensor& mat2,
                       const Scalar& beta, const Scalar& alpha) {
  const Dims sizes{mat1.size(0), mat2.size(1)};
  const bool strided = layout == Layout::strided;
  const bool reads_self = self.defined() && !beta.equals(0);
  if (has_no_element(mat1) || has_no_element(mat2)) {
    if (!strided) return reads_self ? op<"mul">(self, beta) : empty_sparse(layout, sizes, dtype, {});
  } else {
    check(has_product_for_layouts(layout, mat1, mat2), "addmm: computation on CPU is not implemented for {} + {} @ {}", name_of(layout),
          name_of(mat1.layout()), name_of(mat2.layout()));
    if (!strided) return sparse_result(layout, self, mat1, mat2, beta, alpha);
  }
  const Tensor out = target.defined() ? target : empty(sizes, dtype);
  if (out.sizes() != IntList(sizes)) resize_to(out, sizes);
  if (out.numel() == 0) return out;
  check_dtype(dtype, "addmm_out_sparse_csr_impl_mkl");
  for (const Tensor* t : {&mat1, &mat2}) check(t->dtype() == dtype, messages::expected_scalar_type, dtype, t->dtype());
  const Tensor result = empty(sizes, dtype);
  if (reads_self) copy_into(result, self);
  const Scalar kept = reads_self ? beta : Scalar(0);
  if (!is_sparse(mat1))
    add_sparse_product(op<"t">(result), compressed_rows(op<"t">(mat2)), op<"t">(mat1), kept, alpha, "addmm_out_sparse_csr_impl_mkl");
  else
    add_sparse_product(result, compressed_rows(mat1), is_sparse(mat2) ? op<"to_dense">(mat2) : mat2, kept, alpha,
                       "addmm_out_sparse_csr_impl_mkl");
  if (!target.defined()) return result;
  copy_into(out, result);
  return out;
}

}  // namespace

SparseRows compressed_rows(const Tensor& matrix) {
  if (!compresses_rows(matrix.layout()))
    return compressed_rows(has_blocks(matrix.layout()) ? to_compressed(matrix, Layout::sparse_bsr, block_of(matrix), {})
                                                       : to_compressed(matrix, Layout::sparse_csr, {}, {}));
  const Compressed c = open_compressed(matrix);
  check(c.batch_dims == 0 && c.dense_dims == 0, "a matrix is expected, but got {} dimensions", matrix.dim());
  const Tensor begins = op<"select.int">(c.begins, int64_t(0), int64_t(0)), plain = op<"select.int">(c.plain, int64_t(0), int64_t(0));
  const Tensor values = op<"resolve_conj">(c.values);
  if (!has_blocks(c.layout)) return {begins, plain, values, c.columns};
  // Splits each row of blocks into rows of elements, which take their elements from one block after the other.
  const int64_t high = c.block[0], wide = c.block[1], n = c.nnz * high * wide;
  const Tensor starts = empty({c.rows * high + 1}, Dtype::int64), columns = empty({n}, Dtype::int64), from = empty({n}, Dtype::int64);
  auto *start = starts.data<int64_t>(), *column = columns.data<int64_t>(), *place = from.data<int64_t>();
  const auto *begin = begins.data<int64_t>(), *at = plain.data<int64_t>();
  *start = 0;
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t r = 0; r < high; ++r, ++start) {
      start[1] = start[0] + (begin[i + 1] - begin[i]) * wide;
      for (int64_t k = begin[i]; k < begin[i + 1]; ++k)
        for (int64_t j = 0; j < wide; ++j, ++column, ++place) {
          *column = at[k] * wide + j;
          *place = (k * high + r) * wide + j;
        }
    }
  return {starts, columns, op<"index_select">(op<"reshape">(values, IntList({-1})), int64_t(0), from)};
}

Tensor compressed_addmm(const Call& call, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                        const Scalar& alpha) {
  BelowAutograd guard;
  const Tensor target = target_or_undefined(call);
  check_matrices(mat1, mat2);
  const Dims sizes{mat1.size(0), mat2.size(1)};
  Tensor added = self;
  if (self.sizes() != IntList(sizes)) {
    check(call.op.form != Form::inplace, messages::bad_in_place_call, self.sizes(), sizes);
    check(!is_sparse(self), messages::expand_of_layout, name_of(self.layout()));
    added = op<"expand">(self, IntList(sizes));
  }
  const Tensor& like = target.defined() ? target : added;
  return compute_product(target, added, like.layout(), like.dtype(), mat1, mat2, beta, alpha);
}

Tensor compressed_mm(const Call& call, const Tensor& mat1, const Tensor& mat2) {
  BelowAutograd guard;
  const Tensor target = target_or_undefined(call);
  check_matrices(mat1, mat2);
  const Dims sizes{mat1.size(0), mat2.size(1)};
  if (target.defined()) {
    if (!is_sparse(target)) op<"expand">(target, IntList(sizes));  // torch resizes a sparse target only
    return compute_product(target, {}, target.layout(), target.dtype(), mat1, mat2, 0, 1);
  }
  const auto plain = [](const Tensor& t) { return t.layout() == Layout::sparse_csr || t.layout() == Layout::sparse_csc; };
  if (plain(mat1) && plain(mat2)) return compute_product({}, {}, Layout::sparse_csr, mat2.dtype(), mat1, mat2, 0, 1);
  const Layout layout = is_sparse(mat2) ? mat1.layout() : Layout::strided;
  check(!has_blocks(layout), messages::zeros_sparse_compressed_layout, name_of(layout));
  return compute_product({}, {}, layout, mat1.dtype(), mat1, mat2, 0, 1);
}

Tensor compressed_addmv(const Tensor& target, const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
                        const Scalar& alpha) {
  BelowAutograd guard;
  check(mat.layout() != Layout::sparse_bsc, "torch.addmv: operation not supported for mat with {} layout", name_of(mat.layout()));
  check(is_compressed(mat.layout()) && !is_sparse(vec) && !(self.defined() && is_sparse(self)),
        "addmv: expected mat to be compressed and vectors to be strided");
  check_dtype(mat.dtype(), "addmv_out_sparse_csr_impl_mkl");
  const Tensor out = target.defined() ? target : empty({mat.size(0)}, mat.dtype());
  const Tensor result = empty({mat.size(0), 1}, mat.dtype());
  const bool adds = self.defined() && !beta.equals(0);
  if (adds) copy_into(result, op<"unsqueeze">(op<"expand">(self, IntList({mat.size(0)})), int64_t(1)));
  add_sparse_product(result, compressed_rows(mat), op<"unsqueeze">(vec, int64_t(1)), adds ? beta : Scalar(0), alpha,
                     "addmv_out_sparse_csr_impl_mkl");
  if (out.numel() != result.numel()) resize_to(out, {mat.size(0)});
  copy_into(out, op<"squeeze.dim">(result, int64_t(1)));
  return out;
}

namespace {

// out[k] is the inner product of the row of `left` with element k's row number and the row of `right` with its column number, computed in
// as many partial sums as fit into a vector.
template <class T>
struct RowProductsAt {
  struct Parts {
    const int64_t *starts, *columns;
    const T *left, *right;
    T* out;
    int64_t height;
  };
  static constexpr int lanes = std::max<int>(2, 32 / sizeof(T));

  static void run(Parts p, int64_t width, int64_t begin, int64_t end) {
    int64_t row = 0;  // the row of the next element; the first is found by binary search
    for (int64_t step = std::bit_floor(uint64_t(p.height)); step > 0; step /= 2)
      if (row + step < p.height && p.starts[row + step] <= begin) row += step;
    for (int64_t k = begin; k < end; ++k) {
      while (p.starts[row + 1] <= k) ++row;
      const T *x = p.left + row * width, *y = p.right + p.columns[k] * width;
      if constexpr (std::is_floating_point_v<T>)
        p.out[k] = dot(x, y, width);
      else
        p.out[k] = any_dot(x, y, width);
    }
  }
  [[gnu::always_inline]] static inline T dot(const T* x, const T* y, int64_t width) {
    typedef T Vector __attribute__((vector_size(lanes * sizeof(T))));
    Vector sums = {}, more = {};
    const auto add = [&](Vector& sum, int64_t j) {
      Vector a, b;
      std::memcpy(&a, x + j, sizeof(a)), std::memcpy(&b, y + j, sizeof(b));
      sum += a * b;
    };
    int64_t j = 0;
    for (; j + 2 * lanes <= width; j += 2 * lanes) add(sums, j), add(more, j + lanes);
    if (j + lanes <= width) add(sums, j), j += lanes;
    sums += more;
    T rest = 0;
    for (; j < width; ++j) rest += x[j] * y[j];
    typedef T Half __attribute__((vector_size(lanes / 2 * sizeof(T))));
    Half halves[2];
    std::memcpy(halves, &sums, sizeof(sums));
    halves[0] += halves[1];
    for (int l = 0; l < lanes / 2; ++l) rest += halves[0][l];
    return rest;
  }
  [[gnu::always_inline]] static inline T any_dot(const T* x, const T* y, int64_t width) {
    T sums[lanes] = {};
    int64_t j = 0;
    for (; j + lanes <= width; j += lanes)
      for (int l = 0; l < lanes; ++l) sums[l] += x[j + l] * y[j + l];
    for (; j < width; ++j) sums[0] += x[j] * y[j];
    for (int l = 1; l < lanes; ++l) sums[0] += sums[l];
    return sums[0];
  }
};

}  // namespace

Tensor sampled_products(const SparseRows& rows, const Tensor& a, const Tensor& b) {
  const Dtype dtype = a.dtype(), in = is_half(dtype) ? Dtype::float32 : dtype;
  const int64_t n = rows.columns.numel(), width = a.size(1), height = a.size(0);
  check(rows.starts.numel() == height + 1 && rows.width >= 0 && rows.width <= b.size(0),
        "a sparse matrix has elements outside of a product of size [{}, {}]", height, b.size(0));
  const Tensor left = dense_as(a, in), right = dense_as(b, in), out = empty({n}, in);
  dispatch_floating_and_complex(in, "sampled_addmm", [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, ComputeType<T>>) {
      static const auto run = row_clone<RowProductsAt<T>>(RowProductsAt<T>::run);
      cpu::parallel_for(0, n, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, width)), [&](int64_t begin, int64_t end) {
        run({rows.starts.data<int64_t>(), rows.columns.data<int64_t>(), left.data<T>(), right.data<T>(), out.data<T>(), height}, width,
            begin, end);
      });
    }
  });
  return in == dtype ? out : op<"to.dtype">(out, dtype);
}

}  // namespace mt
