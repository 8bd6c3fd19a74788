// fractional_max_pool2d_backward: adds each result's gradient to the element that was the maximum.
#include "rules/form/exact_out.h"
#include "rules/pool/fractional_pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fractional_max_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] "
               "output_size, Tensor indices) -> Tensor"},
    .doc = "Computes the gradient of ``fractional_max_pool2d``: it goes to the elements that were taken.",
    .rule = structured_exact([](Specs& out, const Tensor& grad, const Tensor& self, IntList, IntList output_size, const Tensor& places) {
      fractional_max_pool_backward_specs(out, grad, self, 2, output_size, places);
    }),
    .cpu = [](const Tensor& grad, const Tensor&, IntList, IntList, const Tensor& places,
              Tensor& out) { add_at_indices("fractional_max_pool2d_backward_out_frame", grad, places, 2, out); },
    .grad = {wrt("grad_output", [](Grad g, In<"indices"> places) { return gather_at_indices(g, places, 2); }),
             wrt("self", [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "FractionalMaxPool2DBackwardBackward0",
});

}  // namespace
}  // namespace mt
