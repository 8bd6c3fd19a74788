// tensordot: sums of products over pairs of dimensions.
#include <algorithm>
#include "autograd/meta.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

constexpr auto compute_tensordot = [](const Tensor& a, const Tensor& b, IntList dims_a, IntList dims_b) -> Tensor {
  check(dims_a.size() == dims_b.size(), "both dimension lists should have same length");
  check(a.dtype() == b.dtype(), "both inputs should have same dtype");
  Tensor x = a, y = b;
  Dims da, db, free_a, free_b, sizes;
  int64_t inner = 1;
  for (int64_t i = 0; i < dims_a.size(); ++i) {
    da.push_back(wrap_dim(dims_a[i], a.dim()));
    db.push_back(wrap_dim(dims_b[i], b.dim()));
    const int64_t s = x.size(da[i]), t = y.size(db[i]);
    if (t == 1)
      x = op<"sum.dim_IntList">(x, IntList{da[i]}, true, x.dtype());
    else if (s == 1)
      y = op<"sum.dim_IntList">(y, IntList{db[i]}, true, y.dtype());
    else
      check(s == t, "contracted dimensions need to match, but first has size {} in dim {} and second has size {} in dim {}", s, dims_a[i],
            t, dims_b[i]);
    inner *= x.size(da[i]);
  }
  auto among = [](const Dims& dims, int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); };
  for (int64_t d = 0; d < a.dim(); ++d)
    if (!among(da, d)) free_a.push_back(d), sizes.push_back(a.size(d));
  for (int64_t d = 0; d < b.dim(); ++d)
    if (!among(db, d)) free_b.push_back(d), sizes.push_back(b.size(d));
  auto joined = [](const Dims& p, const Dims& q) {
    Dims out(p);
    for (int64_t d : q) out.push_back(d);
    return out;
  };
  x = op<"permute">(x, joined(free_a, da));
  y = op<"permute">(y, joined(db, free_b));
  if (x.dim() == 1 && y.dim() == 1 && free_a.empty() && free_b.empty()) return op<"reshape">(op<"dot">(x, y), IntList{});
  x = op<"reshape">(x, IntList{-1, inner});
  y = op<"reshape">(y, IntList{inner, -1});
  return op<"reshape">(op<"mm">(x, y), sizes);
};

MT_OP(OpDef{
    .schema = {"tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor"},
    .forms = function,
    .doc = R"(Computes sums of products over paired dimensions.

This is the operator behind the Python function `torch.tensordot`, which also takes a number of
dimensions.

Args:
    self, other (Tensor): of one dtype.
    dims_self (tuple of ints): the dimensions of `self` to sum over.
    dims_other (tuple of ints): their partners in `other`, of the same sizes, or 1, which
        broadcasts.

Returns:
    Tensor: the remaining dimensions of `self`, then those of `other`.

Raises:
    RuntimeError: when the pairs, sizes or dtypes do not fit.

Example:
    >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(4, 3, 5), dims=([1, 2], [1, 0])).shape
    torch.Size([2, 5]))",
    .composite = compute_tensordot,
    .autocast = on_npu(Autocast::promote),
});

// Copies the finished product into `out`, and records the copy.
MT_OP(OpDef{
    .schema = {"tensordot.out(Tensor self, Tensor other, int[] dims_self, int[] dims_other, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the sums of products over paired dimensions into `out`.",
    .composite = [](const Tensor& self, const Tensor& other, IntList dims_self, IntList dims_other, const Tensor& out) -> Tensor {
      const Tensor product = op<"tensordot">(self, other, dims_self, dims_other);
      check(product.device() == out.device() && self.device() == out.device() && other.device() == out.device(),
            "tensordot: Expected the output and input tensors to be on the same device, but got the output tensor on {}, input tensor a on "
            "{}, "
            "and input tensor b on {}",
            out.device(), self.device(), other.device());
      check(product.dtype() == out.dtype(),
            "tensordot: Expected the output tensor to have dtype {}, but got an output tensor with dtype {}", product.dtype(), out.dtype());
      check(!thread_state.grad_mode || !requires_grad(out) || out.sizes() == product.sizes(),
            "tensordot(): the 'out' tensor was specified and requires gradients, and its shape does not match the expected result. Either "
            "remove the 'out' argument, ensure it does not require gradients, or make sure its shape matches the expected output.");
      resize_output(out, product.sizes());
      return op<"copy_">(out, product);
    },
});

}  // namespace
}  // namespace mt
