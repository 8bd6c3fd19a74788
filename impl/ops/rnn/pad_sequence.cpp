// pad_sequence: combines sequences of different lengths in one padded tensor.
#include <algorithm>
#include "core/messages.h"
#include "rules/rnn/packed_sequence.h"

namespace mt {
namespace {

constexpr auto compute_pad_sequence = [](TensorList sequences, bool batch_first, double padding_value, Text padding_side) -> Tensor {
  check(sequences.size() > 0, "received an empty list of sequences");
  check(padding_side == "left" || padding_side == "right", "Expected padding_side to be one of left or right, but got {}.",
        text_arg(padding_side));
  const Tensor first = sequences[0];
  check(first.dim() > 0, "ArrayRef: invalid slice, N = 1; size = 0");
  int64_t longest = 0;
  for (const Tensor& t : sequences) {
    check(t.dim() > 0, ErrorKind::index, messages::dimension_specified_as_0);
    longest = std::max(longest, t.size(0));
  }
  Dims sizes(first.sizes());
  sizes[0] = batch_first ? longest : sequences.size();
  sizes.insert(0, batch_first ? sequences.size() : longest);
  const Tensor out = op<"full">(sizes, padding_value, first.dtype(), nullptr, first.device());
  for (int64_t i = 0; i < sequences.size(); ++i) {
    const int64_t length = sequences[i].size(0), begin = padding_side == "left" ? longest - length : 0;
    const Tensor place = batch_first ? slice_of(op<"select.int">(out, 0, i), 0, begin, begin + length)
                                     : op<"select.int">(slice_of(out, 0, begin, begin + length), 1, i);
    op<"copy_">(place, sequences[i]);
  }
  return out;
};

MT_OP(OpDef{
    .schema = {"pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0.0, str padding_side=\"right\") -> Tensor"},
    .forms = function,
    .doc = R"(Puts sequences of different lengths side by side in one tensor, filled up with `padding_value`.

``torch.nn.utils.rnn.pad_sequence`` calls it.

Args:
    sequences (sequence of Tensor): tensors ``(L_i, *)`` with equal further sizes.
    batch_first (bool): whether the batch is the first dimension. Default: ``False``.
    padding_value (float): what fills up. Default: ``0.0``.
    padding_side (str): ``"right"`` or ``"left"``. Default: ``"right"``.

Returns:
    Tensor: shape ``(L, N, *)`` with the largest length L, or ``(N, L, *)``.

Raises:
    RuntimeError: when the list is empty or `padding_side` is another text.

Example:
    >>> sequences = [torch.tensor([1, 2, 3]), torch.tensor([4])]
    >>> nn.utils.rnn.pad_sequence(sequences, batch_first=True)
    tensor([[1, 2, 3],
            [4, 0, 0]]))",
    .module = "nn",
    .composite = compute_pad_sequence,
});

}  // namespace
}  // namespace mt
