// sparse_coo_tensor and the steps that make a tensor of coordinates from its parts.
#include "core/options.h"
#include "rules/factory.h"
#include "rules/sparse.h"

namespace mt {
namespace {

void check_split(IntList size, int64_t sparse_dims, int64_t dense_dims) {
  check(sparse_dims + dense_dims == size.size(),
        "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {}, sparse_dim = {}, dense_dim = {}", size.size(), sparse_dims,
        dense_dims);
}
void check_dims(IntList size, int64_t sparse_dims, int64_t dense_dims) {
  check_split(size, sparse_dims, dense_dims);
  for (int64_t s : size) check(s >= 0, "numel: integer multiplication overflow");
}
void check_dense(const Tensor& part, const char* name) {
  check(!is_sparse(part), "expected {} to be a dense tensor, but got {} of layout {}", name, name, name_of(part.layout()));
}
const char* backend_of(const Tensor& t) { return name_of(t.device().is_meta() ? Key::meta : t.device().is_cpu() ? Key::cpu : Key::npu); }
Tensor with_elements(const Tensor& values) { return values.dim() == 0 ? op<"expand">(values, IntList({1})) : Tensor(values); }

// The greatest index of each dimension and one: the least sizes that hold them.
Dims sizes_of(const Tensor& indices, const Tensor& values) {
  check(indices.dim() == 2, "indices must be sparse_dim x nnz, but got: {}", indices.sizes());
  Dims sizes;
  if (indices.size(1) > 0) {
    check(indices.dtype() == Dtype::int64, "expected scalar type Long but found {}", cpp_name_of(indices.dtype()));
    BelowAutograd guard;
    const Tensor most = op<"to.device">(op<"amax">(indices, IntList({1})), Device(), Dtype::int64);
    const Tensor least = op<"to.device">(op<"amin">(indices, IntList({1})), Device(), Dtype::int64);
    for (int64_t d = 0; d < indices.size(0); ++d) {
      check(least.data<int64_t>()[d] >= 0, "found negative index {} for dim {}", least.data<int64_t>()[d], d);
      sizes.push_back(most.data<int64_t>()[d] + 1);
    }
  } else {
    sizes.resize(indices.size(0));
    for (int64_t& s : sizes) s = 0;
  }
  for (int64_t d = 1; d < values.dim(); ++d) sizes.push_back(values.size(d));
  return sizes;
}

constexpr auto with_dims = [](int64_t sparse_dims, int64_t dense_dims, IntList size, std::optional<Dtype> dtype,
                              std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  const NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  check_dims(size, sparse_dims, dense_dims);
  Dims values{0};
  for (int64_t d = sparse_dims; d < size.size(); ++d) values.push_back(size[d]);
  return coo_tensor(empty({sparse_dims, 0}, Dtype::int64, o.device), empty(values, o.dtype, o.device), size, true);
};

MT_OP(OpDef{
    .schema = {"_sparse_coo_tensor_with_dims(int sparse_dim, int dense_dim, int[] size, *, ScalarType? dtype=None, Layout? layout=None, "
               "Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "A tensor of coordinates without elements.",
    .cpu = with_dims,
    .meta = with_dims,
    .grad = not_differentiable,
});

// Shapes are checked, and dtypes; what the coordinates say is not.
constexpr auto with_tensors = [](int64_t sparse_dims, int64_t dense_dims, IntList size, const Tensor& indices, const Tensor& values,
                                 std::optional<Dtype>, std::optional<Layout>, std::optional<Device>, std::optional<bool>,
                                 std::optional<bool> is_coalesced) -> Tensor {
  check_dims(size, sparse_dims, dense_dims);
  check_dense(indices, "indices");
  check_dense(values, "values");
  check(indices.dtype() == Dtype::int64, "indices must be an int64 tensor");
  check(indices.dim() == 2, "indices must be sparse_dim x nnz, but got: {}", indices.sizes());
  check(indices.size(1) == values.size(0), "indices and values must have same nnz, but got nnz from indices: {}, nnz from values: {}",
        indices.size(1), values.size(0));
  check(indices.size(0) == sparse_dims, "indices has incorrect first dimension, expected {}, got {}", sparse_dims, indices.size(0));
  check(values.dim() == dense_dims + 1, "values has incorrect number of dimensions, expected {}, got {}", dense_dims + 1, values.dim());
  Dims expected{values.size(0)};
  for (int64_t d = sparse_dims; d < size.size(); ++d) expected.push_back(size[d]);
  check(values.sizes() == IntList(expected), "values has incorrect size, expected {}, got {}", expected, values.sizes());
  return coo_tensor(alias(indices, false), alias(values, true), size, is_coalesced.value_or(values.size(0) < 2));
};

MT_OP(OpDef{
    .schema = {"_sparse_coo_tensor_with_dims_and_tensors(int sparse_dim, int dense_dim, SymInt[] size, Tensor indices, Tensor values, *, "
               "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, bool? is_coalesced=None) -> Tensor"},
    .forms = internal,
    .doc = "A tensor of coordinates of these parts; what the coordinates say is not checked.",
    .cpu = with_tensors,
    .meta = with_tensors,
    .grad = {wrt("values", [](Grad g, Out<"result"> result) { return op<"_values">(op<"sparse_mask">(g, result)); })},
    .grad_name = "SparseCooTensorWithDimsAndTensorsBackward0",
});

constexpr auto unsafe = [](const Tensor& indices, const Tensor& values, IntList size, std::optional<Dtype>, std::optional<Layout>,
                           std::optional<Device>, std::optional<bool>, std::optional<bool> is_coalesced) -> Tensor {
  const Tensor stored = with_elements(values);
  check_dense(indices, "indices");
  check_dense(stored, "values");
  check(indices.dim() > 0, "indices must be sparse_dim x nnz, but got: {}", indices.sizes());
  // Here, since a call that mixes devices may run on the one or the other.
  check(indices.device() == stored.device(), "backend of indices ({}) must match backend of values ({})", backend_of(indices),
        backend_of(stored));
  return op<"_sparse_coo_tensor_with_dims_and_tensors">(indices.size(0), stored.dim() - 1, size, indices, stored, stored.dtype(),
                                                        Layout::sparse_coo, stored.device(), nullptr, is_coalesced);
};

MT_OP(OpDef{
    .schema = {"_sparse_coo_tensor_unsafe(Tensor indices, Tensor values, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
               "Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor"},
    .forms = internal,
    .doc = "sparse_coo_tensor without checks of the coordinates.",
    .composite = unsafe,
});

void check_if_wanted(const Tensor& indices, const Tensor& values, IntList size, std::optional<bool> is_coalesced) {
  if (get_option(MT_OPTION_SPARSE_CHECKS) == 1) op<"_validate_sparse_coo_tensor_args", void>(indices, values, size, is_coalesced);
}
void check_layout(std::optional<Layout> layout) {
  check(!layout || *layout == Layout::sparse_coo, "expected sparse layout, but got layout {}", name_of(layout.value_or(Layout::strided)));
}

MT_OP(OpDef{
    .schema = {"sparse_coo_tensor.indices(Tensor indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor",
               "sparse_coo_tensor.indices_size(Tensor indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, "
               "Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor",
               "sparse_coo_tensor.size(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = "A tensor of coordinates (int64, sparse dimensions x elements) and values (elements x dense dimensions).",
    .composite = [](const Tensor& indices, const Tensor& values, std::optional<Dtype> dtype, std::optional<Layout> layout,
                    std::optional<Device> device, std::optional<bool> pin, std::optional<bool> is_coalesced) -> Tensor {
      check_layout(layout);
      const Tensor stored = with_elements(values);
      check_dense(indices, "indices");
      check_dense(stored, "values");
      const Dims size = sizes_of(indices, stored);
      check_if_wanted(indices, stored, size, is_coalesced);
      return unsafe(indices, stored, size, dtype, layout, device, pin, is_coalesced);
    },
    .overloads = {overload("indices_size",
                           {.composite = [](const Tensor& indices, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                                            std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin,
                                            std::optional<bool> is_coalesced) -> Tensor {
                             check_layout(layout);
                             check_if_wanted(indices, values, size, is_coalesced);
                             return unsafe(indices, values, size, dtype, layout, device, pin, is_coalesced);
                           }}),
                  overload("size", {.composite = [](IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                                    std::optional<Device> device, std::optional<bool> pin) -> Tensor {
                             return with_dims(size.size(), 0, size, dtype, layout, device, pin);
                           }})},
});

// Of coordinates on the CPU: within the sizes, and ordered and different where that is claimed.
void check_places(const Tensor& indices, IntList size, bool is_coalesced) {
  const int64_t dims = indices.size(0), n = indices.size(1);
  for (int64_t d = 0; d < dims; ++d) {
    const auto* at = indices.data<int64_t>() + d * indices.stride(0);
    int64_t least = 0, most = -1;
    for (int64_t i = 0; i < n; ++i) {
      least = std::min(least, at[i * indices.stride(1)]);
      most = std::max(most, at[i * indices.stride(1)]);
    }
    check(least >= 0, "found negative index {} for dim {}", least, d);
    check(most < size[d], "size is inconsistent with indices: for dim {}, size is {} but found index {}", d, size[d], most);
  }
  if (!is_coalesced || n < 2) return;
  const Tensor places = flat_places(indices, size);
  const auto* place = places.data<int64_t>();
  for (int64_t i = 1; i < n; ++i)
    check(place[i - 1] < place[i], "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor");
}

constexpr auto validated = [](const Tensor& indices, const Tensor& values, IntList size, std::optional<bool> is_coalesced,
                              std::optional<bool>) {
  check_dense(indices, "indices");
  check(indices.dim() == 2, "indices must be sparse_dim x nnz, but got: {}", indices.sizes());
  const int64_t sparse_dims = indices.size(0), dense_dims = with_elements(values).dim() - 1;
  check_split(size, sparse_dims, dense_dims);
  if (indices.size(1) == 0) return;
  check(indices.dtype() == Dtype::int64, "expected scalar type Long but found {}", cpp_name_of(indices.dtype()));
  BelowAutograd guard;
  check_places(op<"to.device">(indices, Device(), Dtype::int64), size, is_coalesced.value_or(false));
};

MT_OP(OpDef{
    .schema = {"_validate_sparse_coo_tensor_args(Tensor indices, Tensor values, int[] size, bool? is_coalesced=None, bool? "
               "check_pinning=None) -> ()"},
    .forms = function,
    .doc = "Raises a RuntimeError where the parts do not make a tensor of coordinates.",
    .composite = validated,
});

}  // namespace
}  // namespace mt
