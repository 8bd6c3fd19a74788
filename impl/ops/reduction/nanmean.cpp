// nanmean: the mean over `dim`, ignoring NaN.
#include "rules/form/algebra.h"

namespace mt {
namespace {

void check_dtypes(const Tensor& self, std::optional<Dtype> dtype) {
  check(is_differentiable(self.dtype()), "nanmean(): expected input to have floating point or complex dtype but got {}", self.dtype());
  check(!dtype || is_differentiable(*dtype),
        "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: {}",
        dtype.value_or(self.dtype()));
}
Tensor count_non_nan(const Tensor& self, std::optional<IntList> dim, bool keepdim) {
  BelowAutograd guard;
  return op<"sum.dim_IntList">(op<"logical_not">(op<"isnan">(self)), dim, keepdim);
}

MT_OP(OpDef{
    .schema = {"nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the average of the elements that are not NaN, of the whole tensor or along `dim`.

NaN alone, and no elements, give NaN. The gradient of an element that is NaN is 0.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int or tuple of ints, optional): the dimensions to reduce; all for an empty tuple.
        Default: ``None``.
    dtype (torch.dtype, optional): computes in this dtype. Default: that of `self`.

Returns:
    Tensor: without the reduced dimensions.

Raises:
    RuntimeError: when `self` is integer or bool.

Example:
    >>> torch.nanmean(torch.tensor([[1.0, float("nan")], [2.0, 4.0]]), dim=1)
    tensor([1., 3.]))",
    .composite = [](const Tensor& self, std::optional<IntList> dim, bool keepdim, std::optional<Dtype> dtype) -> Tensor {
      check_dtypes(self, dtype);
      return op<"nansum">(self, dim, keepdim, dtype) / count_non_nan(self, dim, keepdim);
    },
});
// The out form has a definition of its own: the sum is written into `out`, and divided there.
MT_OP(OpDef{
    .schema = {"nanmean.out(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the average over `dim`, NaN left out, into `out`.",
    .composite = [](const Tensor& self, std::optional<IntList> dim, bool keepdim, std::optional<Dtype> dtype, const Tensor& out) -> Tensor {
      check(!is_integral(self.dtype(), true),
            "nanmean(): integral types and 'Bool' are not supported for nanmean, even for empty tensors.");
      check_dtypes(self, dtype);
      const Tensor count = count_non_nan(self, dim, keepdim);
      return op<"div_.Tensor">(op<"nansum.out">(self, dim, keepdim, dtype, out), count);
    },
});

}  // namespace
}  // namespace mt
