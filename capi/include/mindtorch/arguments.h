/* Names for the integers by which operators select a variant. The arguments themselves are int64_t, as in the schemas. */
#ifndef MINDTORCH_ARGUMENTS_H_
#define MINDTORCH_ARGUMENTS_H_

enum { MT_REDUCTION_NONE = 0, MT_REDUCTION_MEAN = 1, MT_REDUCTION_SUM = 2 };  /* `reduction` of losses */
enum { MT_INTERPOLATION_BILINEAR = 0, MT_INTERPOLATION_NEAREST = 1, MT_INTERPOLATION_BICUBIC = 2 };  /* grid_sampler */
enum { MT_PADDING_ZEROS = 0, MT_PADDING_BORDER = 1, MT_PADDING_REFLECTION = 2 };  /* `padding_mode` of grid_sampler */
enum { MT_BAG_SUM = 0, MT_BAG_MEAN = 1, MT_BAG_MAX = 2 };  /* `mode` of embedding_bag */
enum {  /* `normalization` of _fft_r2c, _fft_c2r and _fft_c2c: what results are divided by */
       MT_FFT_NORM_NONE = 0,
       MT_FFT_NORM_BY_ROOT = 1, /* the square root of the number of elements */
       MT_FFT_NORM_BY_COUNT = 2
};
enum {  /* `compute_mode` of cdist, for p = 2 */
       MT_CDIST_MM_IF_LARGE = 0, /* matrix products if either side has more than 25 rows; the default */
       MT_CDIST_MM = 1,
       MT_CDIST_DIFFERENCES = 2
};

#endif
