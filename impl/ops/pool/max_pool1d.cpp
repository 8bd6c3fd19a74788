// max_pool1d: the largest element of each window of a line.
#include "autograd/meta.h"
#include "rules/pool/pooling.h"

namespace mt {
namespace {

void check_list_of_one(IntList values, const char* name, const char* kinds) {
  check(values.size() == 1, "max_pool1d() {} must be {} of size 1 but got size {}", name, kinds, values.size());
}

void check_input(const Tensor& self) {
  const int64_t dim = self.dim();
  check((dim == 2 && self.size(0) != 0 && self.size(1) != 0) || (dim == 3 && self.size(1) != 0 && self.size(2) != 0),
        "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:{}", self.sizes());
}

// The number of windows, after torch's checks of the arguments.
int64_t count_windows(const Tensor& self, int64_t k, int64_t s, int64_t p, int64_t d, bool ceil_mode) {
  check_input(self);
  check(k > 0, "max_pool1d() kernel_size must be greater than zero, but got {}", k);
  check(s > 0, "max_pool1d() stride must be greater than zero, but got {}", s);
  check(p >= 0, "max_pool1d() padding must be non-negative, but got {}", p);
  check(p <= k / 2, "max_pool1d() padding should be at most half of kernel size, but got padding={} and kernel_size={}", p, k);
  check(d > 0, "max_pool1d() dilation must be greater than zero, but got {}", d);
  // In unsigned arithmetic, so that overflow wraps.
  const int64_t width = self.size(-1);
  const int64_t room = int64_t(uint64_t(width) + 2 * uint64_t(p) - uint64_t(d) * uint64_t(k - 1) - 1 + uint64_t(ceil_mode ? s - 1 : 0));
  int64_t out = (room >= 0 ? room / s : -((s - 1 - room) / s)) + 1;
  if (ceil_mode && out > 0 && uint64_t(out - 1) * uint64_t(s) >= uint64_t(width) + uint64_t(p)) --out;
  check(out > 0, "max_pool1d() Invalid computed output size: {}", out);
  return out;
}

constexpr auto compute_max_pool1d = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation,
                                       bool ceil_mode) -> Tensor {
  check_input(self);
  check_list_of_one(kernel, "kernel_size", "an int, list of ints or tuple of ints");
  if (!stride.empty()) check_list_of_one(stride, "stride", "None, an int, list of ints, or tuple of ints");
  check_list_of_one(padding, "padding", "an int, list of ints, or tuple of ints");
  check_list_of_one(dilation, "dilation", "an int, list of ints or tuple of ints");
  const int64_t k = kernel[0], s = stride.empty() ? k : stride[0], p = padding[0], d = dilation[0];
  count_windows(self, k, s, p, d, ceil_mode);
  if (thread_state.grad_mode && requires_grad(self))
    return op<"max_pool1d_with_indices", Tensors<2>>(self, IntList{k}, IntList{s}, IntList{p}, IntList{d}, ceil_mode)[0];
  if (!is_floating(self.dtype())) not_implemented_for("max_pool1d_impl", self.dtype());
  return op<"_max_pool1d_values">(self, k, s, p, d, ceil_mode);
};

// max_pool1d for calls that need no gradient, and therefore no indices.
MT_OP(OpDef{
    .schema = {"_max_pool1d_values(Tensor self, int kernel_size, int stride, int padding, int dilation, bool ceil_mode) -> Tensor"},
    .doc = "Takes the largest element of each window of a line; ``max_pool1d`` calls it without gradients.",
    .rule = structured([](Specs& out, const Tensor& self, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
                          bool ceil_mode) {
      const int64_t count = count_windows(self, kernel, stride, padding, dilation, ceil_mode);
      Dims sizes(self.sizes());
      sizes.back() = count;
      out.add(sizes, self.dtype());
    }),
    .cpu =
        [](const Tensor& self, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceil_mode, Tensor& out) {
          const Tensor x = dense(self);
          const Window window{Pooling::max, 2, {1, kernel}, {1, stride}, {0, padding}, {1, dilation}, ceil_mode};
          const Spatial planes(x.sizes(), 1);
          const cpu::PoolShape shape = pool_shape({planes.planes, 1, planes.total}, {planes.planes, 1, out.size(-1)}, window);
          dispatch_floating(self.dtype(), "max_pool1d_impl",
                            [&]<class T>(Type<T>) { cpu::max_pool_lines<T>(shape, x.template data<T>(), out.data<T>()); });
        },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], "
               "bool ceil_mode=False) -> Tensor"},
    .forms = function,
    .doc = R"(Takes the largest element of each window over one dimension.

Along each dimension there are
``floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1`` windows. Padding counts
as minus infinity. NaN counts as the largest; of equal elements the first is taken. The gradient
goes to the elements that were taken.

Args:
    self (Tensor): shape ``(N, C, L)`` or ``(C, L)``.
    kernel_size (int or tuple of int): sizes of a window.
    stride (int or tuple of int): distance of windows. Default: ``()``, `kernel_size`.
    padding (int or tuple of int): on both sides; at most half of the kernel. Default: ``0``.
    dilation (int or tuple of int): distance of the elements of a window. Default: ``1``.
    ceil_mode (bool): whether a last window may pass the padded end, so that sizes round up; a
        window must begin within the input or the padding before it. Default: ``False``.

Returns:
    Tensor: shape of `self` with the numbers of windows at the end.

Raises:
    RuntimeError: when a number is out of range or the result would be empty.

Example:
    >>> F.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 5.0, 4.0]]), 2, stride=1)
    tensor([[3., 3., 5., 5.]]))",
    .composite = compute_max_pool1d,
});

}  // namespace
}  // namespace mt
