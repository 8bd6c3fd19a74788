// convolution_overrideable and its backward: another device can register its own convolution for these.
#include "definition/op.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"convolution_overrideable(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, "
               "SymInt[] dilation, bool transposed, "
               "SymInt[] output_padding, SymInt groups) -> Tensor"},
    .doc = "Raises: a device of one's own may implement its convolutions here.",
    .cpu = [](const Tensor&, const Tensor&, const Tensor&, IntList, IntList, IntList, bool, IntList, int64_t) -> Tensor {
      fail(ErrorKind::not_implemented,
           "convolution_overrideable not implemented. You are likely triggering this with tensor backend other than "
           "CPU/CUDA/MKLDNN, if this is intended, "
           "please use TORCH_LIBRARY_IMPL to override this function ");
    },
});

MT_OP(OpDef{
    .schema = {"convolution_backward_overrideable(Tensor grad_output, Tensor input, Tensor weight, SymInt[] stride, "
               "SymInt[] padding, SymInt[] dilation, "
               "bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor grad_input, "
               "Tensor grad_weight, Tensor grad_bias)"},
    .doc = "Raises: a device of one's own may implement the gradients of its convolutions here.",
    .cpu = [](const Tensor&, const Tensor&, const Tensor&, IntList, IntList, IntList, bool, IntList, int64_t, List<uint8_t>) -> Tensors<3> {
      fail(ErrorKind::not_implemented,
           "convolution_backward_overrideable: You are likely triggering this with tensor backend other than "
           "CPU/CUDA/MKLDNN, if this is intended, please "
           "use TORCH_LIBRARY_IMPL to override this function ");
    },
});

}  // namespace
}  // namespace mt
