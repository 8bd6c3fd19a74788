// rms_norm: rows divided by their root mean square.
#include "core/warn_once.h"
#include "rules/nn/layer_norm.h"

namespace mt {
namespace {

std::atomic<bool> has_warned;

MT_OP(OpDef{
    .schema = {"rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor"},
    .forms = function,
    .doc = R"(Divides rows by their root mean square, over the last dimensions.

It computes ``x / sqrt(mean(x^2) + eps) * weight`` (Zhang and Sennrich, "Root mean square layer
normalization", NeurIPS 2019). Half dtypes compute in float32.

Args:
    input (Tensor): shape ``(*, *normalized_shape)``; a floating or complex dtype.
    normalized_shape (tuple of int): the last sizes, over which rows are normalised.
    weight (Tensor, optional): factors; shape `normalized_shape`.
    eps (float, optional): added to the mean square. Default: ``None``, the machine epsilon of the
        dtype that it computes in.

Returns:
    Tensor: shape and dtype of `input`.

Raises:
    RuntimeError: when `normalized_shape` is not the end of the input's shape.
    ValueError: when `input` has too few dimensions.

Example:
    >>> torch.rms_norm(torch.tensor([3.0, 4.0]), (2,))
    tensor([0.8485, 1.1314]))",
    .composite = [](const Tensor& input, IntList shape, const Tensor& weight, std::optional<double> eps) -> Tensor {
      check(input.dim() >= shape.size(), ErrorKind::value, "Input tensor must have at least {} dimensions, but got {}", shape.size(),
            input.dim());
      check_normalized_shape(input, shape, weight, Tensor(), true);
      if (weight.defined() && weight.dtype() != input.dtype() && !is_complex(input.dtype()))
        warn_once(has_warned,
                  "Mismatch dtype between input and weight: input dtype = {}, weight dtype = {}, Cannot dispatch to fused implementation.",
                  ScalarName(input.dtype()), ScalarName(weight.dtype()));
      if (is_integral(input.dtype(), true)) not_implemented_for("rms_norm", input.dtype());
      return op<"_fused_rms_norm", Tensors<2>>(input, shape, weight, eps)[0];
    },
});

}  // namespace
}  // namespace mt
