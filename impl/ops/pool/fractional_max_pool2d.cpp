// fractional_max_pool2d: max pooling over windows with pseudo-random starts (Graham 2014).
#include "rules/pool/fractional_pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> "
               "(Tensor, Tensor)"},
    .forms = function | out,
    .form_overloads = {{"out", "output(output, indices)"}},
    .doc = R"(Takes the largest element of windows that begin at pseudo-random positions, and its index.

The distances of windows vary between two neighbouring integers so that as many windows as asked for
cover the input (Graham, "Fractional max-pooling", 2014). `random_samples` decides the positions;
the same numbers give the same windows. ``torch.nn.functional.fractional_max_pool2d`` draws them.

Args:
    self (Tensor): shape ``(N, C, H, W)`` or ``(C, H, W)``; a floating dtype.
    kernel_size (int or tuple of int): sizes of a window.
    output_size (int or tuple of int): number of windows along each dimension.
    random_samples (Tensor): numbers in [0, 1); shape ``(N, C, 2)``; dtype of `self`.

Returns:
    (Tensor, Tensor): values, and int64 indices in the flattened plane of the channel.

Raises:
    RuntimeError: when sizes or samples do not fit.

Example:
    >>> x = torch.ones(1, 1, 5, 5)
    >>> F.fractional_max_pool2d(x, 2, output_size=2, _random_samples=torch.zeros(1, 1, 2)).shape
    torch.Size([1, 1, 2, 2]))",
    .module = "nn",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList kernel, IntList output_size, const Tensor& samples) {
      fractional_max_pool_specs(out, self, 2, kernel, output_size, samples);
    }),
    .cpu = [](const Tensor& self, IntList kernel, IntList, const Tensor& samples, Tensor& values,
              Tensor& places) { fractional_max_pool("fractional_max_pool2d_out_frame", self, 2, kernel, samples, values, places); },
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, In<"kernel_size", IntList> kernel, In<"output_size", IntList> output_size,
                    Out<"result1"> places) { return op<"fractional_max_pool2d_backward">(g, self, *kernel, *output_size, places); })},
    .grad_name = "FractionalMaxPool2DBackward0",
});

}  // namespace
}  // namespace mt
