// hstack, vstack, dstack: join tensors horizontally (along the second dimension, or the first for vectors), vertically, in depth.
#include <vector>
#include "rules/form/algebra.h"

namespace mt {
namespace {

template <Name N>
std::vector<Tensor> make_at_least_1d(TensorList tensors) {
  std::vector<Tensor> out;
  for (const Tensor& t : tensors) out.push_back(op<N>(t));
  return out;
}

constexpr OutPolicy out_policy_of_cat{.dtype_error = "torch.cat(): input types can't be cast to the desired output type {1}",
                                      .recorded_as = "cat",
                                      .dtype_error_kind = ErrorKind::type,
                                      .casts = true,
                                      .refuses_overlap = true};

MT_OP(OpDef{
    .schema = {"hstack(Tensor[] tensors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Joins tensors side by side: along dimension 1, vectors along dimension 0.

Tensors without dimensions count as vectors of one element.

Args:
    tensors (sequence of Tensor): tensors to join; at least one.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when the sequence is empty or other sizes differ.

Example:
    >>> torch.hstack((torch.tensor([1, 2]), torch.tensor([3])))
    tensor([1, 2, 3]))",
    .composite = [](TensorList tensors) -> Tensor {
      check(!tensors.empty(), "hstack expects a non-empty TensorList");
      auto parts = make_at_least_1d<"atleast_1d">(tensors);
      return op<"cat">(parts, parts[0].dim() == 1 ? 0 : 1);
    },
    .out_policy = out_policy_of_cat,
});

MT_OP(OpDef{
    .schema = {"vstack(Tensor[] tensors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Joins tensors one under another: along dimension 0, vectors as rows.

Args:
    tensors (sequence of Tensor): tensors to join; at least one.

Returns:
    Tensor: a new tensor with at least two dimensions.

Raises:
    RuntimeError: when the sequence is empty or other sizes differ.

Example:
    >>> torch.vstack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 2],
            [3, 4]]))",
    .aliases = "row_stack",
    .composite = [](TensorList tensors) -> Tensor {
      check(!tensors.empty(), "vstack expects a non-empty TensorList");
      return op<"cat">(make_at_least_1d<"atleast_2d">(tensors), 0);
    },
    .out_policy = out_policy_of_cat,
});

MT_OP(OpDef{
    .schema = {"dstack(Tensor[] tensors) -> Tensor"},
    .forms = function | out,
    .doc = R"(Joins tensors along dimension 2, after ``torch.atleast_3d``.

Args:
    tensors (sequence of Tensor): tensors to join; at least one.

Returns:
    Tensor: a new tensor with at least three dimensions.

Raises:
    RuntimeError: when the sequence is empty or other sizes differ.

Example:
    >>> torch.dstack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[[1, 3],
             [2, 4]]]))",
    .composite = [](TensorList tensors) -> Tensor {
      check(!tensors.empty(), "dstack expects a non-empty TensorList");
      return op<"cat">(make_at_least_1d<"atleast_3d">(tensors), 2);
    },
    .out_policy = out_policy_of_cat,
});

}  // namespace
}  // namespace mt
