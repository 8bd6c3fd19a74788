// transpose: a view with two dimensions exchanged.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/reshaped.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "rules/sparse/sparse_shape.h"

namespace mt {
namespace {

constexpr auto compute_transpose = [](const Tensor& self, int64_t dim0, int64_t dim1) -> Tensor {
  int64_t a = wrap_dim(dim0, self.dim()), b = wrap_dim(dim1, self.dim());
  Dims sizes(self.sizes()), strides(self.strides());
  if (self.dim() > 0) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  return a == b ? reshaped(self, sizes, strides, self.storage_offset()) : alias(self, sizes, strides, self.storage_offset());
};

MT_OP(OpDef{
    .schema = {"transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)"},
    .forms = function | method | inplace,
    .form_overloads = {{"int", ""}},
    .doc = R"(Returns a view with two dimensions exchanged.

Args:
    self (Tensor): tensor of any shape.
    dim0 (int): one dimension; negative counts from the last.
    dim1 (int): the other.

Returns:
    Tensor: a view; the in-place form changes the shape and strides of `self`.

Raises:
    IndexError: when a dimension is out of range.

Example:
    >>> torch.transpose(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([[1, 3],
            [2, 4]]))",
    .aliases = "swapdims",
    .view = compute_transpose,
    .sparse = [](const Tensor& self, int64_t dim0, int64_t dim1) -> Tensor { return sparse_transpose(self, dim0, dim1); },
    .compressed = [](const Call& call, const Tensor& self, int64_t dim0, int64_t dim1) -> Tensor {
      check(call.op.form != Form::inplace, messages::transpose_in_place_of_layout, name_of(self.layout()));
      return compressed_transpose(self, dim0, dim1);
    },
    .grad = {wrt("self", [](Grad g, In<"dim0", int64_t> a, In<"dim1", int64_t> b) { return op<"transpose">(g, *a, *b); })},
    .grad_name = "TransposeBackward0",
});

MT_OP(OpDef{
    .schema = {"swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a view with two dimensions exchanged: ``torch.transpose`` with the argument names of NumPy.

Args:
    self (Tensor): tensor of any shape.
    axis0 (int): one dimension; negative counts from the last.
    axis1 (int): the other.

Returns:
    Tensor: a view.

Example:
    >>> torch.swapaxes(torch.zeros(2, 3, 4), 0, -1).shape
    torch.Size([4, 3, 2]))",
    .composite = [](const Tensor& self, int64_t axis0, int64_t axis1) -> Tensor { return op<"transpose">(self, axis0, axis1); },
});
MT_OP(OpDef{
    .schema = {"swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Exchanges two dimensions of `self` in place: only its sizes and strides change.

Args:
    self (Tensor): tensor of any shape.
    axis0 (int): one dimension; negative counts from the last.
    axis1 (int): the other.

Returns:
    Tensor: `self`.

Example:
    >>> torch.zeros(2, 3).swapaxes_(0, 1).shape
    torch.Size([3, 2]))",
    .composite = [](const Tensor& self, int64_t axis0, int64_t axis1) { op<"transpose_">(self, axis0, axis1); },
});

}  // namespace
}  // namespace mt
