// softmax: exp(x) / sum(exp(x)) over one dimension.
#include "rules/reduction/softmax.h"
#include "autograd/private_memory.h"
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/form/exact_out.h"

namespace mt {
namespace {

constexpr auto infer_softmax_shape = [](Specs& out, const Tensor& self, int64_t dim, bool half_to_float) {
  check(!half_to_float, "softmax with half to float conversion is not supported on CPU");
  const bool last = wrap_dim(dim, self.dim()) + 1 >= self.dim();
  if (!is_floating(self.dtype())) not_implemented_for(last ? "softmax_lastdim_kernel_impl" : "softmax_kernel_impl", self.dtype());
  out.add(self.sizes(), self.dtype());
};

MT_OP(OpDef{
    .schema = {"_softmax(Tensor self, int dim, bool half_to_float) -> Tensor"},
    .forms = function | out,
    .doc = "Computes ``exp(x) / sum(exp(x))`` along `dim` for floating dtypes; ``torch.softmax`` calls it.",
    .rule = structured_exact(infer_softmax_shape),
    .cpu = [](const Tensor& self, int64_t dim, bool,
              Tensor& out) { softmax_forward(SoftmaxKind::plain, self, wrap_dim(dim, self.dim()), out); },
    .npu = {"Softmax(self, dim)"},
    .grad = {wrt("self",
                 [](Grad g, Out<"result"> y, In<"dim", int64_t> dim, MetaOf<"self"> self) {
                   const bool in_place = g.device().type == DeviceType::cpu && g.dtype() == self.dtype && g.is_contiguous() &&
                                         is_private_gradient(g);
                   return in_place ? op<"_softmax_backward_data.out">(g, y, *dim, self.dtype, g)
                                   : op<"_softmax_backward_data">(g, y, *dim, self.dtype);
                 })},
    .grad_name = "SoftmaxBackward0",
});

MT_OP(OpDef{
    .schema = {"_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor"},
    .forms = function,
    .doc = "Computes the gradient of ``softmax`` from its result.",
    .rule = rule_after_check(
        refuse_meta_mixtures, structured_exact([](Specs& out, const Tensor& grad, const Tensor& output, int64_t dim, Dtype dtype) {
          wrap_dim(dim, output.dim());
          check(grad.sizes() == output.sizes(),
                "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 'output'; but {} does not "
                "equal {} (while "
                "checking arguments for softmax_backward)",
                grad.sizes(), output.sizes());
          if (!is_floating(grad.dtype())) not_implemented_for("softmax_backward_lastdim_kernel_impl", grad.dtype());
          check(grad.dtype() == output.dtype(), messages::expected_scalar_type, grad.dtype(), output.dtype());
          out.add(output.sizes(), grad.dtype() == Dtype::float32 && is_half(dtype) ? dtype : grad.dtype());
        })),
    .cpu =
        [](const Tensor& grad, const Tensor& output, int64_t dim, Dtype, Tensor& out) {
          softmax_backward(SoftmaxKind::plain, dense_as(grad, out.dtype()), dense_as(output, out.dtype()), wrap_dim(dim, output.dim()),
                           out);
        },
    .npu = {"SoftmaxBackward(grad_output, output, dim)"},
    .grad = {wrt("grad_output", [](Grad g, In<"output"> y,
                                   In<"dim", int64_t> dim) { return (g - op<"sum.dim_IntList">(g * y, IntList{*dim}, true)) * y; }),
             wrt("output",
                 [](Grad g, In<"grad_output"> go, In<"output"> y, In<"dim", int64_t> dim) {
                   return g * go - go * op<"sum.dim_IntList">(g * y, IntList{*dim}, true) -
                          g * op<"sum.dim_IntList">(go * y, IntList{*dim}, true);
                 })},
    .grad_name = "SoftmaxBackwardDataBackward0",
});
// The gradient may be overwritten: each row is read before it is written.
MT_OP(OpDef{
    .schema =
        {"_softmax_backward_data.out(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype, *, Tensor(a!) grad_input) -> "
         "Tensor(a!)"},
    .forms = internal,
    .doc = "Computes the gradient of ``softmax`` from its result into `grad_input`.",
    .cpu =
        [](const Tensor& grad, const Tensor& output, int64_t dim, Dtype dtype, const Tensor& grad_input) {
          BelowAutograd guard;
          if (grad_input.get() == grad.get() && grad.is_contiguous() && grad.dtype() == dtype && grad.sizes() == output.sizes() &&
              !share_memory(grad, output))
            return softmax_backward(SoftmaxKind::plain, grad, dense_as(output, dtype), wrap_dim(dim, output.dim()), grad_input);
          const Tensor made = op<"_softmax_backward_data">(grad, output, dim, dtype);
          resize_output(grad_input, made.sizes());
          store_result(grad_input, made);
        },
});

MT_OP(OpDef{
    .schema = {"softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the softmax along a dimension: ``exp(x) / sum(exp(x))``.

The largest element is subtracted first, so nothing overflows. A line of -inf only is NaN.

Args:
    self (Tensor): floating tensor, or any with a floating `dtype`.
    dim (int): dimension; negative counts from the last.
    dtype (torch.dtype, optional): converts `self` first. Default: ``None``.

Returns:
    Tensor: shape of `self`; sums to 1 along `dim`.

Example:
    >>> torch.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000]))",
    .aliases = "special_softmax",
    .composite = [](const Tensor& self, int64_t dim, std::optional<Dtype> dtype) -> Tensor {
      return op<"_softmax">(dtype && *dtype != self.dtype() ? op<"to.dtype">(self, *dtype) : self, dim, false);
    },
    .autocast = on_npu(fp32_dtype),
    .out_policy = OutPolicy{.recorded_as = "aten::softmax"},
});

}  // namespace
}  // namespace mt
