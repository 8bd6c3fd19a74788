// sparse_resize_ and variants: resize sparse_coo tensors in place.
#include "core/messages.h"
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"sparse_resize_(Tensor(a!) self, int[] size, int sparse_dim, int dense_dim) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Gives a sparse COO tensor another shape, in place; stored elements stay.

A tensor with elements does not shrink, and keeps its numbers of sparse and dense dimensions.

Args:
    self (Tensor): sparse COO tensor.
    size (tuple of int): the new shape.
    sparse_dim (int): number of sparse dimensions, the first ones.
    dense_dim (int): number of dense dimensions.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when the numbers do not fit `size`, or stored elements would be lost.

Example:
    >>> x = torch.sparse_coo_tensor([[0]], [1.0], (2,))
    >>> x.sparse_resize_((4,), 1, 0).to_dense()
    tensor([1., 0., 0., 0.]))",
    .sparse = [](const Tensor& self, IntList size, int64_t sparse_dims, int64_t dense_dims) -> Tensor {
      resize_sparse(self, size, sparse_dims, dense_dims);
      return self;
    },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"sparse_resize_and_clear_(Tensor(a!) self, int[] size, int sparse_dim, int dense_dim) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Gives a sparse COO tensor another shape and no elements, in place.

Any shape and any split of its dimensions is allowed.

Args:
    self (Tensor): sparse COO tensor.
    size (tuple of int): the new shape.
    sparse_dim (int): number of sparse dimensions, the first ones.
    dense_dim (int): number of dense dimensions.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when the numbers do not fit `size`.

Example:
    >>> x = torch.sparse_coo_tensor([[0]], [1.0], (2,))
    >>> x.sparse_resize_and_clear_((4,), 1, 0).to_dense()
    tensor([0., 0., 0., 0.]))",
    .sparse = [](const Tensor& self, IntList size, int64_t sparse_dims, int64_t dense_dims) -> Tensor {
      check(sparse_dims + dense_dims == size.size(), messages::sparse_size_length_mismatch, size.size(), sparse_dims, dense_dims);
      Dims values{0};
      for (int64_t d = std::max<int64_t>(sparse_dims, 0); d < size.size(); ++d) values.push_back(size[d]);
      for (int64_t s : size) check(s >= 0, messages::numel_overflow);
      SparseComponents none = components_of(self);
      none.indices = empty({sparse_dims, 0}, Dtype::int64, self.device());
      none.values = empty(values, self.dtype(), self.device());
      none.coalesced = true;
      set_sparse(self, size, std::move(none));
      return self;
    },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"resize_as_sparse_(Tensor(a!) self, Tensor the_template) -> Tensor(a!)"},
    .forms = method | function,
    .doc = R"(Gives a sparse tensor the shape and the split of dimensions of `the_template`, in place.

The rules of ``Tensor.sparse_resize_`` hold.

Args:
    self (Tensor): sparse tensor.
    the_template (Tensor): tensor whose shape is taken.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `self` is not sparse or stored elements would be lost.

Example:
    >>> x = torch.sparse_coo_tensor([[0]], [1.0], (2,))
    >>> torch.resize_as_sparse_(x, torch.zeros(3).to_sparse()).shape
    torch.Size([3]))",
    .sparse = [](const Tensor& self, const Tensor& the_template) -> Tensor {
      check(is_sparse(self), "resize_as_sparse_: not a sparse tensor");
      resize_sparse(self, the_template.sizes(), op<"sparse_dim", int64_t>(the_template), op<"dense_dim", int64_t>(the_template));
      return self;
    },
    .compressed = [](const Tensor& self, const Tensor& the_template) -> Tensor {
      resize_as_compressed(self, the_template);
      return self;
    },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"copy_sparse_to_sparse_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)"},
    .forms = internal,
    .doc = "Copies one sparse COO tensor into another; ``copy_`` calls it.",
    .sparse = [](const Tensor& self, const Tensor& src, bool) -> Tensor {
      check(is_sparse(self), "copy_sparse_to_sparse_: the target is not sparse");
      copy_sparse(self, src);
      return self;
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
