// gradient: estimates derivatives of a sampled function, by central differences inside and one-sided ones at the ends.
#include <vector>

#include "core/messages.h"
#include "rules/reduction/differences.h"

namespace mt {
namespace {

using MaybeDims = std::optional<IntList>;

void check_request(const Tensor& self, std::optional<int64_t> spacings, MaybeDims dim, int64_t edge_order) {
  check(self.dtype() != Dtype::uint8, "torch.gradient does not support uint8 input.");
  if (spacings && !dim)
    check(*spacings == self.dim(),
          "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = {}', since dim argument "
          "was not given, but got a list of length {}",
          self.dim(), *spacings);
  if (spacings && dim)
    check(*spacings == dim->size(),
          "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same length, but got "
          "a spacing argument of length {} and a dim argument of length {}.",
          *spacings, dim->size());
  check(edge_order == 1 || edge_order == 2, "torch.gradient only supports edge_order=1 and edge_order=2.");
  std::vector<bool> seen(size_t(self.dim() ? self.dim() : 1));
  for (int64_t i = 0; i < (dim ? dim->size() : self.dim()); ++i) {
    const int64_t d = dim ? wrap_dim((*dim)[i], self.dim()) : i;
    check(!seen[size_t(d)], messages::dim_appears_multiple_times, d);
    seen[size_t(d)] = true;
    check((self.dim() ? self.size(d) : 1) >= edge_order + 1, "torch.gradient expected each dimension size to be at least edge_order+1");
  }
}
Dims dims_of(const Tensor& self, MaybeDims dim) {
  Dims dims;
  for (int64_t i = 0; i < (dim ? dim->size() : self.dim()); ++i) dims.push_back(dim ? wrap_dim((*dim)[i], self.dim()) : i);
  return dims;
}
std::vector<Tensor> gradient_with_spacing(const Tensor& self, const Scalar& step, MaybeDims dim, int64_t edge_order) {
  check_request(self, std::nullopt, dim, edge_order);
  std::vector<Tensor> out;
  for (int64_t d : dims_of(self, dim)) out.push_back(differences_along(self, d, step, edge_order));
  return out;
}
std::vector<Tensor> gradient_with_spacings(const Tensor& self, List<Value> steps, MaybeDims dim, int64_t edge_order) {
  check_request(self, steps.size(), dim, edge_order);
  std::vector<Tensor> out;
  const Dims dims = dims_of(self, dim);
  for (int64_t i = 0; i < dims.size(); ++i) out.push_back(differences_along(self, dims[i], Unbox<Scalar>::from(steps[i]), edge_order));
  return out;
}
std::vector<Tensor> gradient_with_coordinates(const Tensor& self, TensorList points, MaybeDims dim, int64_t edge_order) {
  check_request(self, points.size(), dim, edge_order);
  std::vector<Tensor> out;
  for (const Tensor& p : points)
    check(p.device() == self.device(), "torch.gradient expected each tensor to be on the same device, but got devices {} and {}!",
          self.device(), p.device());
  const Dims dims = dims_of(self, dim);
  for (int64_t i = 0; i < dims.size(); ++i) out.push_back(differences_along(self, dims[i], points[i], edge_order));
  return out;
}
// One dimension or all.
template <class F>
std::vector<Tensor> call_with_optional_dim(std::optional<int64_t> dim, F f) {
  return dim ? f(MaybeDims(IntList(&*dim, 1))) : f(MaybeDims());
}

using TensorVector = std::vector<Tensor>;
MT_OP(OpDef{
    .schema = {"gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]",
               "gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]",
               "gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]",
               "gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
               "gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]",
               "gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
               "gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]"},
    .forms = function,
    .doc = R"(Estimates the derivatives of a sampled function along dimensions, by finite differences.

Inside it takes central differences of second order, also for unequal distances: with distances a to
the left and b to the right ``(a^2 f(x+b) - b^2 f(x-a) + (b^2 - a^2) f(x)) / (a b (a + b))``. At the
ends it takes one-sided differences of order `edge_order`. It is not the gradient that autograd
computes.

Args:
    self (Tensor): samples; each dimension of `dim` has at least ``edge_order + 1``. uint8 is
        refused.
    spacing (number, list of number or list of Tensor, optional): distance of samples; as a list one
        distance, or one vector of coordinates, for each dimension. Default: ``None``, 1.
    dim (int or tuple of int, optional): dimensions; negative ones count from the last. Default:
        ``None``, all.
    edge_order (int): 1 or 2. Default: ``1``.

Returns:
    tuple of Tensor: one estimate for each dimension, in the shape of `self`.

Raises:
    RuntimeError: when `spacing` and `dim` differ in length, a dimension is repeated or too short,
        or `edge_order` is another number.

Example:
    >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
    (tensor([3., 4., 6., 7.]),))",
    .composite = [](const Tensor& self, std::optional<Scalar> spacing, std::optional<int64_t> dim, int64_t edge) -> TensorVector {
      return call_with_optional_dim(dim, [&](MaybeDims d) { return gradient_with_spacing(self, spacing ? *spacing : Scalar(1), d, edge); });
    },
    .overloads =
        {overload("scalararray", {.composite = [](const Tensor& self, Scalar spacing, IntList dim, int64_t edge) -> TensorVector {
                    return gradient_with_spacing(self, spacing, dim, edge);
                  }}),
         overload("array", {.composite = [](const Tensor& self, IntList dim, int64_t edge) -> TensorVector {
                    return gradient_with_spacing(self, 1, dim, edge);
                  }}),
         overload("scalarrayint",
                  {.composite = [](const Tensor& self, List<Value> spacing, std::optional<int64_t> dim, int64_t edge) -> TensorVector {
                    return call_with_optional_dim(dim, [&](MaybeDims d) { return gradient_with_spacings(self, spacing, d, edge); });
                  }}),
         overload("scalarrayarray", {.composite = [](const Tensor& self, List<Value> spacing, IntList dim, int64_t edge) -> TensorVector {
                    return gradient_with_spacings(self, spacing, dim, edge);
                  }}),
         overload("tensorarrayint",
                  {.composite = [](const Tensor& self, TensorList spacing, std::optional<int64_t> dim, int64_t edge) -> TensorVector {
                    return call_with_optional_dim(dim, [&](MaybeDims d) { return gradient_with_coordinates(self, spacing, d, edge); });
                  }}),
         overload("tensorarray", {.composite = [](const Tensor& self, TensorList spacing, IntList dim, int64_t edge) -> TensorVector {
                    return gradient_with_coordinates(self, spacing, dim, edge);
                  }})},
});

}  // namespace
}  // namespace mt
