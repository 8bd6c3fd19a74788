// logsumexp: the logarithm of a sum of exponentials, without overflow.
#include "rules/reduction/reducers.h"

namespace mt {
namespace {

constexpr auto compute_logsumexp = [](const Tensor& self, IntList dim, bool keepdim) -> Tensor {
  if (self.numel() == 0) return op<"log">(op<"sum.dim_IntList">(op<"exp">(self), dim, keepdim));
  Tensor largest;
  {
    GradMode off(false);
    largest = op<"amax">(is_complex(self.dtype()) ? op<"real">(self) : self, dim, true);
    largest = op<"masked_fill">(largest, op<"isinf">(largest), 0);
  }
  Tensor shift = keepdim ? largest : op<"squeeze.dims">(largest, dim);
  return op<"log">(op<"sum.dim_IntList">(op<"exp">(self - largest), dim, keepdim)) + shift;
};
MT_OP(OpDef{
    .schema = {"logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes log(sum(exp(x))) along `dim`, without overflow.

The largest element is taken out of the sum first. Of no elements, and of -inf alone, the result
is -inf. Integer and bool input is converted to the default float dtype. The gradient is exp(x -
result), the softmax.

Args:
    self (Tensor): any shape and dtype.
    dim (int or tuple of ints): the dimensions to reduce.

Returns:
    Tensor: without the reduced dimensions; floating or complex.

Example:
    >>> torch.logsumexp(torch.tensor([[0.0, 0.0], [1000.0, 0.0]]), dim=1)
    tensor([6.9315e-01, 1.0000e+03]))",
    .aliases = "special_logsumexp",
    .cpu = [](const Tensor& self, IntList dim, bool keepdim) -> Tensor {
      BelowAutograd guard;
      return compute_logsumexp(is_integral(self.dtype(), true) ? op<"to.dtype">(self, default_dtype()) : self, dim, keepdim);
    },
    .npu = {any_device},
    .meta = [](const Tensor& self, IntList dim, bool keepdim) -> Tensor {
      return empty(reduced_sizes(self.sizes(), reduced_dims(dim, self.dim()), keepdim),
                   is_integral(self.dtype(), true) ? default_dtype() : self.dtype(), self.device());
    },
    .autocast = everywhere(Autocast::fp32),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y, In<"dim", IntList> dim, In<"keepdim", bool> keepdim) {
                   return restore_dims(g, *dim, *keepdim, x.dim()) * conj(op<"exp">(x - restore_dims(y, *dim, *keepdim, x.dim())));
                 })},
    .out_policy = OutPolicy{.dtype_error = "logsumexp(): Expected floating point type for result tensor, but got: {1}", .casts = true},
});

}  // namespace
}  // namespace mt
