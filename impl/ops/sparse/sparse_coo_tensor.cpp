// sparse_coo_tensor: makes a sparse_coo tensor from its components.
#include "core/messages.h"
#include "core/options.h"
#include "rules/sparse/sparse_creation.h"

namespace mt {
namespace {

const char* backend_name_of(const Tensor& t) {
  return name_of(t.device().is_meta() ? Key::meta : t.device().is_cpu() ? Key::cpu : Key::npu);
}

// The largest index of each dimension plus one: the smallest sizes that contain all indices.
Dims infer_sizes(const Tensor& indices, const Tensor& values) {
  check(indices.dim() == 2, messages::indices_must_be_matrix, indices.sizes());
  Dims sizes;
  if (indices.size(1) > 0) {
    check(indices.dtype() == Dtype::int64, messages::expected_scalar_type_long, cpp_name_of(indices.dtype()));
    BelowAutograd guard;
    const Tensor most = op<"to.device">(op<"amax">(indices, IntList({1})), Device(), Dtype::int64);
    const Tensor least = op<"to.device">(op<"amin">(indices, IntList({1})), Device(), Dtype::int64);
    for (int64_t d = 0; d < indices.size(0); ++d) {
      check(least.data<int64_t>()[d] >= 0, messages::found_negative_index_for_dim, least.data<int64_t>()[d], d);
      sizes.push_back(most.data<int64_t>()[d] + 1);
    }
  } else {
    sizes.resize(indices.size(0));
    for (int64_t& s : sizes) s = 0;
  }
  for (int64_t d = 1; d < values.dim(); ++d) sizes.push_back(values.size(d));
  return sizes;
}

constexpr auto compute_sparse_coo_tensor = [](const Tensor& indices, const Tensor& values, IntList size, std::optional<Dtype>,
                                              std::optional<Layout>, std::optional<Device>, std::optional<bool>,
                                              std::optional<bool> is_coalesced) -> Tensor {
  const Tensor stored = with_elements(values);
  check_dense(indices, "indices");
  check_dense(stored, "values");
  check(indices.dim() > 0, messages::indices_must_be_matrix, indices.sizes());
  // Devices are compared here, since a call with tensors on two devices may be dispatched to either.
  check(indices.device() == stored.device(), "backend of indices ({}) must match backend of values ({})", backend_name_of(indices),
        backend_name_of(stored));
  return op<"_sparse_coo_tensor_with_dims_and_tensors">(indices.size(0), stored.dim() - 1, size, indices, stored, stored.dtype(),
                                                        Layout::sparse_coo, stored.device(), nullptr, is_coalesced);
};

MT_OP(OpDef{
    .schema = {"_sparse_coo_tensor_unsafe(Tensor indices, Tensor values, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
               "Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a sparse COO tensor of given parts, without checks of the coordinates.",
    .composite = compute_sparse_coo_tensor,
});

void validate_if_enabled(const Tensor& indices, const Tensor& values, IntList size, std::optional<bool> is_coalesced) {
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
    .doc = R"(Returns a sparse COO tensor from coordinates and values.

An element may be stored several times; its values count as their sum (``Tensor.coalesce`` adds them
up). Autograd differentiates `values`. With `size` alone the tensor stores nothing.

Args:
    indices (Tensor or sequence): int64 coordinates; shape ``(sparse_dim, elements)``.
    values (Tensor or sequence): shape ``(elements, *dense sizes)``.
    size (tuple of int, optional): sparse sizes, then dense ones. Default: the smallest that holds
        the coordinates.
    dtype (torch.dtype, optional): Default: that of `values`.
    is_coalesced (bool, optional): whether coordinates are known to be sorted and different.
        Default: ``None``, no.

Returns:
    Tensor: a tensor of the layout ``torch.sparse_coo``.

Raises:
    RuntimeError: when the parts do not fit each other or `size`; coordinates beyond `size` are
        checked where ``torch.sparse.check_sparse_tensor_invariants`` is enabled.

Example:
    >>> x = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))
    >>> x.to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]]))",
    .composite = [](const Tensor& indices, const Tensor& values, std::optional<Dtype> dtype, std::optional<Layout> layout,
                    std::optional<Device> device, std::optional<bool> pin, std::optional<bool> is_coalesced) -> Tensor {
      check_layout(layout);
      const Tensor stored = with_elements(values);
      check_dense(indices, "indices");
      check_dense(stored, "values");
      const Dims size = infer_sizes(indices, stored);
      validate_if_enabled(indices, stored, size, is_coalesced);
      return compute_sparse_coo_tensor(indices, stored, size, dtype, layout, device, pin, is_coalesced);
    },
    .overloads = {overload("indices_size",
                           {.composite = [](const Tensor& indices, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                                            std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin,
                                            std::optional<bool> is_coalesced) -> Tensor {
                             check_layout(layout);
                             validate_if_enabled(indices, values, size, is_coalesced);
                             return compute_sparse_coo_tensor(indices, values, size, dtype, layout, device, pin, is_coalesced);
                           }}),
                  overload("size", {.composite = [](IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                                    std::optional<Device> device, std::optional<bool> pin) -> Tensor {
                             return op<"_sparse_coo_tensor_with_dims">(size.size(), int64_t(0), size, dtype, layout, device, pin);
                           }})},
});

}  // namespace
}  // namespace mt
