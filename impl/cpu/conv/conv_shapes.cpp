// Which pixels each kernel element reads, for the forward direction of a convolution and for its adjoint.
#include <algorithm>

#include "cpu/conv/conv_in_place.h"
#include "cpu/conv/conv_product.h"

namespace mt::cpu::detail {

ProductShape forward_shape(const ConvShape& s) {
  ProductShape p;
  p.groups = s.groups, p.images = s.batch, p.rows = s.out_channels, p.channels = s.in_channels;
  for (int64_t i = 0; i < s.taps(); ++i) {
    const int64_t d = i / (s.kernel[1] * s.kernel[2]), h = i / s.kernel[2] % s.kernel[1], k = i % s.kernel[2];
    const int64_t plane = d * s.dilation[0] - s.padding[0], line = h * s.dilation[1] - s.padding[1];
    p.taps.push_back({i, {plane, line, k * s.dilation[2] - s.padding[2]}, 0, s.in[2]});
  }
  std::copy_n(s.out, 3, p.count);
  std::copy_n(s.stride, 3, p.step);
  p.planes = s.in[0], p.lines = s.in[1], p.line_stride = s.in[2];
  p.source_channel_stride = s.in_size();
  p.source_image_stride = s.groups * s.in_channels * s.in_size();
  p.weight_channel_stride = s.taps();
  p.weight_row_stride = s.in_channels * s.taps();
  p.weight_group_stride = s.out_channels * p.weight_row_stride;
  p.target_start = 0;
  p.target_stride[0] = s.out[1] * s.out[2], p.target_stride[1] = s.out[2], p.target_stride[2] = 1;
  p.target_channel_stride = s.out_size();
  p.target_image_stride = s.groups * s.out_channels * s.out_size();
  return p;
}

std::vector<ProductShape> backward_shapes(const ConvShape& s) {
  ProductShape p;
  p.groups = s.groups, p.images = s.batch, p.rows = s.in_channels, p.channels = s.out_channels;
  std::fill_n(p.step, 3, 1);
  p.planes = s.out[0], p.lines = s.out[1], p.line_stride = s.out[2];
  p.source_channel_stride = s.out_size();
  p.source_image_stride = s.groups * s.out_channels * s.out_size();
  p.weight_row_stride = s.taps();
  p.weight_channel_stride = s.in_channels * s.taps();
  p.weight_group_stride = s.out_channels * p.weight_channel_stride;
  p.target_channel_stride = s.in_size();
  p.target_image_stride = s.groups * s.in_channels * s.in_size();
  const int64_t strides[3] = {s.in[1] * s.in[2], s.in[2], 1};
  int64_t remainders[3];
  for (int i = 0; i < 3; ++i) p.target_stride[i] = strides[i] * s.stride[i], remainders[i] = std::min(s.stride[i], s.in[i]);
  std::vector<ProductShape> products;
  for (int64_t rest = 0; rest < remainders[0] * remainders[1] * remainders[2]; ++rest) {
    const int64_t at[3] = {rest / (remainders[1] * remainders[2]), rest / remainders[2] % remainders[1], rest % remainders[2]};
    p.taps.clear();
    for (int64_t k = 0; k < s.taps(); ++k) {
      const int64_t element[3] = {k / (s.kernel[1] * s.kernel[2]), k / s.kernel[2] % s.kernel[1], k % s.kernel[2]};
      Tap tap{k, {}, 0, s.out[2]};
      bool reads = true;
      for (int i = 0; i < 3; ++i) {
        const int64_t from = at[i] + s.padding[i] - element[i] * s.dilation[i];
        tap.offset[i] = floor_divide(from, s.stride[i]);
        reads &= tap.offset[i] * s.stride[i] == from;
      }
      if (reads) p.taps.push_back(tap);
    }
    if (p.taps.empty()) continue;
    p.target_start = 0;
    for (int i = 0; i < 3; ++i) {
      p.count[i] = (s.in[i] - at[i] - 1) / s.stride[i] + 1;
      p.target_start += at[i] * strides[i];
    }
    products.push_back(p);
  }
  return products;
}

InPlaceLayout::InPlaceLayout(const ProductShape& product, int64_t columns, int64_t channels_of_element, int64_t line, int64_t multiple)
    : p(product), nr(columns), channels(product.channels / channels_of_element) {
  int64_t high[3];
  for (int i = 0; i < 3; ++i) {
    low[i] = high[i] = at(p.taps[0], i);
    for (const Tap& tap : p.taps) low[i] = std::min(low[i], at(tap, i)), high[i] = std::max(high[i], at(tap, i));
    extent[i] = p.count[i] + high[i] - low[i];
  }
  int64_t shared = std::clamp<int64_t>(-low[2], 0, high[2] - low[2]);
  for (const Tap& tap : p.taps) shared = std::clamp<int64_t>(extent[2] + low[2] - tap.width, 0, shared);
  step = round_up(extent[2] - shared, multiple);
  part_size = extent[0] * extent[1] * step + std::max<int64_t>(0, extent[2] - step);
  for (const Tap& tap : p.taps) {
    const Part part{tap.offset[0] - at(tap, 0) * p.step[0], tap.offset[1] - at(tap, 1) * p.step[1], tap.line, tap.width};
    const auto same = [&](const Part& o) { return o.plane == part.plane && o.row == part.row && o.line == part.line; };
    const auto found = std::find_if(parts.begin(), parts.end(), same);
    const int64_t inside = ((at(tap, 0) - low[0]) * extent[1] + at(tap, 1) - low[1]) * step + at(tap, 2) - low[2];
    offset.push_back((found - parts.begin()) * part_size + inside);
    if (found == parts.end()) parts.push_back(part);
  }
  // An odd number of cache lines, so that the same pixel of many channels does not map to few cache sets.
  channel = (divide_up(int64_t(parts.size()) * part_size, line) | 1) * line;
  image = p.groups * channels * channel;
  const int64_t plane = (p.count[1] - 1) * step + p.count[2];
  length = (p.count[0] - 1) * extent[1] * step + plane;
  // Separate planes avoid computing positions in the padding between planes, but each plane then ends with a partial panel.
  if (p.count[0] * divide_up(plane, nr) < divide_up(length, nr)) slices = p.count[0], length = plane;
  panels = divide_up(length, nr);
}

int InPlaceLayout::list_runs(int64_t panel, Run* out) const {
  const int64_t from = panel % panels * nr, stop = std::min(length, from + nr);
  int n = 0;
  for (int64_t f = from; f < stop;) {
    const int64_t w = f % step, h = f / step % extent[1], d = f / step / extent[1] + panel / panels % slices;
    const int64_t next = f - w + step;
    if (w < p.count[2] && h < p.count[1])
      out[n++] = {int32_t(f - from), int32_t(std::min(stop - f, p.count[2] - w)), panel / panels / slices, {d, h, w}};
    f = next;
  }
  return n;
}

}  // namespace mt::cpu::detail
