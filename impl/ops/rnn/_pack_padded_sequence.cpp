// _pack_padded_sequence: converts padded sequences to rows, step by step and without padding.
#include <vector>
#include "rules/rnn/packed_sequence.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto compute_pack_padded_sequence = [](const Tensor& padded, const Tensor& given, bool batch_first) -> Tensors<2> {
  BelowAutograd guard;
  check(padded.numel() > 0, "Cannot pack empty tensors.");
  const Tensor input = batch_first ? op<"transpose.int">(padded, 0, 1) : Tensor(padded);
  check_lengths(given);
  const Tensor lengths = op<"contiguous">(given);
  const int64_t batch = input.size(wrap_dim(1, input.dim()));
  check(lengths.size(0) == batch, "Expected `len(lengths)` to be equal to batch_size, but got {} (batch_size={})", lengths.size(0), batch);
  const int64_t* length = lengths.data<int64_t>();
  check(length[batch - 1] > 0, "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0");
  for (int64_t i = batch - 1; i > 0; --i)
    check(length[i] <= length[i - 1],
          "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
          "`enforce_sorted=False` to pack_padded_sequence "
          "and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability.");
  Dims rest(input.sizes());
  rest.erase(0);
  rest[0] = -1;
  Tensor sizes = empty({length[0]}, Dtype::int64);
  std::vector<Tensor> steps;
  int64_t begin = 0;
  for (int64_t n = batch; n > 0; --n) {  // the shortest sequence is the last
    const int64_t end = length[n - 1];
    if (end <= begin) continue;
    const Tensor part = op<"contiguous">(slice_of(slice_of(input, 0, begin, end), 1, 0, n));
    rest[0] = part.size(0) * part.size(1);
    steps.push_back(op<"view">(part, rest));
    for (; begin < end; ++begin) sizes.data<int64_t>()[begin] = n;
  }
  return {{op<"cat">(steps, 0), sizes}};
};

MT_OP(OpDef{
    .schema = {"_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Returns the rows of padded sequences step by step, and the number of sequences of each step.

``torch.nn.utils.rnn.pack_padded_sequence`` calls it.)",
    .cpu = compute_pack_padded_sequence,
    .npu = {any_device},
    .grad = {wrt("input",
                 [](Grad g, MetaOf<"input"> input, Out<"result1"> batch_sizes, In<"batch_first", bool> batch_first) {
                   return op<"_pack_padded_sequence_backward">(g, input.sizes, batch_sizes, *batch_first);
                 }),
             wrt("lengths", [](Grad) { return Tensor(); })},
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
