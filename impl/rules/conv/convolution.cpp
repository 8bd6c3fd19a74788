// Checks and output sizes of convolutions.
#include "rules/conv/convolution.h"

#include <algorithm>

#include "core/messages.h"
#include "rules/form/rule.h"
#include "rules/form/type_text.h"

namespace mt {
namespace {

bool has_element_below(IntList list, int64_t least) {
  return std::any_of(list.begin(), list.end(), [&](int64_t v) { return v < least; });
}

const char* element_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32: return "float";
    case Dtype::float64: return "double";
    case Dtype::float16: return "c10::Half";
    case Dtype::bfloat16: return "c10::BFloat16";
    case Dtype::uint8: return "unsigned char";
    case Dtype::int8: return "signed char";
    case Dtype::int16: return "short int";
    case Dtype::int32: return "int";
    case Dtype::int64: return "long int";
    case Dtype::boolean: return "bool";
    case Dtype::complex64: return "c10::complex<float>";
    case Dtype::complex128: return "c10::complex<double>";
    case Dtype::complex32: return "c10::complex<c10::Half>";
    default: return "unknown";
  }
}

// "8 x 8": sizes as torch prints them in error messages.
struct SizesText {
  char text[160];
  explicit SizesText(IntList sizes) {
    char* at = text;
    *at = 0;
    for (int64_t i = 0; i < sizes.size() && at < text + sizeof(text) - 24; ++i)
      at += __builtin_snprintf(at, 24, i ? " x %lld" : "%lld", static_cast<long long>(sizes[i]));
  }
  const char* c_str() const { return text; }
  size_t size() const { return __builtin_strlen(text); }
};

int64_t add_checked(int64_t a, int64_t b) {
  int64_t out;
  check(!__builtin_add_overflow(a, b, &out), messages::convolution_sizes_overflow);
  return out;
}
int64_t multiply_checked(int64_t a, int64_t b) {
  int64_t out;
  check(!__builtin_mul_overflow(a, b, &out), messages::convolution_sizes_overflow);
  return out;
}
// The extent of a dilated kernel: dilation * (size - 1) + 1.
int64_t extent_of(int64_t size, int64_t dilation) { return add_checked(multiply_checked(dilation, size - 1), 1); }

void check_sizes(const Tensor& input, const Tensor& weight, const Tensor& bias, const Convolution& c) {
  const int64_t dims = weight.dim(), n = dims - 2;
  check(input.dim() == dims, "Expected {}-dimensional input for {}-dimensional weight {}, but got {}-dimensional input of size {} instead",
        dims, dims, weight.sizes(), input.dim(), input.sizes());
  check(weight.size(0) >= c.groups, "Given groups={}, expected weight to be at least {} at dimension 0, but got weight of size {} instead",
        c.groups, c.groups, weight.sizes());
  check(weight.size(0) % c.groups == 0,
        "Given groups={}, expected weight to be divisible by {} at dimension 0, but got weight of size [{}] instead", c.groups, c.groups,
        weight.sizes());
  if (c.transposed) {
    check(input.size(1) == weight.size(0),
          "Given transposed=1, weight of size {}, expected input{} to have {} channels, but got {} channels instead", weight.sizes(),
          input.sizes(), weight.size(0), input.size(1));
    const int64_t channels = multiply_checked(weight.size(1), c.groups);
    check(!bias.defined() || (bias.dim() == 1 && bias.size(0) == channels),
          "Given transposed=1, weight of size {}, expected bias to be 1-dimensional with {} elements, but got bias of "
          "size {} instead",
          weight.sizes(), channels, bias.defined() ? bias.sizes() : IntList());
    return;
  }
  check(input.size(1) == multiply_checked(weight.size(1), c.groups),
        "Given groups={}, weight of size {}, expected input{} to have {} channels, but got {} channels instead", c.groups, weight.sizes(),
        input.sizes(), weight.size(1) * c.groups, input.size(1));
  check(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)),
        "Given weight of size {}, expected bias to be 1-dimensional with {} elements, but got bias of size {} instead", weight.sizes(),
        weight.size(0), bias.defined() ? bias.sizes() : IntList());
  Dims padded, kernel;
  bool fits = true;
  for (int64_t i = 0; i < n; ++i) {
    padded.push_back(add_checked(input.size(i + 2), 2 * c.padding[i]));
    kernel.push_back(extent_of(weight.size(i + 2), c.dilation[i]));
    fits &= kernel[i] <= padded[i];
  }
  check(fits,
        "Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size can't be greater than actual "
        "input size",
        SizesText(padded), SizesText(kernel));
}

void check_output_padding(const Convolution& c) {
  static constexpr const char* names[] = {"depth", "height", "width"};
  const int64_t n = c.stride.size(), shown = std::max<int64_t>(n, 2);
  bool fits = true;
  for (int64_t i = 0; i < n; ++i) fits &= c.output_padding[i] < c.stride[i] || c.output_padding[i] < c.dilation[i];
  if (fits) return;
  char text[400];
  char* at = text;
  auto add = [&](const char* what, const Dims& values, int64_t missing) {
    for (int64_t i = 0; i < shown && at < text + sizeof(text) - 60; ++i) {
      const int64_t d = i - (shown - n);
      at += __builtin_snprintf(at, 60, " %s_%s: %lld", what, names[3 - shown + i], static_cast<long long>(d < 0 ? missing : values[d]));
    }
  };
  add("output_padding", c.output_padding, 0);
  add("stride", c.stride, 1);
  add("dilation", c.dilation, 1);
  fail("output padding must be smaller than either stride or dilation, but got{}", text);
}

}  // namespace

Dims per_dimension(IntList values, const char* name, int64_t n) {
  if (values.size() == 1) return Dims(n, values[0]);
  check(values.size() == n,
        "expected {} to be a single integer value or a list of {} values to match the convolution dimensions, but got "
        "{}={}",
        name, n, name, values);
  return Dims(values);
}

Convolution checked_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                                IntList dilation, bool transposed, IntList output_padding, int64_t groups) {
  const int64_t n = weight.dim() - 2;
  check(n > 0, messages::weight_rank_below_3);
  check(groups > 0, "non-positive groups is not supported");
  Convolution c{per_dimension(stride, "stride", n),
                per_dimension(padding, "padding", n),
                per_dimension(dilation, "dilation", n),
                per_dimension(output_padding, "output_padding", n),
                transposed,
                groups};
  check(!has_element_below(c.padding, 0), "negative padding is not supported");
  check(!has_element_below(c.output_padding, 0), "negative output_padding is not supported");
  check(!has_element_below(c.stride, 1), "non-positive stride is not supported");
  check(!has_element_below(c.dilation, 0), "dilation should be greater than zero");
  check(!has_element_below(c.dilation, 1), "non-positive dilation is not supported");
  for (int64_t i = 0; i < n; ++i)
    check(c.padding[i] <= INT64_MAX / 2, "Given padding={} at dimension {} , expected padding to be at most {}", c.padding[i], i,
          INT64_MAX / 2);
  check_sizes(input, weight, bias, c);
  check(n <= 3, ErrorKind::not_implemented, "convolutions have at most three spatial dimensions, but the weight has {}", n);
  if (input.is_meta() || weight.is_meta()) return c;
  const bool empty = input.size(0) == 0 || input.size(1) == 0;
  if (input.numel() == 0) check(empty, "Only zero batch or zero channel inputs are supported, but got input shape: {}", input.sizes());
  for (int64_t i = 0; i < n; ++i)
    check(empty || weight.size(i + 2) > 0, "kernel size should be greater than zero, but got kernel size: ({})",
          SizesText(IntList(weight.sizes().begin() + 2, n)));
  if (transposed) check_output_padding(c);
  if (input.dtype() != weight.dtype()) {
    if (input.dtype() == Dtype::boolean || (transposed && input.dtype() == Dtype::uint8))
      fail(ErrorKind::not_implemented, messages::kernel_not_implemented_for,
           !transposed && n == 3 && weight.numel() == weight.size(0) * weight.size(1) ? "slow_conv3d_cpu" : convolution_kernel(weight, c),
           input.dtype());
    check(!convolves_with_onednn(input, weight, c),
          "Input type ({}) and weight type ({}) should be the same or input should be a MKLDNN tensor and weight is a dense tensor",
          tensor_type_text(input), tensor_type_text(weight));
    check(!is_complex(input.dtype()), messages::input_and_weight_dtypes_differ, tensor_type_text(input), tensor_type_text(weight));
    fail(messages::expected_scalar_type, input.dtype(), weight.dtype());
  }
  // torch's own kernels convert the bias to the input's dtype; oneDNN's kernels refuse another dtype.
  if (bias.defined() && bias.dtype() != input.dtype() && convolves_with_onednn(input, weight, c))
    fail("Input type ({}) and bias type ({}) should be the same or input should be a MKLDNN tensor and bias is a dense tensor",
         tensor_type_text(input), tensor_type_text(bias));
  if (bias.defined() && transposed) {
    check(n < 3 || bias.dtype() == input.dtype(), messages::expected_scalar_type, input.dtype(), bias.dtype());
    check_result_cast(bias.dtype(), input.dtype());
  }
  return c;
}

namespace {
// torch computes 1-d convolutions as 2-d ones of height 1.
Dims insert_height(IntList sizes) {
  Dims plane(sizes);
  if (plane.size() == 1) plane.insert(0, 1);
  return plane;
}
}  // namespace

Dims convolution_sizes(IntList input, IntList weight, const Convolution& c) {
  Dims out{input[0], c.transposed ? weight[1] * c.groups : weight[0]};
  const int64_t n = c.stride.size();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t size = input[i + 2], kernel = extent_of(weight[i + 2], c.dilation[i]);
    if (c.transposed)
      out.push_back(
          add_checked(add_checked(multiply_checked(size - 1, c.stride[i]), -2 * c.padding[i]), add_checked(kernel, c.output_padding[i])));
    else
      out.push_back((add_checked(size, 2 * c.padding[i]) - kernel) / c.stride[i] + 1);
  }
  const IntList spatial(out.begin() + 2, n);
  check(!c.transposed || !has_element_below(spatial, 1),
        "Given input size per channel: ({}). Calculated output size per channel: ({}). Output size is too small",
        SizesText(insert_height(IntList(input.begin() + 2, n))), SizesText(insert_height(spatial)));
  return out;
}

bool convolves_with_onednn(const Tensor& input, const Tensor& weight, const Convolution& c) {
  if (input.dtype() == Dtype::bfloat16) return true;
  if (input.dtype() != Dtype::float32) return false;
  const int64_t last = weight.dim() - 1;
  if (c.groups > 1 || input.size(0) > 1 || (weight.size(last) > 3 && (last < 3 || weight.size(last - 1) > 3))) return true;
  int64_t leading = 1;
  for (int64_t i = 0; i < std::min<int64_t>(4, input.dim()); ++i) leading *= input.size(i);
  return leading > 20480;
}

MemoryFormat convolution_format(const Tensor& input, const Tensor& weight, const Convolution& c) {
  if (input.numel() == 0 || (input.dim() == 5 && !convolves_with_onednn(input, weight, c))) return MemoryFormat::contiguous;
  const MemoryFormat format = input.suggested_memory_format();
  return format != MemoryFormat::contiguous ? format : weight.suggested_memory_format();
}

cpu::ConvShape convolution_shape(IntList input, IntList weight, IntList output, const Convolution& c) {
  const IntList wide = c.transposed ? output : input, narrow = c.transposed ? input : output;
  const int64_t n = c.stride.size();
  cpu::ConvShape s;
  s.batch = input[0], s.groups = c.groups;
  s.out_channels = weight[0] / c.groups, s.in_channels = weight[1];
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t d = i - (3 - n);
    s.in[i] = d < 0 ? 1 : wide[d + 2];
    s.out[i] = d < 0 ? 1 : narrow[d + 2];
    s.kernel[i] = d < 0 ? 1 : weight[d + 2];
    s.padding[i] = d < 0 ? 0 : c.padding[d];
    // An output of size 1 uses no stride; it counts as 1.
    s.stride[i] = s.out[i] > 1 ? c.stride[d] : 1;
    s.dilation[i] = s.kernel[i] > 1 ? c.dilation[d] : 1;
  }
  return s;
}

const char* convolution_kernel(const Tensor& weight, const Convolution& c) {
  const bool three = weight.dim() == 5, dilated = std::any_of(c.dilation.begin(), c.dilation.end(), [](int64_t d) { return d != 1; });
  if (c.transposed) return three ? "slow_conv_transpose3d_out_cpu" : "slow_conv_transpose2d_out_cpu";
  return dilated ? "slow_conv_dilated<>" : three ? "compute_columns3d" : "slow_conv2d_cpu";
}

namespace {

Tensor add_missing_batch_dim(const char* name, int64_t spatial, const Tensor& input, bool* added) {
  *added = input.dim() == spatial + 1;
  check(*added || input.dim() == spatial + 2, "Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}",
        spatial + 1, spatial + 2, name, input.sizes());
  return *added ? op<"unsqueeze">(input, 0) : input;
}

// Three real convolutions (Gauss): (a + ib)(c + id) = ac - bd + i((a + b)(c + d) - ac - bd).
template <class F>
Tensor convolve_components(const Tensor& input, const Tensor& weight, const Tensor& bias, F convolve) {
  check(input.dtype() == weight.dtype(), messages::input_and_weight_dtypes_differ, tensor_type_text(input), tensor_type_text(weight));
  if (bias.defined() && bias.dtype() != input.dtype())
    fail(messages::input_and_bias_dtypes_differ, tensor_type_text(input), tensor_type_text(bias));
  auto parts = [](const Tensor& t) {
    Tensor pairs = op<"view_as_real">(op<"resolve_conj">(t));
    const int64_t last = pairs.dim() - 1;
    return Tensors<2>{{op<"select.int">(pairs, last, 0), op<"select.int">(pairs, last, 1)}};
  };
  const Tensors<2> x = parts(input), w = parts(weight);
  Tensors<2> b;
  if (bias.defined()) b = parts(bias);
  Tensor first = convolve(x[0], w[0], b[0]), second = convolve(x[1], w[1], Tensor());
  Tensor sum_bias = bias.defined() ? op<"add">(b[0], b[1]) : Tensor();
  Tensor third = convolve(op<"add">(x[0], x[1]), op<"add">(w[0], w[1]), sum_bias);
  Tensor imaginary = op<"sub">(op<"sub">(third, first), second);
  return op<"add">(op<"sub">(first, second), op<"mul">(imaginary, Scalar(Complex<double>(0, 1))));
}

}  // namespace

Tensor convolve_nd(const char* name, int64_t spatial, const Tensor& given, const Tensor& weight, const Tensor& bias, IntList stride,
                   IntList padding, IntList dilation, bool transposed, IntList output_padding, int64_t groups) {
  if (!transposed && bias.defined())
    check(bias.dtype() == given.dtype(), messages::input_and_bias_dtypes_differ, element_type(given.dtype()), element_type(bias.dtype()));
  bool added = false;
  const Tensor input = add_missing_batch_dim(name, spatial, given, &added);
  auto convolve = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
    return op<"convolution">(x, w, b, stride, padding, dilation, transposed, output_padding, groups);
  };
  Tensor out = is_complex(input.dtype()) ? convolve_components(input, weight, bias, convolve) : convolve(input, weight, bias);
  return added ? op<"squeeze">(out, 0) : out;
}

Tensor convolve_nd(const char* name, int64_t spatial, const Tensor& given, const Tensor& weight, const Tensor& bias, IntList stride,
                   Text padding, IntList dilation, int64_t groups) {
  bool added = false;
  const Tensor input = add_missing_batch_dim(name, spatial, given, &added);
  auto convolve = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
    return op<"_convolution_mode">(x, w, b, stride, padding, dilation, groups);
  };
  Tensor out = is_complex(input.dtype()) ? convolve_components(input, weight, bias, convolve) : convolve(input, weight, bias);
  return added ? op<"squeeze">(out, 0) : out;
}

}  // namespace mt
