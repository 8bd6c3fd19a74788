// Resampling: the arguments, checks and memory formats of the upsample family; the backward pass uses transposed taps.
#include "rules/resample/resample.h"

#include <string>

#include "cpu/pool/pool.h"
#include "cpu/resample/resample.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

IntList spatial_of(IntList sizes) { return {sizes.data + 2, sizes.size() - 2}; }

struct Arguments {
  IntList output_size, input_size;
  bool align_corners = false;
  std::optional<double> scales[3];
};
Arguments read_resample_arguments(const Call& call, Filter filter, int rank, bool is_backward) {
  Arguments a;
  int i = 1;
  a.output_size = Unbox<IntList>::from(call.args[i++]);
  if (is_backward) a.input_size = Unbox<IntList>::from(call.args[i++]);
  if (!is_nearest(filter)) a.align_corners = Unbox<bool>::from(call.args[i++]);
  for (int d = 0; d < rank; ++d) a.scales[d] = Unbox<std::optional<double>>::from(call.args[i++]);
  return a;
}

// A copy in the result's memory format, channels-last or contiguous, viewed as (outer, spatial..., inner).
struct ImageCopy {
  Tensor tensor;
  int64_t outer, inner;
};
ImageCopy make_image_copy(const Tensor& t, MemoryFormat format) {
  Tensor dense_one = t;
  if (!t.is_contiguous(format)) {
    dense_one = empty_strided(t.sizes(), strides_of_format(t.sizes(), format), t.dtype());
    copy_into(dense_one, t);
  }
  const bool last = format != MemoryFormat::contiguous;
  return {dense_one, last ? t.size(0) : t.size(0) * t.size(1), last ? t.size(1) : 1};
}
void add_in_format(Specs& out, IntList sizes, Dtype dtype, MemoryFormat format) {
  if (format == MemoryFormat::contiguous) return out.add(sizes, dtype);
  out.add_strided(sizes, strides_of_format(sizes, format), dtype);
}
MemoryFormat backward_format(const Tensor& grad, Filter filter, int rank) {
  const bool keeps = rank == 2 ? is_nearest(filter) || filter == Filter::linear || filter == Filter::linear_aa
                               : rank == 3 && filter == Filter::linear;
  return keeps ? grad.suggested_memory_format() : MemoryFormat::contiguous;
}

template <class C>
std::vector<cpu::Taps<C>> make_all_taps(const Arguments& a, Filter filter, IntList in, IntList out, bool shortcuts,
                                        bool skips_equal = false) {
  std::vector<cpu::Taps<C>> taps;
  for (int64_t d = 0; d < in.size(); ++d) {
    check(in[d] <= INT32_MAX, "resampling of a dimension of {} elements is not supported", in[d]);
    taps.push_back(cpu::taps_of<C>(filter, in[d], out[d], a.align_corners, a.scales[d], shortcuts, skips_equal));
  }
  return taps;
}

void check_sizes(const Arguments& a, IntList input, int rank) {
  check(a.output_size.size() == rank, "It is expected output_size equals to {}, but got size {}", rank, a.output_size.size());
  check(input.size() == rank + 2, "It is expected input_size equals to {}, but got size {}", rank + 2, input.size());
  bool positive = true;
  for (int d = 0; d < rank; ++d) positive = positive && input[2 + d] > 0 && a.output_size[d] > 0;
  if (positive) return;
  const IntList i = input, o = a.output_size;
  if (rank == 1) fail("Input and output sizes should be greater than 0, but got input (W: {}) and output (W: {})", i[2], o[0]);
  if (rank == 2)
    fail("Input and output sizes should be greater than 0, but got input (H: {}, W: {}) output (H: {}, W: {})", i[2], i[3], o[0], o[1]);
  fail(
      "Input and output sizes should be greater than 0, but got input (D: {}, H: {}, W: {}) output (D: {}, H: {}, W: "
      "{})",
      i[2], i[3], i[4], o[0], o[1], o[2]);
}
Dims sizes_with_spatial(IntList input, IntList spatial) {
  Dims sizes{input[0], input[1]};
  for (int64_t s : spatial) sizes.push_back(s);
  return sizes;
}

// Whether torch uses its channels-last kernels, as it also does for small results: these have other names in error messages, and find
// neighbours differently.
bool uses_channels_last(const Tensor& in, IntList out, int rank) {
  const MemoryFormat format = in.suggested_memory_format();
  if (rank == 1) return false;
  if (format != MemoryFormat::contiguous && in.size(1) > 3) return true;
  return rank == 2 && out[out.size() - 1] + out[out.size() - 2] <= 128;
}
std::string forward_name(const Tensor& in, IntList out, Filter filter, int rank) {
  if (is_antialiased(filter)) return "compute_index_ranges_weights";
  if (filter != Filter::cubic && uses_channels_last(in, out, rank)) {
    const char* kind = is_nearest(filter) ? "nearest" : rank == 2 ? "bilinear" : "trilinear";
    return std::string("upsample_") + kind + (rank == 2 ? "2d" : "3d") + "_channels_last";
  }
  return filter == Filter::cubic ? "compute_indices_weights_cubic"
         : is_nearest(filter)    ? "compute_indices_weights_nearest"
                                 : "compute_indices_weights_linear";
}

template <class C>
void resample_planes(const Tensor& in, const Tensor& out, const std::vector<cpu::Taps<C>>& taps, int64_t outer, int64_t inner) {
  cpu::resample_planes<C>(in.data(), in.dtype(), out.data(), out.dtype(), taps, outer, inner);
}

}  // namespace

void infer_resampled(Specs& out, const Call& call, Filter filter, int rank) {
  const Tensor& self = Unbox<Tensor>::from(call.args[0]);
  const Arguments a = read_resample_arguments(call, filter, rank, false);
  check_sizes(a, self.sizes(), rank);
  bool filled = self.numel() != 0 || self.size(1) != 0;
  if (rank == 1) filled = self.size(1) != 0;
  check(filled, "Non-empty {}D data tensor expected but got a tensor with sizes {}", rank + 2, self.sizes());
  add_in_format(out, sizes_with_spatial(self.sizes(), a.output_size), self.dtype(),
                rank == 1 ? MemoryFormat::contiguous : self.suggested_memory_format());
}

void resample(Tensor& out, const Call& call, Filter filter, int rank) {
  const Tensor& self = Unbox<Tensor>::from(call.args[0]);
  const Arguments a = read_resample_arguments(call, filter, rank, false);
  if (is_antialiased(filter) && out.sizes() == self.sizes()) return copy_into(out, self);
  const bool bytes = self.dtype() == Dtype::uint8 && (is_nearest(filter) || rank == 2);
  const bool halves = is_half(self.dtype()) && !is_antialiased(filter);
  if (!bytes && !halves && self.dtype() != Dtype::float32 && self.dtype() != Dtype::float64)
    not_implemented_for(forward_name(self, out.sizes(), filter, rank).c_str(), self.dtype());
  if (out.numel() == 0) return;
  const MemoryFormat format = rank == 1 ? MemoryFormat::contiguous : self.suggested_memory_format();
  const auto [in, outer, inner] = make_image_copy(self, format);
  const auto [result, unused_outer, unused_inner] = make_image_copy(out, format);
  const IntList from = spatial_of(in.sizes()), to = spatial_of(out.sizes());
  if (is_nearest(filter)) {
    const bool shortcuts = uses_channels_last(self, out.sizes(), rank);
    dispatch_by_size(in.itemsize(), [&, &in = in, &result = result, outer = outer, inner = inner]<class T>(Type<T>) {
      cpu::move_nearest<T>(reinterpret_cast<const T*>(in.data()), reinterpret_cast<T*>(result.data()),
                           make_all_taps<float>(a, filter, from, to, shortcuts), outer, inner);
    });
  } else if (bytes) {
    cpu::resample_bytes(static_cast<const uint8_t*>(in.data()), static_cast<uint8_t*>(result.data()),
                        make_all_taps<double>(a, filter, from, to, false, true), outer, inner);
  } else {
    const auto run = [&, &in = in, &result = result, outer = outer, inner = inner]<class C>(Type<C>) {
      resample_planes<C>(in, result, make_all_taps<C>(a, filter, from, to, false, is_antialiased(filter)), outer, inner);
    };
    in.dtype() == Dtype::float64 ? run(Type<double>()) : run(Type<float>());
  }
  if (result.get() != out.get()) copy_into(out, result);
}

void infer_resample_backward(Specs& out, const Call& call, Filter filter, int rank) {
  const Tensor& grad = Unbox<Tensor>::from(call.args[0]);
  const Arguments a = read_resample_arguments(call, filter, rank, true);
  check_sizes(a, a.input_size, rank);
  const Dims wanted = sizes_with_spatial(a.input_size, a.output_size);
  if (rank == 1) {
    for (int64_t d = 0; d < 3; ++d)
      check(grad.dim() == 3 && grad.size(d) == wanted[d],
            "Expected a tensor of dimension 3 and tensor.size[{}] == {} but got: dimension {} and tensor.size[{}] = {}", d, wanted[d],
            grad.dim(), d, d < grad.dim() ? grad.size(d) : 0);
  } else {
    check(grad.dim() == rank + 2, "Expected grad_output to be a tensor of dimension {} but got: dimension {}", rank + 2, grad.dim());
    for (int64_t d = 0; d < rank + 2; ++d)
      check(grad.size(d) == wanted[d],
            "Expected grad_output to have the same shape as output; output.size({}) = {} but got grad_output.size({}) "
            "= {}",
            d, wanted[d], d, grad.size(d));
  }
  add_in_format(out, a.input_size, grad.dtype(), backward_format(grad, filter, rank));
}

namespace {
// Whether each input element is the mean of equally many output elements; returns their window shape.
bool are_equal_windows(const std::vector<cpu::Taps<float>>& taps, cpu::PoolShape& shape) {
  bool whole = true;
  for (size_t d = 0; whole && d < taps.size(); ++d) {
    const size_t i = 3 - taps.size() + d;
    const int64_t times = taps[d].places / taps[d].input;
    shape.in[i] = taps[d].places, shape.out[i] = taps[d].input, shape.kernel[i] = shape.stride[i] = times;
    whole = times > 0 && times * taps[d].input == taps[d].places;
    for (int64_t k = 0; whole && k < taps[d].places; ++k) whole = taps[d].index[size_t(k)] == k / times;
  }
  return whole;
}
}  // namespace

void resample_backward(Tensor& grad_input, const Call& call, Filter filter, int rank) {
  const Tensor& grad = Unbox<Tensor>::from(call.args[0]);
  const Arguments a = read_resample_arguments(call, filter, rank, true);
  std::string name = call.op.functional->base_name;
  if (is_antialiased(filter)) name = name.substr(1) + "_cpu";
  if (is_antialiased(filter) && is_half(grad.dtype())) not_implemented_for(name.c_str(), grad.dtype());
  if (grad.dtype() != Dtype::float32 && grad.dtype() != Dtype::float64 && !is_half(grad.dtype()))
    not_implemented_for(name.c_str(), grad.dtype());
  if (grad_input.numel() == 0) return;
  const MemoryFormat format = backward_format(grad, filter, rank);
  const auto [g, outer, inner] = make_image_copy(grad, format);
  const auto [result, unused_outer, unused_inner] = make_image_copy(grad_input, format);
  // The backward pass always finds neighbours in float, and with the `shortcuts` of nearest_taps().
  const IntList from = spatial_of(a.input_size);
  const std::vector<cpu::Taps<float>> narrow = is_nearest(filter) ? make_all_taps<float>(a, filter, from, a.output_size, true)
                                                                  : std::vector<cpu::Taps<float>>();
  cpu::PoolShape windows{outer, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
  if (is_nearest(filter) && inner == 1 && are_equal_windows(narrow, windows)) {
    visit_floating(grad.dtype(), [&, &g = g, &result = result]<class T>(Type<T>) {
      cpu::avg_pool<T>(windows, {true, 1}, g.template data<T>(), result.template data<T>());
    });
  } else {
    // The transpose: every input element gathers from the outputs to which it contributed.
    const auto run = [&, &g = g, &result = result, outer = outer, inner = inner]<class C>(Type<C>) {
      std::vector<cpu::Taps<C>> taps;
      std::vector<cpu::Taps<C>> given;
      for (const cpu::Taps<float>& t : narrow)
        given.push_back({t.places, t.most, t.input, t.index, std::vector<C>(t.weight.begin(), t.weight.end()), t.count});
      if (!is_nearest(filter)) given = make_all_taps<C>(a, filter, from, a.output_size, true);
      for (const cpu::Taps<C>& t : given) taps.push_back(cpu::transpose_taps(t));
      resample_planes<C>(g, result, taps, outer, inner);
    };
    grad.dtype() == Dtype::float64 ? run(Type<double>()) : run(Type<float>());
  }
  if (result.get() != grad_input.get()) copy_into(grad_input, result);
}

namespace {
std::vector<cpu::Taps<float>> make_all_windows(IntList in, IntList out, int64_t n) {
  std::vector<cpu::Taps<float>> taps;
  for (int64_t d = n; d > 0; --d) taps.push_back(cpu::window_taps(in[in.size() - d], out[out.size() - d]));
  return taps;
}
}  // namespace

void window_means(const Tensor& in, const Tensor& out, int64_t n) {
  const std::vector<cpu::Taps<float>> taps = make_all_windows(in.sizes(), out.sizes(), n);
  resample_planes<float>(in, out, taps, product({in.sizes().data, in.dim() - n}), 1);
}
void window_means_backward(const Tensor& grad, const Tensor& out, int64_t n) {
  const std::vector<cpu::Taps<float>> taps = make_all_windows(out.sizes(), grad.sizes(), n);
  // Divides by the windows' sizes first, which makes the gradients of means those of sums.
  Tensor g = empty(grad.sizes(), Dtype::float32);
  copy_into(g, grad);
  const int64_t width = taps.back().places;
  for (int64_t r = 0; r * width < g.numel(); ++r) cpu::divide_by_tap_counts(taps, r, g.data<float>() + r * width);
  std::vector<cpu::Taps<float>> shares;
  for (const cpu::Taps<float>& t : taps) shares.push_back(cpu::transpose_taps(t));
  resample_planes<float>(g, out, shares, product({grad.sizes().data, grad.dim() - n}), 1);
}

Dims resolve_sizes(const Tensor& input, std::optional<IntList> output_size, std::optional<List<double>> scales) {
  const int64_t spatial = input.dim() - 2;
  check(output_size.has_value() != scales.has_value(), "Must specify exactly one of output_size and scale_factors");
  constexpr const char* mismatch =
      "Expected static_cast<int64_t>({}->size()) == spatial_dimensions to be true, but got false.  (Could this error "
      "message be improved?  If so, please "
      "report an enhancement request to PyTorch.)";
  if (output_size) {
    check(output_size->size() == spatial, mismatch, "output_size");
    return Dims(*output_size);
  }
  check(scales->size() == spatial, mismatch, "scale_factors");
  Dims sizes;
  for (int64_t d = 0; d < spatial; ++d) {
    const double size = double(input.size(d + 2)) * (*scales)[d];
    // Beyond int64, torch's conversion gives the smallest int64.
    sizes.push_back(size >= -0x1p63 && size < 0x1p63 ? int64_t(size) : INT64_MIN);
  }
  return sizes;
}

}  // namespace mt
