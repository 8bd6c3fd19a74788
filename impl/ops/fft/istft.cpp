// istft: reconstructs a signal from its windowed transforms by overlap-add.
#include <atomic>

#include "core/backend.h"
#include "core/exception.h"
#include "core/messages.h"
#include "core/warn_once.h"
#include "rules/fft/fft.h"
#include "rules/fft/signal_text.h"
#include "vmap/rule.h"

namespace mt {
namespace {

using OptionalSize = std::optional<int64_t>;

std::atomic<bool> has_warned_of_window;

constexpr auto compute_istft = [](const Tensor& self, int64_t n_fft, OptionalSize hop, OptionalSize win, const Tensor& window, bool center,
                                  bool normalized, std::optional<bool> onesided_given, OptionalSize length, bool return_complex) -> Tensor {
  if (!window.defined())
    warn_once(
        has_warned_of_window,
        "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to make the inversion "
        "lossless.To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.");
  check(!window.defined() || window.device() == self.device(),
        "istft input and window must be on the same device but got self on {} and window on {}", self.device(),
        window.defined() ? window.device() : self.device());
  const int64_t hop_length = hop ? *hop : n_fft >> 2, win_length = win ? *win : n_fft;
  auto refuse = [&](const std::string& why) {
    fail(
        "istft({}{}, n_fft={}, hop_length={}, win_length={}, window={}, center={}, normalized={}, onesided={}, length={}, "
        "return_complex={}) {}",
        tensor_type_text(self), self.sizes(), n_fft, hop_length, win_length, window_text(window), int64_t(center), int64_t(normalized),
        optional_text(onesided_given), optional_text(length), int64_t(return_complex), why);
  };
  check(is_complex(self.dtype()), "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.");
  // If real and imaginary parts are the last dimension, frames are the second to last and bins the third to last.
  check(self.dim() >= 2, ErrorKind::index, messages::dimension_out_of_range, -self.dim() - 1, self.dim(), -self.dim() - 2);
  if (self.numel() == 0) refuse(": input tensor cannot be empty.");
  if (self.dim() != 2 && self.dim() != 3) refuse(text(": expected a tensor with 3 or 4 dimensions, but got {}", self.dim() + 1));
  const int64_t frames = self.size(-1), bins = self.size(-2);
  const bool onesided = onesided_given ? *onesided_given : bins != n_fft;
  if (onesided && n_fft / 2 + 1 != bins)
    refuse(text(
        ": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when onesided=True, but got {}",
        bins));
  if (!onesided && n_fft != bins)
    refuse(text(": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when onesided=False, but got {}",
                bins));
  if (!(0 < hop_length && hop_length <= win_length)) refuse(": expected 0 < hop_length <= win_length");
  if (!(0 < win_length && win_length <= n_fft)) refuse(": expected 0 < win_length <= n_fft");
  if (window.defined() && (window.dim() != 1 || window.size(0) != win_length))
    refuse(": Invalid window shape. window has to be 1D and length of `win_length`");

  const Dtype real = real_of(self.dtype());
  Tensor w = window.defined() ? window : op<"ones">(IntList{win_length}, real, nullptr, self.device());
  w = padded_window(w, win_length, n_fft, w);
  Tensor x = op<"view_as_real">(self);
  x = op<"view_as_complex">(op<"transpose">(self.dim() == 2 ? op<"unsqueeze">(x, 0) : x, 1, 2));  // batch, frames, bins
  const int64_t norm = int64_t(normalized ? FftNorm::by_root_n : FftNorm::by_n);
  if (return_complex) {
    check(!onesided, messages::onesided_output_of_complex_input);
    x = op<"_fft_c2c">(x, IntList{2}, norm, false);
  } else {
    check(!is_complex(w.dtype()), "Complex windows are incompatible with return_complex=False");
    if (!onesided) x = op<"slice.Tensor">(x, -1, 0, n_fft / 2 + 1);
    x = op<"_fft_c2r">(x, IntList{2}, norm, n_fft);
  }
  const int64_t whole = n_fft + hop_length * (frames - 1);
  x = x * op<"view">(w, IntList{1, 1, n_fft});
  Tensor y = op<"unfold_backward">(x, IntList{x.size(0), whole}, 1, n_fft, hop_length);
  const Tensor squares = op<"expand">(op<"pow">(w, 2), IntList{1, frames, n_fft});
  Tensor envelope = op<"unfold_backward">(squares, IntList{1, whole}, 1, n_fft, hop_length);
  const int64_t start = center ? n_fft / 2 : 0;
  const int64_t end = length ? int64_t(uint64_t(start) + uint64_t(*length)) : center ? whole - n_fft / 2 : whole;
  y = op<"slice.Tensor">(y, 1, start, end);
  envelope = op<"slice.Tensor">(envelope, 1, start, end);
  const Tensor covered = op<"ge">(op<"min">(op<"abs">(envelope)), 1e-11);
  if (!self.is_meta() && !*on_host(covered).data<bool>()) refuse("window overlap add min: 1\n[ CPUBoolType{} ]");
  y = y / envelope;
  if (self.dim() == 2) y = op<"squeeze">(y, 0);
  if (end > whole) {
    warn(
        "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. Please check your "
        "center and "
        "hop_length settings.");
    y = op<"constant_pad_nd">(y, IntList{0, end - whole}, 0);
  }
  return y;
};

MT_OP(OpDef{
    .schema = {"istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool "
               "normalized=False, "
               "bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the signal that `torch.stft` transformed, by overlapping and adding its frames.

Each frame is transformed back, multiplied by the window and added at its position; the sum is
divided by that of the squared windows (Griffin and Lim, 1984, equation 6). The windows have to
cover every sample with a weight above 1e-11. Give the same arguments as to `torch.stft`.

Args:
    self (Tensor): ``(frequencies, frames)`` or ``(batch, frequencies, frames)``; complex.
    n_fft (int): the size of each transform.
    hop_length (int, optional): samples between frames. Default: ``n_fft // 4``.
    win_length (int, optional): the window's size. Default: `n_fft`.
    window (Tensor, optional): ``(win_length,)``. Default: ones, with a warning.
    center (bool): whether frames were centred on their samples, so that half a frame is cut at
        both ends. Default: ``True``.
    normalized (bool): whether transforms were divided by sqrt(n_fft). Default: ``False``.
    onesided (bool, optional): whether half the frequencies are given. Default: False if there
        are n_fft of them, else True.
    length (int, optional): the size of the result; it is cut or filled with zeros to it.
        Default: what the frames cover.
    return_complex (bool): whether the signal is complex; needs all frequencies. Default:
        ``False``.

Returns:
    Tensor: ``(samples,)`` or ``(batch, samples)``.

Raises:
    RuntimeError: when sizes do not fit, or a sample has no window above it.

Example:
    >>> x, window = torch.arange(8.0), torch.hann_window(4)
    >>> frames = torch.stft(x, 4, hop_length=1, window=window, return_complex=True)
    >>> torch.istft(frames, 4, hop_length=1, window=window, length=8).round(decimals=4)
    tensor([0., 1., 2., 3., 4., 5., 6., 7.]))",
    .composite = compute_istft,
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
