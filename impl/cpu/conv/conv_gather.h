// Gathers a packed panel for a convolution's products: one row per channel, made of runs of neighbouring pixels, and zeros.
#pragma once

#include <cstdint>

namespace mt::cpu::detail {

// One run of a gathered row: `length` lanes from `lane` on. Lanes [first, last) of the run are source[offset + i]; the others are outside
// the image and 0.
struct Piece {
  int64_t offset;
  int32_t lane, length, first, last;
};
// A piece fits into one vector of this many bytes, and rows have room for one more vector behind their end.
constexpr int gather_bytes = 64;

// Writes row c of `out`, of `width` lanes, from source + c * channel_stride. Pieces cover all lanes in ascending order.
template <class T>
void gather_rows(const T* source, int64_t channel_stride, int64_t channels, const Piece* pieces, int count, int64_t width, T* out);

// Copies every `step`-th element from `first` on, of rows of `length` elements, for `lines` values of `first`; the ends of lines stay
// unset.
template <class T>
void split_rows(const T* source, int64_t rows, int64_t length, int64_t step, const int64_t* first, int lines, int64_t line_stride, T* out);

// out[i * width + j] = source[i * step + j] for `count` values of i and `length` of j, at most a vector.
template <class P>
void gather_pixels(const P* source, int64_t step, int64_t count, int length, int64_t width, P* out);

// Transposes [images][channels][pixels] of T to [images][pixels][channels] of P.
template <class T, class P>
void interleave_channels(const T* source, int64_t images, int64_t channels, int64_t pixels, P* out);
// Transposes images of three dimensions into [images][extent][channels] with `before` pixels of zeros first; pixels beyond the extent are
// dropped, and pixels that the image does not cover are 0.
template <class T, class P>
void interleave_padded(const T* source, int64_t images, int64_t channels, const int64_t (&size)[3], const int64_t (&before)[3],
                       const int64_t (&extent)[3], P* out);

}  // namespace mt::cpu::detail
