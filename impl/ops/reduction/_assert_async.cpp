// _assert_async: raises unless a one-element tensor is non-zero.
#include "rules/form/algebra.h"

namespace mt {
namespace {

void check_true(const Tensor& self, const char* message) {
  check(self.numel() > 0, "Boolean value of Tensor with no values is ambiguous");
  check(self.numel() < 2, "Boolean value of Tensor with more than one value is ambiguous");
  const Tensor truth = op<"ne">(self, 0);
  check(*truth.data<bool>(), "{}", message);
}

MT_OP(OpDef{
    .schema = {"_assert_async(Tensor self) -> ()"},
    .forms = function,
    .doc = "Raises RuntimeError unless the one element is non-zero. torch._assert_async calls it.",
    .cpu = [](const Tensor& self) { check_true(self, "Expected Tensor with single nonzero value, but got zero"); },
    .meta = [](const Tensor&) {},
});
MT_OP(OpDef{
    .schema = {"_assert_async.msg(Tensor self, str assert_msg) -> ()"},
    .forms = function,
    .doc = "Raises RuntimeError with the text `assert_msg` unless the one element is non-zero.",
    .cpu = [](const Tensor& self, Text message) { check_true(self, std::string(message.data, size_t(message.size)).c_str()); },
    .meta = [](const Tensor&, Text) {},
});

}  // namespace
}  // namespace mt
