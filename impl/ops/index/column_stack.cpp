// column_stack: joins vectors as columns, and matrices horizontally.
#include <vector>
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"column_stack(Tensor[] tensors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Joins tensors as columns: vectors become columns, matrices are joined side by side.

Args:
    tensors (sequence of Tensor): tensors with as many rows each; at least one.

Returns:
    Tensor: the columns next to each other along dimension 1.

Raises:
    RuntimeError: when the sequence is empty or the numbers of rows differ.

Example:
    >>> torch.column_stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 3],
            [2, 4]]))",
    .composite = [](TensorList tensors) -> Tensor {
      check(!tensors.empty(), "column_stack expects a non-empty TensorList");
      std::vector<Tensor> parts;
      for (const Tensor& t : tensors) parts.push_back(t.dim() <= 1 ? op<"reshape">(t, IntList{t.numel(), 1}) : t);
      return op<"hstack">(parts);
    },
    .out_policy = OutPolicy{.dtype_error = "torch.cat(): input types can't be cast to the desired output type {1}",
                            .recorded_as = "cat",
                            .dtype_error_kind = ErrorKind::type,
                            .casts = true,
                            .refuses_overlap = true},
});

}  // namespace
}  // namespace mt
