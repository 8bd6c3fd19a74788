// The compressed layouts: names, and checks of components.
#include "rules/sparse/sparse_compressed.h"

#include "core/messages.h"
#include "rules/index/rows_by_index.h"
#include "rules/reduction/rows.h"

namespace mt {

const char* short_name(Layout layout) {
  switch (layout) {
    case Layout::sparse_csr: return "sparse_csr";
    case Layout::sparse_csc: return "sparse_csc";
    case Layout::sparse_bsr: return "sparse_bsr";
    case Layout::sparse_bsc: return "sparse_bsc";
    default: return layout == Layout::sparse_coo ? "sparse" : "dense";
  }
}
const char* upper_name(Layout layout) {
  switch (layout) {
    case Layout::sparse_csc: return "CSC";
    case Layout::sparse_bsr: return "BSR";
    case Layout::sparse_bsc: return "BSC";
    default: return "CSR";
  }
}

namespace {

// The names of the components in error messages, for layouts that compress rows or columns.
struct ComponentNames {
  const char *begins, *plain, *minors, *majors;
};
ComponentNames component_names_of(bool rows) {
  return rows ? ComponentNames{"crow_indices", "col_indices", "ncols", "nrows"}
              : ComponentNames{"ccol_indices", "row_indices", "nrows", "ncols"};
}

bool is_contiguous_per_batch(const Tensor& t) { return t.size(-1) <= 1 || t.stride(-1) == 1; }

}  // namespace

void check_indices(bool rows, const Tensor& begins, const Tensor& plain, int64_t minor, int64_t nnz, bool in_order) {
  const ComponentNames words = component_names_of(rows);
  const Tensor first = dense_as(begins, Dtype::int64), place = dense_as(plain, Dtype::int64);
  const auto *at = first.data<int64_t>(), *index = place.data<int64_t>();
  check(are_all_within(index, place.numel(), 0, minor), "`0 <= {} < {}` is not satisfied.", words.plain, words.minors);
  const int64_t width = first.size(-1);
  if (width == 0) return;
  for (int64_t b = 0, n = first.numel() / width; b < n; ++b, at += width, index += nnz) {
    check(at[0] == 0, "`{}[..., 0] == 0` is not satisfied.", words.begins);
    check(at[width - 1] == nnz, "`{}[..., -1] == nnz` is not satisfied.", words.begins);
    if (!in_order && is_ascending(at, width)) continue;
    const auto most = uint64_t(in_order ? minor : nnz);
    uint64_t is_wrong = 0;  // wraps: the indices may be any numbers
    for (int64_t i = 1; i < width; ++i)
      is_wrong |= (at[i] < at[i - 1]) | (uint64_t(at[i]) - uint64_t(at[i - 1]) > most) | (at[i - 1] < 0) | (at[i] > nnz);
    check(!is_wrong, "`0 <= {}[..., 1:] - {}[..., :-1] <= {}` is not satisfied.", words.begins, words.begins, words.minors);
    if (!in_order) continue;
    for (int64_t i = 1; i < width; ++i)
      for (int64_t k = at[i - 1] + 1; k < at[i]; ++k)
        check(index[k - 1] < index[k],
              "`{}[..., {}[..., i - 1]:{}[..., i]] for all i = 1, ..., {} are sorted and distinct along the last dimension values` is not "
              "satisfied.",
              words.plain, words.begins, words.begins, words.majors);
  }
}

namespace {

// Checks the components except the values of their indices; returns the number of positions in a compressed row (or column).
int64_t check_component_shapes(Layout layout, const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size) {
  const bool rows = compresses_rows(layout), blocks = has_blocks(layout);
  const ComponentNames words = component_names_of(rows);
  const auto check_strided = [](const char* name, const Tensor& t) {
    check(!is_sparse(t), "expected {} to be a strided tensor but got {} tensor", name, name_of(t.layout()));
  };
  check_strided(words.begins, begins);
  check_strided(words.plain, plain);
  check_strided("values", values);
  const int64_t batch_dims = begins.dim() - 1, block_dims = blocks ? 2 : 0, dense_dims = values.dim() - batch_dims - block_dims - 1;
  check(begins.dim() >= 1, "{} must have dimensionality >= 1 but got {}", words.begins, begins.dim());
  check(begins.dim() == plain.dim(), messages::dimensionalities_must_be_equal, words.begins, words.plain, begins.dim(), plain.dim());
  check(dense_dims >= 0, messages::values_rank_too_small, batch_dims, block_dims, values.dim());
  check(size.size() == batch_dims + 2 + dense_dims,
        "tensor dimensionality must be sum of batch, base, and dense dimensionalities (={} + 2 + {}) but got {}", batch_dims, dense_dims,
        size.size());
  check(is_contiguous_per_batch(begins), messages::must_be_contiguous_per_batch, words.begins);
  check(is_contiguous_per_batch(plain), messages::must_be_contiguous_per_batch, words.plain);
  const IntList batch = size.first(batch_dims);
  check(begins.sizes().first(batch_dims) == batch && plain.sizes().first(batch_dims) == batch && values.sizes().first(batch_dims) == batch,
        "all batch dimensions of {} (={}), {} (={}), and values (={}) must be equal to tensor batch dimensions (={})", words.begins,
        begins.sizes().first(batch_dims), words.plain, plain.sizes().first(batch_dims), values.sizes().first(batch_dims), batch);
  int64_t count[2] = {size[batch_dims], size[batch_dims + 1]};
  for (int d = 0; d < block_dims; ++d) {
    const int64_t block = values.size(batch_dims + 1 + d);
    check(block > 0 && count[d] % block == 0,
          "tensor shape[{}] (={}) must be divisible with blocksize[{}] (={}) as defined by values shape", d, count[d], d, block);
    count[d] /= block;
  }
  const int64_t major = count[rows ? 0 : 1], nnz = values.size(batch_dims);
  const char* counted = blocks ? (rows ? "row blocks" : "column blocks") : rows ? "rows" : "columns";
  check(begins.size(-1) == major + 1, "{}.shape[-1] must be equal to the number of {} + 1 (={}), but got {}", words.begins, counted,
        major + 1, begins.size(-1));
  check(plain.size(-1) == nnz, "{}.shape[-1] must be equal to nnz (={}) as defined by values.shape[{}], but got {}", words.plain, nnz,
        batch_dims, plain.size(-1));
  check(begins.dtype() == plain.dtype(), "{} and {} must have the same dtype, bot got {} and {}, respectively", words.begins, words.plain,
        begins.dtype(), plain.dtype());
  check(begins.dtype() == Dtype::int32 || begins.dtype() == Dtype::int64, "{} and {} dtype must be Int or Long, but got {}", words.begins,
        words.plain, begins.dtype());
  return count[rows ? 1 : 0];
}

}  // namespace

void check_compressed(Layout layout, const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, bool in_order) {
  const int64_t minor = check_component_shapes(layout, begins, plain, values, size), nnz = plain.size(-1);
  if (begins.is_meta() || plain.is_meta()) {
    check(nnz == 0, "expected nnz to be 0 for sparse {} meta tensor but got {}", upper_name(layout), nnz);
    return;
  }
  BelowAutograd guard;
  check_indices(compresses_rows(layout), op<"to.device">(begins, Device(), Dtype::int64), op<"to.device">(plain, Device(), Dtype::int64),
                minor, nnz, in_order);
}

Compressed open_compressed(const Tensor& self) {
  const SparseComponents& parts = components_of(self);
  check(!self.is_meta(), ErrorKind::not_implemented, messages::copy_out_of_meta_tensor);
  const int64_t minor = check_component_shapes(parts.layout, parts.indices, parts.plain, parts.values, self.sizes());
  BelowAutograd guard;
  const Tensor begins = dense_as(parts.indices, Dtype::int64), plain = dense_as(parts.plain, Dtype::int64);
  check_indices(compresses_rows(parts.layout), begins, plain, minor, parts.plain.size(-1), /*in_order=*/false);
  Compressed c{.layout = parts.layout};
  const int64_t block_dims = has_blocks(parts.layout) ? 2 : 0;
  c.batch_dims = parts.plain.dim() - 1;
  c.dense_dims = parts.values.dim() - c.batch_dims - block_dims - 1;
  c.batch = product(self.sizes().first(c.batch_dims));
  c.nnz = parts.plain.size(-1);
  for (int64_t d = 0; d < block_dims; ++d) c.block[d] = parts.values.size(c.batch_dims + 1 + d);
  c.rows = self.size(c.batch_dims) / c.block[0];
  c.columns = self.size(c.batch_dims + 1) / c.block[1];
  c.begins = op<"view">(begins, IntList({c.batch, c.major() + 1}));
  c.plain = op<"view">(plain, IntList({c.batch, c.nnz}));
  Dims values{c.batch * c.nnz};
  for (int64_t d = c.batch_dims + 1; d < parts.values.dim(); ++d) values.push_back(parts.values.size(d));
  c.values = op<"reshape">(parts.values, IntList(values));
  return c;
}

Tensor compressed_tensor(Layout layout, Tensor begins, Tensor plain, Tensor values, IntList sizes) {
  return make_sparse(sizes, {layout, std::move(begins), std::move(plain), std::move(values), false});
}

}  // namespace mt
