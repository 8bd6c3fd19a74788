// The engine that runs vector loops: dense operands in place, others through tiles.
#include <algorithm>

#include "core/exception.h"
#include "cpu/copy/convert.h"
#include "cpu/copy/copy.h"
#include "cpu/copy/nest.h"
#include "cpu/copy/short_rows.h"
#include "cpu/copy/stream.h"
#include "cpu/threads/parallel.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise_loops.h"

namespace mt {
namespace {

// The tiles of all operands together stay in the L1 cache.
constexpr int64_t tile_bytes = 4096;
// The bytes computed between two streaming writes: few enough that the processor keeps reading while it writes. Sums of 64 MB on a Zen 4:
// 6.8 ms with 512 bytes, 7.8 with 1,024, 10 with 2,048.
constexpr int64_t streamed_tile = 512;
// Rows that are processed together if an operand is transposed: the floats of a cache line.
constexpr int64_t band = 16;
// Shorter rows are gathered into tiles: starting a loop costs more than the copy.
constexpr int64_t shortest_row = 64, shortest_repeat = 128;  // without and with an element to repeat
constexpr int64_t shortest_row_of_elements = 8;              // if the loop takes the repeated element directly

// Finds elements and rows by their position in a nest of loops.
struct Walk {
  const cpu::Nest* nest;  // operand 0 is the result

  // Operand k's element at position p.
  char* element_at(int k, int64_t p) const {
    char* data = (*nest)[k].data;
    for (int64_t d = 0; d < nest->sizes().size(); p /= nest->sizes()[d], ++d) data += p % nest->sizes()[d] * (*nest)[k].strides[d];
    return data;
  }
  // The number of whole rows at the start of the positions [p, p + n), within one plane; 0 if p is inside a row.
  int64_t count_whole_rows(int64_t p, int64_t n) const {
    const IntList sizes = nest->sizes();
    const int64_t in_plane = sizes.size() > 1 ? sizes[1] : 1;
    return p % sizes[0] ? 0 : std::min(n / sizes[0], in_plane - p / sizes[0] % in_plane);
  }
};

// Runs one range of positions. Contiguous operands of the loop's dtype are used in place; others pass through a tile.
struct Runner : Walk {
  PointwiseLoop loop;
  const Dtype* dtypes;  // as stored
  Dtype loop_dtype, result_dtype;
  int inputs;
  cpu::Conversion conversions[max_pointwise_inputs + 1];  // between the stored dtype and the loop's, for operands that need it

  Runner(PointwiseLoop f, const cpu::Nest& n, const Dtype* stored, Dtype taken, Dtype given, int count)
      : Walk{&n}, loop(f), dtypes(stored), loop_dtype(taken), result_dtype(given), inputs(count) {
    if (!n[0].linear || stored[0] != given) conversions[0] = cpu::Conversion(stored[0], given);
    for (int k = 1; k <= count; ++k)
      if (!n[k].linear || stored[k] != taken) conversions[k] = cpu::Conversion(taken, stored[k]);
  }

  void run_range(int64_t begin, int64_t end) const {
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
    if (can_run_in_rows()) return run_each_row(begin, end);
    alignas(64) char buffers[max_pointwise_inputs + 1][tile_bytes + cpu::spare_bytes];
    const int64_t loop_size = element_size(loop_dtype), result_size = element_size(result_dtype);
    int64_t largest = std::max(loop_size, result_size);
    for (int k = 0; k <= inputs; ++k) largest = std::max(largest, operands[k].itemsize);
    const int64_t tile = tile_bytes / largest, row = operands.sizes()[0];
    bool filled[max_pointwise_inputs + 1] = {};  // filled once for all tiles: a repeated element, or a row that all rows share
    for (int k = 1; k <= inputs; ++k) {
      if (direct[k]) continue;
      const bool is_row = is_shared_row(k) && row <= tile;
      if (operands[k].constant)
        fill_with_element(k, operands[k].data, std::min(tile, end - begin), buffers[k], loop_size);
      else if (is_row)
        gather_into_buffer(k, 0, std::min(tile, operands.numel()) / row * row, buffers[k], loop_size);
      filled[k] = operands[k].constant || is_row;
    }
    for (int64_t p = begin, n; p < end; p += n) {
      const int64_t column = p % row;  // the rest of a row that another range started, then whole rows
      n = std::min(tile, end - p);
      n = column ? std::min(n, row - column) : n > row ? n - n % row : n;
      for (int k = 1; k <= inputs; ++k) {
        if (direct[k]) {
          in[k - 1] = operands[k].data + p * operands[k].itemsize;
          continue;
        }
        in[k - 1] = buffers[k] + (filled[k] && !operands[k].constant ? column * loop_size : 0);
        if (!filled[k]) gather_into_buffer(k, p, n, buffers[k], loop_size);
      }
      if (direct[0]) {
        loop(operands[0].data + p * operands[0].itemsize, in, n);
      } else {
        loop(buffers[0], in, n);
        scatter_from_buffer(p, n, buffers[0], result_size);
      }
    }
  }

  // Whether all rows of the result use the same row of operand k.
  bool is_shared_row(int k) const { return nest->sizes().size() == 2 && (*nest)[k].strides[1] == 0; }
  // Whether to process each row in place: every operand has contiguous rows of the loop's dtype or one element per row, and gathering
  // them would take more than one fill.
  bool can_run_in_rows() const {
    const cpu::Nest& operands = *nest;
    if (operands.sizes().size() < 2 || dtypes[0] != result_dtype || operands[0].strides[0] != element_size(result_dtype)) return false;
    bool repeats = false, gathers = !operands[0].linear;
    for (int k = 1; k <= inputs; ++k) {
      const int64_t stride = operands[k].strides[0];
      if (stride != 0 && (dtypes[k] != loop_dtype || stride != element_size(loop_dtype))) return false;
      repeats |= stride == 0 && !operands[k].constant;
      const bool fills_once = is_shared_row(k) && operands.sizes()[0] * element_size(loop_dtype) <= tile_bytes;
      gathers |= !operands[k].linear && !operands[k].constant && !fills_once;
    }
    return gathers && operands.sizes()[0] >= (repeats ? shortest_repeat : shortest_row);
  }
  // Runs the loop on each row in place, without gathering.
  void run_each_row(int64_t begin, int64_t end) const {
    alignas(64) char buffers[max_pointwise_inputs + 1][repeated * 16];
    const int64_t loop_size = element_size(loop_dtype), result_size = element_size(result_dtype);
    const IntList sizes = nest->sizes();
    bool repeats = false;
    int64_t advance[max_pointwise_inputs + 1] = {repeated * result_size};
    for (int k = 1; k <= inputs; ++k) {
      const bool is_one = (*nest)[k].strides[0] == 0;
      repeats |= is_one;
      advance[k] = is_one ? 0 : repeated * loop_size;
      if ((*nest)[k].constant) fill_with_element(k, (*nest)[k].data, std::min({sizes[0], end - begin, repeated}), buffers[k], loop_size);
    }
    for (int64_t p = begin; p < end;) {
      const int64_t count = count_whole_rows(p, end - p), length = count ? sizes[0] : std::min(end - p, sizes[0] - p % sizes[0]);
      char* data[max_pointwise_inputs + 1];
      for (int k = 0; k <= inputs; ++k) data[k] = element_at(k, p);
      for (int64_t r = 0; r < std::max<int64_t>(count, 1); ++r) {
        const void* in[max_pointwise_inputs];
        for (int k = 1; k <= inputs; ++k) {
          const bool is_one = advance[k] == 0;
          in[k - 1] = is_one ? buffers[k] : data[k];
          if (is_one && !(*nest)[k].constant) fill_with_element(k, data[k], std::min(repeated, length), buffers[k], loop_size);
        }
        char* out = data[0];
        int64_t n = length;
        for (; repeats && n > repeated; n -= repeated, out += advance[0]) {
          loop(out, in, repeated);
          for (int k = 1; k <= inputs; ++k) in[k - 1] = static_cast<const char*>(in[k - 1]) + advance[k];
        }
        loop(out, in, n);
        for (int k = 0; k <= inputs; ++k) data[k] += (*nest)[k].strides[1];
      }
      p += std::max<int64_t>(count, 1) * length;
    }
  }

  // Whether an input is transposed relative to the result, contiguous along its second dimension. Read along the first one, each element
  // would be in another cache line, and often on another page.
  bool has_transposed_operands() const {
    const cpu::Nest& operands = *nest;
    if (operands.sizes().size() < 2 || operands.sizes()[0] < band || operands.sizes()[1] < band) return false;
    if (dtypes[0] != result_dtype || operands[0].strides[0] != element_size(result_dtype)) return false;
    bool any = false;
    for (int k = 1; k <= inputs; ++k) {
      const bool across = is_transposed_operand(k);
      if (!across && !operands[k].constant && (dtypes[k] != loop_dtype || operands[k].strides[0] != element_size(loop_dtype))) return false;
      any |= across;
    }
    return any;
  }
  bool is_transposed_operand(int k) const {
    const int64_t size = element_size(loop_dtype), stride = (*nest)[k].strides[0];
    return dtypes[k] == loop_dtype && stride != size && stride != 0 && (*nest)[k].strides[1] == size;
  }
  int64_t count_bands() const {
    return ((*nest).sizes()[1] + band - 1) / band * ((*nest).numel() / (*nest).sizes()[0] / (*nest).sizes()[1]);
  }

  // Processes bands of rows of the result, tile by tile, and transposes transposed operands into tiles first.
  void run_in_bands(int64_t begin, int64_t end) const {
    constexpr int64_t row_bytes = 1024;
    alignas(64) char buffers[max_pointwise_inputs + 1][band * row_bytes];
    const cpu::Nest& operands = *nest;
    const int64_t columns = operands.sizes()[0], rows = operands.sizes()[1], in_each = (rows + band - 1) / band;
    const int64_t loop_size = element_size(loop_dtype), tile = row_bytes / loop_size;
    for (int k = 1; k <= inputs; ++k)
      if (operands[k].constant) fill_with_element(k, operands[k].data, tile, buffers[k], loop_size);
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b % in_each * band, count = std::min(band, rows - first);
      char* data[max_pointwise_inputs + 1];
      for (int k = 0; k <= inputs; ++k) data[k] = element_at(k, (b / in_each * rows + first) * columns);
      for (int64_t c = 0; c < columns; c += tile) {
        const int64_t n = std::min(tile, columns - c);
        for (int k = 1; k <= inputs; ++k)
          if (is_transposed_operand(k))
            cpu::transpose_tile(buffers[k], row_bytes, data[k] + c * operands[k].strides[0], operands[k].strides[0], count, n, loop_size);
        for (int64_t r = 0; r < count; ++r) {
          const void* in[max_pointwise_inputs];
          for (int k = 1; k <= inputs; ++k) {
            if (operands[k].constant)
              in[k - 1] = buffers[k];
            else if (is_transposed_operand(k))
              in[k - 1] = buffers[k] + r * row_bytes;
            else
              in[k - 1] = data[k] + r * operands[k].strides[1] + c * loop_size;
          }
          loop(data[0] + r * operands[0].strides[1] + c * element_size(result_dtype), in, n);
        }
      }
    }
  }

  // Fills `buffer` with n copies of operand k's element at `from`.
  void fill_with_element(int k, const void* from, int64_t n, char* buffer, int64_t size) const {
    alignas(16) char element[16];
    if (dtypes[k] != loop_dtype) {
      conversions[k](element, size, from, 0, 1);
      from = element;
    }
    cpu::repeat_element(buffer, from, size, n);
  }

  void gather_into_buffer(int k, int64_t p, int64_t n, char* buffer, int64_t size) const {
    if ((*nest)[k].linear) {
      conversions[k](buffer, size, (*nest)[k].data + p * (*nest)[k].itemsize, (*nest)[k].itemsize, n);
      return;
    }
    const int64_t stored = (*nest)[k].itemsize;
    alignas(64) char raw[tile_bytes + cpu::spare_bytes];
    if (dtypes[k] != loop_dtype && (*nest)[k].strides[0] == 0)  // one element per row: converted before it is repeated
      return run_in_rows(k, p, n, [&](char* data, const cpu::ShortRows& rows) {
        conversions[k](raw, size, data, rows.row_stride, rows.rows);
        cpu::gather_rows(buffer, raw, {size, rows.width, 0, rows.rows, size});
        buffer += rows.rows * rows.width * size;
      });
    char* to = dtypes[k] == loop_dtype ? buffer : raw;
    run_in_rows(k, p, n, [&](char* data, const cpu::ShortRows& rows) {
      cpu::gather_rows(to, data, rows);
      to += rows.rows * rows.width * stored;
    });
    if (dtypes[k] != loop_dtype) conversions[k](buffer, size, raw, stored, n);
  }
  void scatter_from_buffer(int64_t p, int64_t n, const char* buffer, int64_t size) const {
    if ((*nest)[0].linear) {
      conversions[0]((*nest)[0].data + p * (*nest)[0].itemsize, (*nest)[0].itemsize, buffer, size, n);
      return;
    }
    const int64_t stored = (*nest)[0].itemsize;
    alignas(64) char raw[tile_bytes];
    if (dtypes[0] != result_dtype) {
      conversions[0](raw, stored, buffer, size, n);
      buffer = raw;
    }
    run_in_rows(0, p, n, [&](char* data, const cpu::ShortRows& rows) {
      cpu::scatter_rows(data, rows, buffer);
      buffer += rows.rows * rows.width * stored;
    });
  }
  // Calls f(data, rows) for the positions [p, p + n) of operand k: for a part of a row, or for several whole rows at a time.
  template <class F>
  void run_in_rows(int k, int64_t p, int64_t n, F&& f) const {
    const cpu::NestOperand& operand = (*nest)[k];
    const int64_t row = nest->sizes()[0], row_stride = nest->sizes().size() > 1 ? operand.strides[1] : 0;
    while (n > 0) {
      const int64_t whole = count_whole_rows(p, n), width = whole ? row : std::min(n, row - p % row), rows = std::max<int64_t>(whole, 1);
      f(element_at(k, p), cpu::ShortRows{operand.itemsize, width, operand.strides[0], rows, row_stride});
      p += rows * width, n -= rows * width;
    }
  }
};

// Runs ranges of rows of one operand; each other operand is one element per row or for all rows.
struct RowRunner : Walk {
  static constexpr int64_t at_once = 64;  // rows whose elements are converted together
  PointwiseRowLoop loop;
  int order[max_pointwise_inputs + 1];  // the nest's operand number for each of the loop's operands
  int operands;                         // including the result
  int64_t size;                         // of an element as the loop reads it
  bool converts[max_pointwise_inputs + 1] = {}, any_converted = false;
  cpu::Conversion conversions[max_pointwise_inputs + 1];  // for per-row elements that need it, and for those shared by all rows

  RowRunner(PointwiseRowLoop f, const cpu::Nest& n, int with_rows, const Dtype* stored, Dtype taken)
      : Walk{&n}, loop(f), operands(n.operands()), size(element_size(taken)) {
    order[0] = 0, order[1] = with_rows;
    for (int k = 1, i = 2; k < operands; ++k) {
      if (k == with_rows) continue;
      order[i++] = k;
      converts[k] = stored[k] != taken && !n[k].constant;
      any_converted |= converts[k];
      if (converts[k] || n[k].constant) conversions[k] = cpu::Conversion(taken, stored[k]);
    }
  }
  void run_range(int64_t begin, int64_t end) const {
    const int64_t row = nest->sizes()[0];
    alignas(64) char buffers[max_pointwise_inputs + 1][at_once * sizeof(double)];
    for (int i = 2; i < operands; ++i)
      if (const int k = order[i]; (*nest)[k].constant) conversions[k](buffers[i], size, (*nest)[k].data, 0, 1);
    while (begin < end) {
      const int64_t whole = count_whole_rows(begin, any_converted ? std::min(end - begin, at_once * row) : end - begin);
      const int64_t rows = std::max<int64_t>(whole, 1), n = whole ? row : std::min(end - begin, row - begin % row);
      char* data[max_pointwise_inputs + 1];
      int64_t steps[max_pointwise_inputs + 1];
      for (int i = 0; i < operands; ++i) {
        const int k = order[i];
        data[i] = element_at(k, begin);
        steps[i] = nest->sizes().size() > 1 ? (*nest)[k].strides[1] : 0;
        if (converts[k]) conversions[k](buffers[i], size, data[i], steps[i], rows);
        if (converts[k] || (*nest)[k].constant) data[i] = buffers[i];
        if (converts[k]) steps[i] = size;
      }
      loop(data, steps, n, rows);
      begin += rows * n;
    }
  }
};

// The operand that has rows, if all others have one element per row and the kernel has a loop for that form; otherwise 0.
int operand_with_rows(const PointwiseKernel& kernel, Dtype compute, const cpu::Nest& nest, const Dtype* dtypes, Dtype result_dtype) {
  if (dtypes[0] != result_dtype || nest[0].strides[0] != nest[0].itemsize) return 0;
  if (nest.sizes()[0] < shortest_row_of_elements) return 0;
  for (int place = 1; place <= 2 && place < nest.operands(); ++place) {
    if (!row_loop_for(kernel, place - 1, compute) || dtypes[place] != compute || nest[place].strides[0] != nest[place].itemsize) continue;
    bool others = true;
    for (int k = 1; k < nest.operands(); ++k) others &= k == place || nest[k].strides[0] == 0;
    if (others) return place;
  }
  return 0;
}

// The dtype that the loop reads for operands that compute in `compute`.
Dtype choose_loop_dtype(const PointwiseKernel& kernel, Dtype compute, const Tensor& out, const Tensor* inputs, int n) {
  if (!is_half(compute)) return loop_dtype_of(compute);
  // Half types in place if all operands have them: a number among them must not be rounded to a half type.
  bool alike = loop_for(kernel, compute) && out.dtype() == compute;
  for (int i = 0; alike && i < n; ++i) alike = inputs[i].dtype() == compute;
  return alike ? compute : Dtype::float32;
}

// Whether everything is contiguous and of one shape and dtype, so that no nest is needed.
bool are_contiguous_alike(const Tensor& out, Dtype result_dtype, const Tensor* inputs, int n, Dtype loop_dtype) {
  bool alike = out.dtype() == result_dtype && out.is_contiguous();
  for (int i = 0; alike && i < n; ++i)
    alike = inputs[i].dtype() == loop_dtype && inputs[i].sizes() == out.sizes() && inputs[i].is_contiguous();
  return alike;
}

void run_contiguous(const PointwiseKernel& kernel, PointwiseLoop loop, const Tensor& out, const Tensor* inputs, int n, int64_t in_size) {
  char* o = out.data<char>();
  const char* data[max_pointwise_inputs];
  for (int i = 0; i < n; ++i) data[i] = inputs[i].data<char>();
  const int64_t out_size = out.itemsize();
  // Uses streaming stores for large results, but not for kernels with a small grain: arithmetic limits these, so stores through the caches
  // cost nothing.
  bool streams = kernel.grain >= PointwiseKernel().grain && cpu::streams_past_caches(out.numel() * out_size);
  for (int i = 0; i < n; ++i) streams = streams && data[i] != o;  // lines that were read are in the caches anyway
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
}

}  // namespace

void run_pointwise(const PointwiseKernel& kernel, Dtype compute, const Tensor& out, const Tensor* inputs, int n) {
  if (!contains(kernel.dtypes, compute)) not_implemented_for(kernel.name, compute);
  if (out.numel() == 0) return;
  const Dtype loop_dtype = choose_loop_dtype(kernel, compute, out, inputs, n);
  PointwiseLoop loop = loop_for(kernel, loop_dtype);
  if (!loop) not_implemented_for(kernel.name, compute);
  const Dtype result_dtype = is_half(loop_dtype) ? loop_dtype : kernel.results[loop_slot_of(loop_dtype)];

  if (are_contiguous_alike(out, result_dtype, inputs, n, loop_dtype))
    return run_contiguous(kernel, loop, out, inputs, n, element_size(loop_dtype));

  cpu::Nest nest(out.sizes());
  Dtype dtypes[max_pointwise_inputs + 1] = {out.dtype()};
  nest.add(out.data(), out.itemsize(), out.strides());
  for (int i = 0; i < n; ++i) {
    nest.add_broadcast(inputs[i].data(), inputs[i].itemsize(), inputs[i].sizes(), inputs[i].strides());
    dtypes[i + 1] = inputs[i].dtype();
  }
  nest.finish();
  if (const int k = operand_with_rows(kernel, compute, nest, dtypes, is_half(compute) ? compute : result_dtype)) {
    const RowRunner runner(row_loop_for(kernel, k - 1, compute), nest, k, dtypes, loop_dtype_of(compute));
    return cpu::parallel_for(0, out.numel(), kernel.grain, [&](int64_t begin, int64_t end) { runner.run_range(begin, end); });
  }
  const Runner runner(loop, nest, dtypes, loop_dtype, result_dtype, n);
  if (runner.has_transposed_operands()) {
    const int64_t grain = std::max<int64_t>(1, kernel.grain / (band * nest.sizes()[0]));
    return cpu::parallel_for(0, runner.count_bands(), grain, [&](int64_t begin, int64_t end) { runner.run_in_bands(begin, end); });
  }
  cpu::parallel_for(0, out.numel(), kernel.grain, [&](int64_t begin, int64_t end) { runner.run_range(begin, end); });
}

}  // namespace mt
