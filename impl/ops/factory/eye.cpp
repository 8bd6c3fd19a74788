// eye: ones on the diagonal.
#include "rules/factory/factory.h"

namespace mt {
namespace {

constexpr auto make_identity = [](int64_t n, int64_t m, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                  std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  check(n >= 0, "n must be greater or equal to 0, got {}", n);
  BelowAutograd guard;
  check(m >= 0, "m must be greater or equal to 0, got {}", m);
  Tensor t = op<"zeros">(IntList{n, m}, dtype, layout, device, pin);
  op<"fill_">(op<"diagonal">(t), 1);
  return t;
};

constexpr auto make_square_identity = [](int64_t n, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                         std::optional<bool> pin) -> Tensor { return make_identity(n, n, dtype, layout, device, pin); };

MT_OP(OpDef{
    .schema =
        {"eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         "eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Returns a matrix with ones on the main diagonal and zeros elsewhere.

Args:
    n (int): number of rows.
    m (int, optional): number of columns. Default: `n`.

Returns:
    Tensor: shape ``(n, m)``; the default dtype unless given.

Raises:
    RuntimeError: when a number is negative.

Example:
    >>> torch.eye(2, 3)
    tensor([[1., 0., 0.],
            [0., 1., 0.]]))",
    .cpu = make_square_identity,
    .npu = {any_device},
    .meta = make_square_identity,
    .overloads = {overload("m", {.cpu = make_identity, .npu = {any_device}, .meta = make_identity})},
});

}  // namespace
}  // namespace mt
