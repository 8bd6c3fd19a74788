// _pack_padded_sequence, _pad_packed_sequence: padded sequences to rows step by step, without the padding, and back.
#include "rules/algebra.h"

namespace mt {
namespace {

using TensorVector = std::vector<Tensor>;

Tensor slice(const Tensor& t, int64_t dim, int64_t begin, int64_t end) {
  return op<"slice.Tensor">(t, dim, begin, end, 1);
}
const char* device_name(const Tensor& t) { return t.device().is_cpu() ? "cpu" : name_of(t.device().type); }
void check_lengths(const Tensor& t) {
  check(t.dim() == 1 && t.device().is_cpu() && t.dtype() == Dtype::int64,
        "'lengths' argument should be a 1D CPU int64 tensor, but got {}D {} {} tensor", t.dim(), device_name(t),
        t.dtype());
}

constexpr auto pack = [](const Tensor& padded, const Tensor& given, bool batch_first) -> Tensors<2> {
  BelowAutograd guard;
  const Tensor input = batch_first ? op<"transpose.int">(padded, 0, 1) : Tensor(padded);
  check_lengths(given);
  const Tensor lengths = op<"contiguous">(given);
  const int64_t batch = input.size(wrap_dim(1, input.dim()));
  check(input.numel() > 0, "Cannot pack empty tensors.");
  check(lengths.size(0) == batch, "Expected `len(lengths)` to be equal to batch_size, but got {} (batch_size={})",
        lengths.size(0), batch);
  const int64_t* length = lengths.data<int64_t>();
  check(length[batch - 1] > 0,
        "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0");
  for (int64_t i = batch - 1; i > 0; --i)
    check(length[i] <= length[i - 1],
          "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
          "`enforce_sorted=False` to pack_padded_sequence "
          "and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability.");
  Dims rest(input.sizes());
  rest.erase(0);
  rest[0] = -1;
  Tensor sizes = empty({length[0]}, Dtype::int64);
  TensorVector steps;
  int64_t begin = 0;
  for (int64_t n = batch; n > 0; --n) {  // the shortest sequence is the last
    const int64_t end = length[n - 1];
    if (end <= begin) continue;
    const Tensor part = op<"contiguous">(slice(slice(input, 0, begin, end), 1, 0, n));
    rest[0] = part.size(0) * part.size(1);
    steps.push_back(op<"view">(part, rest));
    for (; begin < end; ++begin) sizes.data<int64_t>()[begin] = n;
  }
  return {{op<"cat">(steps, 0), sizes}};
};

MT_OP(OpDef{
    .schema = {"_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "Rows of all sequences step by step, and how many sequences each step has.",
    .cpu = pack,
    .grad = {wrt("input",
                 [](Grad g, MetaOf<"input"> input, Out<"result1"> batch_sizes, In<"batch_first", bool> batch_first) {
                   return op<"_pack_padded_sequence_backward">(g, input.sizes, batch_sizes, *batch_first);
                 }),
             wrt("lengths", [](Grad) { return Tensor(); })},
});

MT_OP(OpDef{
    .schema = {"_pack_padded_sequence_backward(Tensor grad, SymInt[] input_size, Tensor batch_sizes, bool batch_first) "
               "-> Tensor"},
    .forms = internal,
    .doc = "The rows back in their places, zeros where there was padding.",
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
        op<"copy_">(slice(op<"select.int">(out, 0, t), 0, 0, n), slice(grad, 0, at, at + n));
        at += n;
      }
      return batch_first ? op<"transpose.int">(out, 0, 1) : out;
    },
});

MT_OP(OpDef{
    .schema = {"_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int "
               "total_length) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "Packed rows as a padded tensor, and each sequence's length.",
    .composite = [](const Tensor& data, const Tensor& given, bool batch_first, Scalar padding,
                    int64_t total_length) -> Tensors<2> {
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
          const Tensor rows = op<"view">(slice(data, 0, at, at + count), part);
          op<"copy_">(slice(slice(out, 0, begin, t), 1, 0, n), rows);
          at += count;
          begin = t;
        }
        for (int64_t i = now < 0 ? 0 : now; i < n && i < batch; ++i) lengths.data<int64_t>()[i] = t;
        n = now;
      }
      return {{batch_first ? op<"transpose.int">(out, 0, 1) : out, lengths}};
    },
});

}  // namespace
}  // namespace mt
