// sparse_compressed_tensor: a tensor of a compressed layout from its parts.
#include "rules/sparse_creation.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema =
        {"_sparse_compressed_tensor_unsafe(Tensor compressed_indices, Tensor plain_indices, Tensor values, SymInt[] size, *, ScalarType? "
         "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "sparse_compressed_tensor without checks of the parts.",
    .composite = [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
      return compressed_of(begins, plain, values, size, dtype, compressed_layout("sparse_compressed_tensor_unsafe", layout), device, pin);
    },
});

constexpr auto checked = [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                            std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return compressed_of(begins, plain, values, size, dtype, compressed_layout("sparse_compressed_tensor", layout), device, pin);
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
  compressed_layout("sparse_compressed_tensor", layout);
  return compressed_of(begins, plain, values, least_sizes(*layout, begins, plain, values), dtype, *layout, device, pin);
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

}  // namespace
}  // namespace mt
