// col2im: sums columns back into an image, as nn.functional.fold does; the adjoint of im2col.
#include <algorithm>
#include <vector>
#include "rules/conv/patches.h"

namespace mt {
namespace {

constexpr auto compute_col2im = [](const Tensor& self, IntList output_size, IntList kernel, IntList dilation, IntList padding,
                                   IntList stride) -> Tensor {
  check_pair(output_size, "output_size");
  const Patches p = checked_patches(kernel, dilation, padding, stride);
  const int64_t dim = self.dim(), height = output_size[0], width = output_size[1];
  check((dim == 2 && self.size(0) != 0 && self.size(1) != 0) || (dim == 3 && self.size(1) != 0 && self.size(2) != 0),
        "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, "
        "but got: {}",
        self.sizes());
  const int64_t taps = int64_t(uint64_t(p.kernel[0]) * uint64_t(p.kernel[1])), planes = self.size(dim - 2), blocks = self.size(dim - 1);
  check(taps > 0 && planes % taps == 0,
        "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)={} "
        "and kernel_size=({}, {}).",
        planes, p.kernel[0], p.kernel[1]);
  const PatchGrid grid(p, height, width);
  const int64_t expected = int64_t(uint64_t(grid.rows) * uint64_t(grid.cols));
  check(blocks == expected,
        "Given output_size=({}, {}), kernel_size=({}, {}), dilation=({}, {}), padding=({}, {}), stride=({}, {}), "
        "expected size of input's dimension 2 to match "
        "the calculated number of sliding blocks {} * {} = {}, but got input.size(2)={}.",
        height, width, p.kernel[0], p.kernel[1], p.dilation[0], p.dilation[1], p.padding[0], p.padding[1], p.stride[0], p.stride[1],
        grid.rows, grid.cols, expected, blocks);
  check(height >= 1 && width >= 1, "Expected output spatial size to be positive, but got: output_size=({}, {}).", height, width);
  const int64_t channels = planes / taps, batch = dim == 3 ? self.size(0) : 1;
  Dims sizes;
  if (dim == 3) sizes.push_back(batch);
  for (int64_t size : {channels, height, width}) sizes.push_back(size);
  Tensor out = empty(sizes, self.dtype(), self.device());
  if (out.is_meta() || out.numel() == 0) return out;
  const Tensor columns = dense(self);
  dispatch_patches(self.dtype(), "col2im_out_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const T* from = columns.template data<T>();
    T* to = out.data<T>();
    cpu::parallel_for(0, batch * channels, std::max<int64_t>(1, 16384 / (taps * blocks)), [&](int64_t begin, int64_t end) {
      std::vector<std::conditional_t<std::is_same_v<C, bool>, uint8_t, C>> sums(size_t(height * width));
      for (int64_t plane = begin; plane < end; ++plane) {
        std::fill(sums.begin(), sums.end(), C(0));
        const T* column = from + plane * taps * blocks;
        for (int64_t tap = 0; tap < taps; ++tap) {
          const int64_t first = tap % p.kernel[1] * p.dilation[1] - p.padding[1], step = p.stride[1];
          const InsideLine inside(first, step, width, grid.cols);
          for (int64_t i = 0; i < grid.rows; ++i, column += grid.cols) {
            const int64_t h = i * p.stride[0] - p.padding[0] + tap / p.kernel[1] * p.dilation[0];
            if (h < 0 || h >= height || inside.low == inside.high) continue;
            auto* line = sums.data() + h * width + first;
            if constexpr (std::is_same_v<T, bool>)
              for (int64_t j = inside.low; j < inside.high; ++j) line[j * step] = line[j * step] || column[j];
            else if (step == 1)
              for (int64_t j = inside.low; j < inside.high; ++j) line[j] += C(column[j]);
            else
              for (int64_t j = inside.low; j < inside.high; ++j) line[j * step] += C(column[j]);
          }
        }
        for (int64_t i = 0; i < height * width; ++i) to[plane * height * width + i] = T(sums[size_t(i)]);
      }
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor"},
    .forms = function | out,
    .doc = R"(Sums columns of patches back into images: the adjoint of ``im2col``.

``torch.nn.functional.fold`` calls it. Elements where patches overlap are added up.

Args:
    self (Tensor): shape ``(N, C * KH * KW, patches)`` or without N.
    output_size (tuple of int): height and width of the images.
    kernel_size (tuple of int): height KH and width KW of a patch.
    dilation (tuple of int): distance of the elements of a patch.
    padding (tuple of int): zeros around the images on both sides.
    stride (tuple of int): distance of patches.

Returns:
    Tensor: shape ``(N, C, H, W)``, or without N.

Raises:
    RuntimeError: when the number of patches or the channels do not fit.

Example:
    >>> F.fold(torch.ones(1, 4, 4), output_size=(3, 3), kernel_size=2)
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]]))",
    .module = "nn",
    .cpu = compute_col2im,
    .npu = {"Im2colBackward"},
    .meta = compute_col2im,
    .grad = {wrt("self", [](Grad g, In<"kernel_size", IntList> kernel, In<"dilation", IntList> dilation, In<"padding", IntList> padding,
                            In<"stride", IntList> stride) { return op<"im2col">(g, *kernel, *dilation, *padding, *stride); })},
    .grad_name = "Col2ImBackward0",
    .out_policy = OutPolicy{.dtype_error = "expected scalar type {} but found {}"},
});

}  // namespace
}  // namespace mt
