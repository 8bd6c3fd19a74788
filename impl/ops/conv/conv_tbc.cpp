// conv_tbc: convolution over the first dimension of (time, batch, channels); the weight is (width, in, out).
#include "rules/form/algebra.h"

namespace mt {
namespace {

// The time steps [first, first + count) of a tensor, as rows of channels.
Tensor slice_rows(const Tensor& t, int64_t first, int64_t count) {
  return op<"reshape">(op<"narrow">(t, 0, first, count), IntList{count * t.size(1), t.size(2)});
}
// Which input times are combined with which output times by kernel element k.
struct TimeOverlap {
  int64_t in, out, count;
  TimeOverlap(int64_t k, int64_t in_times, int64_t out_times, int64_t pad) {
    const int64_t shift = k - pad;
    in = std::max<int64_t>(0, shift), out = std::max<int64_t>(0, -shift);
    count = std::max<int64_t>(0, std::min(in_times - in, out_times - out));
  }
};

constexpr auto compute_conv_tbc = [](const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad) -> Tensor {
  check(self.dim() == 3, "Input must have 3 dims: time, batch, in_channel");
  check(weight.dim() == 3, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
  check(bias.dim() == 1, "Bias must be 1-D");
  check(self.size(2) == weight.size(1), "Input dim 2 (input channels) is not == dim 1 in the weight tensor");
  check(weight.size(2) == bias.size(0), "Bias size must equal dim 2 in the weight tensor (output channels).");
  const int64_t times = int64_t(uint64_t(self.size(0)) + 2 * uint64_t(pad) - uint64_t(weight.size(0)) + 1);
  BelowAutograd guard;
  Tensor out = op<"clone">(op<"expand">(bias, IntList{times, self.size(1), weight.size(2)}), MemoryFormat::contiguous);
  for (int64_t k = 0; k < weight.size(0); ++k) {
    const TimeOverlap m(k, self.size(0), times, pad);
    if (m.count <= 0 || self.size(1) == 0) continue;
    op<"addmm_">(slice_rows(out, m.out, m.count), slice_rows(self, m.in, m.count), op<"select.int">(weight, 0, k), 1, 1);
  }
  return out;
};

constexpr auto differentiate_conv_tbc = [](const Tensor& g, const Tensor& input, const Tensor& weight, const Tensor& bias,
                                           int64_t pad) -> Tensors<3> {
  Tensors<3> out;
  const Tensor given = op<"contiguous">(g);
  out[2] = op<"sum.dim_IntList">(given, IntList{0, 1});
  std::vector<Tensor> weights;
  Tensor padded = op<"constant_pad_nd">(input, IntList{0, 0, 0, 0, pad, pad}, 0), sum = op<"zeros_like">(padded);
  for (int64_t k = 0; k < weight.size(0); ++k) {
    Tensor times = op<"narrow">(padded, 0, k, g.size(0));
    weights.push_back(op<"einsum">("tbi,tbo->io", TensorList({times, given})));
    Tensor back = op<"matmul">(given, op<"t">(op<"select.int">(weight, 0, k)));
    sum = sum + op<"constant_pad_nd">(back, IntList{0, 0, 0, 0, k, padded.size(0) - k - g.size(0)}, 0);
  }
  out[0] = op<"narrow">(sum, 0, pad, input.size(0));
  out[1] = weights.empty() ? op<"zeros_like">(weight) : op<"stack">(weights, 0);
  (void)bias;
  return out;
};

MT_OP(OpDef{
    .schema = {"conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor"},
    .forms = function,
    .doc = R"(Convolves over time a tensor of ``(time, batch, channels)``.

Args:
    self (Tensor): shape ``(T, B, I)``.
    weight (Tensor): kernels; shape ``(K, I, O)``.
    bias (Tensor): shape ``(O,)``.
    pad (int): zeros on both sides of the time. Default: ``0``.

Returns:
    Tensor: shape ``(T + 2 * pad - K + 1, B, O)``.

Raises:
    RuntimeError: when dimensions or channels do not fit.

Example:
    >>> x = torch.tensor([1.0, 2.0, 3.0]).view(3, 1, 1)
    >>> torch.conv_tbc(x, torch.ones(2, 1, 1), torch.zeros(1)).flatten()
    tensor([3., 5.]))",
    .cpu = compute_conv_tbc,
    .npu = {"ConvTbc(self, weight, bias, pad, out, 0)"},
    .meta = compute_conv_tbc,
    .autocast = everywhere(Autocast::lower_precision),
    .grad = {wrt({"self", "weight", "bias"}, [](Grad g, In<"self"> x, In<"weight"> w, In<"bias"> b,
                                                In<"pad", int64_t> pad) { return op<"conv_tbc_backward", Tensors<3>>(g, x, w, b, *pad); })},
});

MT_OP(OpDef{
    .schema = {"conv_tbc_backward(Tensor self, Tensor input, Tensor weight, Tensor bias, int pad) -> (Tensor, Tensor, Tensor)"},
    .doc = "Computes the gradients of ``conv_tbc`` for input, weight and bias.",
    .composite = differentiate_conv_tbc,
});

}  // namespace
}  // namespace mt
