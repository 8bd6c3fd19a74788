// max_unpool2d: stores values at the indices that max pooling returned, 0 elsewhere.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/form/determinism.h"
#include "rules/pool/pooling.h"

namespace mt {
namespace {

constexpr auto compute_max_unpool2d = [](const Tensor& self, const Tensor& indices, IntList output_size) -> Tensor {
  check_deterministic("max_unpooling2d_forward_out");
  check(indices.dtype() == Dtype::int64, "elements in indices should be type int64 but got: {}", indices.dtype());
  check(output_size.size() == 2, "There should be exactly two elements (height, width) in output_size, but got {} elements.",
        output_size.size());
  check(self.dim() == 3 || self.dim() == 4, "Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor with {} dimensions.",
        self.dim());
  check(self.sizes() == indices.sizes(), messages::indices_shape_mismatch, self.sizes(), indices.sizes());
  for (int64_t d = 1; d < self.dim(); ++d)
    check(self.size(d) > 0,
          "max_unpooling2d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but got "
          "{} with dimension {} being empty.",
          self.sizes(), d);
  check(output_size[0] >= 0 && output_size[1] >= 0,
        "max_unpooling2d(): output_size must contain non-negative spatial dimensions, but got output_size=({}, {})", output_size[0],
        output_size[1]);
  return unpool("max_unpool2d", self, indices, 2, output_size);
};

MT_OP(OpDef{
    .schema = {"max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor"},
    .forms = function | out,
    .doc = R"(Puts values back where max pooling found them, and zeros elsewhere.

``torch.nn.functional.max_unpool2d`` calls it. Indices must not repeat: which value stays is not
defined.

Args:
    self (Tensor): pooled values; shape ``(N, C, H, W)`` or ``(C, H, W)``.
    indices (Tensor): int64 indices as pooling returned them; shape of `self`.
    output_size (tuple of int): height and width of the result.

Returns:
    Tensor: shape of `self` with `output_size` at the end.

Raises:
    RuntimeError: when shapes do not fit or an index is out of range.

Example:
    >>> x = torch.tensor([[[[1.0, 4.0], [3.0, 2.0]]]])
    >>> values, indices = F.max_pool2d(x, 2, return_indices=True)
    >>> F.max_unpool2d(values, indices, 2)
    tensor([[[[0., 4.],
              [0., 0.]]]]))",
    .module = "nn",
    .rule = rule_after_check(refuse_meta_mixtures_by_second),
    .cpu = compute_max_unpool2d,
    .npu = {"MaxUnpool2d"},
    .meta = compute_max_unpool2d,
    .grad = {wrt("self", [](Grad g, In<"indices"> places) { return gather_at_indices(g, places, 2); })},
    .grad_name = "MaxUnpool2DBackward0",
    .out_policy = OutPolicy{.dtype_error = "expected scalar type {} but found {}"},
});

}  // namespace
}  // namespace mt
