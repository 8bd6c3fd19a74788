// sparse_compressed_tensor and its kin: tensors of the compressed layouts from their parts.
#include "core/options.h"
#include "rules/factory.h"
#include "rules/sparse_compressed.h"

namespace mt {
namespace {

Layout known(const char* who, std::optional<Layout> layout) {
  check(layout && is_compressed(*layout), "{} expected sparse compressed tensor layout but got {}", who,
        layout ? name_of(*layout) : "none");
  return *layout;
}
// The layout that an operator is for.
void check_own(const std::string& what, Layout own, std::optional<Layout> given) {
  check(!given || *given == own, "sparse {} layout must be {} but got {}", what, name_of(own), name_of(given.value_or(own)));
}

Tensor made(const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype, Layout layout,
            std::optional<Device> device, std::optional<bool> pin) {
  if (get_option(MT_OPTION_SPARSE_CHECKS) == 1) op<"_validate_sparse_compressed_tensor_args", void>(begins, plain, values, size, layout);
  const NewOptions o = new_options(dtype, layout, device.value_or(values.device()), pin, values.dtype());
  check(values.dtype() == o.dtype, "dtype of values ({}) must match dtype of sparse tensor ({})", values.dtype(), o.dtype);
  check(values.device() == o.device, "Values and compressed tensor instance need to be on the same device.");
  for (const Tensor& part : {begins, plain, values})
    check(!is_sparse(part), ErrorKind::not_implemented, "Cannot access storage of {}",
          part.layout() == Layout::sparse_coo ? "SparseTensorImpl" : "SparseCsrTensorImpl");
  for (int64_t s : size) check(s >= 0, "numel: integer multiplication overflow");
  return compressed_tensor(layout, alias(begins, true), alias(plain, true), alias(values, true), size);
}

// The least sizes that hold the indices.
Dims sizes_of(Layout layout, const Tensor& begins, const Tensor& plain, const Tensor& values) {
  BelowAutograd guard;
  const int64_t block_dims = has_blocks(layout) ? 2 : 0, batch_dims = begins.dim() - 1;
  check(values.dim() > batch_dims + block_dims,
        "values must have dimensionality > sum of batch and block dimensionalities (={} + {}) but got {}", batch_dims, block_dims,
        values.dim());
  check(batch_dims >= 0, ErrorKind::index, "Dimension specified as -1 but tensor has no dimensions");
  int64_t most = 0;
  if (plain.numel() > 0) most = *op<"to.device">(op<"max">(plain), Device(), Dtype::int64).data<int64_t>() + 1;
  const int64_t major = begins.size(-1) > 0 ? begins.size(-1) - 1 : 0;
  Dims size(begins.sizes().first(batch_dims));
  const bool rows = compresses_rows(layout);
  const int64_t b0 = block_dims ? values.size(batch_dims + 1) : 1, b1 = block_dims ? values.size(batch_dims + 2) : 1;
  size.push_back((rows ? major : most) * b0);
  size.push_back((rows ? most : major) * b1);
  for (int64_t d = batch_dims + 1 + block_dims; d < values.dim(); ++d) size.push_back(values.size(d));
  return size;
}

MT_OP(OpDef{
    .schema =
        {"_sparse_compressed_tensor_unsafe(Tensor compressed_indices, Tensor plain_indices, Tensor values, SymInt[] size, *, ScalarType? "
         "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "sparse_compressed_tensor without checks of the parts.",
    .composite = [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
      return made(begins, plain, values, size, dtype, known("sparse_compressed_tensor_unsafe", layout), device, pin);
    },
});

template <Layout own>
constexpr auto unsafe = [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                           std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  check_own("compressed", own, layout);
  return made(begins, plain, values, size, dtype, own, device, pin);
};

MT_OP(OpDef{
    .schema = {"_sparse_csr_tensor_unsafe(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "sparse_csr_tensor without checks of the parts.",
    .composite = unsafe<Layout::sparse_csr>,
});
MT_OP(OpDef{
    .schema = {"_sparse_csc_tensor_unsafe(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "sparse_csc_tensor without checks of the parts.",
    .composite = unsafe<Layout::sparse_csc>,
});
MT_OP(OpDef{
    .schema = {"_sparse_bsr_tensor_unsafe(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "sparse_bsr_tensor without checks of the parts.",
    .composite = unsafe<Layout::sparse_bsr>,
});
MT_OP(OpDef{
    .schema = {"_sparse_bsc_tensor_unsafe(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "sparse_bsc_tensor without checks of the parts.",
    .composite = unsafe<Layout::sparse_bsc>,
});

constexpr auto checked = [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                            std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return made(begins, plain, values, size, dtype, known("sparse_compressed_tensor", layout), device, pin);
};

MT_OP(OpDef{
    .schema =
        {"sparse_compressed_tensor.comp_plain_value_size(Tensor compressed_indices, Tensor plain_indices, Tensor values, SymInt[] size, "
         "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "A tensor of a compressed layout: where each row (column) begins, the other index of each element, the values.",
    .cpu = checked,
    .meta = checked,
    .sparse = checked,
    .grad = {wrt("values", [](Grad g, Out<"result"> result) { return op<"values">(op<"sparse_mask">(op<"to_dense">(g), result)); })},
});

// In the least sizes that hold the indices; it has no derivative, as in torch.
constexpr auto unsized_checked = [](const Tensor& begins, const Tensor& plain, const Tensor& values, std::optional<Dtype> dtype,
                                    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  known("sparse_compressed_tensor", layout);
  return made(begins, plain, values, sizes_of(*layout, begins, plain, values), dtype, *layout, device, pin);
};

MT_OP(OpDef{
    .schema = {"sparse_compressed_tensor.comp_plain_value(Tensor compressed_indices, Tensor plain_indices, Tensor values, *, ScalarType? "
               "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "A tensor of a compressed layout: where each row (column) begins, the other index of each element, the values.",
    .cpu = unsized_checked,
    .meta = unsized_checked,
    .sparse = unsized_checked,
});

// These know nothing of gradients, as in torch: torch.sparse_csr_tensor calls sparse_compressed_tensor.
template <Layout own>
constexpr auto sized = [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                          std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  check_own(short_name(own) + 7, own, layout);
  return made(begins, plain, values, size, dtype, own, device, pin);
};
template <Layout own>
constexpr auto unsized = [](const Tensor& begins, const Tensor& plain, const Tensor& values, std::optional<Dtype> dtype,
                            std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  check_own(short_name(own) + 7, own, layout);
  return made(begins, plain, values, sizes_of(own, begins, plain, values), dtype, own, device, pin);
};

MT_OP(OpDef{
    .schema =
        {"sparse_csr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
         "sparse_csr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? "
         "dtype=None, "
         "Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "A tensor of the layout sparse_csr.",
    .composite = unsized<Layout::sparse_csr>,
    .overloads = {overload("crow_col_value_size", {.composite = sized<Layout::sparse_csr>})},
});
MT_OP(OpDef{
    .schema =
        {"sparse_csc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
         "sparse_csc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? "
         "dtype=None, "
         "Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "A tensor of the layout sparse_csc.",
    .composite = unsized<Layout::sparse_csc>,
    .overloads = {overload("ccol_row_value_size", {.composite = sized<Layout::sparse_csc>})},
});
MT_OP(OpDef{
    .schema =
        {"sparse_bsr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
         "sparse_bsr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? "
         "dtype=None, "
         "Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "A tensor of the layout sparse_bsr.",
    .composite = unsized<Layout::sparse_bsr>,
    .overloads = {overload("crow_col_value_size", {.composite = sized<Layout::sparse_bsr>})},
});
MT_OP(OpDef{
    .schema =
        {"sparse_bsc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
         "sparse_bsc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? "
         "dtype=None, "
         "Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "A tensor of the layout sparse_bsc.",
    .composite = unsized<Layout::sparse_bsc>,
    .overloads = {overload("ccol_row_value_size", {.composite = sized<Layout::sparse_bsc>})},
});

constexpr auto with_dims = [](int64_t nnz, int64_t dense_dims, IntList size, IntList block, Dtype index, std::optional<Dtype> dtype,
                              std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  const Layout to = known("sparse_compressed_tensor_with_dims:", layout);
  const char* who = "sparse_compressed_tensor_with_dims";
  check(has_blocks(to) || block.empty(), "{}: blocksize cannot be specified for non-block layout {}", who, name_of(to));
  if (has_blocks(to)) {
    check(block.size() == 2, "{}: blocksize needs to be a tuple of size 2, but got {}", who, block.size());
    check(block[0] > 0 && block[1] > 0, "{}: blocksize needs to be positive, but got {}", who, block);
  }
  check(nnz >= 0, "{}: nnz must be non-negative, got {}", who, nnz);
  check(dense_dims >= 0, "{}: dense_dim must be non-negative, got {}", who, dense_dims);
  check(size.size() >= dense_dims + 2, "{}: dimensionality must be at least dense_dim(={}) + sparse_dim(=2), but got {}", who, dense_dims,
        size.size());
  check(index == Dtype::int32 || index == Dtype::int64, "indices dtype must be Int or Long, but got {}", index);
  const NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  const int64_t batch_dims = size.size() - dense_dims - 2, side = compresses_rows(to) ? 0 : 1;
  Dims begins(size.first(batch_dims)), plain(begins);
  begins.push_back(size[batch_dims + side] / (has_blocks(to) ? block[side] : 1) + 1);
  plain.push_back(nnz);
  Dims values(plain);
  for (int64_t b : block) values.push_back(b);
  for (int64_t d = batch_dims + 2; d < size.size(); ++d) values.push_back(size[d]);
  const auto zeros = [&](const Dims& sizes, Dtype as) {
    const Tensor t = empty(sizes, as, o.device);
    fill_with(t, 0);
    return t;
  };
  return compressed_tensor(to, zeros(begins, index), zeros(plain, index), zeros(values, o.dtype), size);
};

MT_OP(OpDef{
    .schema = {"_sparse_compressed_tensor_with_dims(int nnz, int dense_dim, int[] size, int[] blocksize, ScalarType index_dtype, *, "
               "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "A tensor of a compressed layout with room for `nnz` elements; its parts are zeros.",
    .cpu = with_dims,
    .meta = with_dims,
});

}  // namespace
}  // namespace mt
