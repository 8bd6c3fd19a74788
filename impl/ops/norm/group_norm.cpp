// group_norm: groups of channels normalised.
#include "dispatch/autocast.h"
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool "
               "cudnn_enabled=True) -> Tensor"},
    .forms = function,
    .doc = "Normalises each of `num_groups` groups of channels of (N, C, ...), then scales and shifts each channel.",
    .composite = [](const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias, double eps,
                    bool) -> Tensor {
      const int64_t c = input.size(wrap_dim(1, input.dim())), n = input.size(0);
      int64_t inner = 1;
      for (int64_t d = 2; d < input.dim(); ++d) inner *= input.size(d);
      const MemoryFormat format = input.suggested_memory_format();
      const Tensor x = input.is_contiguous(format) ? input : op<"contiguous">(input, format);
      return op<"native_group_norm", Tensors<3>>(x, weight, bias, n, c, inner, groups, eps)[0];
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
