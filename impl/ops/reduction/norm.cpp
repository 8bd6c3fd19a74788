// norm: the p-norm; torch.norm in Python stands in front of it.
#include "rules/reducers.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
               "norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
               "norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor",
               "norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor"},
    .forms = function | method | out,
    .doc = "The p-norm; torch.norm in Python stands in front of it.",
    .composite = [](const Tensor& self, std::optional<Scalar> p, IntList dim, bool keepdim) -> Tensor {
      return op<"linalg_vector_norm">(self, p.value_or(Scalar(2)), dim, keepdim);
    },
    .overloads = {overload("Scalar",
                           {.forms = function | method,
                            .composite = [](const Tensor& self, Scalar p) -> Tensor { return op<"linalg_vector_norm">(self, p); }}),
                  overload("ScalarOpt_dtype", {.forms = function | method,
                                               .composite = [](const Tensor& self, std::optional<Scalar> p, Dtype dtype) -> Tensor {
                                                 return op<"linalg_vector_norm">(self, p.value_or(Scalar(2)), nullptr, false, dtype);
                                               }}),
                  overload("ScalarOpt_dim_dtype",
                           {.composite = [](const Tensor& self, std::optional<Scalar> p, IntList dim, bool keepdim, Dtype dtype) -> Tensor {
                             return op<"linalg_vector_norm">(self, p.value_or(Scalar(2)), dim, keepdim, dtype);
                           }})},
});

}  // namespace
}  // namespace mt
