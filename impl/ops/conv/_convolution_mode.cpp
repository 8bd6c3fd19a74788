// _convolution_mode: a convolution whose padding is given by name.
#include "core/messages.h"
#include "core/warn_once.h"
#include "rules/conv/convolution.h"

namespace mt {
namespace {

// The padding that keeps the sizes; if the two sides cannot be equal, the input is padded by one more element at the end.
Tensor pad_to_same_size(const Tensor& given, const Tensor& weight, const Tensor& bias, IntList stride, IntList dilation, int64_t groups) {
  const int64_t n = weight.dim() - 2;
  check(n > 0, messages::weight_rank_below_3);
  check(given.dim() == weight.dim(),
        "Expected {}-dimensional input for {}-dimensional weight{}, but got {}-dimensional input of size {} instead", weight.dim(),
        weight.dim(), weight.sizes(), given.dim(), given.sizes());
  check(stride.size() == n || stride.size() == 1, "stride cannot broadcast to {} dimensions", n);
  check(dilation.size() == n || dilation.size() == 1, "dilation cannot broadcast to {} dimensions", n);
  for (int64_t s : stride) check(s == 1, "padding='same' is not supported for strided convolutions");
  const Dims steps = per_dimension(dilation, "dilation", n);
  Dims padding, border(2 * n, 0);
  bool uneven = false;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t total = int64_t(uint64_t(steps[i]) * uint64_t(weight.size(i + 2) - 1));
    padding.push_back(total / 2);
    border[2 * (n - 1 - i) + 1] = total % 2;
    uneven |= total % 2 != 0;
  }
  Tensor input = given;
  if (uneven) {
    static std::atomic<bool> warned;
    warn_once(warned,
              "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be created");
    input = op<"constant_pad_nd">(given, border, 0);
  }
  return op<"convolution">(input, weight, bias, stride, padding, dilation, false, Dims(n, 0), groups);
}

MT_OP(OpDef{
    .schema = {"_convolution_mode(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, str padding, SymInt[] "
               "dilation, SymInt groups) -> Tensor"},
    .forms = function,
    .doc = R"(Computes a convolution whose padding is ``"valid"`` or ``"same"``.

``torch.conv1d`` and its siblings call it.)",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, Text padding, IntList dilation,
                    int64_t groups) -> Tensor {
      if (padding == "same") return pad_to_same_size(input, weight, bias, stride, dilation, groups);
      check(padding == "valid", "Invalid padding string: '{}'", std::string(padding.data, size_t(padding.size)));
      return op<"convolution">(input, weight, bias, stride, IntList{0}, dilation, false, IntList{0}, groups);
    },
});

}  // namespace
}  // namespace mt
