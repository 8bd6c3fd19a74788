// min, amin and argmin: the smallest element and its index.
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/reduction/extremes.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"min(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"out", "unary_out"}},
    .doc = R"(Computes the smallest element of the tensor or along `dim`, or the smaller of two tensors' elements.

``min(x)`` gives the smallest of all; equal ones share its gradient evenly. ``min(x, dim)`` gives
the smallest of each line and its index, of equal ones the first's, which alone gets the
gradient. ``min(x, other)`` is `torch.minimum`. NaN wins. See `torch.amin` for several dimensions
without indices.

Args:
    self (Tensor): any shape; not complex.
    dim (int): the dimension to reduce.
    other (Tensor): what to compare with; broadcasts.

Returns:
    Tensor or tuple of Tensor: the smallest element; with `dim` ``values`` and ``indices``
        (int64).

Raises:
    RuntimeError: when there are no elements (IndexError with `dim`).

Example:
    >>> x = torch.tensor([[2, 1, 1], [5, 4, 3]])
    >>> torch.min(x)
    tensor(1)
    >>> torch.min(x, dim=1).values, torch.min(x, dim=1).indices
    (tensor([1, 3]), tensor([1, 2])))",
    .rule = structured([](Specs& out, const Tensor& self) {
      check(self.numel() > 0, messages::min_of_empty_needs_dim);
      out.add({}, self.dtype());
    }),
    .cpu = [](const Tensor& self, Tensor& out) { reduce_extreme<false>(self, reduced_dims(std::nullopt, self.dim()), out, "min_all"); },
    .npu = {"Min"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return extreme_gradient(g, x, y, {}); })},
    .grad_name = "MinBackward1",
    .out_policy =
        OutPolicy{
            .dtype_error = "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, but got "
                           "false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"},
});
MT_OP(OpDef{
    .schema = {"min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .form_overloads = {{"dim_out", "dim_min(min, min_indices)"}},
    .doc = R"(Computes the smallest element of the tensor or along `dim`, or the smaller of two tensors' elements.

``min(x)`` gives the smallest of all; equal ones share its gradient evenly. ``min(x, dim)`` gives
the smallest of each line and its index, of equal ones the first's, which alone gets the
gradient. ``min(x, other)`` is `torch.minimum`. NaN wins. See `torch.amin` for several dimensions
without indices.

Args:
    self (Tensor): any shape; not complex.
    dim (int): the dimension to reduce.
    other (Tensor): what to compare with; broadcasts.

Returns:
    Tensor or tuple of Tensor: the smallest element; with `dim` ``values`` and ``indices``
        (int64).

Raises:
    RuntimeError: when there are no elements (IndexError with `dim`).

Example:
    >>> x = torch.tensor([[2, 1, 1], [5, 4, 3]])
    >>> torch.min(x)
    tensor(1)
    >>> torch.min(x, dim=1).values, torch.min(x, dim=1).indices
    (tensor([1, 3]), tensor([1, 2])))",
    .rule = structured_exact([](Specs& out, const Tensor& self, int64_t dim, bool keepdim) {
      const uint64_t mask = reduced_dims(IntList{dim}, self.dim());
      check_not_empty("min", self, mask);
      const Dims sizes = reduced_sizes(self.sizes(), mask, keepdim);
      out.add(sizes, self.dtype());
      out.add(sizes, Dtype::int64);
    }),
    .cpu =
        [](const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
          check(!is_complex(self.dtype()), "min(): does not support complex input");
          reduce_extreme_and_index<false>(self, dim, values, indices, "min");
        },
    .npu = {"MinDim"},
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"keepdim", bool> keepdim, Out<"indices"> indices) {
                   const int64_t ndim = self.sizes.size();
                   Tensor zeros = op<"zeros">(self.sizes, g.dtype(), nullptr, g.device());
                   return op<"scatter.src">(zeros, *dim, restore_dims(indices, IntList{*dim}, *keepdim, ndim),
                                            restore_dims(g, IntList{*dim}, *keepdim, ndim));
                 })},
    .grad_name = "MinBackward0",
});
MT_OP(OpDef{
    .schema = {"min.other(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"other_out", "out"}},
    .doc = R"(Computes the smallest element of the tensor or along `dim`, or the smaller of two tensors' elements.

``min(x)`` gives the smallest of all; equal ones share its gradient evenly. ``min(x, dim)`` gives
the smallest of each line and its index, of equal ones the first's, which alone gets the
gradient. ``min(x, other)`` is `torch.minimum`. NaN wins. See `torch.amin` for several dimensions
without indices.

Args:
    self (Tensor): any shape; not complex.
    dim (int): the dimension to reduce.
    other (Tensor): what to compare with; broadcasts.

Returns:
    Tensor or tuple of Tensor: the smallest element; with `dim` ``values`` and ``indices``
        (int64).

Raises:
    RuntimeError: when there are no elements (IndexError with `dim`).

Example:
    >>> x = torch.tensor([[2, 1, 1], [5, 4, 3]])
    >>> torch.min(x)
    tensor(1)
    >>> torch.min(x, dim=1).values, torch.min(x, dim=1).indices
    (tensor([1, 3]), tensor([1, 2])))",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor { return op<"minimum">(a, b); },
});
MT_OP(OpDef{
    .schema = {"amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the smallest element along one or several dimensions.

NaN wins. Equal elements share the gradient evenly, where ``torch.min(x, dim)`` gives it to one.

Args:
    self (Tensor): any shape; not complex.
    dim (int or tuple of ints): the dimensions to reduce; all for an empty tuple. Default:
        ``()``.

Returns:
    Tensor: without the reduced dimensions, in the dtype of `self`.

Raises:
    RuntimeError: when all of an empty tensor is to be reduced (IndexError for a dimension of
        size 0).

Example:
    >>> torch.amin(torch.tensor([[1, 3], [5, 4]]), dim=(0, 1))
    tensor(1)
    >>> torch.amin(torch.tensor([[1, 3], [5, 4]]), dim=0)
    tensor([1, 3]))",
    .rule = structured_exact(
        [](Specs& out, const Tensor& self, IntList dim, bool keepdim) {
          const uint64_t mask = reduced_dims(dim, self.dim());
          if (dim.empty() && self.numel() == 0)
            fail(
                "amin(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
                "argument.");
          check_none_empty("amin", self, dim);
          out.add(reduced_sizes(self.sizes(), mask, keepdim), self.dtype());
        },
        {.dtype_text = "Expected the dtype for input and out to match, but got {} for input's dtype and {} for out's dtype."}),
    .cpu = [](const Tensor& self, IntList dim, bool,
              Tensor& out) { reduce_extreme<false>(self, reduced_dims(dim, self.dim()), out, "min_values_cpu"); },
    .npu = {"Amin"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y, In<"dim", IntList> dim, In<"keepdim", bool> keepdim) {
                   return extreme_gradient(restore_dims(g, *dim, *keepdim, x.dim()), x, restore_dims(y, *dim, *keepdim, x.dim()), *dim);
                 })},
});
MT_OP(OpDef{
    .schema = {"argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Finds the index of the smallest element, of the flattened tensor or of each line along `dim`.

Of equal elements the first counts; the first NaN wins. No gradient.

Args:
    self (Tensor): any shape; not complex and not bool.
    dim (int, optional): the dimension to reduce. Default: the flattened tensor.

Returns:
    Tensor: int64, without the reduced dimension.

Raises:
    IndexError: when there are no elements to reduce.

Example:
    >>> x = torch.tensor([[2, 1], [5, 4]])
    >>> torch.argmin(x)
    tensor(1)
    >>> torch.argmin(x, dim=1)
    tensor([1, 1]))",
    .rule = structured_exact([](Specs& out, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
      check(!is_complex(self.dtype()), "argmin(): does not support complex input");
      check(self.dtype() != Dtype::boolean, "argmin(): does not support bool input");
      if (!dim) {
        check(self.numel() > 0, ErrorKind::index, "argmin(): Expected reduction dim to be specified for input.numel() == 0.");
        out.add(keepdim ? Dims(self.dim(), 1) : Dims(), Dtype::int64);
        return;
      }
      const uint64_t mask = reduced_dims(IntList{*dim}, self.dim());
      check_not_empty("argmin", self, mask);
      out.add(reduced_sizes(self.sizes(), mask, keepdim), Dtype::int64);
    }),
    .cpu =
        [](const Tensor& self, std::optional<int64_t> dim, bool, Tensor& out) {
          if (!self.device().is_cpu()) return write_extreme_indices<false>(self, dim, out);
          reduce_to_extreme_index<false>(self, dim ? reduced_dims(IntList{*dim}, self.dim()) : reduced_dims(std::nullopt, self.dim()), out,
                                         "argmin_cpu");
        },
    .npu = {any_device},
    .grad = not_differentiable,
    .out_policy = OutPolicy{.device_error = out_device_differs},
});

}  // namespace
}  // namespace mt
