// Checks the components of sparse tensors and puts them together.
#include "rules/sparse/sparse_creation.h"

#include "core/messages.h"
#include "core/options.h"
#include "rules/factory/factory.h"

namespace mt {

void check_split(IntList size, int64_t sparse_dims, int64_t dense_dims) {
  // Written as a difference, since a sum of both numbers could overflow.
  const bool fits = sparse_dims >= 0 && sparse_dims <= size.size() && dense_dims == size.size() - sparse_dims;
  check(fits, messages::sparse_size_length_mismatch, size.size(), sparse_dims, dense_dims);
}
void check_dense(const Tensor& part, const char* name) {
  check(!is_sparse(part), "expected {} to be a dense tensor, but got {} of layout {}", name, name, name_of(part.layout()));
}
Tensor with_elements(const Tensor& values) { return values.dim() == 0 ? op<"expand">(values, IntList({1})) : Tensor(values); }

Layout compressed_layout(const char* who, std::optional<Layout> layout) {
  check(layout && is_compressed(*layout), "{} expected sparse compressed tensor layout but got {}", who,
        layout ? name_of(*layout) : "none");
  return *layout;
}
void check_own_layout(const std::string& what, Layout own, std::optional<Layout> given) {
  check(!given || *given == own, "sparse {} layout must be {} but got {}", what, name_of(own), name_of(given.value_or(own)));
}

Tensor compressed_of(const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                     Layout layout, std::optional<Device> device, std::optional<bool> pin) {
  if (get_option(MT_OPTION_SPARSE_CHECKS) == 1) op<"_validate_sparse_compressed_tensor_args", void>(begins, plain, values, size, layout);
  const NewOptions o = new_options(dtype, layout, device.value_or(values.device()), pin, values.dtype());
  check(values.dtype() == o.dtype, messages::values_dtype_mismatch, values.dtype(), o.dtype);
  check(values.device() == o.device, "Values and compressed tensor instance need to be on the same device.");
  for (const Tensor& part : {begins, plain, values})
    check(!is_sparse(part), ErrorKind::not_implemented, messages::cannot_access_storage,
          part.layout() == Layout::sparse_coo ? "SparseTensorImpl" : "SparseCsrTensorImpl");
  for (int64_t s : size) check(s >= 0, messages::numel_overflow);
  return compressed_tensor(layout, alias(begins, true), alias(plain, true), alias(values, true), size);
}

Dims least_sizes(Layout layout, const Tensor& begins, const Tensor& plain, const Tensor& values) {
  BelowAutograd guard;
  const int64_t block_dims = has_blocks(layout) ? 2 : 0, batch_dims = begins.dim() - 1;
  check(values.dim() > batch_dims + block_dims, messages::values_rank_too_small, batch_dims, block_dims, values.dim());
  check(batch_dims >= 0, ErrorKind::index, messages::dimension_specified_as_minus_1);
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

}  // namespace mt
