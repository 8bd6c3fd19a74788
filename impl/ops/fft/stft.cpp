// stft: the transforms of overlapping windows of a signal.
#include <atomic>
#include <string>

#include "core/exception.h"
#include "core/messages.h"
#include "core/warn_once.h"
#include "rules/fft/fft.h"
#include "rules/fft/signal_text.h"

namespace mt {
namespace {

using OptionalSize = std::optional<int64_t>;
using OptionalBool = std::optional<bool>;

std::atomic<bool> has_warned_of_window, has_warned_of_reals;

void warn_of_default_window() {
  warn_once(
      has_warned_of_window,
      "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other windows such as "
      "torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress this warning and use a "
      "rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.");
}

// For real inputs: raises if `return_complex` is not given, and warns if it is false.
void check_real_results(OptionalBool return_complex) {
  check(return_complex.has_value(),
        "stft requires the return_complex parameter be given for real inputs, and will further require that "
        "return_complex=True in a future PyTorch release.");
  warn_once(
      has_warned_of_reals,
      "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for all inputs, and "
      "return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the complex output to recover the old "
      "return format.");
}

bool should_return_complex(const Tensor& self, const Tensor& window, OptionalBool given) {
  return given ? *given : is_complex(self.dtype()) || (window.defined() && is_complex(window.dtype()));
}

void check_window_device(const Tensor& self, const Tensor& window) {
  check(!window.defined() || window.device() == self.device(),
        "stft input and window must be on the same device but got self on {} and window on {}", self.device(),
        window.defined() ? window.device() : self.device());
}

// Pads a batch of signals so that frames are centred on their samples.
Tensor pad_to_centre(const Tensor& input, int64_t pad, Text mode) {
  // `pad` needs a channel dimension.
  return op<"squeeze">(op<"pad">(op<"unsqueeze">(input, 1), IntList{pad, pad}, mode, nullptr), 1);
}

// A view of overlapping frames, times the window.
Tensor multiply_frames_by_window(const Tensor& input, int64_t n_fft, int64_t hop_length, const Tensor& window) {
  const Tensor frames = op<"as_strided">(input, IntList{input.size(0), 1 + (input.size(1) - n_fft) / hop_length, n_fft},
                                         IntList{input.stride(0), hop_length * input.stride(1), input.stride(1)});
  return window.defined() ? frames * window : frames;
}

Tensor transform_frames(const Tensor& frames, bool normalized, OptionalBool onesided_given) {
  const bool complex = is_complex(frames.dtype()), onesided = onesided_given ? *onesided_given : !complex;
  const int64_t norm = int64_t(normalized ? FftNorm::by_root_n : FftNorm::none);
  check(!complex || !onesided, messages::onesided_output_of_complex_input);
  return complex ? op<"_fft_c2c">(frames, IntList{2}, norm, true) : op<"_fft_r2c">(frames, IntList{2}, norm, onesided);
}

Tensor transform_signal(const Tensor& self, int64_t n_fft, OptionalSize hop, OptionalSize win, const Tensor& window, bool center,
                        Text pad_mode, bool normalized, OptionalBool onesided_given, OptionalBool complex_given, OptionalBool align) {
  if (!window.defined()) warn_of_default_window();
  check_window_device(self, window);
  check(!center || !align, "stft align_to_window should only be set when center = false.");
  const int64_t hop_length = hop ? *hop : n_fft >> 2, win_length = win ? *win : n_fft;
  const bool return_complex = should_return_complex(self, window, complex_given);
  if (!return_complex) check_real_results(complex_given);
  auto refuse = [&](const std::string& why) {
    fail(
        "stft({}{}, n_fft={}, hop_length={}, win_length={}, window={}, normalized={}, onesided={}, return_complex={}, align_to_window={}) "
        "{}",
        tensor_type_text(self), self.sizes(), n_fft, hop_length, win_length, window_text(window), int64_t(normalized),
        optional_text(onesided_given), optional_text(complex_given), optional_text(align), why);
  };
  if (!is_differentiable(self.dtype())) refuse(": expected a tensor of floating point or complex values");
  if (self.dim() > 2 || self.dim() < 1) refuse(": expected a 1D or 2D tensor");
  Tensor input = self.dim() == 1 ? op<"unsqueeze">(self, 0) : self;
  if (center) input = pad_to_centre(input, n_fft / 2, pad_mode);
  const int64_t len = input.size(1);
  if (n_fft <= 0 || n_fft > len) refuse(text(": expected 0 < n_fft < {}, but got n_fft={}", len, n_fft));
  if (hop_length <= 0) refuse(text(": expected hop_length > 0, but got hop_length={}", hop_length));
  if (win_length <= 0 || win_length > n_fft) refuse(text(": expected 0 < win_length <= n_fft, but got win_length={}", win_length));
  if (window.defined() && (window.dim() != 1 || window.size(0) != win_length))
    refuse(text(": expected a 1D window tensor of size equal to win_length={}, but got window with size {}", win_length, window.sizes()));
  const Tensor padded = padded_window(window, win_length, n_fft, input);

  // With align_to_window, the first and last frames extend into zeros by the padding of the window.
  if (!center && align && *align) {
    const int64_t left = (n_fft - win_length) / 2;
    input = op<"constant_pad_nd">(input, IntList{left, n_fft - win_length - left}, 0);
  }
  Tensor out = transform_frames(multiply_frames_by_window(input, n_fft, hop_length, padded), normalized, onesided_given);
  out = op<"transpose_">(out, 1, 2);
  if (self.dim() == 1) out = op<"squeeze_">(out, 0);
  return return_complex ? out : op<"view_as_real">(out);
}

MT_OP(OpDef{
    .schema = {"stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str "
               "pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) "
               "-> Tensor",
               "stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? "
               "onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the short-time Fourier transform: that of windows which slide over a signal.

X[f, t] = sum over k of window[k] * x[t * hop_length + k] * exp(-2 pi i f k / n_fft). A window
shorter than `n_fft` has zeros on both sides. With `center` the signal is padded by n_fft // 2 at
both ends first, so that frame t is centred on sample t * hop_length.

Args:
    self (Tensor): ``(samples,)`` or ``(batch, samples)``; floating or complex.
    n_fft (int): the size of each transform.
    hop_length (int, optional): samples between frames. Default: ``n_fft // 4``.
    win_length (int, optional): the window's size. Default: `n_fft`.
    window (Tensor, optional): ``(win_length,)``. Default: ones, with a warning.
    center (bool): whether frames are centred. Default: ``True``.
    pad_mode (str): how `center` pads, as `torch.nn.functional.pad` does. Default: ``"reflect"``.
    normalized (bool): whether to divide by sqrt(n_fft). Default: ``False``.
    onesided (bool, optional): whether to return the first n_fft // 2 + 1 frequencies only.
        Default: True for a real signal and window.
    return_complex (bool, optional): whether the result is complex; it has to be given for real
        signals. False gives real and imaginary parts in a last dimension, and is deprecated.
    align_to_window (bool, optional): whether the first window, rather than the first `n_fft`
        samples, starts with the signal, which gets zeros around it; without `center` only.
        Default: ``None``.

Returns:
    Tensor: ``(frequencies, frames)`` or ``(batch, frequencies, frames)``.

Raises:
    RuntimeError: when sizes do not fit, or `return_complex` is missing for a real signal.

Example:
    >>> window = torch.hann_window(4)
    >>> torch.stft(torch.arange(8.0), 4, hop_length=2, window=window, return_complex=True).shape
    torch.Size([3, 5]))",
    .composite = [](const Tensor& self, int64_t n_fft, OptionalSize hop, OptionalSize win, const Tensor& window, bool normalized,
                    OptionalBool onesided, OptionalBool complex, OptionalBool align) -> Tensor {
      return transform_signal(self, n_fft, hop, win, window, false, Text{"constant", 8}, normalized, onesided, complex, align);
    },
    .overloads = {overload("center", {.composite = [](const Tensor& self, int64_t n_fft, OptionalSize hop, OptionalSize win,
                                                      const Tensor& window, bool center, Text pad_mode, bool normalized,
                                                      OptionalBool onesided, OptionalBool complex, OptionalBool align) -> Tensor {
                             return transform_signal(self, n_fft, hop, win, window, center, pad_mode, normalized, onesided, complex, align);
                           }})},
});

}  // namespace
}  // namespace mt
