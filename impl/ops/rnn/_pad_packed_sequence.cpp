// _pad_packed_sequence: converts the packed rows of all sequences to a padded tensor.
#include "rules/rnn/packed_sequence.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int "
               "total_length) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Returns packed rows as a padded tensor, and the length of each sequence.

``torch.nn.utils.rnn.pad_packed_sequence`` calls it.)",
    .composite = [](const Tensor& data, const Tensor& given, bool batch_first, Scalar padding, int64_t total_length) -> Tensors<2> {
      check_lengths(given);
      const Tensor batch_sizes = op<"contiguous">(given);
      const int64_t steps = batch_sizes.numel(), *sizes = batch_sizes.data<int64_t>();
      check(steps > 0, "Expected batch_sizes of at least one step");
      const int64_t batch = sizes[0];
      check(batch >= 0, "Expected batch_sizes that are not negative, but got {}", batch);
      check(total_length <= 0 || total_length >= steps,
            "Expected total_length to be at least the length of the longest sequence in input, but got total_length={} "
            "and max sequence length being {}",
            total_length, steps);
      Dims shape(data.sizes());
      wrap_dim(0, data.dim());
      shape[0] = batch;
      shape.insert(0, total_length > 0 ? total_length : steps);
      Tensor out = op<"full">(shape, padding, data.dtype(), nullptr, data.device());
      Tensor lengths = empty({batch}, Dtype::int64);
      int64_t begin = 0, at = 0, n = batch;
      for (int64_t t = 0; t <= steps; ++t) {
        const int64_t now = t < steps ? sizes[t] : 0;
        if (now != n) {
          const int64_t count = n * (t - begin);
          Dims part(data.sizes());
          part[0] = n;
          part.insert(0, t - begin);
          const Tensor rows = op<"view">(slice_of(data, 0, at, at + count), part);
          op<"copy_">(slice_of(slice_of(out, 0, begin, t), 1, 0, n), rows);
          at += count;
          begin = t;
        }
        for (int64_t i = now < 0 ? 0 : now; i < n && i < batch; ++i) lengths.data<int64_t>()[i] = t;
        n = now;
      }
      return {{batch_first ? op<"transpose.int">(out, 0, 1) : out, lengths}};
    },
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
