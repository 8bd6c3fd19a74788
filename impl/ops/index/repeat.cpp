// repeat: the tensor laid out `repeats` times along each dimension.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"repeat(Tensor self, SymInt[] repeats) -> Tensor"},
    .forms = method,
    .doc = "The tensor laid out `repeats` times along each dimension.",
    .composite = [](const Tensor& self, IntList repeats) -> Tensor {
      check(repeats.size() >= self.dim(), "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
      const int64_t extra = repeats.size() - self.dim();
      Dims wide, expanded, shape;
      for (int64_t d = 0; d < repeats.size(); ++d) {
        check(repeats[d] >= 0, "Trying to create tensor with negative dimension {}: {}", repeats[d], repeats);
        const int64_t size = d < extra ? 1 : self.size(d - extra);
        wide.push_back(1), wide.push_back(size);
        expanded.push_back(repeats[d]), expanded.push_back(size);
        shape.push_back(repeats[d] * size);
      }
      Tensor copies = op<"expand">(op<"reshape">(self, wide), expanded);
      return op<"reshape">(op<"clone">(copies, MemoryFormat::contiguous), shape);
    },
});

}  // namespace
}  // namespace mt
