// Converts images between channels-last and planar order.
#include "rules/conv/layouts.h"

#include "core/dispatch_dtype.h"
#include "cpu/conv/conv_gather.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

// Transposes [images][rows][cols] to [images][cols][rows].
void transpose_images(const Tensor& from, const Tensor& to, int64_t images, int64_t rows, int64_t cols) {
  dispatch_by_size(from.itemsize(), [&]<class T>(Type<T>) {
    // 4-byte elements are moved as floats: transposing those in registers is the fast path.
    using E = std::conditional_t<sizeof(T) == 4, float, T>;
    cpu::detail::interleave_channels<E, E>(from.data<E>(), images, rows, cols, to.data<E>());
  });
}

}  // namespace

Tensor make_planar(const Tensor& t) {
  if (t.is_contiguous()) return t;
  const MemoryFormat format = t.dim() == 4 ? MemoryFormat::channels_last : MemoryFormat::channels_last_3d;
  if ((t.dim() != 4 && t.dim() != 5) || t.is_conj() || t.is_neg() || t.numel() == 0 || !t.is_contiguous(format)) return dense(t);
  Tensor out = empty(t.sizes(), t.dtype(), t.device());
  transpose_images(t, out, t.size(0), t.numel() / (t.size(0) * t.size(1)), t.size(1));
  return out;
}

bool is_stored_channels_last(const Tensor& t, MemoryFormat format) {
  const bool fits = (format == MemoryFormat::channels_last && t.dim() == 4) || (format == MemoryFormat::channels_last_3d && t.dim() == 5);
  return fits && !t.is_conj() && !t.is_neg() && !t.is_contiguous() && t.is_contiguous(format);
}

Tensor copy_into_format(const Tensor& contiguous, MemoryFormat format) {
  if (format == MemoryFormat::contiguous) return contiguous;
  Tensor out = empty(contiguous.sizes(), contiguous.dtype(), contiguous.device(), format);
  if (out.numel() == 0) return out;
  transpose_images(contiguous, out, out.size(0), out.size(1), out.numel() / (out.size(0) * out.size(1)));
  return out;
}

Tensor convert_to_format(const Tensor& t, MemoryFormat format) {
  if (t.is_contiguous(format) && !t.is_conj() && !t.is_neg()) return t;
  return copy_into_format(make_planar(t), format);
}

}  // namespace mt
