// fill_diagonal_: sets the elements whose indices are all equal.
#include "rules/form/algebra.h"

namespace mt {
namespace {

// Fills `n` elements, `stride` apart, from `start` elements after self's first one on.
void fill_strided_elements(const Tensor& self, int64_t start, int64_t n, int64_t stride, Scalar value) {
  op<"fill_.Scalar">(op<"as_strided">(self, IntList{n}, IntList{stride}, self.storage_offset() + start), value);
}

// With `wrap`: fills the diagonals below the first one; each starts in column 0, one row after the end of the previous one.
void fill_wrapped_diagonals(const Tensor& self, Scalar value) {
  const int64_t height = self.size(0), width = self.size(1), row = self.stride(0), step = row + self.stride(1);
  const int64_t period = width + 1, rest = height - period;
  if (rest <= 0 || width == 0) return;
  if (row == width * self.stride(1)) {
    const int64_t blank = rest / period;
    fill_strided_elements(self, row * period, rest - blank, step, value);
    return;
  }
  for (int64_t first = period; first < height; first += period)
    fill_strided_elements(self, row * first, std::min(width, height - first), step, value);
}

MT_OP(OpDef{
    .schema = {"fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Sets the elements whose indices are all equal to `fill_value`, in place.

With `wrap`, the diagonal of a matrix that is taller than wide begins again one row below its end,
as NumPy's ``fill_diagonal`` has it.

Args:
    self (Tensor): matrix ``(m, n)``, or a tensor of more dimensions that all have one size.
    fill_value (number): the new value; converted to the dtype of `self`.
    wrap (bool): whether the diagonal of a tall matrix begins again. Default: ``False``.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `self` has fewer than two dimensions, or more than two of unequal size.

Example:
    >>> torch.zeros(5, 2).fill_diagonal_(1, wrap=True)
    tensor([[1., 0.],
            [0., 1.],
            [0., 0.],
            [1., 0.],
            [0., 1.]]))",
    .composite =
        [](const Tensor& self, Scalar value, bool wrap) {
          check(self.dim() >= 2, "dimensions must larger than 1");
          int64_t n = self.size(0), step = 0;
          for (int64_t d = 0; d < self.dim(); ++d) {
            check(self.dim() == 2 || self.size(d) == n, "all dimensions of input must be of equal length");
            step += self.stride(d);
          }
          fill_strided_elements(self, 0, std::min(n, self.size(1)), step, value);
          if (wrap && self.dim() == 2) fill_wrapped_diagonals(self, value);
          return self;
        },
});

}  // namespace
}  // namespace mt
