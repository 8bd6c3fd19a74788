// _cast_Byte and similar operators: a tensor in another dtype; the tensor itself if it has that dtype.
#include "rules/form/algebra.h"

namespace mt {
namespace {

template <Dtype D>
constexpr auto cast_tensor = [](const Tensor& self, bool non_blocking) -> Tensor {
  return self.dtype() == D ? Tensor(self) : op<"to.dtype">(self, D, non_blocking);
};

MT_OP(OpDef{
    .schema = {"_cast_Byte(Tensor self, bool non_blocking=False) -> Tensor"},
    .forms = function,
    .doc = "Returns `self` as uint8, or `self` itself where it has that dtype.",
    .composite = cast_tensor<Dtype::uint8>,
});
MT_OP(OpDef{
    .schema = {"_cast_Char(Tensor self, bool non_blocking=False) -> Tensor"},
    .forms = function,
    .doc = "Returns `self` as int8, or `self` itself where it has that dtype.",
    .composite = cast_tensor<Dtype::int8>,
});
MT_OP(OpDef{
    .schema = {"_cast_Double(Tensor self, bool non_blocking=False) -> Tensor"},
    .forms = function,
    .doc = "Returns `self` as float64, or `self` itself where it has that dtype.",
    .composite = cast_tensor<Dtype::float64>,
});
MT_OP(OpDef{
    .schema = {"_cast_Float(Tensor self, bool non_blocking=False) -> Tensor"},
    .forms = function,
    .doc = "Returns `self` as float32, or `self` itself where it has that dtype.",
    .composite = cast_tensor<Dtype::float32>,
});
MT_OP(OpDef{
    .schema = {"_cast_Half(Tensor self, bool non_blocking=False) -> Tensor"},
    .forms = function,
    .doc = "Returns `self` as float16, or `self` itself where it has that dtype.",
    .composite = cast_tensor<Dtype::float16>,
});
MT_OP(OpDef{
    .schema = {"_cast_Int(Tensor self, bool non_blocking=False) -> Tensor"},
    .forms = function,
    .doc = "Returns `self` as int32, or `self` itself where it has that dtype.",
    .composite = cast_tensor<Dtype::int32>,
});
MT_OP(OpDef{
    .schema = {"_cast_Long(Tensor self, bool non_blocking=False) -> Tensor"},
    .forms = function,
    .doc = "Returns `self` as int64, or `self` itself where it has that dtype.",
    .composite = cast_tensor<Dtype::int64>,
});
MT_OP(OpDef{
    .schema = {"_cast_Short(Tensor self, bool non_blocking=False) -> Tensor"},
    .forms = function,
    .doc = "Returns `self` as int16, or `self` itself where it has that dtype.",
    .composite = cast_tensor<Dtype::int16>,
});

}  // namespace
}  // namespace mt
