// argsort: where the elements in order are.
#include "rules/sorting.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
               "argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor"},
    .forms = function | method,
    .doc = "Where the elements in order are.",
    .composite = [](const Tensor& self, int64_t dim, bool descending) -> Tensor {
      return op<"sort", Tensors<2>>(self, dim, descending)[1];
    },
    .overloads = {overload("stable", {.forms = function | method | out,
                                      .composite = [](const Tensor& self, bool stable, int64_t dim, bool descending) -> Tensor {
                                        return op<"sort.stable", Tensors<2>>(self, stable, dim, descending)[1];
                                      }})},
});

}  // namespace
}  // namespace mt
