// stack: joins tensors of equal size along a new dimension.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/form/joined_out.h"
#include "rules/pointwise/pointwise.h"
#include "rules/sparse/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto compute_stack = [](TensorList tensors, int64_t dim) -> Tensor {
  check(!tensors.empty(), "stack expects a non-empty TensorList");
  const int64_t d = wrap_dim(dim, tensors[0].dim() + 1);
  for (int64_t i = 0; i < tensors.size(); ++i)
    check(tensors[i].sizes() == tensors[0].sizes(), "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}",
          tensors[0].sizes(), tensors[i].sizes(), i);
  BelowAutograd below;
  if (d == tensors[0].dim() || is_sparse(tensors[0])) {
    std::vector<Tensor> parts;
    for (const Tensor& t : tensors) parts.push_back(op<"unsqueeze">(t, d));
    return op<"cat">(parts, d);
  }
  // Joins along dimension `d` of the tensors, which keeps their memory format, and then splits that dimension in two.
  Dims sizes(tensors[0].sizes());
  sizes.insert(d, tensors.size());
  return op<"view">(op<"cat">(tensors, d), sizes);
};

MT_OP(OpDef{
    .schema = {"stack(Tensor[] tensors, int dim=0) -> Tensor"},
    .forms = function,
    .doc = R"(Joins tensors of one shape along a new dimension.

Dtypes are promoted.

Args:
    tensors (sequence of Tensor): tensors of equal shape; at least one.
    dim (int): position of the new dimension in the result; negative counts from its last. Default:
        ``0``.

Returns:
    Tensor: a new tensor with one dimension more.

Raises:
    RuntimeError: when the sequence is empty or shapes differ.

Example:
    >>> a, b = torch.tensor([1, 2]), torch.tensor([3, 4])
    >>> torch.stack((a, b))
    tensor([[1, 2],
            [3, 4]])
    >>> torch.stack((a, b), dim=1)
    tensor([[1, 3],
            [2, 4]]))",
    .rule = rule_after_check(refuse_meta_mixtures),
    .cpu = compute_stack,
    .npu = {any_device},
    .meta = compute_stack,
    .sparse = compute_stack,
    .grad = {wrt("tensors", [](Grad g, In<"dim", int64_t> dim) { return op<"unbind", std::vector<Tensor>>(g, *dim); })},
    .batch = batch_new_dim,
});

constexpr auto stack_into = [](TensorList tensors, int64_t dim, const Tensor& out) {
  BelowAutograd guard;
  store_joined(out, op<"stack">(tensors, dim), tensors);
};
MT_OP(OpDef{
    .schema = {"stack.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Joins tensors of one shape along a new dimension into `out`, converting to its dtype.",
    .rule = rule_after_check(refuse_copy_to_out),
    .cpu = stack_into,
    .npu = {any_device},
    .meta = stack_into,
});

}  // namespace
}  // namespace mt
