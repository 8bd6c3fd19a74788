// index_fill: slices set to a number at the places of an index vector.
#include <algorithm>

#include "core/backend.h"
#include "core/dispatch_dtype.h"
#include "rules/checked.h"
#include "rules/in_place.h"
#include "rules/indexing.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto filled = [](const Tensor& self, int64_t dim, const Tensor& index, const Value& value) -> Tensor {
  const int64_t d = wrap_dim(dim, self.dim());
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, ErrorKind::index, "index_fill_(): Expected dtype int64 for index.");
  check(index.dim() <= 1, "Index has to be a vector/scalar");
  check(is_complex(self.dtype()) || value.tag != MT_TAG_COMPLEX, "index_fill_(): Converting complex Scalar to non-complex type is not supported");
  BelowAutograd guard;
  Tensor out = may_change(self) ? self : op<"clone">(self);  // in its layout
  if (out.is_meta()) return out;
  const Tensor v = on_host(detail::tensor_of(value));
  if (value.tag != MT_TAG_TENSOR && !self.is_meta()) Scalar::of_value(value).check_fits(self.dtype());
  check(v.dim() == 0, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).", v.dim());
  if (!self.device().is_cpu()) return op<"index_fill.int_Scalar">(self, d, index, Scalar::load(v.dtype(), v.data()));
  const int64_t size = self.dim() ? self.size(d) : 1;
  const Tensor places = empty(index.sizes(), Dtype::int64);
  copy_into(places, index);
  // Where slices lie in runs of elements, runs are filled; a copy for each slice costs several times more.
  const bool in_runs = out.is_contiguous() && out.dim() > 0;
  const int64_t width = in_runs ? out.stride(d) : 0, blocks = in_runs && out.numel() ? out.numel() / (size * width) : 0;
  const Tensor element = in_runs ? empty({}, out.dtype()) : v;
  if (in_runs) copy_into(element, v);
  const int64_t* const given = places.data<int64_t>();
  for (int64_t k = 0; k < places.numel(); ++k)
    check(given[k] >= -size && given[k] < size, ErrorKind::index, "index {} is out of bounds for dimension {} with size {}", given[k], d, size);
  for (int64_t k = 0; k < places.numel(); ++k) {
    const int64_t at = given[k] < 0 ? given[k] + size : given[k];
    if (!in_runs) {
      copy_into(slice_at(out, d, at), v);
      continue;
    }
    dispatch_by_size(out.itemsize(), [&]<class T>(Type<T>) {
      const T value = *static_cast<const T*>(element.data());
      T* to = static_cast<T*>(out.data()) + at * width;
      for (int64_t b = 0; b < blocks; ++b, to += size * width) std::fill_n(to, width, value);
    });
  }
  return out;
};
MT_OP(OpDef{
    .schema = {"index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
               "index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor"},
    .forms = function | method | inplace,
    .doc = "`self` with the slices at the indices set to `value`.",
    .rule = after(refuse_index_mixtures<"index_copy">),
    .cpu = changing(filled),
    .meta = filled,
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"index_fill">(g, *dim, index, 0); }),
             wrt("value", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"sum">(g - op<"index_fill">(g, *dim, index, 0)); })},  // each slice once
    .grad_name = "IndexFillBackward1",
    .overloads = {overload("int_Tensor", {.cpu = changing(filled), .npu = {any_device}, .meta = filled}),
                  overload("int_Scalar", {.npu = {"IndexFill"},
                                          .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"index_fill">(g, *dim, index, 0); })},
                                          .grad_name = "IndexFillBackward0"})},
});

MT_BATCH("index_fill", batch_looped);

}  // namespace
}  // namespace mt
