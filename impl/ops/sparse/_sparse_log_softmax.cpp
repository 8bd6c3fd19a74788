// _sparse_log_softmax: log_softmax over the elements that each line of a tensor of coordinates stores.
#include "rules/sparse_softmax.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
               "_sparse_log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes log_softmax along `dim`, as if elements that are not stored were minus infinity.

``torch.sparse.log_softmax`` calls it.)",
    .module = "sparse",
    .sparse = [](const Tensor& self, int64_t dim, bool half_to_float) -> Tensor {
      return sparse_softmax(self, dim, half_to_float, /*log=*/true);
    },
    .grad = {wrt("self", [](Grad g, Out<"result"> y, In<"dim", int64_t> dim, In<"self"> self) {
      return op<"_sparse_log_softmax_backward_data">(g, y, *dim, self);
    })},
    .overloads = {overload("int", {.composite = [](const Tensor& self, int64_t dim, std::optional<Dtype> dtype) -> Tensor {
      return op<"_sparse_log_softmax">(dtype ? op<"to.dtype">(self, *dtype) : self, dim, false);
    }})},
});

MT_OP(OpDef{
    .schema = {"_sparse_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, Tensor self) -> Tensor"},
    .forms = function,
    .doc = "Computes the gradient of ``_sparse_log_softmax``.",
    .sparse = [](const Tensor& grad, const Tensor& output, int64_t dim, const Tensor& self) -> Tensor {
      return sparse_softmax_backward(grad, output, dim, self, /*log=*/true);
    },
});

}  // namespace
}  // namespace mt
