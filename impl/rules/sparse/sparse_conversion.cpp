// Conversions between layouts: all go through the indices of elements (or blocks) in storage order.
#include <algorithm>
#include <numeric>

#include "core/messages.h"
#include "rules/index/rows_by_index.h"
#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_compressed.h"

namespace mt {
namespace {

// Indices in a batch of matrices: int64, equally many for each matrix.
struct MatrixIndices {
  int64_t batch = 1, each = 0;
  Tensor rows, columns;
};

// The row (or column, if columns are compressed) of each element or block.
void fill_major_indices(const Compressed& c, int64_t* out) {
  const auto* begins = c.begins.data<int64_t>();
  for (int64_t b = 0; b < c.batch; ++b, begins += c.major() + 1, out += c.nnz)
    for (int64_t i = 0; i < c.major(); ++i) std::fill(out + begins[i], out + begins[i + 1], i);
}

MatrixIndices matrix_indices_of(const Compressed& c) {
  MatrixIndices p{c.batch, c.nnz, empty({c.batch * c.nnz}, Dtype::int64), c.plain};
  fill_major_indices(c, p.rows.data<int64_t>());
  if (!c.by_rows()) std::swap(p.rows, p.columns);
  return p;
}

// Whether the (major, minor) pairs are in ascending order.
struct PairsAscend {
  static void run(const int64_t* major, const int64_t* minor, int64_t n, bool* pairs_ascend) {
    int64_t falls = 0;
    for (int64_t i = 1; i < n; ++i) falls |= (major[i - 1] > major[i]) | ((major[i - 1] == major[i]) & (minor[i - 1] > minor[i]));
    *pairs_ascend = !falls;
  }
};
bool are_pairs_ascending(const int64_t* major, const int64_t* minor, int64_t n) {
  static const auto run = row_clone<PairsAscend>(PairsAscend::run);
  bool does;
  run(major, minor, n, &does);
  return does;
}

// Sorts elements stably by (major, minor), and writes their numbers, counted from `from`, in that order. Elements usually are sorted by
// minor already.
void sort_by_major_and_minor(const int64_t* major, const int64_t* minor, int64_t n, int64_t n_major, int64_t from, int64_t* out) {
  std::vector<int64_t> first, next(n_major + 1);
  if (!is_ascending(minor, n)) {
    first.resize(n);
    std::iota(first.begin(), first.end(), 0);
    std::stable_sort(first.begin(), first.end(), [&](int64_t a, int64_t b) { return minor[a] < minor[b]; });
  }
  for (int64_t i = 0; i < n; ++i) ++next[major[i] + 1];
  for (int64_t i = 0; i < n_major; ++i) next[i + 1] += next[i];
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = first.empty() ? k : first[k];
    out[next[major[i]]++] = from + i;
  }
}
// As sort_by_major_and_minor, for each matrix of a batch; undefined if all are in order already.
Tensor sorting_order_of(const MatrixIndices& p, const Tensor& major, const Tensor& minor, int64_t n_major) {
  const auto *a = major.data<int64_t>(), *b = minor.data<int64_t>();
  bool done = true;
  for (int64_t m = 0; m < p.batch && done; ++m) done = are_pairs_ascending(a + m * p.each, b + m * p.each, p.each);
  if (done) return {};
  const Tensor order = empty({p.batch * p.each}, Dtype::int64);
  for (int64_t m = 0, at = 0; m < p.batch; ++m, at += p.each)
    sort_by_major_and_minor(a + at, b + at, p.each, n_major, at, order.data<int64_t>() + at);
  return order;
}

// count_starts for each matrix of a batch: how many of its numbers are less than k, for each k of 0 ... n.
Tensor count_row_starts(const Tensor& major, int64_t batch, int64_t each, int64_t n) {
  const Tensor begins = empty({batch, n + 1}, Dtype::int64);
  auto* out = begins.data<int64_t>();
  for (int64_t b = 0; b < batch; ++b) count_starts(major.data<int64_t>() + b * each, each, n, out + b * (n + 1));
  return begins;
}

// Concatenates the sizes of the batch and further sizes.
Dims concat_sizes(IntList batch, std::initializer_list<int64_t> more) {
  Dims sizes(batch);
  for (int64_t s : more) sizes.push_back(s);
  return sizes;
}
// The sizes of a values tensor: `leading`, the block if there is one, the dense dimensions.
Dims value_sizes(IntList leading, Layout layout, const int64_t* block, IntList dense) {
  Dims sizes(leading);
  if (has_blocks(layout)) sizes.push_back(block[0]), sizes.push_back(block[1]);
  for (int64_t s : dense) sizes.push_back(s);
  return sizes;
}

// Compresses values, one row per index: elements for a layout without blocks, or blocks that are to be in another order.
Tensor compress(const MatrixIndices& p, const Tensor& values, Layout to, IntList sizes, int64_t n_rows, int64_t n_columns, Dtype index) {
  const bool rows = compresses_rows(to);
  const Tensor &major = rows ? p.rows : p.columns, &minor = rows ? p.columns : p.rows;
  const Tensor order = sorting_order_of(p, major, minor, rows ? n_rows : n_columns);
  const auto reorder = [&](const Tensor& t) { return order.defined() ? op<"index_select">(t, int64_t(0), order) : op<"clone">(t); };
  const IntList batch = sizes.first(sizes.size() - 2 - (values.dim() - 1 - (has_blocks(to) ? 2 : 0)));
  const Tensor begins = count_row_starts(major, p.batch, p.each, rows ? n_rows : n_columns);
  const Tensor plain = reorder(op<"reshape">(minor, IntList({-1})));
  const Dims leading = concat_sizes(batch, {p.each});
  Dims shape(leading);
  for (int64_t d = 1; d < values.dim(); ++d) shape.push_back(values.size(d));
  const auto indices = [&](const Tensor& t, IntList as) { return op<"to.dtype">(op<"reshape">(t, as), index); };
  return compressed_tensor(to, indices(begins, concat_sizes(batch, {begins.size(1)})), indices(plain, leading),
                           op<"reshape">(reorder(values), IntList(shape)), sizes);
}

// Gathers the elements of one matrix into blocks.
Tensor compress_in_blocks(const MatrixIndices& p, const Tensor& values, Layout to, IntList sizes, IntList block, Dtype index) {
  const bool rows = compresses_rows(to);
  const auto *row = p.rows.data<int64_t>(), *column = p.columns.data<int64_t>();
  const int64_t n = p.each, n_major = rows ? sizes[0] / block[0] : sizes[1] / block[1];
  std::vector<int64_t> major(n), minor(n), plain;
  for (int64_t i = 0; i < n; ++i) {
    major[i] = row[i] / block[0], minor[i] = column[i] / block[1];
    if (!rows) std::swap(major[i], minor[i]);
  }
  std::vector<int64_t> order(n);
  sort_by_major_and_minor(major.data(), minor.data(), n, n_major, 0, order.data());
  const Tensor into = empty({n}, Dtype::int64);
  const Tensor begins = empty({n_major + 1}, Dtype::int64);
  auto* begin = begins.data<int64_t>();
  std::fill(begin, begin + n_major + 1, 0);
  for (int64_t k = 0, last = -1; k < n; ++k) {
    const int64_t i = order[k];
    if (last < 0 || major[i] != major[last] || minor[i] != minor[last]) {
      plain.push_back(minor[i]);
      ++begin[major[i] + 1];
    }
    last = i;
    into.data<int64_t>()[i] = (int64_t(plain.size() - 1) * block[0] + row[i] % block[0]) * block[1] + column[i] % block[1];
  }
  for (int64_t i = 0; i < n_major; ++i) begin[i + 1] += begin[i];
  const int64_t count = int64_t(plain.size());
  const IntList dense(values.sizes().begin() + 1, values.dim() - 1);
  const Tensor blocks = op<"zeros">(value_sizes({count * block[0] * block[1]}, Layout::sparse_csr, nullptr, dense), values.dtype());
  op<"index_copy_">(blocks, int64_t(0), into, values);
  const Tensor columns = empty({count}, Dtype::int64);
  std::copy(plain.begin(), plain.end(), columns.data<int64_t>());
  return compressed_tensor(to, op<"to.dtype">(begins, index), op<"to.dtype">(columns, index),
                           op<"view">(blocks, IntList(value_sizes({count}, to, block.begin(), dense))), sizes);
}

Tensor dense_to_compressed(const Tensor& self, Layout to, std::optional<IntList> block_given, int64_t dense_dims) {
  const int64_t dims = self.dim() - dense_dims;
  if (has_blocks(to) || !compresses_rows(to)) wrap_dim(has_blocks(to) ? -2 : 1, self.dim());
  check(dims >= 2, ErrorKind::index, "select(): index 1 out of range for tensor of size [{}, {}] at dimension 1",
        dims < 2 ? op<"nonzero">(self).size(0) : 0, dims);
  const IntList batch_sizes = self.sizes().first(dims - 2), dense(self.sizes().begin() + dims, dense_dims);
  const int64_t batch = product(batch_sizes), block[2] = {block_given ? (*block_given)[0] : 1, block_given ? (*block_given)[1] : 1};
  const int64_t n_rows = self.size(dims - 2) / block[0], n_columns = self.size(dims - 1) / block[1], inner = product(dense);
  check(batch > 0, "to_{}: Expected product of batch dimensions to be non-zero.", short_name(to));
  const bool rows = compresses_rows(to);
  const int64_t n_major = rows ? n_rows : n_columns, n_minor = rows ? n_columns : n_rows, width = block[0] * block[1] * inner;
  // Contiguous blocks in the layout's order; blocks that are single elements by rows share self's memory.
  Tensor all = op<"reshape">(self, IntList({batch, n_rows, block[0], n_columns, block[1], inner}));
  all = op<"permute">(all, rows ? IntList({0, 1, 3, 2, 4, 5}) : IntList({0, 3, 1, 2, 4, 5}));
  all = op<"reshape">(all, IntList({batch * n_major * n_minor, width}));
  const Tensor kept = op<"any.dim">(op<"ne.Scalar">(all, Scalar(0)), int64_t(1), false);
  const Tensor at = op<"view">(op<"nonzero">(kept), IntList({-1}));
  const int64_t n = at.numel(), each = n / batch;
  const auto* place = at.data<int64_t>();
  for (int64_t b = 0; b <= batch; ++b)
    check(std::lower_bound(place, place + n, b * n_major * n_minor) - place == b * each,
          "Expect the same number of specified elements per batch.");
  const Tensor major = empty({n}, Dtype::int64), minor = empty({n}, Dtype::int64);
  for (int64_t i = 0; i < n; ++i) {
    major.data<int64_t>()[i] = place[i] / n_minor % n_major;
    minor.data<int64_t>()[i] = place[i] % n_minor;
  }
  const Dims leading = concat_sizes(batch_sizes, {each});
  return compressed_tensor(to, op<"view">(count_row_starts(major, batch, each, n_major), IntList(concat_sizes(batch_sizes, {n_major + 1}))),
                           op<"view">(minor, IntList(leading)),
                           op<"view">(op<"index_select">(all, int64_t(0), at), IntList(value_sizes(leading, to, block, dense))),
                           self.sizes());
}

Tensor coo_to_compressed(const Tensor& given, Layout to, std::optional<IntList> block) {
  const Tensor self = coalesce(given), indices = dense(components_of(self).indices), values = components_of(self).values;
  const MatrixIndices p{1, nnz(self), op<"select.int">(indices, int64_t(0), int64_t(0)), op<"select.int">(indices, int64_t(0), int64_t(1))};
  const auto* row = p.rows.data<int64_t>();
  const int64_t n = p.each, n_rows = self.size(0), n_columns = self.size(1);
  const bool in_rows = n == 0 || (is_ascending(row, n) && row[0] >= 0 && row[n - 1] < n_rows);
  if (to == Layout::sparse_csr && in_rows) {  // both tensors share columns and values
    const Tensor begins = empty({n_rows + 1}, Dtype::int64);
    write_starts(row, n, n_rows, begins.data<int64_t>());
    return compressed_tensor(to, begins, p.columns, alias(values, false), self.sizes());
  }
  check((in_rows || are_all_within(row, n, 0, n_rows)) && are_all_within(p.columns.data<int64_t>(), n, 0, n_columns), ErrorKind::index,
        "to_{}: a tensor of size {} has an element outside", short_name(to), self.sizes());
  if (has_blocks(to)) return compress_in_blocks(p, values, to, self.sizes(), *block, Dtype::int64);
  return compress(p, values, to, self.sizes(), n_rows, n_columns, Dtype::int64);
}

Tensor change_compression(const Tensor& self, Layout to, std::optional<IntList> block) {
  const Compressed c = open_compressed(self);
  const Dtype index = components_of(self).plain.dtype();
  if (has_blocks(to) && !has_blocks(c.layout)) return compress_in_blocks(matrix_indices_of(c), c.values, to, self.sizes(), *block, index);
  return compress(matrix_indices_of(c), c.values, to, self.sizes(), c.rows, c.columns, index);
}
}  // namespace

Tensor compressed_to_coo(const Tensor& self) {
  const Compressed c = open_compressed(self);
  const int64_t per_block = c.block[0] * c.block[1], n = c.batch * c.nnz * per_block, dims = c.batch_dims + 2;
  const Tensor indices = empty({dims, n}, Dtype::int64);
  auto *out = indices.data<int64_t>(), *row = out + (dims - 2) * n, *column = row + n;
  if (per_block == 1) {
    fill_major_indices(c, c.by_rows() ? row : column);
    std::copy_n(c.plain.data<int64_t>(), n, c.by_rows() ? column : row);
  } else {
    const MatrixIndices p = matrix_indices_of(c);
    const auto *block_row = p.rows.data<int64_t>(), *block_column = p.columns.data<int64_t>();
    for (int64_t k = 0; k < c.batch * c.nnz; ++k)
      for (int64_t r = 0; r < c.block[0]; ++r, row += c.block[1], column += c.block[1]) {
        std::fill_n(row, c.block[1], block_row[k] * c.block[0] + r);
        std::iota(column, column + c.block[1], block_column[k] * c.block[1]);
      }
  }
  for (int64_t d = c.batch_dims - 1, each = c.nnz * per_block, times = 1; d >= 0; times *= self.size(d--))
    for (int64_t b = 0; b < c.batch; ++b) std::fill_n(out + d * n + b * each, each, b / times % self.size(d));
  const IntList dense(self.sizes().begin() + dims, c.dense_dims);
  const Tensor values = op<"reshape">(c.values, IntList(value_sizes({n}, Layout::sparse_csr, nullptr, dense)));
  return coo_tensor(indices, alias(values, false), self.sizes(), c.layout == Layout::sparse_csr);
}

void add_compressed(const Tensor& sum, const Tensor& self, const Scalar& alpha) {
  const Compressed c = open_compressed(self);
  // Each row of each block is added to its piece of a row of `sum`, which is split into pieces as wide as a block.
  const int64_t high = c.block[0], n = c.batch * c.nnz * high, lines = c.batch * c.rows * high * c.columns;
  const int64_t width = sum.numel() / lines;
  const bool by_rows = c.by_rows();
  const Tensor places = empty({n}, Dtype::int64);
  auto* place = places.data<int64_t>();
  const auto *begin = c.begins.data<int64_t>(), *plain = c.plain.data<int64_t>();
  for (int64_t b = 0; b < c.batch; ++b, begin += c.major() + 1, plain += c.nnz)
    for (int64_t i = 0; i < c.major(); ++i)
      for (int64_t k = begin[i], end = begin[i + 1]; k < end; ++k) {
        const int64_t row = by_rows ? i : plain[k], column = by_rows ? plain[k] : i;
        for (int64_t r = 0; r < high; ++r) *place++ = ((b * c.rows + row) * high + r) * c.columns + column;
      }
  const Tensor added = op<"reshape">(as_dtype(c.values, sum.dtype()), IntList({n, width}));
  op<"index_add_">(op<"view">(sum, IntList({lines, width})), int64_t(0), places, added, alpha);
}

void check_conversion(const std::string& who, const Tensor& self, Layout to, std::optional<IntList> block,
                      std::optional<int64_t> dense_dims) {
  const Layout from = self.layout();
  const auto refuse = [&](const char* why) {
    fail("{}: conversion from {} to {} {} is not supported", who, name_of(from), name_of(to), why);
  };
  if (from == Layout::sparse_coo && to != from && sparse_dim(self) != 2) refuse("for input tensors with sparse_dim()!=2");
  if (is_compressed(from) && !has_blocks(from) && has_blocks(to) && components_of(self).plain.dim() > 1) refuse("for batched inputs");
  if (!block && has_blocks(to)) refuse("without blocksize argument given");
  if (block) {
    check(block->size() == 2, messages::blocksize_must_be_pair, who, block->size());
    const int64_t b0 = (*block)[0], b1 = (*block)[1];
    check(b0 > 0 && b1 > 0, messages::blocksize_must_be_positive, who, *block);
    if (!has_blocks(to)) refuse("with blocksize argument given");
    if (const auto own = is_compressed(from) ? block_of(self) : std::nullopt) {
      check(*own == *block, "{}: conversion from {} to {} with blocksize changed from {} to {} is not supported", who, name_of(from),
            name_of(to), *own, *block);
    } else {
      const int64_t first = is_compressed(from)          ? components_of(self).plain.dim() - 1
                            : from == Layout::sparse_coo ? 0
                                                         : self.dim() - 2 - dense_dims.value_or(0);
      const int64_t rows = self.sizes()[wrap_dim(first, self.dim())], columns = self.sizes()[wrap_dim(first + 1, self.dim())];
      check(rows % b0 == 0 && columns % b1 == 0, "{}: tensor sparse size ({},{}) must be divisible by given blocksize ({},{})", who, rows,
            columns, b0, b1);
    }
  }
  if (!dense_dims) return;
  if (from != Layout::strided) refuse("with dense_dim argument given");
  const int64_t most = self.dim() - (to == Layout::sparse_coo ? 0 : 2);
  check(*dense_dims >= 0 && *dense_dims <= most, "{}: dense_dim argument must be in [0,{}] range, but {} is given", who, most, *dense_dims);
  check(to != Layout::sparse_coo || *dense_dims < self.dim() || self.dim() == 0,
        "{}: dense_dim argument must be !=self.dim() when self.dim()>0", who);
}

Tensor to_compressed(const Tensor& self, Layout to, std::optional<IntList> block, std::optional<int64_t> dense_dims) {
  const Layout from = self.layout();
  const std::string own = std::string("to_") + short_name(to);
  BelowAutograd guard;
  if (from == to) {
    check_conversion(own, self, to, block, dense_dims);
    return self;
  }
  const std::string who = (is_compressed(from) ? "sparse_compressed_" : from == Layout::sparse_coo ? "coo_" : "dense_") + own;
  check_conversion(who, self, to, block, dense_dims);
  if (from == Layout::strided) return dense_to_compressed(self, to, block, dense_dims.value_or(0));
  if (from == Layout::sparse_coo) return coo_to_compressed(self, to, block);
  check(has_blocks(to) || !has_blocks(from), "{}: expected SparseCsr or SparseCsc layout but got {}", who, name_of(from));
  return change_compression(self, to, block);
}

Tensor call_conversion_to_layout(const Tensor& self, Layout to, std::optional<IntList> block, std::optional<int64_t> dense_dims) {
  switch (to) {
    case Layout::sparse_csr: return op<"_to_sparse_csr">(self, dense_dims);
    case Layout::sparse_csc: return op<"_to_sparse_csc">(self, dense_dims);
    case Layout::sparse_bsr: return op<"_to_sparse_bsr">(self, *block, dense_dims);
    default: return op<"_to_sparse_bsc">(self, *block, dense_dims);
  }
}

Tensor request_layout_conversion(const Tensor& self, Layout to, std::optional<IntList> block, std::optional<int64_t> dense_dims) {
  if (self.layout() != to) return call_conversion_to_layout(self, to, block, dense_dims);
  check_conversion(std::string("to_") + short_name(to), self, to, block, dense_dims);
  return self;
}

Tensor convert_gradient_to_layout_of(const Tensor& grad, const TensorMeta& self) {
  if (self.layout == Layout::strided) return op<"to_dense">(grad);
  if (!has_blocks(self.layout)) return op<"to_sparse">(grad, self.layout);
  return op<"to_sparse">(grad, self.layout, IntList({self.block[0], self.block[1]}));
}

}  // namespace mt
