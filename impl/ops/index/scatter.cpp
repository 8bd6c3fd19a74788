// scatter and scatter_add: store elements at indices along a dimension.
#include "rules/index/scatter.h"
#include "core/warn_once.h"
#include "rules/form/in_place.h"

namespace mt {
namespace {

constexpr auto scatter_elements = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) -> Tensor {
  check_scatter(self, dim, index, src);
  Tensor out = make_scatter_target(self, dim, index);
  scatter_place(out, dim, index, src);
  return out;
};
constexpr auto scatter_value = [](const Tensor& self, int64_t dim, const Tensor& index, Scalar value) -> Tensor {
  check_scatter(self, dim, index, Tensor());
  Tensor out = make_scatter_target(self, dim, index);
  if (out.is_meta()) return out;
  value.check_fits(self.dtype());
  scatter_place(out, dim, index, expand_value(value, self.dtype(), self.device(), index));
  return out;
};
Tensor zero_overwritten_elements(const Tensor& g, int64_t dim, const Tensor& index) { return op<"scatter.value">(g, dim, index, 0); }

MT_OP(OpDef{
    .schema = {"scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
               "scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Writes elements into lines along a dimension, by index.

For three dimensions:

    self[index[i][j][k]][j][k] = src[i][j][k]  # dim 0
    self[i][index[i][j][k]][k] = src[i][j][k]  # dim 1
    self[i][j][index[i][j][k]] = src[i][j][k]  # dim 2

It is the reverse of ``torch.gather``. Of several writes to one element the last one stays, but its
gradients are then wrong: the gradient of `src` is ``grad.gather(dim, index)``, that of `self` is
zero at the written elements. ``scatter_add`` and ``scatter_reduce`` combine values.

Args:
    self (Tensor): tensor to write to.
    dim (int): dimension that `index` runs along; negative counts from the last.
    index (Tensor): int64 or int32 indices in ``[0, self.size(dim))``; as many dimensions as `self`.
        In no dimension larger than `src`, nor than `self` except in `dim`.
    src (Tensor): new elements; dtype of `self`.
    value (number): instead of `src`, one new value.
    reduce (str): deprecated: ``"add"`` or ``"multiply"`` combines instead of writing.

Returns:
    Tensor: a new tensor with the shape of `self`; the in-place form returns `self`.

Raises:
    RuntimeError: when an index is out of range (negative ones are too), or dtypes or shapes do not
        fit.

Example:
    >>> index = torch.tensor([[0, 2], [1, 0]])
    >>> torch.zeros(2, 3).scatter_(1, index, torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[1., 0., 2.],
            [4., 3., 0.]]))",
    .cpu = in_place_kernel(scatter_elements),
    .npu = {"Scatter(self, dim, index, src, 0)"},
    .meta = scatter_elements,
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return zero_overwritten_elements(g, *dim, index); }),
             wrt("src", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"gather">(g, *dim, index); })},
    .out_policy = OutPolicy{.device_error = out_device_differs},
    .overloads = {overload("value", {.cpu = in_place_kernel(scatter_value),
                                     .npu = {"ScatterValue(self, dim, index, value, 0)"},
                                     .meta = scatter_value,
                                     .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim,
                                                             In<"index"> index) { return zero_overwritten_elements(g, *dim, index); })},
                                     .grad_name = "ScatterBackward1"})},
});

Tensor scatter_with_combine(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Combine how, const char* name) {
  Tensor out = make_scatter_target(self, dim, index);
  scatter_combine(out, dim, index, src, how, name);
  return out;
}
constexpr auto add_elements = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) -> Tensor {
  check_scatter(self, dim, index, src);
  return scatter_with_combine(self, dim, index, src, Combine::sum, "scatter_add_");
};
MT_OP(OpDef{
    .schema = {"scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Adds elements into lines along a dimension, by index.

For two dimensions and `dim` 0: ``self[index[i][j]][j] += src[i][j]``. An index may repeat; values
are added one after another in the order of `index`, so sums are the same on every run. The gradient
of `src` is ``grad.gather(dim, index)``.

Args:
    self (Tensor): tensor to add to.
    dim (int): dimension that `index` runs along; negative counts from the last.
    index (Tensor): int64 or int32 indices in ``[0, self.size(dim))``; as many dimensions as `self`.
        In no dimension larger than `src`, nor than `self` except in `dim`.
    src (Tensor): elements to add; dtype of `self`.

Returns:
    Tensor: a new tensor with the shape of `self`; the in-place form returns `self`.

Raises:
    RuntimeError: when an index is out of range (negative ones are too), or dtypes or shapes do not
        fit.

Example:
    >>> torch.zeros(3).scatter_add_(0, torch.tensor([0, 2, 0]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.]))",
    .cpu = in_place_kernel(add_elements),
    .npu = {"ScatterAdd"},
    .meta = add_elements,
    .autocast = on_npu(Autocast::promote),
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("src", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"gather">(g, *dim, index); })},
    .out_policy = OutPolicy{.device_error = out_device_differs},
});

// The older form of scatter_reduce: self[index] (op)= src.
Combine parse_scatter_reduction(Text reduce) {
  const bool add = reduce == "add";
  check(add || reduce == "multiply", "reduce argument must be either add or multiply.");
  return add ? Combine::sum : Combine::prod;
}
Tensor scatter_by_reduction_name(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Text reduce) {
  const Combine how = parse_scatter_reduction(reduce);
  check_scatter(self, dim, index, src);
  return scatter_with_combine(self, dim, index, src, how, how == Combine::sum ? "scatter_add_" : "scatter_multiply_");
}
constexpr auto scatter_with_reduction = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Text reduce) -> Tensor {
  static std::atomic<bool> given;
  warn_once(given,
            "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. Use "
            "torch.scatter_reduce instead for more reduction options.");
  return scatter_by_reduction_name(self, dim, index, src, reduce);
};
constexpr auto scatter_value_with_reduction = [](const Tensor& self, int64_t dim, const Tensor& index, Scalar value,
                                                 Text reduce) -> Tensor {
  check_scatter(self, dim, index, Tensor());
  return scatter_by_reduction_name(self, dim, index, expand_value(value, self.dtype(), self.device(), index), reduce);
};
MT_OP(OpDef{
    .schema = {"scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
               "scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Adds or multiplies elements into lines along a dimension, by index, as `reduce` says.

It is deprecated for a tensor `src`, and warns: use ``Tensor.scatter_reduce``. It has no gradient.

Args:
    self (Tensor): tensor to combine with.
    dim (int): dimension that `index` runs along; negative counts from the last.
    index (Tensor): int64 or int32 indices in ``[0, self.size(dim))``; as many dimensions as `self`.
    src (Tensor): elements to combine; dtype of `self`.
    value (number): instead of `src`, one number.
    reduce (str): ``"add"`` or ``"multiply"``.

Returns:
    Tensor: a new tensor with the shape of `self`; the in-place form returns `self`.

Raises:
    RuntimeError: when `reduce` is another name, an index is out of range, or dtypes or shapes do
        not fit.

Example:
    >>> torch.scatter(torch.ones(3), 0, torch.tensor([0, 0]), 2.0, reduce="multiply")
    tensor([4., 1., 1.]))",
    .cpu = in_place_kernel(scatter_with_reduction),
    .meta = scatter_with_reduction,
    .out_policy = OutPolicy{.device_error = out_device_differs},
    .overloads = {overload("value_reduce", {.cpu = in_place_kernel(scatter_value_with_reduction), .meta = scatter_value_with_reduction})},
});

}  // namespace
}  // namespace mt
