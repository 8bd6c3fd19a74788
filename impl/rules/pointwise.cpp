// The pointwise rule: promotion, shapes, forms, and the engine that runs vector loops over tiles.
#include "rules/pointwise.h"

#include <cstring>

#include "core/backend.h"
#include "core/exception.h"
#include "cpu/convert.h"
#include "cpu/copy.h"
#include "cpu/nest.h"
#include "cpu/parallel.h"
#include "cpu/stream.h"
#include "dispatch/definition.h"
#include "dispatch/user.h"
#include "rules/conversion.h"
#include "rules/one_device.h"
#include "rules/pointwise_chain.h"

namespace mt {

// ---- the engine ----

namespace {

constexpr int max_inputs = 6;
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

PointwiseLoop loop_for(const PointwiseKernel& kernel, Dtype loop_dtype) {
  static const int level = int(cpu::cpu_capability());
  if (is_half(loop_dtype)) return kernel.halves[loop_dtype == Dtype::bfloat16][level];
  int slot = slot_of(loop_dtype);
  return slot < 0 ? nullptr : kernel.loops[slot][level];
}

// Runs one range of positions. Operands that are linear and of the loop's dtype are used where they lie; others pass through a tile.
struct Runner {
  PointwiseLoop loop;
  const cpu::Nest* nest;  // operand 0 is the result
  const Dtype* dtypes;    // as stored
  Dtype loop_dtype, result_dtype;
  int inputs;
  cpu::Conversion conversions[max_inputs + 1];  // between what is stored and what the loop takes, for operands that need it

  Runner(PointwiseLoop f, const cpu::Nest& n, const Dtype* stored, Dtype taken, Dtype given, int count)
      : loop(f), nest(&n), dtypes(stored), loop_dtype(taken), result_dtype(given), inputs(count) {
    if (!n[0].linear || stored[0] != given) conversions[0] = cpu::Conversion(stored[0], given);
    for (int k = 1; k <= count; ++k)
      if (!n[k].linear || stored[k] != taken) conversions[k] = cpu::Conversion(taken, stored[k]);
  }

  void range(int64_t begin, int64_t end) const {
    const cpu::Nest& operands = *nest;
    bool direct[max_inputs + 1], any_tile = false;
    for (int k = 0; k <= inputs; ++k) {
      direct[k] = operands[k].linear && dtypes[k] == (k == 0 ? result_dtype : loop_dtype);
      any_tile |= !direct[k];
    }
    const void* in[max_inputs];
    if (!any_tile) {
      for (int k = 1; k <= inputs; ++k) in[k - 1] = operands[k].data + begin * operands[k].itemsize;
      loop(operands[0].data + begin * operands[0].itemsize, in, end - begin);
      return;
    }
    if (operands.sizes().size() > 1 && operands.sizes()[0] >= shortest_row) return rows(begin, end);
    alignas(64) char buffers[max_inputs + 1][tile_bytes];
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
    alignas(64) char buffers[max_inputs + 1][tile_bytes];
    const int64_t loop_size = element_size(loop_dtype), result_size = element_size(result_dtype);
    const bool to_result = dtypes[0] == result_dtype && (*nest)[0].strides[0] == result_size;
    bool direct[max_inputs + 1], as_they_lie = to_result, repeats = false;
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
      int64_t advance[max_inputs + 1] = {tile * result_size};
      for (int k = 1; k <= inputs; ++k) advance[k] = direct[k] ? tile * loop_size : 0;
      nest->runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t n) {
        if (repeats) repeat_first(data, strides, n);
        const void* in[max_inputs];
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
        const void* in[max_inputs];
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
    alignas(64) char buffers[max_inputs + 1][band * row_bytes];
    const cpu::Nest& operands = *nest;
    const int64_t columns = operands.sizes()[0], rows = operands.sizes()[1], in_each = (rows + band - 1) / band;
    const int64_t loop_size = element_size(loop_dtype), tile = row_bytes / loop_size;
    for (int k = 1; k <= inputs; ++k)
      if (operands[k].constant) repeat(k, operands[k].data, tile, buffers[k], loop_size);
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b % in_each * band, count = std::min(band, rows - first);
      char* data[max_inputs + 1];
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
          const void* in[max_inputs];
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
    const char* data[max_inputs];
    for (int i = 0; i < n; ++i) data[i] = inputs[i].data<char>();
    const int64_t in_size = element_size(loop_dtype), out_size = element_size(result_dtype);
    // Where arithmetic is the limit, a write through the caches costs nothing.
    bool streams = kernel.grain >= PointwiseKernel().grain && cpu::streams_past_caches(out.numel() * out_size);
    for (int i = 0; i < n; ++i) streams = streams && data[i] != o;  // lines that were read are in the caches
    auto piece = [&](int64_t begin, int64_t end) {
      const void* in[max_inputs];
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
  Dtype dtypes[max_inputs + 1] = {out.dtype()};
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

// ---- promotion ----

namespace {

struct PromotionState {
  Dtype dim = Dtype::none, zero = Dtype::none, wrapped = Dtype::none;

  static Dtype join(Dtype a, Dtype b) { return a == Dtype::none ? b : b == Dtype::none ? a : promote(a, b); }
  // `higher` keeps its dtype unless `lower` is of a higher kind.
  static Dtype combine(Dtype higher, Dtype lower) {
    if (higher == Dtype::none) return lower;
    if (lower == Dtype::none || is_complex(higher)) return higher;
    if (is_floating(higher)) return is_complex(lower) ? complex_of(higher) : higher;
    if (higher == Dtype::boolean || is_floating(lower) || is_complex(lower)) return promote(higher, lower);
    return higher;
  }
  void add(const Tensor& t) {
    Dtype d = t.dtype();
    if (t.is_wrapped_number()) {
      if (is_complex(d)) d = complex_of(default_dtype());
      else if (is_floating(d)) d = default_dtype();
      wrapped = join(wrapped, d);
    } else if (t.dim() == 0) {
      zero = join(zero, d);
    } else {
      dim = join(dim, d);
    }
  }
  Dtype result() const { return combine(dim, combine(zero, wrapped)); }
};

bool same_geometry(const Tensor& a, const Tensor& b) { return a.sizes() == b.sizes() && a.strides() == b.strides(); }

}  // namespace

Dtype result_type(const Tensor* tensors, int64_t n) {
  PromotionState state;
  for (int64_t i = 0; i < n; ++i)
    if (tensors[i].defined()) state.add(tensors[i]);
  return state.result();
}

void pointwise_geometry(const Tensor* inputs, int n, Dims& sizes, Dims& strides) {
  sizes = inputs[0].sizes();
  bool same_shape = true;
  for (int i = 1; i < n; ++i) {
    if (inputs[i].sizes() == IntList(sizes)) continue;
    same_shape = false;
    sizes = broadcast_shapes(sizes, inputs[i].sizes());
  }
  strides.clear();
  if (same_shape) {
    bool contiguous = true, alike = true;
    for (int i = 0; i < n; ++i) {
      contiguous &= inputs[i].is_contiguous();
      alike &= same_geometry(inputs[i], inputs[0]);
    }
    if (contiguous) return;
    if (alike && inputs[0].is_non_overlapping_and_dense()) {
      strides = inputs[0].strides();
      return;
    }
  }
  if (sizes.size() < 2) return;
  Dims full[max_inputs];
  IntList views[max_inputs];
  int count = 0;
  for (int i = 0; i < n; ++i) {
    Dims& f = full[count];
    f.resize(sizes.size(), 0);
    const int64_t offset = sizes.size() - inputs[i].dim();
    for (int64_t d = 0; d < inputs[i].dim(); ++d)
      if (inputs[i].size(d) == sizes[d + offset] && (inputs[i].size(d) != 1 || sizes[d + offset] == 1))
        f[d + offset] = inputs[i].stride(d) * inputs[i].itemsize();
    views[count++] = f;
  }
  Small<int64_t, 6> order;
  cpu::order_dimensions(sizes, views, count, order);
  strides.resize(sizes.size());
  int64_t step = 1;
  for (int64_t d : order) {
    strides[d] = step;
    step *= sizes[d] > 1 ? sizes[d] : 1;
  }
  if (mt::is_contiguous(sizes, strides) && IntList(strides) == IntList(contiguous_strides(sizes))) strides.clear();
}

// ---- the rule ----

namespace {

struct PointwiseBody {
  PointwiseOptions options;
  const PointwiseKernel* kernel;
  const PointwiseKernel* (*choose)(const Call& call);
};

struct Inputs {
  Tensor tensors[max_inputs];
  int count = 0;
  Device device;
  PromotionState state;
};

bool is_number_arg(const Argument& a) { return a.type == ArgType::scalar || a.type == ArgType::real || a.type == ArgType::integer; }

// torch's texts where a meta tensor meets others: what two operands would write into the first one is a copy, the rest are operands.
void check_meta_mixture(const Call& call, const Inputs& in) {
  int first = 0;
  while (first < in.count && is_cpu_number(in.tensors[first])) ++first;
  for (int i = first + 1; i < in.count; ++i) {
    if (is_cpu_number(in.tensors[i])) continue;
    if (call.op.form == Form::inplace && in.count == 2) check_copy_device(in.tensors[i].device(), in.tensors[first].device());
    check_expected_device(in.tensors[i], in.tensors[first].device());
  }
}

// The kernel's inputs are the tensor and number arguments in schema order.
void gather_inputs(const Call& call, const PointwiseBody& body, const PointwiseKernel& kernel, Inputs& in) {
  const Operator& functional = *call.op.functional;
  bool have_device = false;
  for (int i = 0; i < functional.n_args && in.count < kernel.inputs; ++i) {
    const Argument& a = functional.schema.args[size_t(i)];
    if (a.type == ArgType::tensor) {
      const Tensor& t = Unbox<Tensor>::from(call.args[i]);
      check(t.defined(), ErrorKind::type, "{}(): argument '{}' must be Tensor, not None", call.op.base_name, a.name);
      if (!have_device || (in.device.is_cpu() && !t.device().is_cpu())) in.device = t.device();
      have_device = true;
      in.state.add(t);
      in.tensors[in.count++] = t;
    } else if (is_number_arg(a)) {
      Tensor t = wrapped_number(Scalar::of_value(call.args[i]));
      if (body.options.scalars_promote && a.type == ArgType::scalar && in.count < 2) in.state.add(t);
      in.tensors[in.count++] = std::move(t);
    }
  }
  if (call.keys & key_bit(Key::meta)) check_meta_mixture(call, in);
  for (int i = 0; i < in.count; ++i) {
    const Tensor& t = in.tensors[i];
    check(t.device() == in.device || (t.dim() == 0 && t.device().is_cpu()),
          "Expected all tensors to be on the same device, but found at least two devices, {} and {}!", in.device, t.device());
  }
}

// Numbers that are no operands must be numbers of the dtype that the kernel computes with.
void check_numbers_fit(const Call& call, const PointwiseBody& body, const PointwiseKernel& kernel, Dtype compute) {
  const Operator& functional = *call.op.functional;
  const Dtype loop_dtype = is_half(compute) ? Dtype::float32 : compute;
  int index = 0;
  for (int i = 0; i < functional.n_args && index < kernel.inputs; ++i) {
    const Argument& a = functional.schema.args[size_t(i)];
    if (a.type != ArgType::tensor && !is_number_arg(a)) continue;
    const bool operand = a.type != ArgType::scalar || (body.options.scalars_promote && index < 2);
    if (!operand) Scalar::of_value(call.args[i]).check_fits(loop_dtype);
    ++index;
  }
}

Dtype compute_dtype_of(const PointwiseBody& body, const Inputs& in, const Operator& op) {
  if (body.options.promotion == Promotion::none) {
    const Dtype d = in.tensors[0].dtype();
    int index = 0;
    for (int i = 0; i < op.functional->n_args && index < in.count; ++i) {
      const Argument& a = op.functional->schema.args[size_t(i)];
      if (a.type != ArgType::tensor && !is_number_arg(a)) continue;
      const Tensor& t = in.tensors[index++];
      if (a.type != ArgType::tensor || t.dtype() == d) continue;
      if (body.options.mismatch) fail(body.options.mismatch, d, t.dtype());
      fail("expected dtype {} for `{}` but got dtype {}", ScalarName(d), a.name, ScalarName(t.dtype()));
    }
    return d;
  }
  Dtype d = in.state.result();
  if (d == Dtype::none) d = in.tensors[0].dtype();
  if (body.options.promotion == Promotion::to_float && is_integral(d, true)) d = default_dtype();
  return d;
}

bool has_loop(const PointwiseKernel& kernel, Dtype compute) {
  const int slot = slot_of(is_half(compute) ? Dtype::float32 : compute);
  return slot >= 0 && kernel.loops[slot][0] && contains(kernel.dtypes, compute);
}
// What a result would be stored as, whether the kernel has the dtype or not: torch refuses to write it before it looks for a kernel.
Dtype stored_dtype(const PointwiseKernel& kernel, Dtype compute) {
  const int slot = slot_of(is_half(compute) ? Dtype::float32 : compute);
  bool truth = true;
  for (int s = 0; s < PointwiseKernel::slots; ++s) truth &= !kernel.loops[s][0] || kernel.results[s] == Dtype::boolean;
  if (truth || slot < 0 || !kernel.loops[slot][0]) return truth ? Dtype::boolean : compute;
  return kernel.results[slot] == (is_half(compute) ? Dtype::float32 : compute) ? compute : kernel.results[slot];
}

Dtype result_dtype_of(const PointwiseKernel& kernel, Dtype compute) {
  if (!has_loop(kernel, compute)) not_implemented_for(kernel.name, compute);
  const Dtype loop_dtype = is_half(compute) ? Dtype::float32 : compute;
  const Dtype stored = kernel.results[slot_of(loop_dtype)];
  return stored == loop_dtype ? compute : stored;
}

// The usual call: dense CPU tensors of one dtype and shape, so that there is nothing to promote, to broadcast or to lay out.
// False: it is another one.
bool run_alike(const Call& call, const PointwiseBody& body, const PointwiseKernel& kernel) {
  if (call.op.n_args < kernel.inputs || kernel.inputs == 0 || call.keys & key_bit(Key::meta)) return false;
  const TensorImpl* in[max_inputs];
  for (int i = 0; i < kernel.inputs; ++i) {
    if (call.args[i].tag != MT_TAG_TENSOR) return false;
    in[i] = reinterpret_cast<const TensorImpl*>(call.args[i].as.tensor);
    if (in[i]->wrapped_number || in[i]->dtype != in[0]->dtype || !in[i]->device.is_cpu()) return false;
    if ((i && !(in[i]->sizes == in[0]->sizes)) || !mt::is_contiguous(in[i]->sizes, in[i]->strides)) return false;
  }
  const Dtype dtype = in[0]->dtype;
  const int slot = slot_of(dtype);
  if (slot < 0 || !contains(kernel.dtypes, dtype)) return false;
  if (body.options.promotion == Promotion::to_float && is_integral(dtype, true)) return false;
  PointwiseLoop loop = loop_for(kernel, dtype);
  if (!loop) return false;
  const int64_t numel = in[0]->numel;
  Tensor result = empty_of_known_size(in[0]->sizes, numel, kernel.results[slot]);
  const int64_t in_size = element_size(dtype), out_size = element_size(kernel.results[slot]);
  auto piece = [&](int64_t begin, int64_t end) {
    const void* data[max_inputs];
    for (int i = 0; i < kernel.inputs; ++i)
      data[i] = static_cast<const char*>(in[i]->storage->data) + (in[i]->storage_offset + begin) * in_size;
    loop(static_cast<char*>(result->storage->data) + begin * out_size, data, end - begin);
  };
  if (numel <= kernel.grain) {
    if (numel) piece(0, numel);
  } else {
    cpu::parallel_for(0, numel, kernel.grain, piece);
  }
  put(call.rets[0], std::move(result));
  return true;
}

void run(const Call& call, const void* data, Form form) {
  const auto& body = *static_cast<const PointwiseBody*>(data);
  const PointwiseKernel& kernel = body.choose ? *body.choose(call) : *body.kernel;
  if (form == Form::functional && run_alike(call, body, kernel)) return;
  Inputs in;
  gather_inputs(call, body, kernel, in);
  const Dtype compute = compute_dtype_of(body, in, call.op);
  Dims sizes, strides;
  pointwise_geometry(in.tensors, in.count, sizes, strides);

  Tensor result;
  if (form == Form::functional) {
    const Dtype result_dtype = result_dtype_of(kernel, compute);
    result = strides.empty() ? empty(sizes, result_dtype, in.device) : empty_strided(sizes, strides, result_dtype, in.device);
  } else {
    result = Unbox<Tensor>::from(call.args[form == Form::inplace ? 0 : call.op.n_args - 1]);
    if (form == Form::inplace)
      check(result.sizes() == IntList(sizes), "output with shape {} doesn't match the broadcast shape {}", result.sizes(), sizes);
    const Dtype stored = stored_dtype(kernel, compute);
    check_result_cast(stored, result.dtype());
    check_copy_device(in.device, result.device());
    result_dtype_of(kernel, compute);  // raises where there is no kernel
    if (stored == Dtype::boolean) warn_of_discarded_parts(result.dtype(), compute);  // truth comes by way of the compute dtype
    check(result.device() == in.device || in.device.is_cpu(),
          "Expected all tensors to be on the same device, but found at least two devices, {} and {}!", in.device, result.device());
    if (form == Form::out && resize_output(result, sizes) && !strides.empty())
      set_geometry(*result, sizes, strides, result.storage_offset());
    check_no_internal_overlap(result);
    for (int i = 0; i < in.count; ++i) check_no_partial_overlap(result, in.tensors[i]);
  }
  if (!(call.keys & key_bit(Key::meta))) {
    check_numbers_fit(call, body, kernel, compute);
    run_pointwise(kernel, compute, result, in.tensors, in.count);
  }
  put(call.rets[0], std::move(result));
}
template <Form F>
void run_form(const Call& call, const void* data) {
  run(call, data, F);
}

struct PointwiseRule : Rule {
  explicit PointwiseRule(PointwiseOptions o) : options(o) {}
  void install(Operator& op) const override {
    const CpuKernel& cpu = body_of(op).cpu ? body_of(op).cpu : op.def->cpu;
    check(bool(cpu), "a pointwise operator needs a kernel");
    auto* body = new PointwiseBody{options, cpu.pointwise, nullptr};
    if (!cpu.pointwise) body->choose = reinterpret_cast<const PointwiseKernel* (*)(const Call&)>(const_cast<void*>(cpu.data));
    KernelFn fn = op.form == Form::functional ? run_form<Form::functional>
                  : op.form == Form::inplace  ? run_form<Form::inplace>
                                              : run_form<Form::out>;
    set_slot(op, Key::cpu, fn, body);
    set_slot(op, Key::meta, fn, body);
  }
  PointwiseOptions options;
};

}  // namespace

const Rule* pointwise_rule(PointwiseOptions options) { return new PointwiseRule(options); }

bool plan_pointwise(const Operator& op, const Value* args, PointwisePlan& plan) {
  const Slot slot = handler_at(op, Key::cpu);
  if (slot.fn != run_form<Form::functional>) return false;
  const auto& body = *static_cast<const PointwiseBody*>(slot.data);
  const Call call{op, key_bit(Key::cpu), args, nullptr};
  plan.kernel = body.choose ? body.choose(call) : body.kernel;
  Inputs in;
  gather_inputs(call, body, *plan.kernel, in);
  const Dtype compute = compute_dtype_of(body, in, op);
  plan.result_dtype = result_dtype_of(*plan.kernel, compute);
  plan.loop_dtype = is_half(compute) ? Dtype::float32 : compute;
  plan.loop = loop_for(*plan.kernel, plan.loop_dtype);
  plan.stored_dtype = plan.kernel->results[slot_of(plan.loop_dtype)];
  plan.count = in.count;
  for (int i = 0; i < in.count; ++i) plan.inputs[i] = std::move(in.tensors[i]);
  return plan.loop != nullptr;
}

CpuKernel::CpuKernel(const PointwiseKernel& kernel) : pointwise(new PointwiseKernel(kernel)) {}

CpuKernel choose(const PointwiseKernel* (*function)(const Call& call)) {
  CpuKernel k;
  k.fn = [](const Call&, const void*) { fail("a pointwise kernel was called directly"); };
  k.data = reinterpret_cast<const void*>(function);
  return k;
}

void copy_into(const Tensor& target, const Tensor& source) {
  if (target.numel() == 0) return;
  if (!target.device().is_cpu() || !source.device().is_cpu()) return copy_between_devices(target, source, /*non_blocking=*/false);
  cpu::Nest nest(target.sizes());
  nest.add(target.data(), target.itemsize(), target.strides());
  nest.add_broadcast(source.data(), source.itemsize(), source.sizes(), source.strides());
  nest.finish();
  cpu::copy_nest(nest, target.dtype(), source.dtype());
}

}  // namespace mt
