// pad, _pad_enum: pads the last dimensions: mode 'constant', 'reflect', 'replicate' or 'circular'.
#include "rules/form/algebra.h"

namespace mt {
namespace {

enum PadMode : int64_t { reflect, replicate, circular, constant };
constexpr const char* mode_names[] = {"reflect", "replicate", "circular", "constant"};

Tensor pad_in_mode(const Tensor& self, IntList pad, int64_t mode, std::optional<double> value) {
  check(pad.size() % 2 == 0, "Padding length must be divisible by 2");
  const int64_t n = pad.size() / 2, rank = self.dim();
  check(rank >= n,
        "Padding length should be less than or equal to two times the input dimension but got padding length {} and input of dimension {}",
        pad.size(), rank);
  if (mode == constant) return op<"constant_pad_nd">(self, pad, value.value_or(0.0));
  check(!value || *value == 0, "Padding mode \"{}\" doesn't take in value argument", mode >= 0 && mode < 4 ? mode_names[mode] : "?");
  if (n < 1 || n > 3 || (rank != n + 1 && rank != n + 2))
    fail(ErrorKind::not_implemented,
         "Padding size {} is not supported for {}D input tensor.\nSupported combinations for non-constant padding:\n"
         "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
         "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
         "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)",
         pad.size(), rank);
  if (mode == reflect)
    return n == 1 ? op<"reflection_pad1d">(self, pad) : n == 2 ? op<"reflection_pad2d">(self, pad) : op<"reflection_pad3d">(self, pad);
  if (mode == replicate)
    return n == 1 ? op<"replication_pad1d">(self, pad) : n == 2 ? op<"replication_pad2d">(self, pad) : op<"replication_pad3d">(self, pad);
  if (mode == circular) return op<"_pad_circular">(self, pad);
  fail(ErrorKind::not_implemented, "Unrecognised padding mode");
}

MT_OP(OpDef{
    .schema = {"_pad_enum(Tensor self, SymInt[] pad, int mode, float? value=None) -> Tensor"},
    .forms = function,
    .doc = "Computes ``pad`` with the mode as a number: 0 reflect, 1 replicate, 2 circular, 3 constant.",
    .module = "nn",
    .composite = [](const Tensor& self, IntList pad, int64_t mode, std::optional<double> value) -> Tensor {
      return pad_in_mode(self, pad, mode, value);
    },
});

MT_OP(OpDef{
    .schema = {"pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor"},
    .forms = function,
    .doc = R"(Adds a border around the last dimensions.

`pad` counts from the last dimension: ``(left, right)`` of the last, then ``(left, right)`` of the
one before, and so on. ``"reflect"`` mirrors the elements without repeating the edge,
``"replicate"`` repeats the edge, ``"circular"`` continues from the other end. Negative numbers cut
elements off.

Args:
    self (Tensor): tensor; in other modes than ``"constant"`` one with one or two dimensions (batch,
        channels) before those that are padded, and ``"circular"`` all of them.
    pad (tuple of int): an even number of widths. ``"reflect"`` needs widths below the size,
        ``"circular"`` at most the size.
    mode (str): ``"constant"``, ``"reflect"``, ``"replicate"`` or ``"circular"``. Default:
        ``"constant"``.
    value (float, optional): elements of a constant border. Default: ``None``, 0.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when `pad` has an odd or too large length or does not fit a size, or `value` is
        given in another mode.
    NotImplementedError: when the mode does not take that many dimensions, or is another text.

Example:
    >>> x = torch.tensor([[1.0, 2.0, 3.0]])
    >>> F.pad(x, (1, 2), mode="reflect")
    tensor([[2., 1., 2., 3., 2., 1.]])
    >>> F.pad(x, (1, 0), value=9)
    tensor([[9., 1., 2., 3.]]))",
    .module = "nn",
    .composite = [](const Tensor& self, IntList pad, Text mode, std::optional<double> value) -> Tensor {
      for (int64_t m = reflect; m <= constant; ++m)
        if (mode == mode_names[m]) return pad_in_mode(self, pad, m, value);
      fail(ErrorKind::not_implemented, "Unrecognised padding mode {}", text_arg(mode));
    },
});

}  // namespace
}  // namespace mt
