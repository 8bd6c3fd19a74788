// rot90: rotates a plane of two dimensions by multiples of 90 degrees.
#include <cstdlib>

#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto rotate_plane = [](const Tensor& self, int64_t k, IntList dims) -> Tensor {
  BelowAutograd guard;
  const int64_t ndim = self.dim();
  check(dims.size() == 2, "expected total rotation dims == 2, but got dims = {}", dims.size());
  check(ndim >= 2, "expected total dims >= 2, but got total dims = {}", ndim);
  const int64_t a = dims[0], b = dims[1];
  const bool far = a < -ndim || a >= ndim || b < -ndim || b >= ndim;
  check(a != b && (far || std::abs(a - b) != ndim), "expected rotation dims to be different, but got dim0 = {} and dim1 = {}", a, b);
  wrap_dim(a, ndim);
  wrap_dim(b, ndim);
  switch (((k % 4) + 4) % 4) {
    case 1: return op<"transpose">(op<"flip">(self, IntList{b}), a, b);
    case 2: return op<"flip">(self, dims);
    case 3: return op<"transpose">(op<"flip">(self, IntList{a}), a, b);
    default: return op<"clone">(self, MemoryFormat::contiguous);
  }
};

MT_OP(OpDef{
    .schema = {"rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy rotated by `k` times 90 degrees in the plane of two dimensions.

A positive `k` rotates from the first of `dims` towards the second.

Args:
    self (Tensor): tensor with at least two dimensions.
    k (int): number of quarter turns; any sign. Default: ``1``.
    dims (tuple of int): two different dimensions. Default: ``(0, 1)``.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when `dims` are not two different dimensions.

Example:
    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]]))",
    .cpu = rotate_plane,
    .npu = {any_device},
    .meta = rotate_plane,
    .grad = {wrt("self", [](Grad g, In<"k", int64_t> k, In<"dims", IntList> dims) { return op<"rot90">(g, -(*k % 4), *dims); })},
});

}  // namespace
}  // namespace mt
