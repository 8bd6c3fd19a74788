// view_as_real, view_as_complex: a complex tensor as a real one with a last dimension of 2.
#include "rules/form/algebra.h"
#include "rules/form/reshaped.h"
#include "rules/sparse/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

Dtype component_dtype(const Tensor& self) { return real_of(self.dtype()); }

Tensor view_with_dtype(const Tensor& self, Dtype dtype, const Dims& sizes, const Dims& strides, int64_t offset) {
  Tensor out = reshaped(self, sizes, strides, offset);
  out->dtype = dtype;
  return out;
}

constexpr auto compute_view_as_real = [](const Tensor& self) -> Tensor {
  check(is_complex(self.dtype()), "view_as_real is only supported for complex tensors");
  check(!self.is_conj(),
        "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it as real, "
        "use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original.");
  Dims sizes(self.sizes()), strides(self.strides());
  for (int64_t& s : strides) s *= 2;
  sizes.push_back(2);
  strides.push_back(1);
  return view_with_dtype(self, component_dtype(self), sizes, strides, self.storage_offset() * 2);
};

constexpr auto compute_view_as_complex = [](const Tensor& self) -> Tensor {
  check(self.dtype() == Dtype::float32 || self.dtype() == Dtype::float64 || self.dtype() == Dtype::float16,
        "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {}", self.dtype());
  check(self.dim() > 0, "Input tensor must have one or more dimensions");
  check(self.size(-1) == 2, "Tensor must have a last dimension of size 2");
  check(self.stride(-1) == 1, "Tensor must have a last dimension with stride 1");
  Dims sizes(self.sizes()), strides(self.strides());
  sizes.pop_back();
  strides.pop_back();
  for (int64_t d = 0; d < strides.size(); strides[d++] /= 2)
    check(sizes[d] == 1 || strides[d] % 2 == 0, "Tensor must have a stride divisible by 2 for all but last dimension");
  check(self.storage_offset() % 2 == 0, "Tensor must have a storage_offset divisible by 2");
  return view_with_dtype(self, complex_of(self.dtype()), sizes, strides, self.storage_offset() / 2);
};

// A sparse_coo tensor with the indices of `self` and the given values.
Tensor replace_values(const Tensor& self, const Tensor& values) {
  Dims sizes(self.sizes().first(sparse_dim(self)));
  for (int64_t d = 1; d < values.dim(); ++d) sizes.push_back(values.size(d));
  return coo_tensor(components_of(self).indices, values, sizes, components_of(self).coalesced);
}

MT_OP(OpDef{
    .schema = {"view_as_real(Tensor(a) self) -> Tensor(a)"},
    .forms = function,
    .doc = R"(Returns a real view of a complex tensor, with a new last dimension of real and imaginary parts.

Args:
    self (Tensor): complex tensor that is not a lazy conjugate.

Returns:
    Tensor: a view with a last dimension of size 2; float32 for complex64, float64 for complex128.

Raises:
    RuntimeError: when `self` is real or a lazy conjugate; see ``torch.resolve_conj``.

Example:
    >>> torch.view_as_real(torch.tensor([1 + 2j, 3 + 4j]))
    tensor([[1., 2.],
            [3., 4.]]))",
    .view = compute_view_as_real,
    .sparse = [](const Tensor& self) -> Tensor {
      check(is_complex(self.dtype()), "view_as_real_sparse is only supported for complex sparse tensors");
      return replace_values(self, op<"view_as_real">(components_of(self).values));
    },
    .grad = {wrt("self", [](Grad g) { return op<"view_as_complex">(op<"contiguous">(g)); })},
    .batch = batch_leading,
});

MT_OP(OpDef{
    .schema = {"view_as_complex(Tensor(a) self) -> Tensor(a)"},
    .forms = function,
    .doc = R"(Returns a complex view of a real tensor whose last dimension holds real and imaginary parts.

Args:
    self (Tensor): float16, float32 or float64 tensor with a last dimension of size 2 and stride 1;
        the other strides and the storage offset must be even.

Returns:
    Tensor: a view without the last dimension; complex64 for float32, complex128 for float64.

Raises:
    RuntimeError: when the dtype, the last dimension or the strides do not fit.

Example:
    >>> torch.view_as_complex(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1.+2.j, 3.+4.j]))",
    .view = compute_view_as_complex,
    .sparse = [](const Tensor& self) -> Tensor {
      check(self.dtype() == Dtype::float32 || self.dtype() == Dtype::float64 || self.dtype() == Dtype::float16,
            "view_as_complex_sparse is only supported for half, float, and double sparse tensors");
      check(dense_dim(self) > 0 && self.size(-1) == 2,
            "view_as_complex_sparse is only supported for sparse tensors with the last dim == 2 and dense_dim > 0.");
      return replace_values(self, op<"view_as_complex">(components_of(self).values));
    },
    .grad = {wrt("self", [](Grad g) { return op<"view_as_real">(op<"resolve_conj">(g)); })},
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
