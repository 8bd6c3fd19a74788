// Kernels of batch normalisation, for channels as planes (contiguous) and as columns (channels-last, or no spatial
// dimensions).
#include "rules/nn/batch_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/lazy_clone.h"
#include "core/messages.h"

namespace mt {
namespace {

// A tensor as `outer` x `channels` x `inner` planes or, with `columns`, as `outer` rows of channels.
struct Channels {
  Tensor tensor;
  int64_t outer, channels, inner;
  bool columns;
  int64_t per_channel() const { return outer * inner; }
};
Channels make_channels(const Tensor& t, MemoryFormat format) {
  Tensor packed = t;
  if (!t.is_contiguous(format)) {
    packed = empty_strided(t.sizes(), strides_of_format(t.sizes(), format), t.dtype());
    copy_into(packed, t);
  }
  const int64_t c = t.size(1), each = c ? t.numel() / c : 0, n = t.size(0), inner = n ? each / n : 0;
  if (format != MemoryFormat::contiguous || inner == 1) return {packed, each, c, 1, true};
  return {packed, n, c, inner, false};
}

// Sums over a plane: of input - shift and its square, or of grad and grad * (input - shift).
template <class T>
struct PlaneSums {
  using C = ComputeType<T>;
  static void run(const T* input, const T* grad, int64_t n, C shift, C* sum, C* sum_of_products) {
    if (grad) {
      *sum = row_sum<C>(n, [&](int64_t i) { return C(grad[i]); });
      *sum_of_products = row_sum<C>(n, [&](int64_t i) { return C(grad[i]) * (C(input[i]) - shift); });
    } else if (sum) {
      *sum = row_sum<C>(n, [&](int64_t i) { return C(input[i]); });
    } else {
      *sum_of_products = row_sum<C>(n, [&](int64_t i) { return (C(input[i]) - shift) * (C(input[i]) - shift); });
    }
  }
};
// Treats several rows of a few channels as one combined row, wide enough for vectors.
struct CombinedRows {
  int64_t channels, together, width, rows, rest;  // `rest` rows of channels remain at the end
  explicit CombinedRows(const Channels& x)
      : channels(x.channels), together(std::max<int64_t>(1, 64 / x.channels)), width(together * channels), rows(x.outer / together),
        rest(x.outer % together) {}
  template <class C>
  std::vector<C> repeat_per_channel(const C* values) const {
    std::vector<C> all;
    for (int64_t k = 0; k < together; ++k) all.insert(all.end(), values, values + channels);
    return all;
  }
  // Runs f(offset of the first element, number of rows, their width) on the thread pool for ranges of combined rows, and then for the
  // remaining rows as one.
  template <class F>
  void for_row_ranges(F&& f) const {
    cpu::parallel_for(0, rows, std::max<int64_t>(1, 16384 / width),
                      [&](int64_t begin, int64_t end) { f(begin * width, end - begin, width); });
    if (rest) f(rows * width, 1, rest * channels);
  }
};
// Sums four rows at a time, since the sums of columns are loaded and stored at each step. Half types are summed row by row: converting them
// dominates time and code size.
template <class T>
struct ColumnSums {
  using C = ComputeType<T>;
  static void run(const T* input, const T* grad, int64_t rows, int64_t n, const C* shift, C* sum, C* sum_of_products) {
    int64_t r = 0;
    if constexpr (sizeof(T) > 2)
      for (; r + 4 <= rows; r += 4, input += 4 * n, grad += grad ? 4 * n : 0) add<4>(input, grad, n, shift, sum, sum_of_products);
    for (; r < rows; ++r, input += n, grad += grad ? n : 0) add<1>(input, grad, n, shift, sum, sum_of_products);
  }

 private:
  template <int Rows>
  [[gnu::always_inline]] static void add(const T* x, const T* g, int64_t n, const C* __restrict shift, C* __restrict first,
                                         C* __restrict second) {
    const auto total = [&](auto&& value) __attribute__((always_inline)) {
      if constexpr (Rows == 1)
        return value(0);
      else
        return (value(0) + value(n)) + (value(2 * n) + value(3 * n));
    };
    if (g) {
      for (int64_t i = 0; i < n; ++i) first[i] += total([&](int64_t r) { return C(g[r + i]); });
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) second[i] += total([&](int64_t r) { return C(g[r + i]) * (C(x[r + i]) - shift[i]); });
    } else if (first) {
      for (int64_t i = 0; i < n; ++i) first[i] += total([&](int64_t r) { return C(x[r + i]); });
    } else {
      for (int64_t i = 0; i < n; ++i) second[i] += total([&](int64_t r) { return (C(x[r + i]) - shift[i]) * (C(x[r + i]) - shift[i]); });
    }
  }
};

// Computes for each channel: in `first` the sum of x (or of g), in `second` the sum of squares of x - shift (or of g * (x - shift)); either
// may be absent. The totals of long sums are kept in double.
template <class T>
void channel_sums(const Channels& x, const Tensor& g, const ComputeType<T>* shift, double* first, double* second) {
  using C = ComputeType<T>;
  const T *xp = x.tensor.data<T>(), *gp = g.defined() ? g.data<T>() : nullptr;
  const int64_t n = x.channels;
  if (!x.columns) {
    const auto plane = row_clone<PlaneSums<T>>(PlaneSums<T>::run);
    for_rows(n, x.per_channel(), [&](int64_t c) {
      double a = 0, b = 0;
      for (int64_t o = 0; o < x.outer; ++o) {
        C pa = 0, pb = 0;
        const int64_t at = (o * n + c) * x.inner;
        plane(xp + at, gp ? gp + at : nullptr, x.inner, shift ? shift[c] : C(0), first ? &pa : nullptr, &pb);
        a += double(pa), b += double(pb);
      }
      if (first) first[c] = a;
      if (second) second[c] = b;
    });
    return;
  }
  const auto columns = row_clone<ColumnSums<T>>(ColumnSums<T>::run);
  const CombinedRows wide(x);
  const int64_t grain = std::max<int64_t>(1, 32768 / wide.width);
  const cpu::Chunks chunks = cpu::chunks_of(wide.rows, grain);
  const int64_t count = chunks.count + (wide.rest > 0);  // the remaining rows have a partial sum of their own
  std::vector<C> parts(size_t(count * 2 * wide.width), C(0)), shifts;
  if (shift) shifts = wide.repeat_per_channel(shift);
  const auto add = [&](int64_t chunk, int64_t row, int64_t rows, int64_t width) {
    C* const part = parts.data() + chunk * 2 * wide.width;
    const int64_t at = row * wide.width;
    columns(xp + at, gp ? gp + at : nullptr, rows, width, shifts.data(), first ? part : nullptr, part + wide.width);
  };
  cpu::parallel_for(0, wide.rows, grain, [&](int64_t begin, int64_t end) { add(begin / chunks.size, begin, end - begin, wide.width); });
  if (wide.rest) add(chunks.count, wide.rows, 1, wide.rest * n);
  for (int64_t c = 0; c < n; ++c) {
    double a = 0, b = 0;
    for (int64_t k = 0; k < count; ++k)
      for (int64_t i = c; i < wide.width; i += n)
        a += double(parts[size_t(k * 2 * wide.width + i)]), b += double(parts[size_t((k * 2 + 1) * wide.width + i)]);
    if (first) first[c] = a;
    if (second) second[c] = b;
  }
}

// Computes out = scale * x + shift or, with `g`, out = scale * (g - part - (x - mean) * slope).
template <class T>
struct Affine {
  using C = ComputeType<T>;
  static void run(const T* x, T* out, int64_t n, C scale, C shift) {
    for (int64_t i = 0; i < n; ++i) out[i] = T(C(x[i]) * scale + shift);
  }
};
template <class T>
struct AffineColumns {
  using C = ComputeType<T>;
  static void run(const T* x, T* __restrict out, int64_t rows, int64_t n, const C* scale, const C* shift) {
    for (int64_t r = 0; r < rows; ++r, x += n, out += n)
      for (int64_t i = 0; i < n; ++i) out[i] = T(C(x[i]) * scale[i] + shift[i]);
  }
};
template <class T>
struct GradientPlane {
  using C = ComputeType<T>;
  static void run(const T* grad, const T* input, T* input_grad, int64_t n, C scale, C part, C mean, C slope) {
    for (int64_t i = 0; i < n; ++i) input_grad[i] = T((C(grad[i]) - part - (C(input[i]) - mean) * slope) * scale);
  }
};
template <class T>
struct GradientColumns {
  using C = ComputeType<T>;
  static void run(const T* grad, const T* input, T* __restrict input_grad, int64_t rows, int64_t n, const C* scale, const C* part,
                  const C* mean, const C* slope) {
    for (int64_t r = 0; r < rows; ++r, grad += n, input += n, input_grad += n)
      for (int64_t i = 0; i < n; ++i) input_grad[i] = T((C(grad[i]) - part[i] - (C(input[i]) - mean[i]) * slope[i]) * scale[i]);
  }
};

template <class T>
void apply_affine(const Channels& x, const Tensor& out, const ComputeType<T>* scale, const ComputeType<T>* shift) {
  const T* from = x.tensor.data<T>();
  T* to = out.data<T>();
  const int64_t n = x.channels;
  if (x.columns) {
    const auto columns = row_clone<AffineColumns<T>>(AffineColumns<T>::run);
    const CombinedRows wide(x);
    const std::vector<ComputeType<T>> scales = wide.repeat_per_channel(scale), shifts = wide.repeat_per_channel(shift);
    wide.for_row_ranges(
        [&](int64_t at, int64_t rows, int64_t width) { columns(from + at, to + at, rows, width, scales.data(), shifts.data()); });
  } else {
    const auto plane = row_clone<Affine<T>>(Affine<T>::run);
    for_rows(x.outer * n, x.inner, [&](int64_t r) { plane(from + r * x.inner, to + r * x.inner, x.inner, scale[r % n], shift[r % n]); });
  }
}

// Kernels exist for float, double and BFloat16. Half is converted to a float tensor first, which takes whole vectors, unlike conversions in
// the kernel.
template <class F>
void dispatch_kernels(Dtype dtype, const char* name, F&& f) {
  if (dtype == Dtype::float32)
    f(Type<float>());
  else if (dtype == Dtype::float64)
    f(Type<double>());
  else if (dtype == Dtype::bfloat16)
    f(Type<BFloat16>());
  else
    not_implemented_for(name, dtype);
}
Tensor empty_in_kernel_dtype(const Tensor& t) {
  return t.dtype() == Dtype::float16 ? empty_strided(t.sizes(), t.strides(), Dtype::float32) : t;
}
Channels convert_for_kernel(const Tensor& t, MemoryFormat format) {
  Channels c = make_channels(t, format);
  const Tensor packed = c.tensor;
  c.tensor = empty_in_kernel_dtype(packed);
  if (c.tensor.get() != packed.get()) copy_into(c.tensor, packed);
  return c;
}

template <class C>
C inverse_deviation(C var, double eps) {
  return var == C(0) && eps == 0 ? C(0) : C(1) / std::sqrt(var + C(eps));
}

// Moves `running` towards `value`, below the dispatcher, since the schema does not declare the write.
template <class C, class F>
void update_running_statistic(const Tensor& running, double momentum, F&& value) {
  if (!running.defined()) return;
  copy_shared_bytes(*running->storage);
  const Tensor wide = dense_as(running, std::is_same_v<C, double> ? Dtype::float64 : Dtype::float32);
  C* r = wide.data<C>();
  for (int64_t c = 0; c < running.numel(); ++c) r[c] = C(momentum) * value(c) + C(1 - momentum) * r[c];
  if (wide.get() != running.get()) copy_into(running, wide);
}

template <class T>
void compute_statistics(const Channels& x, ComputeType<T>* mean, double* squares, const Tensor& running_mean, const Tensor& running_var,
                        double momentum) {
  using C = ComputeType<T>;
  const double count = double(x.per_channel());
  channel_sums<T>(x, Tensor(), nullptr, squares, nullptr);
  for (int64_t c = 0; c < x.channels; ++c) mean[c] = C(squares[c] / count);
  channel_sums<T>(x, Tensor(), mean, nullptr, squares);
  update_running_statistic<C>(running_mean, momentum, [&](int64_t c) { return mean[c]; });
  update_running_statistic<C>(running_var, momentum, [&](int64_t c) { return C(squares[c] / (count - 1)); });
}

// Raises unless a running statistic is 1-d; torch checks this before anything else.
void check_statistic_is_1d(const Tensor& t) {
  check(!t.defined() || t.dim() == 1 || t.is_meta(), "TensorAccessor expected 1 dims but tensor has {}", t.defined() ? t.dim() : 1);
}
void check_one_per_channel(const char* name, const Tensor& t, int64_t channels) {
  check(!t.defined() || t.numel() == channels, "{} should contain {} elements not {}", name, channels, t.defined() ? t.numel() : 0);
}

}  // namespace

bool has_mixed_dtypes(const Tensor& input, std::initializer_list<const Tensor*> parameters) {
  for (const Tensor* p : parameters) {
    if (!p->defined()) continue;
    if (p->dtype() == input.dtype()) return false;  // the first one decides
    for (const Tensor* q : parameters)
      check(!q->defined() || q->dtype() == Dtype::float32, "mixed dtype (CPU): expect parameter to have scalar type of Float");
    check(is_half(input.dtype()), "mixed dtype (CPU): all inputs must share same datatype.");
    return true;
  }
  return false;
}

Dtype statistics_dtype(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var) {
  if (has_mixed_dtypes(input, {&weight, &bias, &mean, &var})) return Dtype::float32;
  for (const Tensor* p : {&weight, &bias, &mean, &var})
    check(!p->defined() || p->dtype() == input.dtype(), messages::expected_scalar_type, input.dtype(),
          p->defined() ? p->dtype() : Dtype::none);
  return input.dtype();
}

void check_channel_parameters(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var) {
  const int64_t channels = input.dim() > 1 ? input.size(1) : 0;
  check_one_per_channel("running_mean", mean, channels);
  check_one_per_channel("running_var", var, channels);
  check_one_per_channel("weight", weight, channels);
  check_one_per_channel("bias", bias, channels);
}

void infer_batch_norm(Specs& out, const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                      const Tensor& running_var, bool training) {
  check(running_mean.defined() == running_var.defined(), ErrorKind::value,
        "running_mean and running_var must either both be None or neither be None");
  check(training || running_mean.defined(), messages::running_mean_undefined);
  check_statistic_is_1d(running_mean), check_statistic_is_1d(running_var);
  check_channel_parameters(input, weight, bias, running_mean, running_var);
  check(input.dim() > 1, messages::expected_at_least_2_dimensions, input.dim());
  check(!training || input.numel() > 0, "input tensor must have at least one element, but got input_sizes = {}", input.sizes());
  if (!is_floating(input.dtype()) || is_float8(input.dtype())) not_implemented_for("batch_norm", input.dtype());
  const Dtype kept = statistics_dtype(input, weight, bias, running_mean, running_var);
  out.add_strided(input.sizes(), strides_of_format(input.sizes(), input.suggested_memory_format()), input.dtype());
  const int64_t count = training ? input.size(1) : 0;
  out.add({count}, kept);
  out.add({count}, kept);
}

void batch_norm_forward(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                        const Tensor& running_var, bool training, double momentum, double eps, const Tensor& out, const Tensor& save_mean,
                        const Tensor& save_invstd) {
  if (input.numel() == 0) return;
  const Channels x = convert_for_kernel(input, input.suggested_memory_format());
  const Tensor result = empty_in_kernel_dtype(out);
  dispatch_kernels(x.tensor.dtype(), "batch_norm", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Dtype wide = compute_dtype(input.dtype());
    const int64_t n = x.channels;
    std::vector<C> scale(static_cast<size_t>(n)), shift(static_cast<size_t>(n));
    Tensor mean, invstd;
    if (training) {
      mean = empty({n}, wide), invstd = empty({n}, wide);
      std::vector<double> squares(static_cast<size_t>(n));
      compute_statistics<T>(x, mean.data<C>(), squares.data(), running_mean, running_var, momentum);
      for (int64_t c = 0; c < n; ++c) invstd.data<C>()[c] = inverse_deviation(C(squares[size_t(c)] / double(x.per_channel())), eps);
      copy_into(save_mean, mean), copy_into(save_invstd, invstd);
      mean = dense_as(save_mean, wide), invstd = dense_as(save_invstd, wide);  // used as they were saved, as in torch
    } else {
      mean = dense_as(running_mean, wide), invstd = empty({n}, wide);
      const Tensor var = dense_as(running_var, wide);
      for (int64_t c = 0; c < n; ++c) invstd.data<C>()[c] = C(1) / std::sqrt(var.data<C>()[c] + C(eps));
    }
    const Tensor w = dense_as(weight, wide), b = dense_as(bias, wide);
    for (int64_t c = 0; c < n; ++c) {
      const C s = w.defined() ? invstd.data<C>()[c] * w.template data<C>()[c] : invstd.data<C>()[c];
      scale[size_t(c)] = s;
      shift[size_t(c)] = (b.defined() ? b.template data<C>()[c] : C(0)) - mean.data<C>()[c] * s;
    }
    apply_affine<T>(x, result, scale.data(), shift.data());
  });
  if (result.get() != out.get()) copy_into(out, result);
}

void batch_norm_into(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean, const Tensor& running_var,
                     bool training, double momentum, double eps, const Tensor& out, const Tensor& save_mean, const Tensor& save_invstd) {
  Specs specs;
  infer_batch_norm(specs, input, weight, bias, running_mean, running_var, training);
  const Tensor* targets[] = {&out, &save_mean, &save_invstd};
  Tensor fresh[3];
  for (int i = 0; i < 3; ++i) {
    const OutputSpec& spec = specs.items[i];
    check(spec.dtype == targets[i]->dtype(), messages::expected_out_dtype, ScalarName(spec.dtype), ScalarName(targets[i]->dtype()));
    fresh[i] = spec.strided ? empty_strided(spec.sizes, spec.strides, spec.dtype) : empty(spec.sizes, spec.dtype);
  }
  batch_norm_forward(input, weight, bias, running_mean, running_var, training, momentum, eps, fresh[0], fresh[1], fresh[2]);
  for (int i = 0; i < 3; ++i) {
    resize_output(*targets[i], specs.items[i].sizes);
    copy_into(*targets[i], fresh[i]);
  }
}

Tensors<2> batch_statistics(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, double momentum, Dtype dtype) {
  const int64_t n = input.size(1);
  Tensors<2> result{{empty({n}, dtype), empty({n}, dtype)}};
  if (input.numel() == 0) return result;
  const Channels x = convert_for_kernel(input, input.suggested_memory_format());
  dispatch_kernels(x.tensor.dtype(), "batch_norm_update_stats_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor mean = empty({n}, compute_dtype(input.dtype())), var = empty({n}, mean.dtype());
    std::vector<double> squares(static_cast<size_t>(n));
    compute_statistics<T>(x, mean.data<C>(), squares.data(), running_mean, running_var, momentum);
    for (int64_t c = 0; c < n; ++c) var.data<C>()[c] = C(squares[size_t(c)] / double(x.per_channel()));
    copy_into(result[0], mean), copy_into(result[1], var);
  });
  return result;
}

namespace {

// Terms of the input's gradient, one of each per channel: scale * (g - part - (x - mean) * slope).
template <class C>
struct GradientTerms {
  explicit GradientTerms(size_t n) : scale(n), part(n), slope(n) {}
  std::vector<C> scale, part, slope;
};

template <class T, class C = ComputeType<T>>
void write_input_gradient(const Channels& x, const Tensor& g, const C* mean, int64_t n, const GradientTerms<C>& terms, T* to) {
  const T *gp = g.data<T>(), *xp = x.tensor.data<T>();
  if (x.columns) {
    const auto columns = row_clone<GradientColumns<T>>(GradientColumns<T>::run);
    const CombinedRows wide(x);
    const std::vector<C> scales = wide.repeat_per_channel(terms.scale.data()), given = wide.repeat_per_channel(terms.part.data()),
                         means = wide.repeat_per_channel<C>(mean), slopes = wide.repeat_per_channel(terms.slope.data());
    wide.for_row_ranges([&](int64_t at, int64_t rows, int64_t width) {
      columns(gp + at, xp + at, to + at, rows, width, scales.data(), given.data(), means.data(), slopes.data());
    });
  } else {
    const auto plane = row_clone<GradientPlane<T>>(GradientPlane<T>::run);
    for_rows(x.outer * n, x.inner, [&](int64_t r) {
      const size_t c = size_t(r % n);
      plane(gp + r * x.inner, xp + r * x.inner, to + r * x.inner, x.inner, terms.scale[c], terms.part[c], mean[c], terms.slope[c]);
    });
  }
}

}  // namespace

Tensors<3> batch_norm_gradients(const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& running_mean,
                                const Tensor& running_var, const Tensor& save_mean, const Tensor& save_invstd, bool training, double eps,
                                List<uint8_t> mask) {
  if (!is_floating(input.dtype()) || is_float8(input.dtype())) not_implemented_for("batch_norm_backward_cpu", input.dtype());
  check(input.dim() > 1 && grad.sizes() == input.sizes(), "Expected the gradient to have the input's shape {}, but got {}", input.sizes(),
        grad.sizes());
  const bool mixed = has_mixed_dtypes(input, {&weight, &running_mean, &running_var, &save_mean, &save_invstd});
  const int64_t n = input.size(1);
  const Tensor& mean_source = training ? save_mean : running_mean;
  const Tensor& spread_source = training ? save_invstd : running_var;
  check(mean_source.defined() && spread_source.defined(), "statistics of the batch must be defined");
  check_one_per_channel("mean", mean_source, n), check_one_per_channel("variance", spread_source, n),
      check_one_per_channel("weight", weight, n);
  const MemoryFormat format = input.suggested_memory_format();
  const Dtype kept = mixed ? Dtype::float32 : input.dtype();
  Tensors<3> result;
  if (mask[0]) result[0] = empty_strided(input.sizes(), strides_of_format(input.sizes(), format), input.dtype(), input.device());
  if (mask[1]) result[1] = empty({n}, kept, input.device());
  if (mask[2]) result[2] = empty({n}, kept, input.device());
  if (input.is_meta()) return result;
  const Channels x = convert_for_kernel(input, format);
  const Tensor gradient = mask[0] ? empty_in_kernel_dtype(result[0]) : Tensor();
  dispatch_kernels(x.tensor.dtype(), "batch_norm_backward_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Dtype wide = compute_dtype(input.dtype());
    const Tensor g = convert_for_kernel(grad.dtype() == input.dtype() ? grad : dense_as(grad, input.dtype()), format).tensor;
    const Tensor mean = dense_as(mean_source, wide), w = dense_as(weight, wide);
    const Tensor spread = dense_as(spread_source, wide);
    std::vector<double> sums(static_cast<size_t>(n)), dots(static_cast<size_t>(n));
    if (input.numel()) channel_sums<T>(x, g, mean.data<C>(), sums.data(), dots.data());
    GradientTerms<C> terms(static_cast<size_t>(n));
    const Tensor dw = empty({n}, wide), db = empty({n}, wide);
    const double count = double(x.per_channel());
    for (int64_t c = 0; c < n; ++c) {
      const size_t i = size_t(c);
      const C invstd = training ? spread.data<C>()[c] : C(1) / std::sqrt(spread.data<C>()[c] + C(eps));
      terms.scale[i] = w.defined() ? invstd * w.template data<C>()[c] : invstd;
      if (training) terms.part[i] = C(sums[i] / count), terms.slope[i] = C(dots[i] / count) * invstd * invstd;
      dw.data<C>()[c] = C(dots[i]) * invstd;
      db.data<C>()[c] = C(sums[i]);
    }
    if (mask[1]) copy_into(result[1], dw);
    if (mask[2]) copy_into(result[2], db);
    if (mask[0] && input.numel()) write_input_gradient<T>(x, g, mean.template data<C>(), n, terms, gradient.data<T>());
  });
  if (mask[0] && gradient.get() != result[0].get()) copy_into(result[0], gradient);
  return result;
}

Tensors<3> batch_norm_gradients_of(const Tensor& grad, Wanted wanted, const Tensor& input, const Tensor& weight, const Tensor& running_mean,
                                   const Tensor& running_var, const Tensor& save_mean, const Tensor& save_invstd, bool training,
                                   double eps) {
  const uint8_t mask[] = {wanted[0], wanted[1], wanted[2]};
  return op<"native_batch_norm_backward", Tensors<3>>(grad, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps,
                                                      list_value(MT_TAG_BOOLS, mask, 3));
}

Tensors<3> batch_norm_second_gradients(const Tensor& ggx, const Tensor& ggw, const Tensor& ggb, const Tensor& grad, const Tensor& input,
                                       const Tensor& weight, const Tensor& running_mean, const Tensor& running_var, const Tensor& save_mean,
                                       const Tensor& save_invstd, bool training, double eps) {
  // With x^ = (x - mean) r and, in training, P(a) = r (a - mean(a) - x^ mean(a x^)): dx = P(g) w, dw = sum(g x^), db =
  // sum(g).
  Dims shape(input.dim(), 1), dims;
  shape[1] = input.size(1);
  for (int64_t d = 0; d < input.dim(); ++d)
    if (d != 1) dims.push_back(d);
  const Dtype wide = compute_dtype(input.dtype());
  auto as_wide = [&](const Tensor& t) { return t.dtype() == wide ? t : op<"to.dtype">(t, wide); };
  auto per_channel = [&](const Tensor& t) { return op<"view">(op<"contiguous">(as_wide(t)), shape); };
  auto total = [&](const Tensor& t) { return op<"sum.dim_IntList">(t, dims); };
  auto average = [&](const Tensor& t) { return op<"mean.dim">(t, dims, true); };
  const Tensor g = as_wide(grad), x = as_wide(input);
  const Tensor w = weight.defined() ? per_channel(weight) : Tensor();
  const Tensor mean = per_channel(training ? save_mean : running_mean);
  const Tensor r = training ? per_channel(save_invstd) : op<"rsqrt">(per_channel(running_var) + eps);
  const Tensor normal = (x - mean) * r;
  auto project = [&](const Tensor& a) { return training ? r * (a - average(a) - normal * average(a * normal)) : r * a; };
  Tensors<3> out;
  if (ggx.defined()) {
    const Tensor gg = as_wide(ggx), projected = project(gg);
    out[0] = w.defined() ? projected * w : projected;
    if (w.defined()) out[2] = total(projected * g);
    if (training) {
      const Tensor gw = w.defined() ? g * w : g, dx = project(gw);
      out[1] = -(r * normal) * average(gg * dx) - projected * (r * average(gw * normal)) - dx * (r * average(gg * normal));
    }
  }
  if (ggw.defined()) {
    const Tensor gg = per_channel(ggw);
    out[0] = sum_of_defined(out[0], gg * normal);
    out[1] = sum_of_defined(out[1], project(g * gg));
  }
  if (ggb.defined()) out[0] = sum_of_defined(out[0], op<"expand">(per_channel(ggb), input.sizes()));
  if (out[0].defined() && out[0].dtype() != grad.dtype()) out[0] = op<"to.dtype">(out[0], grad.dtype());
  if (out[1].defined() && out[1].dtype() != input.dtype()) out[1] = op<"to.dtype">(out[1], input.dtype());
  if (out[2].defined() && out[2].dtype() != weight.dtype()) out[2] = op<"to.dtype">(out[2], weight.dtype());
  return out;
}

}  // namespace mt
