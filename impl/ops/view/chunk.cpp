// chunk: a dimension cut into about equal pieces.
#include "rules/algebra.h"

namespace mt {
namespace {

constexpr auto chunked = [](const Tensor& self, int64_t chunks, int64_t dim) -> std::vector<Tensor> {
  check(self.dim() > 0, "chunk expects at least a 1-dimensional tensor");
  check(chunks > 0, "chunk expects `chunks` to be greater than 0, got: {}", chunks);
  int64_t d = wrap_dim(dim, self.dim()), size = self.size(d), length = size / chunks + (size % chunks != 0);
  check(length > 0 || chunks < int64_t(1) << 32, ErrorKind::out_of_memory, "chunk: no memory holds {} pieces", chunks);
  if (length == 0) return op<"split_with_sizes", std::vector<Tensor>>(self, Dims(chunks, 0), d);
  return op<"split.Tensor", std::vector<Tensor>>(self, length, d);
};

MT_OP(OpDef{
    .schema = {"chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]"},
    .forms = function | method,
    .doc = "Views of at most `chunks` pieces of a dimension, all but the last of one size.",
    .composite = chunked,
});

}  // namespace
}  // namespace mt
