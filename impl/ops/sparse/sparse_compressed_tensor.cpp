// sparse_compressed_tensor: makes a tensor of a compressed layout from its components.
#include "rules/sparse/sparse_creation.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema =
        {"_sparse_compressed_tensor_unsafe(Tensor compressed_indices, Tensor plain_indices, Tensor values, SymInt[] size, *, ScalarType? "
         "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a tensor of a compressed layout of given parts, without checks of the parts.",
    .composite = [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
      return compressed_of(begins, plain, values, size, dtype, compressed_layout("sparse_compressed_tensor_unsafe", layout), device, pin);
    },
});

constexpr auto check_arguments = [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size,
                                    std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                    std::optional<bool> pin) -> Tensor {
  return compressed_of(begins, plain, values, size, dtype, compressed_layout("sparse_compressed_tensor", layout), device, pin);
};

MT_OP(OpDef{
    .schema =
        {"sparse_compressed_tensor.comp_plain_value_size(Tensor compressed_indices, Tensor plain_indices, Tensor values, SymInt[] size, "
         "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = R"(Returns a tensor of a compressed layout from its parts.

Autograd differentiates `values`.

Args:
    compressed_indices (Tensor or sequence): where the elements of each row (sparse_csr, sparse_bsr)
        or column (sparse_csc, sparse_bsc) begin, and at last where all end.
    plain_indices (Tensor or sequence): the other index of each element or block.
    values (Tensor or sequence): the elements or blocks.
    size (tuple of int): shape of the tensor.
    layout (torch.layout): one of the four compressed layouts; required.
    dtype (torch.dtype, optional): Default: that of `values`.

Returns:
    Tensor: a tensor of the layout `layout`.

Raises:
    RuntimeError: when the parts do not fit each other or the layout.

Example:
    >>> x = torch.sparse_compressed_tensor(
    ...     [0, 1, 2], [1, 0], [3.0, 4.0], (2, 2), layout=torch.sparse_csr
    ... )
    >>> x.to_dense()
    tensor([[0., 3.],
            [4., 0.]]))",
    .cpu = check_arguments,
    .meta = check_arguments,
    .sparse = check_arguments,
    .grad = {wrt("values", [](Grad g, Out<"result"> result) { return op<"values">(op<"sparse_mask">(op<"to_dense">(g), result)); })},
});

// Makes a tensor with the smallest sizes that contain all indices; not differentiable, as in torch.
constexpr auto make_unsized_checked = [](const Tensor& begins, const Tensor& plain, const Tensor& values, std::optional<Dtype> dtype,
                                         std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  compressed_layout("sparse_compressed_tensor", layout);
  return compressed_of(begins, plain, values, least_sizes(*layout, begins, plain, values), dtype, *layout, device, pin);
};

MT_OP(OpDef{
    .schema = {"sparse_compressed_tensor.comp_plain_value(Tensor compressed_indices, Tensor plain_indices, Tensor values, *, ScalarType? "
               "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = R"(Returns a tensor of a compressed layout from its parts.

Without `size` it is the smallest that holds the indices, and no gradient passes.

Args:
    compressed_indices (Tensor or sequence): where the elements of each row (sparse_csr, sparse_bsr)
        or column (sparse_csc, sparse_bsc) begin, and at last where all end.
    plain_indices (Tensor or sequence): the other index of each element or block.
    values (Tensor or sequence): the elements or blocks.
    layout (torch.layout): one of the four compressed layouts; required.
    dtype (torch.dtype, optional): Default: that of `values`.

Returns:
    Tensor: a tensor of the layout `layout`.

Raises:
    RuntimeError: when the parts do not fit each other or the layout.

Example:
    >>> x = torch.sparse_compressed_tensor(
    ...     [0, 1, 2], [1, 0], [3.0, 4.0], layout=torch.sparse_csr
    ... )
    >>> x.to_dense()
    tensor([[0., 3.],
            [4., 0.]]))",
    .cpu = make_unsized_checked,
    .meta = make_unsized_checked,
    .sparse = make_unsized_checked,
});

}  // namespace
}  // namespace mt
