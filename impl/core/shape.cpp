// Arithmetic on sizes and strides.
#include <algorithm>

#include "core/messages.h"
#include "core/sizes.h"
#include "core/tensor.h"

namespace mt {
namespace {
// Raises on overflow of the strides of a tensor without elements; other tensors fail when their size in bytes is checked.
void check_strides_fit(bool overflow, IntList sizes) {
  if (overflow && std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) fail("Stride calculation overflowed");
}
}  // namespace

// Strides wrap around (-fwrapv) if no memory could hold the sizes: needed_bytes() reports such sizes when memory is allocated.
Dims contiguous_strides(IntList sizes) {
  Dims strides(sizes.size());
  int64_t step = 1;
  bool overflow = false;
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    strides[d] = step;
    if (d > 0 && sizes[d] > 1) overflow |= __builtin_mul_overflow(step, sizes[d], &step);
  }
  check_strides_fit(overflow, sizes);
  return strides;
}

Dims strides_of_format(IntList sizes, MemoryFormat format) {
  if (format == MemoryFormat::contiguous || format == MemoryFormat::preserve) return contiguous_strides(sizes);
  bool is_3d = format == MemoryFormat::channels_last_3d;
  check(sizes.size() == (is_3d ? 5 : 4),
        is_3d ? "required rank 5 tensor to use channels_last_3d format" : "required rank 4 tensor to use channels_last format");
  Dims strides(sizes.size());
  int64_t step = 1;
  auto place = [&](int64_t d) {
    strides[d] = step;
    step *= sizes[d];  // as in torch: 0 before an empty dimension, where contiguous strides count it as size 1
  };
  place(1);
  for (int64_t d = sizes.size() - 1; d >= 2; --d) place(d);
  place(0);
  return strides;
}

bool multiply_sizes(IntList sizes, int64_t& product) {
  uint64_t n = 1;
  bool fits = true, negative = false;
  for (int64_t s : sizes) {
    negative ^= s < 0;
    fits &= !__builtin_mul_overflow(n, s < 0 ? -uint64_t(s) : uint64_t(s), &n);
  }
  product = int64_t(negative ? -n : n);
  return fits && n <= uint64_t(INT64_MAX);
}

int64_t product(IntList sizes) {
  int64_t n;
  check(multiply_sizes(sizes, n), messages::numel_overflow);
  return n;
}

int64_t needed_bytes(IntList sizes, IntList strides, int64_t storage_offset, int64_t itemsize) {
  int64_t last = storage_offset;  // index of the last element
  bool overflow = false;
  for (int64_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return 0;
    int64_t span;
    overflow |= __builtin_mul_overflow(sizes[d] - 1, strides[d], &span) || span < 0 || __builtin_add_overflow(last, span, &last);
  }
  int64_t bytes;
  overflow |= __builtin_add_overflow(last, int64_t(1), &last) || __builtin_mul_overflow(last, itemsize, &bytes);
  if (overflow)
    fail(is_contiguous(sizes, strides) && storage_offset == 0 ? messages::storage_size_overflow
                                                              : messages::storage_size_overflow_with_strides,
         sizes, strides);
  return bytes;
}

int64_t wrap_dim(int64_t dim, int64_t ndim) {
  int64_t range = ndim > 0 ? ndim : 1;
  check(dim >= -range && dim < range, ErrorKind::index, messages::dimension_out_of_range, -range, range - 1, dim);
  return dim < 0 ? dim + range : dim;
}

Dims broadcast_shapes(IntList a, IntList b) {
  int64_t ndim = a.size() > b.size() ? a.size() : b.size();
  Dims out(ndim);
  for (int64_t i = ndim - 1, ia = a.size() - 1, ib = b.size() - 1; i >= 0; --i, --ia, --ib) {
    int64_t sa = ia >= 0 ? a[ia] : 1, sb = ib >= 0 ? b[ib] : 1;
    check(sa == sb || sa == 1 || sb == 1, "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}",
          sa, sb, i);
    out[i] = sa == 1 ? sb : sa;
  }
  return out;
}

Dims infer_size(IntList shape, int64_t numel) {
  Dims out(shape);
  int64_t known = 1, inferred = -1;
  for (int64_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      check(inferred < 0, "only one dimension can be inferred");
      inferred = d;
    } else {
      check(shape[d] >= 0, "invalid shape dimension {} at index {} of shape {}", shape[d], d, shape);
      known *= shape[d];
    }
  }
  if (numel == known || (inferred >= 0 && known > 0 && numel % known == 0)) {
    if (inferred >= 0) {
      check(known != 0,
            "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size -1 can be any value and is ambiguous",
            shape);
      out[inferred] = numel / known;
    }
    return out;
  }
  fail("shape '{}' is invalid for input of size {}", shape, numel);
}

std::optional<Dims> view_strides(IntList sizes, IntList strides, IntList new_sizes) {
  if (sizes.empty()) return Dims(new_sizes.size(), 1);
  int64_t numel = product(sizes);
  if (numel == 0) {
    if (sizes == new_sizes) return Dims(strides);
    return contiguous_strides(new_sizes);
  }
  Dims out(new_sizes.size());
  int64_t view_d = new_sizes.size() - 1;
  int64_t base = strides.back(), tensor_numel = 1, view_numel = 1;
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    tensor_numel *= sizes[d];
    // Dimensions are grouped as long as their memory is contiguous; each group must be covered by whole dimensions of the view.
    if (d == 0 || (sizes[d - 1] != 1 && strides[d - 1] != tensor_numel * base)) {
      while (view_d >= 0 && (view_numel < tensor_numel || new_sizes[view_d] == 1)) {
        out[view_d] = view_numel * base;
        view_numel *= new_sizes[view_d];
        --view_d;
      }
      if (view_numel != tensor_numel) return std::nullopt;
      if (d > 0) {
        base = strides[d - 1];
        tensor_numel = view_numel = 1;
      }
    }
  }
  if (view_d != -1) return std::nullopt;
  return out;
}

bool is_contiguous(IntList sizes, IntList strides) {
  int64_t step = 1;
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    if (sizes[d] == 0) return true;
    if (sizes[d] != 1 && strides[d] != step) {
      for (int64_t s : sizes)
        if (s == 0) return true;
      return false;
    }
    step *= sizes[d];
  }
  return true;
}

}  // namespace mt
