// Products with a sparse result.
#include <algorithm>
#include <memory>
#include <vector>

#include "core/dispatch_dtype.h"
#include "cpu/buffer.h"
#include "cpu/threads/parallel.h"
#include "rules/matmul/matmul.h"
#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_products.h"

namespace mt {
namespace {

// Computes a sparse product row by row (Gustavson, 1978): scaled rows of the right matrix are summed in a dense buffer of one row.
template <class T>
struct RowSum {
  int64_t width;
  cpu::Buffer<T> sums;
  cpu::Buffer<int64_t> last_row;  // the last row that had an element in the column
  std::vector<int64_t> columns;
  std::vector<T> values;
  std::vector<uint64_t> marks;  // a bit per column

  explicit RowSum(int64_t w) : width(w), sums(w), last_row(w), marks(size_t(w / 64 + 1)) { std::fill_n(last_row.data(), w, int64_t(-1)); }

  // Sorts the columns from position `first` on: many are sorted by setting a bit for each and reading the bits in order.
  void sort_columns(size_t first) {
    if ((columns.size() - first) * 2 < marks.size()) return std::sort(columns.begin() + int64_t(first), columns.end());
    for (size_t k = first; k < columns.size(); ++k) marks[size_t(columns[k] / 64)] |= uint64_t(1) << (columns[k] % 64);
    for (size_t word = 0, k = first; k < columns.size(); marks[word++] = 0)
      for (uint64_t rest = marks[word]; rest; rest &= rest - 1) columns[k++] = int64_t(word) * 64 + __builtin_ctzll(rest);
  }

  // Appends one row of the product; returns its number of elements.
  int64_t append_row(int64_t row, const int64_t* left_starts, const int64_t* left_columns, const T* left_values, const int64_t* starts,
                     const int64_t* right_columns, const T* right_values) {
    const size_t first = columns.size();
    for (int64_t k = left_starts[row]; k < left_starts[row + 1]; ++k) {
      const T factor = left_values[k];
      for (int64_t j = starts[left_columns[k]]; j < starts[left_columns[k] + 1]; ++j) {
        const int64_t column = right_columns[j];
        T& sum = sums.data()[column];
        if (last_row.data()[column] == row) {
          sum += factor * right_values[j];
        } else {
          sum = factor * right_values[j];
          last_row.data()[column] = row;
          columns.push_back(column);
        }
      }
    }
    sort_columns(first);
    for (size_t k = first; k < columns.size(); ++k) values.push_back(sums.data()[columns[k]]);
    return int64_t(columns.size() - first);
  }
};

}  // namespace

SparseRows sparse_product(const SparseRows& left, const SparseRows& right, int64_t width, const char* kernel_name) {
  const int64_t height = left.starts.size(0) - 1;
  const int64_t *const left_starts = left.starts.data<int64_t>(), *const left_columns = left.columns.data<int64_t>();
  const int64_t *const right_starts = right.starts.data<int64_t>(), *const right_columns = right.columns.data<int64_t>();
  std::vector<int64_t> work(size_t(height) + 1, 0);  // number of products before each row
  for (int64_t row = 0; row < height; ++row) {
    work[size_t(row) + 1] = work[size_t(row)] + 1;
    for (int64_t k = left_starts[row]; k < left_starts[row + 1]; ++k)
      work[size_t(row) + 1] += right_starts[left_columns[k] + 1] - right_starts[left_columns[k]];
  }
  SparseRows product{empty({height + 1}, Dtype::int64), {}, {}};
  auto* const starts = product.starts.data<int64_t>();
  dispatch_floating_and_complex(left.values.dtype(), kernel_name, [&]<class T>(Type<T>) {
    if constexpr (!std::is_same_v<T, ComputeType<T>>) {
      not_implemented_for(kernel_name, left.values.dtype());
    } else {
      const Tensor left_values = dense(left.values), right_values = dense(right.values);
      // A piece of work must be large compared with the dense buffer of one row that it allocates and clears.
      const int64_t grain = std::max<int64_t>(16384, width);
      std::vector<std::unique_ptr<RowSum<T>>> pieces(size_t(cpu::chunks_of(work.back(), grain).count));
      const int64_t piece_size = cpu::chunks_of(work.back(), grain).size;
      starts[0] = 0;
      cpu::parallel_for(0, work.back(), grain, [&](int64_t begin, int64_t end) {
        auto& sum = pieces[size_t(begin / piece_size)] = std::make_unique<RowSum<T>>(width);
        for (auto row = std::lower_bound(work.begin(), work.end(), begin) - work.begin(); row < height && work[size_t(row)] < end; ++row)
          starts[row + 1] = sum->append_row(row, left_starts, left_columns, left_values.data<T>(), right_starts, right_columns,
                                            right_values.data<T>());
      });
      for (int64_t row = 0; row < height; ++row) starts[row + 1] += starts[row];
      product.columns = empty({starts[height]}, Dtype::int64);
      product.values = empty({starts[height]}, left.values.dtype());
      int64_t at = 0;
      for (const auto& piece : pieces) {
        std::copy(piece->columns.begin(), piece->columns.end(), product.columns.data<int64_t>() + at);
        std::copy(piece->values.begin(), piece->values.end(), product.values.data<T>() + at);
        at += int64_t(piece->columns.size());
      }
    }
  });
  return product;
}

RowProducts products_of_rows(const Tensor& coordinates, const Tensor& right, const Scalar& alpha, const char* kernel_name) {
  BelowAutograd guard;
  SparseRows rows = sparse_rows_of(coordinates);
  auto* const starts = rows.starts.data<int64_t>();
  std::vector<int64_t> places;
  for (int64_t row = 0, height = coordinates.size(0); row < height; ++row) {
    if (starts[row + 1] == starts[row]) continue;
    places.push_back(row);
    starts[places.size()] = starts[row + 1];
  }
  const int64_t n = int64_t(places.size());
  rows.starts = op<"narrow">(rows.starts, int64_t(0), int64_t(0), n + 1);
  RowProducts result{empty({n}, Dtype::int64), empty({n, right.size(1)}, right.dtype())};
  std::copy(places.begin(), places.end(), result.rows.data<int64_t>());
  add_sparse_product(result.products, rows, right, 0, alpha, kernel_name);
  return result;
}

namespace {

// For each index pair the inner product of a row of `left` and a column's row of `right`, in groups whose factors stay in the cache.
Tensor inner_products_at(const Tensor& indices, const Tensor& left, const Tensor& right) {
  const int64_t n = indices.size(1), step = std::max<int64_t>(1, (1 << 18) / std::max<int64_t>(1, left.size(1)));
  const Tensor products = empty({n}, left.dtype());
  for (int64_t i = 0; i < n; i += step) {
    const Tensor at = op<"narrow">(indices, int64_t(1), i, std::min(step, n - i));
    const Tensor factors = op<"index_select">(left, int64_t(0), op<"select.int">(at, int64_t(0), int64_t(0)));
    const Tensor others = op<"index_select">(right, int64_t(0), op<"select.int">(at, int64_t(0), int64_t(1)));
    copy_into(op<"narrow">(products, int64_t(0), i, at.size(1)), op<"sum.dim_IntList">(op<"mul_">(factors, others), IntList{1}, false));
  }
  return products;
}

}  // namespace

Tensor sparse_left_gradient(const Tensor& g, const Tensor& left, const Tensor& right) {
  if (left.layout() == Layout::strided) return op<"mm">(g, conj(op<"t">(right)));
  const Layout layout = left.layout();
  check((layout == Layout::sparse_coo || layout == Layout::sparse_csr) && !g->sparse && !right->sparse,
        "sparse_addmm_sparse_backward: unsupported combination of layouts, grad: {}, mat1: {}, mat2: {}", name_of(g.layout()),
        name_of(layout), name_of(right.layout()));
  if (layout == Layout::sparse_csr) return op<"sparse_sampled_addmm">(left, g, conj(op<"t">(right)), Scalar(0), Scalar(1));
  const Tensor places = op<"coalesce">(left);
  // The dense gradient may be too large to allocate; for double backward it is made of operators, as in torch.
  if (thread_state.grad_mode || left.numel() <= 4 * nnz(places) * right.size(1))
    return op<"sparse_mask">(op<"mm">(g, conj(op<"t">(right))), places);
  BelowAutograd guard;
  return coo_tensor(op<"clone">(components_of(places).indices),
                    inner_products_at(components_of(places).indices, g, op<"resolve_conj">(conj(right))), left.sizes(), true);
}

}  // namespace mt
