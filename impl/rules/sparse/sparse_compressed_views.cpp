// Views of compressed tensors: transposed matrices, and slices at regular positions.
#include "core/messages.h"
#include "rules/index/rows_by_index.h"
#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {
namespace {

const char* dim_kind_of(int64_t d, int64_t batch_dims) { return d < batch_dims ? "Batch" : d < batch_dims + 2 ? "Sparse" : "Dense"; }

// Storage positions of the elements with this index in the uncompressed dimension, in order.
std::vector<int64_t> find_stored_positions(const int64_t* plain, int64_t nnz, int64_t index) {
  std::vector<int64_t> found;
  for (int64_t k = 0; k < nnz; ++k)
    if (plain[k] == index) found.push_back(k);
  return found;
}
Tensor make_index_tensor(const std::vector<int64_t>& numbers) {
  const Tensor t = empty({int64_t(numbers.size())}, Dtype::int64);
  std::copy(numbers.begin(), numbers.end(), t.data<int64_t>());
  return t;
}

// Selects in a compressed dimension: the elements of one row (column) are contiguous.
Tensor select_major(const Tensor& self, int64_t dim, int64_t index, bool copies) {
  const SparseComponents& parts = components_of(self);
  const int64_t n = parts.plain.numel(), lines = parts.indices.numel() - 1;
  check(lines == self.size(dim) && parts.values.size(0) == n, "a {} tensor of size {} has parts that do not fit together",
        name_of(self.layout()), self.sizes());
  // Makes the checks of open_compressed(), but only for the selected row.
  const Tensor ends = dense_as(op<"slice">(parts.indices, int64_t(0), index, index + 2), Dtype::int64);
  const int64_t begin = ends.data<int64_t>()[0], end = ends.data<int64_t>()[1];
  check((index > 0 || begin == 0) && begin >= 0 && begin <= end && (index + 1 < lines ? end <= n : end == n),
        "a {} tensor of {} elements has a line from {} to {}", name_of(self.layout()), n, begin, end);
  const Tensor plain = dense_as(op<"slice">(parts.plain, int64_t(0), begin, end), Dtype::int64);
  check(are_all_within(plain.data<int64_t>(), end - begin, 0, self.size(1 - dim)), "a {} tensor of size {} has an element outside",
        name_of(self.layout()), self.sizes());
  const Tensor at = op<"unsqueeze">(plain, int64_t(0));
  const Tensor values = op<"slice">(parts.values, int64_t(0), begin, end);
  Dims sizes(self.sizes());
  sizes.erase(dim);
  return copies ? coo_tensor(op<"clone">(at), op<"clone">(values), sizes, true) : coo_tensor(at, values, sizes, true);
}

// Selects a row (column) that passes through blocks. The result is a view if one pair of strides reaches the line's elements in all its
// blocks.
Tensor select_line_of_blocks(const Tensor& self, const Compressed& c, int64_t dim, int64_t index, const char* who) {
  const SparseComponents& parts = components_of(self);
  const auto *begins = c.begins.data<int64_t>(), *plain = c.plain.data<int64_t>();
  const int64_t line = index / c.block[dim], length = c.block[1 - dim];
  std::vector<int64_t> where, across;  // the blocks' positions, and which block of the line each is
  for (int64_t i = 0; i < c.major(); ++i)
    for (int64_t k = begins[i]; k < begins[i + 1]; ++k) {
      const bool is_major = dim == (c.by_rows() ? 0 : 1);
      if ((is_major ? i : plain[k]) != line) continue;
      where.push_back(k);
      across.push_back(is_major ? plain[k] : i);
    }
  const int64_t n = int64_t(where.size()), step = n < 2 ? 1 : where[1] - where[0];
  Tensor values = op<"slice">(parts.values, int64_t(0), n ? where[0] : 0, n ? where.back() + 1 : 0, step);
  values = op<"select.int">(values, dim + 1, index % c.block[dim]);
  Dims flat(values.sizes());
  flat.erase(0);
  flat[0] = n * length;
  bool is_view = view_strides(values.sizes(), values.strides(), flat).has_value();
  for (int64_t i = 2; i < n; ++i) is_view &= where[i] - where[i - 1] == step;
  check(is_view, messages::no_view_exists_for_input, who);
  const Tensor at = empty({1, n * length}, Dtype::int64);
  for (int64_t i = 0; i < n * length; ++i) at.data<int64_t>()[i] = across[i / length] * length + i % length;
  Dims sizes(self.sizes());
  sizes.erase(dim);
  return coo_tensor(at, op<"view">(values, flat), sizes, true);
}

Tensor select_line(const Tensor& self, const Compressed& c, int64_t dim, int64_t index, const char* who, bool copies) {
  const SparseComponents& parts = components_of(self);
  const auto* begins = c.begins.data<int64_t>();
  Dims sizes(self.sizes());
  sizes.erase(dim);
  const auto made = [&](const Tensor& at, const Tensor& values) {
    return coo_tensor(op<"unsqueeze">(op<"to.dtype">(at, Dtype::int64), int64_t(0)), values, sizes, true);
  };
  if (has_blocks(c.layout) && !copies) return select_line_of_blocks(self, c, dim, index, who);
  if (has_blocks(c.layout)) {  // the indices of all elements in the line
    const Tensor coo = compressed_to_coo(self);
    const Tensor indices = components_of(coo).indices;
    const int64_t n = indices.size(1);
    const Tensor where = make_index_tensor(find_stored_positions(indices.data<int64_t>() + dim * n, n, index));
    const Tensor at = op<"index_select">(op<"select.int">(indices, int64_t(0), 1 - dim), int64_t(0), where);
    return made(at, op<"index_select">(components_of(coo).values, int64_t(0), where));
  }
  const std::vector<int64_t> where = find_stored_positions(c.plain.data<int64_t>(), c.nnz, index);
  std::vector<int64_t> lines(c.nnz);
  for (int64_t i = 0; i < c.major(); ++i) std::fill(lines.begin() + begins[i], lines.begin() + begins[i + 1], i);
  const Tensor line = make_index_tensor(lines);
  if (copies) {
    const Tensor at = make_index_tensor(where);
    return made(op<"index_select">(line, int64_t(0), at), op<"index_select">(parts.values, int64_t(0), at));
  }
  const int64_t first = where.empty() ? 0 : where[0], end = where.empty() ? 0 : where.back() + 1;
  const int64_t step = where.size() < 2 ? 1 : where[1] - where[0];
  for (size_t i = 2; i < where.size(); ++i) check(where[i] - where[i - 1] == step, messages::no_view_exists_for_input, who);
  return made(op<"slice">(line, int64_t(0), first, end, step), op<"slice">(parts.values, int64_t(0), first, end, step));
}

}  // namespace

Tensor compressed_select(const Tensor& self, int64_t dim, int64_t index, bool copies) {
  const char* who = copies ? "select_copy" : "select";
  const int64_t d = wrap_dim(dim, self.dim()), size = self.size(d);
  check(index >= -size && index < size, ErrorKind::index, "{}(): index {} out of range for tensor of size {} at dimension {}", who, index,
        self.sizes(), d);
  if (index < 0) index += size;
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  if (d == (compresses_rows(parts.layout) ? 0 : 1) && parts.plain.dim() == 1 && !has_blocks(parts.layout) && !self.is_meta())
    return select_major(self, d, index, copies);
  const Compressed c = open_compressed(self);
  if (d >= c.batch_dims && d < c.batch_dims + 2) {
    check(c.batch_dims == 0, "{}(): selecting sparse dimensions is not supported for batched sparse compressed tensors.", who);
    return select_line(self, c, d, index, who, copies);
  }
  Dims sizes(self.sizes());
  sizes.erase(d);
  SparseComponents out = parts;
  if (d < c.batch_dims) {
    for (Tensor* part : {&out.indices, &out.plain, &out.values}) *part = op<"select.int">(*part, d, index);
  } else {
    out.values = op<"select.int">(out.values, d - self.dim(), index);
  }
  const Tensor made = make_sparse(sizes, std::move(out));
  return copies ? op<"clone">(made) : made;
}

Tensor compressed_transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  const SparseComponents& parts = components_of(self);
  const int64_t a = wrap_dim(dim0, self.dim()), b = wrap_dim(dim1, self.dim()), batch_dims = parts.plain.dim() - 1;
  const int64_t block_dims = has_blocks(parts.layout) ? 2 : 0;
  check(self.dim() == batch_dims + 2 && parts.values.dim() == batch_dims + 1 + block_dims,
        "transpose(): hybrid sparse compressed tensors with dense dimensions are not supported");
  if (a == b) return alias(self, true);
  check((a < batch_dims) == (b < batch_dims),
        "transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), got {}({}) and {}({})", a,
        dim_kind_of(a, batch_dims), b, dim_kind_of(b, batch_dims));
  BelowAutograd guard;
  SparseComponents out = parts;
  Dims sizes(self.sizes());
  std::swap(sizes[a], sizes[b]);
  if (a < batch_dims) {
    for (Tensor* part : {&out.indices, &out.plain, &out.values}) *part = op<"transpose.int">(*part, a, b);
  } else {
    out.layout = block_dims ? (compresses_rows(out.layout) ? Layout::sparse_bsc : Layout::sparse_bsr)
                            : (compresses_rows(out.layout) ? Layout::sparse_csc : Layout::sparse_csr);
    if (block_dims) out.values = op<"transpose.int">(out.values, int64_t(-2), int64_t(-1));
  }
  return make_sparse(sizes, std::move(out));
}

Tensor reduce_compressed(const Tensor& self, IntList dims, bool keepdim, std::optional<Dtype> dtype, bool multiplies) {
  check(self.layout() == Layout::sparse_csr, "reduction operations on {} tensors are unsupported", name_of(self.layout()));
  check(keepdim, "reduction operations on CSR tensors with keepdim=False is unsupported");
  bool folds[2] = {dims.empty(), dims.empty()};
  for (int64_t d : dims) {
    const int64_t at = wrap_dim(d, self.dim());
    check(at < 2 && !folds[at], "reduction operations on CSR tensors need different dimensions of a matrix, but got {}", dims);
    folds[at] = true;
  }
  check(self.dim() == 2, "reduction operations on CSR tensors are for matrices, but got {} dimensions", self.dim());
  BelowAutograd guard;
  const Compressed c = open_compressed(self);
  // For each element the number of the result's line into which it is folded; empty lines have no number.
  const int64_t n = c.nnz;
  const Tensor group = empty({n}, Dtype::int64);
  auto* into = group.data<int64_t>();
  std::vector<int64_t> columns, begins{0};
  const auto *begin = c.begins.data<int64_t>(), *column = c.plain.data<int64_t>();
  if (folds[0] && folds[1]) {
    std::fill(into, into + n, 0);
    if (n > 0) columns.push_back(0);
    begins.push_back(int64_t(columns.size()));
  } else if (folds[0]) {
    std::vector<int64_t> number(c.columns, -1);
    for (int64_t k = 0; k < n; ++k) number[column[k]] = 0;
    for (int64_t j = 0; j < c.columns; ++j)
      if (number[j] == 0) {
        number[j] = int64_t(columns.size());
        columns.push_back(j);
      }
    for (int64_t k = 0; k < n; ++k) into[k] = number[column[k]];
    begins.push_back(int64_t(columns.size()));
  } else {
    for (int64_t i = 0; i < c.rows; ++i) {
      std::fill(into + begin[i], into + begin[i + 1], int64_t(columns.size()));
      if (begin[i] < begin[i + 1]) columns.push_back(0);
      begins.push_back(int64_t(columns.size()));
    }
  }
  const Dtype to = dtype.value_or(is_integral(self.dtype(), true) ? Dtype::int64 : self.dtype());
  const Tensor given = op<"to.dtype">(c.values, to);
  const Dims count{int64_t(columns.size())};
  const Tensor values = multiplies ? op<"ones">(count, to) : op<"zeros">(count, to);
  if (multiplies)
    op<"index_reduce_">(values, int64_t(0), group, given, "prod", true);
  else
    op<"index_add_">(values, int64_t(0), group, given);
  const Dtype index = components_of(self).plain.dtype();
  return compressed_tensor(Layout::sparse_csr, op<"to.dtype">(make_index_tensor(begins), index),
                           op<"to.dtype">(make_index_tensor(columns), index), values,
                           IntList({folds[0] ? 1 : self.size(0), folds[1] ? 1 : self.size(1)}));
}

}  // namespace mt
