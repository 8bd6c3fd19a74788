/* The runtime around the operators: generators, threads, allocator, defaults, what runs where. */
#ifndef MINDTORCH_RUNTIME_H_
#define MINDTORCH_RUNTIME_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- generators (CPU: Mersenne Twister; NPU: seed and offset) --------------------------------------------------------------------- */

MT_API void mt_generator_retain(mt_generator* generator);  /* one owner more */
MT_API void mt_generator_release(mt_generator* generator);  /* one less; the last frees it */
MT_API mt_status* mt_generator_create(mt_device device, mt_generator** out);  /* with the default seed; CPU and NPU have generators */
/* The process-wide generator of the CPU, seeded with 67280421310721 until seeded otherwise. */
MT_API mt_status* mt_generator_default(mt_generator** out);
MT_API mt_status* mt_generator_seed(mt_generator* generator, uint64_t seed);  /* restarts the stream */
MT_API mt_status* mt_generator_initial_seed(const mt_generator* generator, uint64_t* out);  /* what the stream was started with */
/* A non-deterministic seed from the system, which it also sets. */
MT_API mt_status* mt_generator_reseed(mt_generator* generator, uint64_t* out);
MT_API mt_status* mt_generator_device(const mt_generator* generator, mt_device* out);
/* The state in torch's layout: 5,056 bytes, of an NPU's generator 16. */
MT_API mt_status* mt_generator_get_state(const mt_generator* generator, void* bytes, int64_t capacity, int64_t* size);
MT_API mt_status* mt_generator_set_state(mt_generator* generator, const void* bytes, int64_t size);
MT_API mt_status* mt_generator_clone(const mt_generator* generator, mt_generator** out);  /* in the same state, independent of it */
/* 64 random bits from the stream (two 32-bit outputs). */
MT_API mt_status* mt_generator_random64(mt_generator* generator, uint64_t* out);

/* ---- defaults ------------------------------------------------------------------------------------------------------------- */

MT_API int32_t mt_default_dtype_get(void);  /* MT_FLOAT32 until set; of the process */
/* Floating dtypes only, torch's text otherwise. */
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
       MT_OPTION_SPARSE_CHECKS = 10, /* whether new sparse tensors are checked in full: 0 no, 1 yes, 2 (at first) no, but nobody said so */
       MT_OPTION_COUNT = 11
};
MT_API mt_status* mt_option_get(int32_t option, int32_t* out); /* ValueError for an unknown option */
MT_API mt_status* mt_option_set(int32_t option, int32_t value); /* ValueError for other values than the option has */

/* ---- threads --------------------------------------------------------------------------------------------------------------- */

MT_API int32_t mt_threads_get(void); /* of the pool, the caller included */
MT_API mt_status* mt_threads_set(int32_t n); /* RuntimeError below 1 */
MT_API int32_t mt_interop_threads_get(void); /* what torch calls so; there is no such pool */
MT_API mt_status* mt_interop_threads_set(int32_t n); /* once, as in torch: RuntimeError with torch's text the second time */
/* Runs body(user, begin, end) over pieces of [0, count) of at least `grain`, on the pool; pieces depend on count and grain only. */
MT_API mt_status* mt_parallel_for(int64_t count, int64_t grain, mt_status* (*body)(void* user, int64_t begin, int64_t end), void* user);

/* ---- the allocator ------------------------------------------------------------------------------------------------------------ */

typedef struct mt_allocator_stats {
  size_t struct_size;
  int64_t allocated_bytes, allocated_peak_bytes; /* handed out */
  int64_t reserved_bytes, reserved_peak_bytes; /* handed out or kept for reuse */
  int64_t allocations, frees, cache_hits;
} mt_allocator_stats;
MT_API mt_status* mt_allocator_get_stats(mt_allocator_stats* out); /* of the CPU, all threads together */
MT_API mt_status* mt_allocator_reset_peak(void); /* peaks are counted from now on */
/* Gives what is kept for reuse back to the system. */
MT_API mt_status* mt_allocator_empty_cache(void);

/* ---- what runs where ----------------------------------------------------------------------------------------------------------- */

/* "DEFAULT", "AVX2", "AVX512": the instruction sets that kernels use. */
MT_API const char* mt_cpu_capability(void);
/* Library, version and kernel of the BLAS in use; loads it. Lives for ever. */
MT_API const char* mt_blas_description(void);
/* A folder, or several separated by ':', in which to look for a BLAS library first; to be called before the first use of LAPACK.
   What pip installed beside the package and the system's own are found without it. */
MT_API mt_status* mt_blas_search_path_set(const char* folder);
/* A multi-line description of this build (torch.__config__.show()). */
MT_API const char* mt_build_description(void);

#ifdef __cplusplus
}
#endif

#endif
