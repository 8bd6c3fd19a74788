// _unsafe_index, _unsafe_index_put, _index_put_impl_: indexing for compiled programs; indices are checked here too.
#include "dispatch/tensor_args.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"},
    .forms = function,
    .doc = R"(Returns the elements that index tensors pick; for compiled programs.

Indices are checked all the same.)",
    .composite = [](const Tensor& self, TensorList indices) -> Tensor { return op<"index.Tensor">(self, box_optional(indices)); },
});
MT_OP(OpDef{
    .schema = {"_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a copy of `self` with the picked elements set to `values`, or added to.

It is ``index_put`` for compiled programs; indices are checked all the same.)",
    .composite = [](const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) -> Tensor {
      return op<"index_put">(self, box_optional(indices), values, accumulate);
    },
});
MT_OP(OpDef{
    .schema =
        {"_index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor(a!)"},
    .forms = function,
    .doc = "Sets the elements that index tensors pick to `values`, or adds them: the body of ``index_put_``.",
    .composite = [](const Tensor& self, TensorList indices, const Tensor& values, bool accumulate,
                    bool) { op<"index_put_">(self, box_optional(indices), values, accumulate); },
});

}  // namespace
}  // namespace mt
