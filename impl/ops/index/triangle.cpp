// tril and triu: the lower or upper triangle of matrices.
#include <cstring>

#include "cpu/threads/parallel.h"
#include "rules/form/algebra.h"
#include "rules/form/in_place.h"
#include "vmap/rule.h"

namespace mt {
namespace {

template <bool Lower>
Tensor zero_outside_triangle(const Tensor& self, int64_t diagonal) {
  check(self.dim() >= 2, "{}: input tensor must have at least 2 dimensions", Lower ? "tril" : "triu");
  // Not in place, only the kept elements are copied, row by row.
  const bool is_copied = self.is_contiguous() && !may_modify_in_place(self);
  const Tensor out = is_copied ? empty(self.sizes(), self.dtype(), self.device()) : reuse_self_or_copy(self);
  if (out.is_meta() || out.numel() == 0) return out;
  const int64_t rows = self.size(-2), columns = self.size(-1), size = out.itemsize(), count = out.numel() / columns;
  char* data = out.data<char>();
  const char* const from = self.data<char>();
  cpu::parallel_for(0, count, std::max<int64_t>(1, 32768 / columns), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t i = r % rows;
      // Columns [0, split) are below or on the diagonal.
      int64_t split = Lower ? i + diagonal + 1 : i + diagonal;
      split = split < 0 ? 0 : split > columns ? columns : split;
      char* row = data + r * columns * size;
      const int64_t kept = Lower ? 0 : split * size, end = Lower ? split * size : columns * size;
      if (is_copied) std::memcpy(row + kept, from + r * columns * size + kept, size_t(end - kept));
      if (Lower)
        std::memset(row + end, 0, size_t(columns * size - end));
      else
        std::memset(row, 0, size_t(kept));
    }
  });
  return out;
}
constexpr auto keep_lower_triangle = [](const Tensor& self, int64_t diagonal) -> Tensor {
  return zero_outside_triangle<true>(self, diagonal);
};
constexpr auto keep_upper_triangle = [](const Tensor& self, int64_t diagonal) -> Tensor {
  return zero_outside_triangle<false>(self, diagonal);
};

MT_OP(OpDef{
    .schema = {"tril(Tensor self, SymInt diagonal=0) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Keeps the elements on and below a diagonal of each matrix; the others become zero.

Args:
    self (Tensor): matrix or batch of matrices ``(..., m, n)``.
    diagonal (int): last diagonal that is kept: 0 the main one, positive above it, negative below.
        Default: ``0``.

Returns:
    Tensor: a new tensor with the shape of `self`; the in-place form returns `self`.

Raises:
    RuntimeError: when `self` has fewer than two dimensions.

Example:
    >>> torch.tril(torch.ones(2, 3))
    tensor([[1., 0., 0.],
            [1., 1., 0.]]))",
    .cpu = in_place_kernel(keep_lower_triangle),
    .npu = {"Tril"},
    .meta = keep_lower_triangle,
    .grad = {wrt("self", [](Grad g, In<"diagonal", int64_t> d) { return op<"tril">(g, *d); })},
    .batch = batch_leading,
});
MT_OP(OpDef{
    .schema = {"triu(Tensor self, SymInt diagonal=0) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Keeps the elements on and above a diagonal of each matrix; the others become zero.

Args:
    self (Tensor): matrix or batch of matrices ``(..., m, n)``.
    diagonal (int): first diagonal that is kept: 0 the main one, positive above it, negative below.
        Default: ``0``.

Returns:
    Tensor: a new tensor with the shape of `self`; the in-place form returns `self`.

Raises:
    RuntimeError: when `self` has fewer than two dimensions.

Example:
    >>> torch.triu(torch.ones(2, 3), 1)
    tensor([[0., 1., 1.],
            [0., 0., 1.]]))",
    .cpu = in_place_kernel(keep_upper_triangle),
    .npu = {"Triu"},
    .meta = keep_upper_triangle,
    .grad = {wrt("self", [](Grad g, In<"diagonal", int64_t> d) { return op<"triu">(g, *d); })},
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
