// any: whether any element is non-zero.
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/reduction/any_all.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

void reduce_any(const Tensor& self, uint64_t mask, const Tensor& out) { reduce_any_all<false>(widen(self), mask, out, "any_cpu"); }

MT_OP(OpDef{
    .schema = {"any(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"out", "all_out"}},
    .doc = R"(Tests whether any element is non-zero, of the whole tensor or along `dim`.

NaN counts as non-zero. Of no elements the answer is False. `dim` may be one dimension or
several; an empty tuple reduces nothing and tests each element.

Args:
    self (Tensor): any shape and dtype.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.

Returns:
    Tensor: bool (uint8 for uint8 input), without the reduced dimensions.

Example:
    >>> x = torch.tensor([[0, 2], [0, 0]])
    >>> torch.any(x)
    tensor(True)
    >>> torch.any(x, dim=1)
    tensor([ True, False]))",
    .rule = rule_after_check(check_bool_result, structured([](const Call& call, Specs& out, const Tensor& self) {
                               any_all_shape(call, out, self, reduced_dims(std::nullopt, self.dim()), false);
                             })),
    .cpu = [](const Tensor& self, Tensor& out) { reduce_any(self, reduced_dims(std::nullopt, self.dim()), out); },
    .npu = {"Any(self, [], 0)"},
    .sparse = [](const Call& call, const Tensor& self) -> Tensor {
      refuse_in_place_and_out(call);
      BelowAutograd guard;
      return op<"any">(components_of(self).values);
    },
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"dim_out", "out"}},
    .doc = R"(Tests whether any element is non-zero, of the whole tensor or along `dim`.

NaN counts as non-zero. Of no elements the answer is False. `dim` may be one dimension or
several; an empty tuple reduces nothing and tests each element.

Args:
    self (Tensor): any shape and dtype.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.

Returns:
    Tensor: bool (uint8 for uint8 input), without the reduced dimensions.

Example:
    >>> x = torch.tensor([[0, 2], [0, 0]])
    >>> torch.any(x)
    tensor(True)
    >>> torch.any(x, dim=1)
    tensor([ True, False]))",
    .rule = rule_after_check(check_bool_result, structured([](const Call& call, Specs& out, const Tensor& self, int64_t dim, bool keepdim) {
                               any_all_shape(call, out, self, reduced_dims(IntList{dim}, self.dim()), keepdim);
                             })),
    .cpu = [](const Tensor& self, int64_t dim, bool, Tensor& out) { reduce_any(self, reduced_dims(IntList{dim}, self.dim()), out); },
    .npu = {"Any(self, [dim], keepdim)"},
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Tests whether any element is non-zero, of the whole tensor or along `dim`.

NaN counts as non-zero. Of no elements the answer is False. `dim` may be one dimension or
several; an empty tuple reduces nothing and tests each element.

Args:
    self (Tensor): any shape and dtype.
    dim (int or tuple of ints, optional): the dimensions to reduce. Default: all.

Returns:
    Tensor: bool (uint8 for uint8 input), without the reduced dimensions.

Example:
    >>> x = torch.tensor([[0, 2], [0, 0]])
    >>> torch.any(x)
    tensor(True)
    >>> torch.any(x, dim=1)
    tensor([ True, False]))",
    .rule = rule_after_check(check_bool_result,
                             structured([](const Call& call, Specs& out, const Tensor& self, std::optional<IntList> dim, bool keepdim) {
                               any_all_shape(call, out, self, any_all_dims(self, dim), keepdim);
                             })),
    .cpu = [](const Tensor& self, std::optional<IntList> dim, bool, Tensor& out) { reduce_any(self, any_all_dims(self, dim), out); },
    .npu = {"Any(self, dim, keepdim)"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
