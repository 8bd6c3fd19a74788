// index_select, index_add, index_copy, index_fill: whole slices by an index vector.
#include <cstring>
#include "rules/indexing.h"

namespace mt {
namespace {

void check_vector(const char* name, const Tensor& index) {
  check(index.dim() <= 1, ErrorKind::index, "{}(): Index is supposed to be a vector", name);
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "{}(): Expected dtype int32 or int64 for index", name);
}
// Element i of the index vector, checked; negative indices are not allowed here.
std::vector<int64_t> positions(const Tensor& index, int64_t size) {
  Tensor dense = empty(index.sizes(), Dtype::int64);
  copy_into(dense, index);
  std::vector<int64_t> out(dense.data<int64_t>(), dense.data<int64_t>() + dense.numel());
  for (int64_t i : out) check(i >= 0 && i < size, ErrorKind::index, "index out of range in self");
  return out;
}
Tensor slice_at(const Tensor& t, int64_t dim, int64_t i) {
  if (t.dim() == 0) return t;
  Dims sizes(t.sizes());
  sizes[dim] = 1;
  return alias(t, sizes, t.strides(), t.storage_offset() + i * t.stride(dim));
}

constexpr auto shape = [](Specs& out, const Tensor& self, int64_t dim, const Tensor& index) {
  check_vector("index_select", index);
  const int64_t d = wrap_dim(dim, self.dim());
  Dims sizes(self.sizes());
  if (self.dim()) sizes[d] = index.numel();
  out.add(sizes, self.dtype());
};
constexpr auto select = [](const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  const int64_t d = wrap_dim(dim, self.dim());
  if (self.dim() == 0) return copy_into(out, self);
  const auto at = positions(index, self.size(d));
  int64_t outer = 1, inner = 1;
  for (int64_t k = 0; k < d; ++k) outer *= self.size(k);
  for (int64_t k = d + 1; k < self.dim(); ++k) inner *= self.size(k);
  if (self.is_contiguous()) {  // runs of memory
    const int64_t bytes = inner * self.itemsize(), n = int64_t(at.size()), rows = self.size(d);
    const char* from = self.data<char>();
    char* to = out.data<char>();
    if (bytes)
      cpu::parallel_for(0, outer * n, std::max<int64_t>(1, 65536 / bytes), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) std::memcpy(to + i * bytes, from + (i / n * rows + at[size_t(i % n)]) * bytes, size_t(bytes));
      });
    return;
  }
  for (size_t i = 0; i < at.size(); ++i) copy_into(slice_at(out, d, int64_t(i)), slice_at(self, d, at[i]));
};
MT_OP(OpDef{
    .schema = {"index_select(Tensor self, int dim, Tensor index) -> Tensor"},
    .forms = function | method | out,
    .doc = "The slices of dimension `dim` that the vector `index` names.",
    .rule = structured(shape),
    .cpu = select,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"index"> index) {
      return op<"index_add">(op<"zeros">(self.sizes, g.dtype(), nullptr, g.device()), *dim, index, g);
    })},
});

constexpr auto added = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) -> Tensor {
  const int64_t d = wrap_dim(dim, self.dim());
  check(index.dim() <= 1, ErrorKind::index, "index_add_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}", index.dim(), index.dtype(), index.sizes());
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "index_add_(): Expected dtype int32/int64 for index but got: {}", index.dtype());
  check(self.dtype() == source.dtype(), "index_add_(): self ({}) and source ({}) must have the same scalar type", self.dtype(), source.dtype());
  check(source.dim() == 0 ? index.numel() == 1 : index.numel() == source.size(d),
        "index_add_(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}", index.numel(), source.dim() ? source.size(d) : 1, d);
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (out.is_meta()) return out;
  copy_into(out, self);
  const auto at = positions(index, self.dim() ? self.size(d) : 1);
  dispatch_all(self.dtype(), "index_add_cpu_", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    C scale;
    if constexpr (is_complex_type<T>) scale = T(alpha.to_complex());
    else if constexpr (std::is_integral_v<T>) scale = C(alpha.to_int());
    else scale = C(alpha.to_double());
    for (size_t i = 0; i < at.size(); ++i) {
      const Tensor to = slice_at(out, d, at[i]), from = slice_at(source, d, int64_t(i));
      cpu::Nest nest(to.sizes());
      nest.add(to.data(), to.itemsize(), to.strides());
      nest.add(from.data(), from.itemsize(), from.strides());
      nest.finish();
      nest.runs(0, nest.numel(), [&](char* const* data, const int64_t* strides, int64_t n) {
        for (int64_t k = 0; k < n; ++k) {
          T& target = *reinterpret_cast<T*>(data[0] + k * strides[0]);
          const T& add = *reinterpret_cast<const T*>(data[1] + k * strides[1]);
          if constexpr (std::is_same_v<T, bool>) target = target || (add && scale);
          else target = T(C(target) + C(add) * scale);
        }
      });
    }
  });
  return out;
};
MT_OP(OpDef{
    .schema = {"index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with `alpha` times the slices of `source` added at the indices.",
    .cpu = added,
    .meta = added,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("source", [](Grad g, In<"dim", int64_t> dim, In<"index"> index, In<"alpha", Scalar> alpha, MetaOf<"source"> source) {
               return op<"expand">(op<"index_select">(g, *dim, index), source.sizes) * alpha.value;
             })},
});

MT_OP(OpDef{
    .schema = {"index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with the slices at the indices replaced by those of `source`.",
    .cpu = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) -> Tensor {
      const int64_t d = wrap_dim(dim, self.dim());
      check(index.dim() < 2, ErrorKind::index, "index_copy_(): Index should have dimension 1 or 0 (got {})", index.dim());
      check(!source.dim() || !self.dim() || source.dim() == self.dim(), ErrorKind::index,
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality ({}), destination "
            "dimensionality ({})",
            source.dim(), self.dim());
      check(index.dtype() == Dtype::int64, "index_copy_(): Expected a long tensor for index, but got {}", index.dtype());
      check(self.dtype() == source.dtype(), "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}", self.dtype(), source.dtype());
      check(source.dim() == 0 ? index.numel() == 1 : index.numel() == source.size(d), ErrorKind::index,
            "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})", index.numel(), source.dim() ? source.size(d) : 1);
      Tensor out = empty(self.sizes(), self.dtype());
      copy_into(out, self);
      const auto at = positions(index, self.dim() ? self.size(d) : 1);
      for (size_t i = 0; i < at.size(); ++i) copy_into(slice_at(out, d, at[i]), slice_at(source, d, int64_t(i)));
      return out;
    },
    .meta = [](const Tensor& self, int64_t, const Tensor&, const Tensor&) -> Tensor { return empty(self.sizes(), self.dtype(), self.device()); },
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"index_fill">(g, *dim, index, 0); }),
             wrt("source", [](Grad g, In<"dim", int64_t> dim, In<"index"> index, MetaOf<"source"> source) {
               return op<"expand">(op<"index_select">(g, *dim, index), source.sizes);
             })},
});

constexpr auto filled = [](const Tensor& self, int64_t dim, const Tensor& index, const Value& value) -> Tensor {
  const int64_t d = wrap_dim(dim, self.dim());
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, ErrorKind::index, "index_fill_(): Expected dtype int64 for index.");
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (out.is_meta()) return out;
  copy_into(out, self);
  const Tensor v = detail::tensor_of(value);
  check(v.dim() == 0, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).", v.dim());
  for (int64_t i : positions(index, self.dim() ? self.size(d) : 1)) copy_into(slice_at(out, d, i), v);
  return out;
};
MT_OP(OpDef{
    .schema = {"index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
               "index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor"},
    .forms = function | method | inplace,
    .doc = "`self` with the slices at the indices set to `value`.",
    .cpu = filled,
    .meta = filled,
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"index_fill">(g, *dim, index, 0); }),
             wrt("value", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"sum">(op<"index_select">(g, *dim, index)); })},
    .grad_name = "IndexFillBackward1",
    .overloads = {overload("int_Scalar", {.grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"index_fill">(g, *dim, index, 0); })},
                                          .grad_name = "IndexFillBackward0"})},
});

}  // namespace
}  // namespace mt
