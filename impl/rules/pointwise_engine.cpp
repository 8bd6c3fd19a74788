// The engine that runs vector loops: over dense operands where they lie, over others through tiles.

#include "core/exception.h"
#include "cpu/convert.h"
#include "cpu/copy.h"
#include "cpu/nest.h"
#include "cpu/parallel.h"
#include "cpu/stream.h"
#include "rules/pointwise_loops.h"

namespace mt {
namespace {

// The tiles of all operands together stay in the first-level cache.
constexpr int64_t tile_bytes = 4096;
// What is computed between two writes past the caches: little enough that the processor reads on while it writes.
constexpr int64_t streamed_tile = 2048;
// Elements of a broadcast element's tile where the other operands are used as they lie: to fill more costs more than to start again.
constexpr int64_t repeated = 256;
// Rows that are worked on together where an operand lies across them: the floats of a cache line.
constexpr int64_t band = 16;
// Rows of fewer elements are gathered into tiles: a loop's start costs more than the copy.
constexpr int64_t shortest_row = 64;

// Runs one range of positions. Operands that are linear and of the loop's dtype are used where they lie; others pass through a tile.
struct Runner {
  PointwiseLoop loop;
  const cpu::Nest* nest;  // operand 0 is the result
  const Dtype* dtypes;    // as stored
  Dtype loop_dtype, result_dtype;
  int inputs;
  cpu::Conversion conversions[max_pointwise_inputs + 1];  // between what is stored and what the loop takes, for operands that need it

  Runner(PointwiseLoop f, const cpu::Nest& n, const Dtype* stored, Dtype taken, Dtype given, int count)
      : loop(f), nest(&n), dtypes(stored), loop_dtype(taken), result_dtype(given), inputs(count) {
    if (!n[0].linear || stored[0] != given) conversions[0] = cpu::Conversion(stored[0], given);
    for (int k = 1; k <= count; ++k)
      if (!n[k].linear || stored[k] != taken) conversions[k] = cpu::Conversion(taken, stored[k]);
  }

  void range(int64_t begin, int64_t end) const {
    const cpu::Nest& operands = *nest;
    bool direct[max_pointwise_inputs + 1], any_tile = false;
    for (int k = 0; k <= inputs; ++k) {
      direct[k] = operands[k].linear && dtypes[k] == (k == 0 ? result_dtype : loop_dtype);
      any_tile |= !direct[k];
    }
    const void* in[max_pointwise_inputs];
    if (!any_tile) {
      for (int k = 1; k <= inputs; ++k) in[k - 1] = operands[k].data + begin * operands[k].itemsize;
      loop(operands[0].data + begin * operands[0].itemsize, in, end - begin);
      return;
    }
    if (operands.sizes().size() > 1 && operands.sizes()[0] >= shortest_row) return rows(begin, end);
    alignas(64) char buffers[max_pointwise_inputs + 1][tile_bytes];
    const int64_t loop_size = element_size(loop_dtype), result_size = element_size(result_dtype);
    const int64_t tile = tile_bytes / std::max(loop_size, result_size);
    for (int k = 1; k <= inputs; ++k)  // a number or broadcast element: one fill serves all tiles
      if (!direct[k] && operands[k].constant) repeat(k, operands[k].data, std::min(tile, end - begin), buffers[k], loop_size);
    for (int64_t p = begin; p < end; p += tile) {
      const int64_t n = std::min(tile, end - p);
      for (int k = 1; k <= inputs; ++k) {
        if (direct[k]) {
          in[k - 1] = operands[k].data + p * operands[k].itemsize;
          continue;
        }
        in[k - 1] = buffers[k];
        if (!operands[k].constant) gather(k, p, n, buffers[k], loop_size);
      }
      if (direct[0]) {
        loop(operands[0].data + p * operands[0].itemsize, in, n);
      } else {
        loop(buffers[0], in, n);
        scatter(p, n, buffers[0], result_size);
      }
    }
  }

  // Innermost runs that are long enough to be worked on where they lie: a broadcast row is read again, not copied, for each of them.
  void rows(int64_t begin, int64_t end) const {
    alignas(64) char buffers[max_pointwise_inputs + 1][tile_bytes];
    const int64_t loop_size = element_size(loop_dtype), result_size = element_size(result_dtype);
    const bool to_result = dtypes[0] == result_dtype && (*nest)[0].strides[0] == result_size;
    bool direct[max_pointwise_inputs + 1], as_they_lie = to_result, repeats = false;
    for (int k = 1; k <= inputs; ++k) {
      const int64_t stride = (*nest)[k].strides[0];
      direct[k] = dtypes[k] == loop_dtype && stride == loop_size;
      repeats |= stride == 0;
      as_they_lie &= direct[k] || stride == 0;
    }
    const int64_t tile = as_they_lie ? repeated : tile_bytes / std::max(loop_size, result_size);
    const int64_t width = std::min((*nest).sizes()[0], end - begin);
    for (int k = 1; k <= inputs; ++k)
      if ((*nest)[k].constant) repeat(k, (*nest)[k].data, std::min(tile, width), buffers[k], loop_size);
    auto repeat_first = [&](char* const* data, const int64_t* strides, int64_t n) {  // one element for the whole run
      for (int k = 1; k <= inputs; ++k)
        if (strides[k] == 0 && !(*nest)[k].constant) repeat(k, data[k], std::min(tile, n), buffers[k], loop_size);
    };
    if (as_they_lie) {
      int64_t advance[max_pointwise_inputs + 1] = {tile * result_size};
      for (int k = 1; k <= inputs; ++k) advance[k] = direct[k] ? tile * loop_size : 0;
      nest->runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t n) {
        if (repeats) repeat_first(data, strides, n);
        const void* in[max_pointwise_inputs];
        for (int k = 1; k <= inputs; ++k) in[k - 1] = direct[k] ? data[k] : buffers[k];
        if (!repeats) return loop(data[0], in, n);
        char* out = data[0];
        for (; n > tile; n -= tile, out += advance[0]) {
          loop(out, in, tile);
          for (int k = 1; k <= inputs; ++k) in[k - 1] = static_cast<const char*>(in[k - 1]) + advance[k];
        }
        loop(out, in, n);
      });
      return;
    }
    nest->runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t n) {
      repeat_first(data, strides, n);
      for (int64_t p = 0; p < n; p += tile) {
        const int64_t length = std::min(tile, n - p);
        const void* in[max_pointwise_inputs];
        for (int k = 1; k <= inputs; ++k) {
          in[k - 1] = direct[k] ? data[k] + p * loop_size : buffers[k];
          if (!direct[k] && strides[k] != 0) conversions[k](buffers[k], loop_size, data[k] + p * strides[k], strides[k], length);
        }
        if (to_result) {
          loop(data[0] + p * result_size, in, length);
        } else {
          loop(buffers[0], in, length);
          conversions[0](data[0] + p * strides[0], strides[0], buffers[0], result_size, length);
        }
      }
    });
  }

  // Whether an input lies across the result: dense along the second dimension. Read along the first one, each of its elements would be
  // another cache line, and often another page.
  bool has_operands_across() const {
    const cpu::Nest& operands = *nest;
    if (operands.sizes().size() < 2 || operands.sizes()[0] < band || operands.sizes()[1] < band) return false;
    if (dtypes[0] != result_dtype || operands[0].strides[0] != element_size(result_dtype)) return false;
    bool any = false;
    for (int k = 1; k <= inputs; ++k) {
      const bool across = lies_across(k);
      if (!across && !operands[k].constant && (dtypes[k] != loop_dtype || operands[k].strides[0] != element_size(loop_dtype))) return false;
      any |= across;
    }
    return any;
  }
  bool lies_across(int k) const {
    const int64_t size = element_size(loop_dtype), stride = (*nest)[k].strides[0];
    return dtypes[k] == loop_dtype && stride != size && stride != 0 && (*nest)[k].strides[1] == size;
  }
  int64_t bands() const { return ((*nest).sizes()[1] + band - 1) / band * ((*nest).numel() / (*nest).sizes()[0] / (*nest).sizes()[1]); }

  // Bands of rows of the result, tile by tile; what lies across is turned first.
  void in_bands(int64_t begin, int64_t end) const {
    constexpr int64_t row_bytes = 1024;
    alignas(64) char buffers[max_pointwise_inputs + 1][band * row_bytes];
    const cpu::Nest& operands = *nest;
    const int64_t columns = operands.sizes()[0], rows = operands.sizes()[1], in_each = (rows + band - 1) / band;
    const int64_t loop_size = element_size(loop_dtype), tile = row_bytes / loop_size;
    for (int k = 1; k <= inputs; ++k)
      if (operands[k].constant) repeat(k, operands[k].data, tile, buffers[k], loop_size);
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b % in_each * band, count = std::min(band, rows - first);
      char* data[max_pointwise_inputs + 1];
      for (int k = 0; k <= inputs; ++k) {
        data[k] = operands[k].data + first * operands[k].strides[1];
        int64_t rest = b / in_each;
        for (int64_t d = 2; d < operands.sizes().size(); ++d) {
          data[k] += rest % operands.sizes()[d] * operands[k].strides[d];
          rest /= operands.sizes()[d];
        }
      }
      for (int64_t c = 0; c < columns; c += tile) {
        const int64_t n = std::min(tile, columns - c);
        for (int k = 1; k <= inputs; ++k)
          if (lies_across(k)) cpu::turn_tile(buffers[k], row_bytes, data[k] + c * operands[k].strides[0], operands[k].strides[0], count, n, loop_size);
        for (int64_t r = 0; r < count; ++r) {
          const void* in[max_pointwise_inputs];
          for (int k = 1; k <= inputs; ++k) {
            if (operands[k].constant)
              in[k - 1] = buffers[k];
            else if (lies_across(k))
              in[k - 1] = buffers[k] + r * row_bytes;
            else
              in[k - 1] = data[k] + r * operands[k].strides[1] + c * loop_size;
          }
          loop(data[0] + r * operands[0].strides[1] + c * element_size(result_dtype), in, n);
        }
      }
    }
  }

  // Operand k's element at `from`, n times.
  void repeat(int k, const void* from, int64_t n, char* buffer, int64_t size) const {
    alignas(16) char element[16];
    if (dtypes[k] != loop_dtype) {
      conversions[k](element, size, from, 0, 1);
      from = element;
    }
    cpu::repeat_element(buffer, from, size, n);
  }

  void gather(int k, int64_t p, int64_t n, char* buffer, int64_t size) const {
    if ((*nest)[k].linear) {
      conversions[k](buffer, size, (*nest)[k].data + p * (*nest)[k].itemsize, (*nest)[k].itemsize, n);
      return;
    }
    nest->runs(p, p + n, [&](char* const* data, const int64_t* strides, int64_t length) {
      conversions[k](buffer, size, data[k], strides[k], length);
      buffer += length * size;
    });
  }
  void scatter(int64_t p, int64_t n, const char* buffer, int64_t size) const {
    if ((*nest)[0].linear) {
      conversions[0]((*nest)[0].data + p * (*nest)[0].itemsize, (*nest)[0].itemsize, buffer, size, n);
      return;
    }
    nest->runs(p, p + n, [&](char* const* data, const int64_t* strides, int64_t length) {
      conversions[0](data[0], strides[0], buffer, size, length);
      buffer += length * size;
    });
  }
};

}  // namespace

void run_pointwise(const PointwiseKernel& kernel, Dtype compute, const Tensor& out, const Tensor* inputs, int n) {
  if (!contains(kernel.dtypes, compute)) not_implemented_for(kernel.name, compute);
  if (out.numel() == 0) return;
  Dtype loop_dtype = compute;
  if (is_half(compute)) {
    // Half types as they lie where all are: a number among them must not be rounded to one.
    bool alike = loop_for(kernel, compute) && out.dtype() == compute;
    for (int i = 0; alike && i < n; ++i) alike = inputs[i].dtype() == compute;
    if (!alike) loop_dtype = Dtype::float32;
  }
  PointwiseLoop loop = loop_for(kernel, loop_dtype);
  if (!loop) not_implemented_for(kernel.name, compute);
  const Dtype result_dtype = is_half(loop_dtype) ? loop_dtype : kernel.results[slot_of(loop_dtype)];

  // Everything dense and of one shape and dtype: no nest to build.
  bool plain = out.dtype() == result_dtype && out.is_contiguous();
  for (int i = 0; plain && i < n; ++i)
    plain = inputs[i].dtype() == loop_dtype && inputs[i].sizes() == out.sizes() && inputs[i].is_contiguous();
  if (plain) {
    char* o = out.data<char>();
    const char* data[max_pointwise_inputs];
    for (int i = 0; i < n; ++i) data[i] = inputs[i].data<char>();
    const int64_t in_size = element_size(loop_dtype), out_size = element_size(result_dtype);
    // Where arithmetic is the limit, a write through the caches costs nothing.
    bool streams = kernel.grain >= PointwiseKernel().grain && cpu::streams_past_caches(out.numel() * out_size);
    for (int i = 0; i < n; ++i) streams = streams && data[i] != o;  // lines that were read are in the caches
    auto piece = [&](int64_t begin, int64_t end) {
      const void* in[max_pointwise_inputs];
      alignas(64) char tile[streamed_tile];
      const int64_t step = streams ? streamed_tile / out_size : end - begin;
      for (int64_t p = begin; p < end; p += step) {
        const int64_t length = std::min(step, end - p);
        for (int i = 0; i < n; ++i) in[i] = data[i] + p * in_size;
        loop(streams ? tile : o + p * out_size, in, length);
        if (streams) cpu::stream_copy(o + p * out_size, tile, length * out_size);
      }
      if (streams) cpu::finish_streams();
    };
    if (out.numel() <= kernel.grain)
      piece(0, out.numel());
    else
      cpu::parallel_for(0, out.numel(), kernel.grain, piece);
    return;
  }

  cpu::Nest nest(out.sizes());
  Dtype dtypes[max_pointwise_inputs + 1] = {out.dtype()};
  nest.add(out.data(), out.itemsize(), out.strides());
  for (int i = 0; i < n; ++i) {
    nest.add_broadcast(inputs[i].data(), inputs[i].itemsize(), inputs[i].sizes(), inputs[i].strides());
    dtypes[i + 1] = inputs[i].dtype();
  }
  nest.finish();
  const Runner runner(loop, nest, dtypes, loop_dtype, result_dtype, n);
  if (runner.has_operands_across()) {
    const int64_t grain = std::max<int64_t>(1, kernel.grain / (band * nest.sizes()[0]));
    return cpu::parallel_for(0, runner.bands(), grain, [&](int64_t begin, int64_t end) { runner.in_bands(begin, end); });
  }
  cpu::parallel_for(0, out.numel(), kernel.grain, [&](int64_t begin, int64_t end) { runner.range(begin, end); });
}

}  // namespace mt
