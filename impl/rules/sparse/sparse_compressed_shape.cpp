// In-place changes of compressed tensors: other sizes, or another tensor's elements.
#include "core/messages.h"
#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {

void check_same_layout(const Tensor& self, std::optional<Layout> layout) {
  check(!layout || *layout == self.layout(), "empty_like with different sparse layout is not supported (self is {} but you requested {})",
        name_of(self.layout()), name_of(layout.value_or(Layout::strided)));
}

void copy_compressed(const Tensor& self, const Tensor& src) {
  if (self.get() == src.get()) return;
  const Layout to = self.layout();
  check(is_compressed(to), "copy_sparse_compressed_ expected sparse compressed tensor layout but got {}", name_of(to));
  check(src.layout() == to, messages::copy_between_compressed_layouts, name_of(to), name_of(src.layout()));
  const SparseComponents &a = components_of(self), &b = components_of(src);
  check(a.plain.size(-1) == b.plain.size(-1),
        "torch.copy_: only sparse compressed tensors with the same number of specified elements are supported.");
  const auto lines = [&](const Tensor& t) { return components_of(t).indices.size(-1) - 1; };
  check(lines(self) == lines(src),
        "torch.copy_: expected shapes of self and src to match along dimension {} for {} layout but the corresponding "
        "dimensions of self and src are {} and {}, respectively.",
        compresses_rows(to) ? -2 : -1, name_of(to), lines(self), lines(src));
  if (const auto own = block_of(self), other = block_of(src); own && other)
    check(*own == *other,
          "torch.copy_: copy of sparse compressed tensors having different block sizes is not supported. self and src block sizes are {} "
          "and {}, "
          "respectively.",
          *own, *other);
  BelowAutograd guard;
  op<"copy_">(a.indices, b.indices);
  op<"copy_">(a.plain, b.plain);
  op<"copy_">(a.values, b.values);
}

void resize_compressed(const Tensor& self, IntList size) {
  check(size.size() >= 2, "torch.resize_: Only batched sparse CSR matrices are supported, but got size {}", size);
  const int64_t had = self.size(-1), columns = size.back();
  check(columns >= had,
        "torch.resize_: Resizing columns of sparse CSR tensors to a smaller value is not supported. The original number of columns is {} "
        "while "
        "the requested new number of columns is {}.",
        had, columns);
  if (self.sizes() == size) return;
  const Compressed c = open_compressed(self);
  check(!has_blocks(c.layout) && c.batch_dims == 0 && c.dense_dims == 0 && size.size() == 2,
        "torch.resize_: a tensor of the layout {} and size {} cannot be resized to {}", name_of(c.layout), self.sizes(), size);
  const int64_t lines = c.by_rows() ? size[0] : columns;
  check(lines >= 0, "torch.resize_: a dimension cannot be negative, but got size {}", size);
  BelowAutograd guard;
  SparseComponents parts = components_of(self);
  const int64_t kept = std::min(lines, c.major());
  const int64_t nnz = c.begins.data<int64_t>()[kept];
  const Tensor begins = empty({lines + 1}, parts.indices.dtype());
  op<"fill_">(begins, Scalar(nnz));
  op<"copy_">(op<"narrow">(begins, int64_t(0), int64_t(0), kept + 1), op<"narrow">(parts.indices, int64_t(0), int64_t(0), kept + 1));
  parts.indices = begins;
  parts.plain = op<"narrow">(parts.plain, int64_t(0), int64_t(0), nnz);
  parts.values = op<"narrow">(parts.values, int64_t(0), int64_t(0), nnz);
  set_sparse(self, size, std::move(parts));
}

void resize_as_compressed(const Tensor& self, const Tensor& the_template) {
  check(is_compressed(self.layout()) && is_compressed(the_template.layout()) && self.layout() == the_template.layout(),
        "resize_as_sparse_compressed_tensor_: self and src must have the same layout, but got: self ({}) and source ({})",
        name_of(self.layout()), name_of(the_template.layout()));
  const SparseComponents &a = components_of(self), &b = components_of(the_template);
  if (self.sizes() == the_template.sizes() && a.values.sizes() == b.values.sizes() && a.indices.sizes() == b.indices.sizes()) return;
  BelowAutograd guard;
  // Copies the template's index tensors, so that the result is valid; the values are not those of the template.
  SparseComponents parts = b;
  parts.indices = op<"clone">(b.indices);
  parts.plain = op<"clone">(b.plain);
  parts.values = op<"zeros">(b.values.sizes(), self.dtype());
  set_sparse(self, the_template.sizes(), std::move(parts));
}

}  // namespace mt
