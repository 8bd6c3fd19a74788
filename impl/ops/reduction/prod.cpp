// prod: the product over all elements or one dimension.
#include "core/backend.h"
#include "rules/form/checked.h"
#include "rules/form/exact_out.h"
#include "rules/pointwise/conversion.h"
#include "rules/reduction/reducers.h"

namespace mt {
namespace {

void reduce_prod(const Tensor& given, uint64_t mask, const Tensor& out) {
  Tensor self = given;
  if (given.dtype() != out.dtype()) {
    warn_of_discarded_parts(out.dtype(), given.dtype());
    self = empty_strided(given.sizes(), given.is_non_overlapping_and_dense() ? Dims(given.strides()) : contiguous_strides(given.sizes()),
                         out.dtype());
    copy_into(self, given);
  }
  if (out.dtype() == Dtype::boolean) return reduce<AllReducer, bool, bool>(self, mask, out, {});
  dispatch_numbers_and_unsigned(out.dtype(), "prod_cpu", [&]<class Given>(Type<Given>) {
    using T = Wrapping<Given>;
    reduce<ProductReducer<ComputeType<T>>, T, T>(self, mask, out, {});
  });
}
// The product of all other elements of the line, zeros included: exclusive products from both ends.
Tensor product_of_others(const Tensor& x, int64_t dim) {
  const int64_t n = x.size(dim);
  if (n == 0) return op<"zeros_like">(x);
  Dims one(x.sizes());
  one[dim < 0 ? dim + x.dim() : dim] = 1;
  Tensor ones = op<"ones">(one, x.dtype(), nullptr, x.device());
  if (n == 1) return op<"expand">(ones, x.sizes());
  Tensor before = op<"cumprod">(op<"cat">(std::vector<Tensor>{ones, op<"narrow">(x, dim, 0, n - 1)}, dim), dim);
  Tensor after =
      op<"flip">(op<"cumprod">(op<"cat">(std::vector<Tensor>{ones, op<"flip">(op<"narrow">(x, dim, 1, n - 1), IntList{dim})}, dim), dim),
                 IntList{dim});
  return before * after;
}

// The gradient with respect to each element: the product divided by that element or, if there are zeros, the product of the others.
Tensor differentiate_prod(const Tensor& g, const Tensor& x, const Tensor& y, int64_t dim) {
  const bool no_zeros = !x.is_meta() && *on_host(op<"all">(op<"ne">(x, 0))).data<bool>();
  return g * conj(no_zeros ? y / x : product_of_others(x, dim));
}

MT_OP(OpDef{
    .schema = {"prod(Tensor self, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the product of all elements, or of each line along `dim`.

Of no elements the product is 1. The gradient is right where elements are 0, too.

Args:
    self (Tensor): any shape and dtype.
    dim (int): the dimension to reduce. Default: all.
    dtype (torch.dtype, optional): multiplies in this dtype. Default: that of `self`, int64 for
        integers and bool.

Returns:
    Tensor: without the reduced dimension.

Example:
    >>> torch.prod(torch.tensor([1.0, 2.0, 3.0]))
    tensor(6.)
    >>> torch.prod(torch.tensor([[1, 2], [3, 4]]), dim=1)
    tensor([ 2, 12]))",
    .rule = structured_exact([](Specs& out, const Tensor& self, std::optional<Dtype> dtype) {
      out.add({}, sum_dtype(self.dtype(), dtype));
    }),
    .cpu = [](const Tensor& self, std::optional<Dtype>, Tensor& out) { reduce_prod(self, reduced_dims(std::nullopt, self.dim()), out); },
    .npu = {"Prod(self, dtype)"},
    .autocast = Autocast::fp32 | on_npu(fp32_dtype),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y) {
                   if (x.dim() == 0) return Tensor(g);
                   return op<"view">(differentiate_prod(g, op<"reshape">(x, IntList{-1}), y, 0), x.sizes());
                 })},
});
MT_OP(OpDef{
    .schema = {"prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function | method | out,
    .form_overloads = {{"dim_int_out", "int_out"}},
    .doc = R"(Computes the product of all elements, or of each line along `dim`.

Of no elements the product is 1. The gradient is right where elements are 0, too.

Args:
    self (Tensor): any shape and dtype.
    dim (int): the dimension to reduce. Default: all.
    dtype (torch.dtype, optional): multiplies in this dtype. Default: that of `self`, int64 for
        integers and bool.

Returns:
    Tensor: without the reduced dimension.

Example:
    >>> torch.prod(torch.tensor([1.0, 2.0, 3.0]))
    tensor(6.)
    >>> torch.prod(torch.tensor([[1, 2], [3, 4]]), dim=1)
    tensor([ 2, 12]))",
    .rule = rule_in_target_dtype(structured([](Specs& out, const Tensor& self, int64_t dim, bool keepdim, std::optional<Dtype> dtype) {
      out.add(reduced_sizes(self.sizes(), reduced_dims(IntList{dim}, self.dim()), keepdim), sum_dtype(self.dtype(), dtype));
    })),
    .cpu = [](const Tensor& self, int64_t dim, bool, std::optional<Dtype>,
              Tensor& out) { reduce_prod(self, reduced_dims(IntList{dim}, self.dim()), out); },
    .npu = {"ProdDim(self, dim, keepdim, dtype)"},
    .autocast = Autocast::fp32 | on_npu(fp32_dtype),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"dim", int64_t> dim, In<"keepdim", bool> keepdim, Out<"result"> y) {
                   if (x.dim() == 0) return Tensor(g);
                   return differentiate_prod(restore_dims(g, IntList{*dim}, *keepdim, x.dim()), x,
                                             restore_dims(y, IntList{*dim}, *keepdim, x.dim()), *dim);
                 })},
    .grad_name = "ProdBackward1",
});

}  // namespace
}  // namespace mt
