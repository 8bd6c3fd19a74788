// Segments of a dimension: checks of lengths and offsets.
#include "rules/reduction/segments.h"

#include "core/messages.h"
#include "rules/reduction/rows.h"

namespace mt {

static void check_batch_dims(int64_t axis, const Tensor& t, const Tensor& data, const char* name) {
  check(t.dim() == axis + 1, "segment_reduce(): Expected axis to be the last dimension of {} but got {}.", name, axis);
  for (int64_t d = 0; d < axis; ++d)
    check(t.size(d) == data.size(d), "Expected all dimensions of {} before the last to be those of data, but got {} and {}", name,
          t.sizes(), data.sizes());
}

Segments segments_of(const Tensor& data, int64_t dim, const Tensor& lengths, const Tensor& offsets, bool unsafe) {
  Segments s;
  s.axis = wrap_dim(dim, data.dim());
  const bool by_length = lengths.defined();
  const Tensor& given = by_length ? lengths : offsets;
  check(given.defined(), "segment_reduce(): Either lengths or offsets must be defined.");
  check_batch_dims(s.axis, given, data, by_length ? "lengths" : "offsets");
  if (given.dtype() != Dtype::int64 && given.dtype() != Dtype::int32)
    not_implemented_for(by_length ? "_segment_reduce_lengths_cpu_kernel1" : "_segment_reduce_offsets_cpu_kernel1", given.dtype());
  s.length = data.dim() ? data.size(s.axis) : 1;
  s.lines = product(IntList(data.sizes().data, s.axis));
  s.inner = data.dim() ? product(IntList(data.sizes().data + s.axis + 1, data.dim() - s.axis - 1)) : 1;
  check(by_length || given.size(-1) > 0, "segment_reduce(): offsets must hold at least one element");
  s.per_line = given.size(-1) - !by_length;
  const Tensor numbers = dense_as(given, Dtype::int64);
  const int64_t* p = numbers.data<int64_t>();
  check(!by_length || unsafe || given.numel() > 0, messages::min_of_empty_needs_dim);
  for (int64_t i = 0; by_length && i < numbers.numel(); ++i) check(p[i] >= 0, "lengths contains negative value!");
  for (int64_t line = 0; line < s.lines; ++line) {
    int64_t begin = 0;
    for (int64_t k = 0; k < s.per_line; ++k) {
      int64_t end;
      if (by_length) {
        end = p[line * s.per_line + k] > s.length - begin ? s.length + 1 : begin + p[line * s.per_line + k];
      } else {
        begin = p[line * (s.per_line + 1) + k], end = p[line * (s.per_line + 1) + k + 1];
        check(end >= begin,
              "Expected segment_length >= 0 to be true, but got false.  (Could this error message be improved?  If so, please report an "
              "enhancement request to PyTorch.)");
      }
      check(begin >= 0 && end <= s.length, messages::segment_lengths_do_not_sum);
      s.ends.push_back(begin);
      s.ends.push_back(end);
      begin = end;
    }
    check(!by_length || unsafe || begin == s.length, messages::segment_lengths_do_not_sum);
  }
  return s;
}

}  // namespace mt
