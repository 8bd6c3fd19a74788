/* The runtime around the operators: generators, threads, allocator, defaults, descriptions of the build. */
#ifndef MINDTORCH_RUNTIME_H_
#define MINDTORCH_RUNTIME_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- generators (CPU: Mersenne Twister; NPU: seed and offset) --------------------------------------------------------------------- */

MT_API void mt_generator_retain(mt_generator* generator);  /* adds a reference */
MT_API void mt_generator_release(mt_generator* generator);  /* drops a reference; the last frees it */
MT_API mt_status* mt_generator_create(mt_device device, mt_generator** out);  /* with the default seed; for CPU and NPU */
/* The process-wide generator of the CPU; its initial seed is 67280421310721. */
MT_API mt_status* mt_generator_default(mt_generator** out);
MT_API mt_status* mt_generator_seed(mt_generator* generator, uint64_t seed);  /* restarts the stream */
MT_API mt_status* mt_generator_initial_seed(const mt_generator* generator, uint64_t* out);  /* the last seed */
/* Sets and returns a non-deterministic seed from the system. */
MT_API mt_status* mt_generator_reseed(mt_generator* generator, uint64_t* out);
MT_API mt_status* mt_generator_device(const mt_generator* generator, mt_device* out);
/* The state in torch's layout: 5,056 bytes; 16 for an NPU's generator. */
MT_API mt_status* mt_generator_get_state(const mt_generator* generator, void* bytes, int64_t capacity, int64_t* size);
MT_API mt_status* mt_generator_set_state(mt_generator* generator, const void* bytes, int64_t size);
MT_API mt_status* mt_generator_clone(const mt_generator* generator, mt_generator** out);  /* an independent copy with the same state */
/* The next 64 random bits (two 32-bit outputs). */
MT_API mt_status* mt_generator_random64(mt_generator* generator, uint64_t* out);

/* ---- defaults ------------------------------------------------------------------------------------------------------------- */

MT_API int32_t mt_default_dtype_get(void);  /* per process; MT_FLOAT32 until set */
/* Floating dtypes only; fails with torch's text for others. */
MT_API mt_status* mt_default_dtype_set(int32_t dtype);

enum {  /* process-wide switches */
       MT_OPTION_DETERMINISTIC = 0,
       MT_OPTION_DETERMINISTIC_WARN_ONLY = 1,
       MT_OPTION_DETERMINISTIC_FILL = 2,
       MT_OPTION_FLUSH_DENORMAL = 3,
       MT_OPTION_WARN_ALWAYS = 4,
       MT_OPTION_FLOAT32_MATMUL_PRECISION = 5, /* 0 highest, 1 high, 2 medium */
       MT_OPTION_SDPA_MATH = 6,
       MT_OPTION_SDPA_FLASH = 7,
       MT_OPTION_SDPA_EFFICIENT = 8,
       MT_OPTION_SDPA_CUDNN = 9,
       MT_OPTION_SPARSE_CHECKS = 10, /* full checks of new sparse tensors: 0 no, 1 yes, 2 (initially) no, because not set */
       MT_OPTION_COUNT = 11
};
MT_API mt_status* mt_option_get(int32_t option, int32_t* out); /* ValueError for an unknown option */
MT_API mt_status* mt_option_set(int32_t option, int32_t value); /* ValueError for an invalid value */

/* ---- threads --------------------------------------------------------------------------------------------------------------- */

MT_API int32_t mt_threads_get(void); /* size of the pool, including the caller */
MT_API mt_status* mt_threads_set(int32_t n); /* RuntimeError below 1 */
MT_API int32_t mt_interop_threads_get(void); /* the number that was set, as in torch; there is no such pool */
MT_API mt_status* mt_interop_threads_set(int32_t n); /* once, as in torch: RuntimeError with torch's text the second time */
/* Runs body(user, begin, end) over chunks of [0, count) of at least `grain`, on the pool; the chunks depend on count and grain only. */
MT_API mt_status* mt_parallel_for(int64_t count, int64_t grain, mt_status* (*body)(void* user, int64_t begin, int64_t end), void* user);

/* ---- the allocator ------------------------------------------------------------------------------------------------------------ */

typedef struct mt_allocator_stats {
  size_t struct_size;
  int64_t allocated_bytes, allocated_peak_bytes; /* in use */
  int64_t reserved_bytes, reserved_peak_bytes; /* in use or cached */
  int64_t allocations, frees, cache_hits;
} mt_allocator_stats;
MT_API mt_status* mt_allocator_get_stats(mt_allocator_stats* out); /* of the CPU, for all threads */
MT_API mt_status* mt_allocator_reset_peak(void); /* restarts the peaks at the current values */
/* Frees cached memory. */
MT_API mt_status* mt_allocator_empty_cache(void);

/* ---- descriptions of the build ------------------------------------------------------------------------------------------------- */

/* "DEFAULT", "AVX2", "AVX512": the instruction set that kernels use. */
MT_API const char* mt_cpu_capability(void);
/* Library, version and kernel of the BLAS in use; loads it. Never freed. */
MT_API const char* mt_blas_description(void);
/* Sets folders, separated by ':', in which to search for a BLAS library first; call it before the first use of LAPACK.
   The library finds pip's OpenBLAS package and the system's BLAS without it. */
MT_API mt_status* mt_blas_search_path_set(const char* folder);
/* A multi-line description of this build (torch.__config__.show()). */
MT_API const char* mt_build_description(void);

#ifdef __cplusplus
}
#endif

#endif
