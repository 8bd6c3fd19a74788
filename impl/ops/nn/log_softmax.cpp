// log_softmax: log(softmax(x)) over one dimension.
#include "autograd/private_memory.h"
#include "rules/form/exact_out.h"
#include "rules/reduction/softmax.h"

namespace mt {
namespace {

constexpr auto infer_log_softmax_shape = [](Specs& out, const Tensor& self, int64_t dim, bool half_to_float) {
  check(!half_to_float, "log_softmax with half to float conversion is not supported on CPU");
  const bool last = wrap_dim(dim, self.dim()) + 1 >= self.dim();
  if (!is_floating(self.dtype())) not_implemented_for(last ? "log_softmax_lastdim_kernel_impl" : "log_softmax_kernel_impl", self.dtype());
  out.add(self.sizes(), self.dtype());
};

MT_OP(OpDef{
    .schema = {"_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor"},
    .forms = function | out,
    .doc = "Computes ``log(softmax(x))`` along `dim` for floating dtypes; ``torch.log_softmax`` calls it.",
    .rule = structured_exact(infer_log_softmax_shape),
    .cpu = [](const Tensor& self, int64_t dim, bool,
              Tensor& out) { softmax_forward(SoftmaxKind::logarithm, self, wrap_dim(dim, self.dim()), out); },
    .npu = {"LogSoftmax(self, dim)"},
    .grad = {wrt("self",
                 [](Grad g, Out<"result"> y, In<"dim", int64_t> dim, MetaOf<"self"> self) {
                   const bool in_place = g.device().type == DeviceType::cpu && g.dtype() == self.dtype && g.is_contiguous() &&
                                         is_private_gradient(g);
                   return in_place ? op<"_log_softmax_backward_data.out">(g, y, *dim, self.dtype, g)
                                   : op<"_log_softmax_backward_data">(g, y, *dim, self.dtype);
                 })},
    .grad_name = "LogSoftmaxBackward0",
});

MT_OP(OpDef{
    .schema = {"_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor"},
    .forms = function | out,
    .doc = "Computes the gradient of ``log_softmax`` from its result.",
    .rule = structured_exact(
        [](Specs& out, const Tensor& grad, const Tensor& output, int64_t dim, Dtype dtype) {
          wrap_dim(dim, output.dim());
          check(grad.sizes() == output.sizes(), "log_softmax backward: sizes of grad and output differ");
          out.add(output.sizes(), dtype);
        },
        {.over_first = true}),
    .cpu =
        [](const Tensor& grad, const Tensor& output, int64_t dim, Dtype, Tensor& out) {
          softmax_backward(SoftmaxKind::logarithm, dense_as(grad, out.dtype()), dense_as(output, out.dtype()), wrap_dim(dim, output.dim()),
                           out);
        },
    .npu = {"LogSoftmaxBackward(grad_output, output, dim)"},
    .grad = {wrt("grad_output", [](Grad g, In<"output"> y,
                                   In<"dim", int64_t> dim) { return g - op<"sum.dim_IntList">(g * op<"exp">(y), IntList{*dim}, true); }),
             wrt("output", [](Grad g, In<"grad_output"> go, In<"output"> y,
                              In<"dim", int64_t> dim) { return -g * op<"exp">(y) * op<"sum.dim_IntList">(go, IntList{*dim}, true); })},
    .grad_name = "LogSoftmaxBackwardDataBackward0",
});

MT_OP(OpDef{
    .schema = {"log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the logarithm of the softmax along a dimension: ``x - log(sum(exp(x)))``.

The largest element is subtracted first, so nothing overflows; it is more exact than
``log(softmax(x))``. A line of -inf only is NaN.

Args:
    self (Tensor): floating tensor, or any with a floating `dtype`.
    dim (int): dimension; negative counts from the last.
    dtype (torch.dtype, optional): converts `self` first. Default: ``None``.

Returns:
    Tensor: shape of `self`.

Example:
    >>> torch.log_softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931]))",
    .composite = [](const Tensor& self, int64_t dim, std::optional<Dtype> dtype) -> Tensor {
      return op<"_log_softmax">(dtype && *dtype != self.dtype() ? op<"to.dtype">(self, *dtype) : self, dim, false);
    },
    .autocast = on_npu(fp32_dtype),
    .out_policy = OutPolicy{.recorded_as = "aten::log_softmax"},
});
MT_OP(OpDef{
    .schema = {"special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the logarithm of the softmax along a dimension; the same as ``torch.log_softmax``.

Args:
    self (Tensor): floating tensor, or any with a floating `dtype`.
    dim (int): dimension; negative counts from the last.
    dtype (torch.dtype, optional): converts `self` first. Default: ``None``.

Returns:
    Tensor: shape of `self`.

Example:
    >>> torch.special.log_softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931]))",
    .module = "special",
    .composite = [](const Tensor& self, int64_t dim, std::optional<Dtype> dtype) -> Tensor { return op<"log_softmax">(self, dim, dtype); },
});

}  // namespace
}  // namespace mt
