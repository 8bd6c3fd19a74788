// max_unpool3d: stores values at the indices that max pooling returned, 0 elsewhere.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/form/determinism.h"
#include "rules/pool/pooling.h"

namespace mt {
namespace {

constexpr auto compute_max_unpool3d = [](const Tensor& self, const Tensor& indices, IntList output_size, IntList stride,
                                         IntList padding) -> Tensor {
  check_deterministic("max_unpooling3d_forward_out");
  check(indices.dtype() == Dtype::int64, "elements in indices should be type int64");
  check(output_size.size() == 3, "There should be exactly three elements (depth, height, width) in output_size, but got {} elements.",
        output_size.size());
  check(stride.size() == 3, "There should be exactly three elements (depth, height, width) in stride, but got: {} elements.",
        stride.size());
  check(padding.size() == 3, "There should be exactly three elements (depth, height, width) in padding, but got: {} elements.",
        padding.size());
  check(self.dim() == 4 || self.dim() == 5, "Input to max_unpooling3d should be a 4d or 5d Tensor, but got a tensor with {} dimensions.",
        self.dim());
  check(self.sizes() == indices.sizes(), messages::indices_shape_mismatch, self.sizes(), indices.sizes());
  for (int64_t d = 1; d < self.dim(); ++d)
    check(self.size(d) > 0,
          "max_unpooling3d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but got "
          "{} with dimension {} being empty.",
          self.sizes(), d);
  check(stride[0] > 0 && stride[1] > 0 && stride[2] > 0, "strides should be greater than zero, but got stride: {}", stride);
  check(output_size[0] >= 0 && output_size[1] >= 0 && output_size[2] >= 0,
        "max_unpooling3d(): output_size must contain non-negative spatial dimensions, but got output_size=({}, {}, {})", output_size[0],
        output_size[1], output_size[2]);
  return unpool("max_unpool3d", self, indices, 3, output_size);
};

MT_OP(OpDef{
    .schema = {"max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor"},
    .forms = function | out,
    .doc = R"(Puts values back where max pooling found them, and zeros elsewhere.

``torch.nn.functional.max_unpool3d`` calls it. Indices must not repeat: which value stays is not
defined.

Args:
    self (Tensor): pooled values; shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
    indices (Tensor): int64 indices as pooling returned them; shape of `self`.
    output_size (tuple of int): depth, height and width of the result.
    stride (tuple of int): of the pooling; positive, otherwise without effect.
    padding (tuple of int): of the pooling; without effect.

Returns:
    Tensor: shape of `self` with `output_size` at the end.

Raises:
    RuntimeError: when shapes do not fit or an index is out of range.

Example:
    >>> x = torch.tensor([[[[[1.0, 4.0], [3.0, 2.0]], [[5.0, 0.0], [6.0, 7.0]]]]])
    >>> values, indices = F.max_pool3d(x, 2, return_indices=True)
    >>> F.max_unpool3d(values, indices, 2).nonzero().tolist()
    [[0, 0, 1, 1, 1]])",
    .module = "nn",
    .rule = rule_after_check(refuse_meta_mixtures_by_second),
    .cpu = compute_max_unpool3d,
    .npu = {"MaxUnpool3d"},
    .meta = compute_max_unpool3d,
    .grad = {wrt("self", [](Grad g, In<"indices"> places) { return gather_at_indices(g, places, 3); })},
    .grad_name = "MaxUnpool3DBackward0",
    .out_policy = OutPolicy{.dtype_error = "expected scalar type {} but found {}"},
});

}  // namespace
}  // namespace mt
