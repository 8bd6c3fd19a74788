// _pack_padded_sequence_backward: copies rows back to their positions.
#include "rules/rnn/packed_sequence.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_pack_padded_sequence_backward(Tensor grad, SymInt[] input_size, Tensor batch_sizes, bool batch_first) "
               "-> Tensor"},
    .forms = internal,
    .doc = "Puts packed rows back into a padded tensor, zeros elsewhere: the gradient of packing.",
    .composite = [](const Tensor& grad, IntList input_size, const Tensor& given, bool batch_first) -> Tensor {
      check_lengths(given);
      const Tensor batch_sizes = op<"contiguous">(given);
      Dims sizes(input_size);
      check(sizes.size() >= 2, "Expected at least 2 dimensions, but got sizes {}", input_size);
      if (batch_first) std::swap(sizes[0], sizes[1]);
      Tensor out = op<"zeros">(sizes, grad.dtype(), nullptr, grad.device());
      int64_t at = 0;
      const int64_t steps = batch_sizes.numel() < sizes[0] ? batch_sizes.numel() : sizes[0];
      for (int64_t t = 0; t < steps; ++t) {
        const int64_t n = batch_sizes.data<int64_t>()[t];
        op<"copy_">(slice_of(op<"select.int">(out, 0, t), 0, 0, n), slice_of(grad, 0, at, at + n));
        at += n;
      }
      return batch_first ? op<"transpose.int">(out, 0, 1) : out;
    },
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
