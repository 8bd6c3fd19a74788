// im2col: copies the windows of an image into columns, as nn.functional.unfold does.
#include <algorithm>
#include "core/messages.h"
#include "rules/conv/patches.h"

namespace mt {
namespace {

constexpr auto compute_im2col = [](const Tensor& self, IntList kernel, IntList dilation, IntList padding, IntList stride) -> Tensor {
  const int64_t dim = self.dim();
  const Patches p = checked_patches(kernel, dilation, padding, stride);
  check(dim > 0, ErrorKind::index, messages::dimension_specified_as_1);
  if (self.size(wrap_dim(1, dim)) != 0) wrap_dim(2, dim);
  check((dim == 3 && self.size(0) != 0 && self.size(1) != 0 && self.size(2) != 0) ||
            (dim == 4 && self.size(1) != 0 && self.size(2) != 0 && self.size(3) != 0),
        "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but "
        "got: {}",
        self.sizes());
  const PatchGrid grid(p, self.size(-2), self.size(-1));
  check(grid.rows >= 1 && grid.cols >= 1,
        "Given input with spatial size ({}, {}), kernel_size=({}, {}), dilation=({}, {}), padding=({}, {}), calculated "
        "shape of the array of sliding blocks as "
        "({}, {}), but its components must be at least one.",
        self.size(-2), self.size(-1), p.kernel[0], p.kernel[1], p.dilation[0], p.dilation[1], p.padding[0], p.padding[1], grid.rows,
        grid.cols);
  const int64_t channels = self.size(dim - 3);
  Dims sizes;
  if (dim == 4) sizes.push_back(self.size(0));
  sizes.push_back(p.kernel[0] * p.kernel[1] * channels);
  sizes.push_back(grid.rows * grid.cols);
  Tensor out = empty(sizes, self.dtype(), self.device());
  if (out.is_meta()) return out;
  const Tensor image = dense(self);
  const int64_t batch = dim == 4 ? self.size(0) : 1;
  dispatch_patches(self.dtype(), "im2col_out_cpu", [&]<class T>(Type<T>) {
    const T* from = image.template data<T>();
    T* to = out.data<T>();
    const int64_t taps = p.kernel[0] * p.kernel[1], height = self.size(-2), width = self.size(-1);
    for_rows(batch * channels * taps, grid.rows * grid.cols, [&](int64_t r) {
      const int64_t tap = r % taps;
      const T* plane = from + r / taps * height * width;
      T* line = to + r * grid.rows * grid.cols;
      const int64_t first = tap % p.kernel[1] * p.dilation[1] - p.padding[1], step = p.stride[1];
      const InsideLine inside(first, step, width, grid.cols);
      for (int64_t i = 0; i < grid.rows; ++i, line += grid.cols) {
        const int64_t h = i * p.stride[0] - p.padding[0] + tap / p.kernel[1] * p.dilation[0];
        const bool outside = h < 0 || h >= height || inside.low == inside.high;
        std::fill_n(line, outside ? grid.cols : inside.low, T(0));
        if (outside) continue;
        const T* pixels = plane + h * width + first;
        if (step == 1)
          std::copy(pixels + inside.low, pixels + inside.high, line + inside.low);
        else
          for (int64_t j = inside.low; j < inside.high; ++j) line[j] = pixels[j * step];
        std::fill(line + inside.high, line + grid.cols, T(0));
      }
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor"},
    .forms = function | out,
    .doc = R"(Returns the patches of images as columns.

``torch.nn.functional.unfold`` calls it. A convolution is a product of its kernels with these
columns.

Args:
    self (Tensor): shape ``(N, C, H, W)`` or ``(C, H, W)``.
    kernel_size (tuple of int): height KH and width KW of a patch.
    dilation (tuple of int): distance of the elements of a patch.
    padding (tuple of int): zeros around the images on both sides.
    stride (tuple of int): distance of patches.

Returns:
    Tensor: shape ``(N, C * KH * KW, patches)``, or without N; patches come row by row.

Raises:
    RuntimeError: when no patch fits or a number is out of range.

Example:
    >>> F.unfold(torch.arange(6.0).view(1, 1, 2, 3), kernel_size=2)
    tensor([[[0., 1.],
             [1., 2.],
             [3., 4.],
             [4., 5.]]]))",
    .module = "nn",
    .cpu = compute_im2col,
    .npu = {"Im2col"},
    .meta = compute_im2col,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"kernel_size", IntList> kernel, In<"dilation", IntList> dilation,
                    In<"padding", IntList> padding, In<"stride", IntList> stride) {
                   return op<"col2im">(g, IntList(self.sizes.end() - 2, 2), *kernel, *dilation, *padding, *stride);
                 })},
    .grad_name = "Im2ColBackward0",
    .out_policy = OutPolicy{.dtype_error = "expected scalar type {} but found {}"},
});

}  // namespace
}  // namespace mt
