// Generators, defaults, threads, statistics of the allocator, and descriptions of the build.
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstring>
#include <random>

#include "convert.h"
#include "core/allocator.h"
#include "core/backend.h"
#include "core/capability.h"
#include "core/messages.h"
#include "core/options.h"
#include "cpu/linalg/blas.h"
#include "cpu/threads/parallel.h"
#include "npu/generator.h"
#include "npu/runtime.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

// ---- generators --------------------------------------------------------------------------------------------------

namespace {
// Seeds a generator: an NPU's is a seed with a counter, the CPU's a Mersenne Twister.
bool has_counter(const Generator& g) { return g.device.type == DeviceType::npu; }
void seed_generator(Generator& g, uint64_t seed) {
  g.engine.set_seed(seed);
  g.counter_seed = seed;
  g.counter_offset = 0;
}
}  // namespace

void mt_generator_retain(mt_generator* generator) { retain(generator); }
void mt_generator_release(mt_generator* generator) { release<Generator>(generator); }

mt_status* mt_generator_create(mt_device device, mt_generator** out) {
  return guard([&] {
    require_not_null(out, "out");
    Device where = device_of(device);
    check(where.type != DeviceType::meta, "META device type not an accelerator.");
    check(where.is_cpu() || where.type == DeviceType::npu, "Device type {} is not supported for torch.Generator() api.",
          name_of(where.type));
    where = complete_device(where);
    if (where.type == DeviceType::npu) npu::checked_device(where.index);
    *out = return_handle(Ref<Generator>::adopt(new Generator(where)));
  });
}

mt_status* mt_generator_default(mt_generator** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = return_handle(Ref<Generator>::share(&default_generator()));
  });
}

mt_status* mt_generator_seed(mt_generator* generator, uint64_t seed) {
  return guard([&] {
    Generator& g = generator_of(generator);
    std::lock_guard lock(g.mutex);
    seed_generator(g, seed);
  });
}

mt_status* mt_generator_initial_seed(const mt_generator* generator, uint64_t* out) {
  return guard([&] {
    Generator& g = generator_of(generator);
    require_not_null(out, "out");
    std::lock_guard lock(g.mutex);
    *out = has_counter(g) ? g.counter_seed : g.engine.seed();
  });
}

mt_status* mt_generator_reseed(mt_generator* generator, uint64_t* out) {
  return guard([&] {
    Generator& g = generator_of(generator);
    // Combines two 32-bit numbers; the seed stays below 2^53, so that a double can represent it.
    std::random_device system;
    const uint64_t seed = (uint64_t(system()) << 32 | system()) & ((uint64_t(1) << 53) - 1);
    {
      std::lock_guard lock(g.mutex);
      seed_generator(g, seed);
    }
    if (out) *out = seed;
  });
}

mt_status* mt_generator_device(const mt_generator* generator, mt_device* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = to_c(generator_of(generator).device);
  });
}

mt_status* mt_generator_get_state(const mt_generator* generator, void* bytes, int64_t capacity, int64_t* size) {
  return guard([&] {
    Generator& g = generator_of(generator);
    const int64_t needed = has_counter(g) ? npu::state_bytes : cpu::RandomEngine::state_bytes;
    if (bytes || capacity) {
      require_not_null(bytes, "bytes");
      check(capacity >= needed, ErrorKind::value, "a generator's state has {} bytes, but there is room for {}", needed, capacity);
      std::lock_guard lock(g.mutex);
      if (has_counter(g)) {
        const uint64_t pair[2] = {g.counter_seed, g.counter_offset};
        std::memcpy(bytes, pair, sizeof pair);
      } else {
        g.engine.get_state(static_cast<uint8_t*>(bytes));
      }
    }
    if (size) *size = needed;
  });
}

mt_status* mt_generator_set_state(mt_generator* generator, const void* bytes, int64_t size) {
  return guard([&] {
    Generator& g = generator_of(generator);
    if (size) require_not_null(bytes, "bytes");
    if (has_counter(g)) {
      // Accepts a state of eight bytes, which has a seed but no offset, as in old checkpoints.
      check(size == npu::state_bytes || size == npu::state_bytes / 2, "RNG state is wrong size");
      uint64_t pair[2] = {0, 0};
      std::memcpy(pair, bytes, size_t(size));
      check(pair[1] % 4 == 0, messages::offset_not_multiple_of_4);
      std::lock_guard lock(g.mutex);
      g.counter_seed = pair[0];
      g.counter_offset = pair[1];
      return;
    }
    constexpr int64_t needed = cpu::RandomEngine::state_bytes;
    check(size == needed, "Expected a CPUGeneratorImplState of size {} but found the input RNG state size to be {}", needed, size);
    std::lock_guard lock(g.mutex);
    check(g.engine.set_state(static_cast<const uint8_t*>(bytes), size_t(size)), "Invalid mt19937 state");
  });
}

mt_status* mt_generator_clone(const mt_generator* generator, mt_generator** out) {
  return guard([&] {
    Generator& g = generator_of(generator);
    require_not_null(out, "out");
    auto copy = Ref<Generator>::adopt(new Generator(g.device));
    std::lock_guard lock(g.mutex);
    copy->engine = g.engine;
    copy->counter_seed = g.counter_seed;
    copy->counter_offset = g.counter_offset;
    *out = return_handle(std::move(copy));
  });
}

mt_status* mt_generator_random64(mt_generator* generator, uint64_t* out) {
  return guard([&] {
    Generator& g = generator_of(generator);
    require_not_null(out, "out");
    check(!has_counter(g), ErrorKind::not_implemented, "the numbers of a generator on {} are drawn by its kernels", g.device);
    std::lock_guard lock(g.mutex);
    *out = g.engine.next64();
  });
}

// ---- defaults ----------------------------------------------------------------------------------------------------

int32_t mt_default_dtype_get(void) { return int32_t(default_dtype()); }

mt_status* mt_default_dtype_set(int32_t dtype) {
  return guard([&] {
    const Dtype d = dtype_of(dtype);
    check(is_floating(d), ErrorKind::type, "only floating-point types are supported as the default type");
    set_default_dtype(d);
  });
}

namespace {

// Sets the flush-to-zero mode of the calling thread only, as torch does.
void set_flush_denormal([[maybe_unused]] bool on) {
#if defined(__SSE2__)
  constexpr unsigned flush_results = 0x8000, operands_are_zero = 0x0040;
  const unsigned mode = _mm_getcsr() & ~(flush_results | operands_are_zero);
  _mm_setcsr(on ? mode | flush_results | operands_are_zero : mode);
#else
  fail(ErrorKind::not_implemented, "flushing denormal numbers is not supported on this processor");
#endif
}

}  // namespace

mt_status* mt_option_get(int32_t option, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    check(option >= 0 && option < MT_OPTION_COUNT, ErrorKind::value, messages::is_not_an_option, option);
    *out = get_option(option);
  });
}
mt_status* mt_option_set(int32_t option, int32_t value) {
  return guard([&] {
    check(option >= 0 && option < MT_OPTION_COUNT, ErrorKind::value, messages::is_not_an_option, option);
    const int32_t largest = option == MT_OPTION_FLOAT32_MATMUL_PRECISION || option == MT_OPTION_SPARSE_CHECKS ? 2 : 1;
    check(value >= 0 && value <= largest, ErrorKind::value, "option {} takes values from 0 to {}, got {}", option, largest, value);
    if (option == MT_OPTION_FLUSH_DENORMAL) set_flush_denormal(value != 0);
    set_option(option, value);
  });
}

// ---- threads -----------------------------------------------------------------------------------------------------

int32_t mt_threads_get(void) { return cpu::get_num_threads(); }
mt_status* mt_threads_set(int32_t n) {
  return guard([&] {
    check(n > 0, "set_num_threads expects a positive integer");
    cpu::set_num_threads(n);
  });
}
int32_t mt_interop_threads_get(void) { return cpu::get_num_interop_threads(); }
mt_status* mt_interop_threads_set(int32_t n) {
  return guard([&] {
    check(n > 0, "set_num_interop_threads expects a positive integer");
    check(cpu::set_num_interop_threads(n),
          "Error: cannot set number of interop threads after parallel work has started or set_num_interop_threads called");
  });
}

mt_status* mt_parallel_for(int64_t count, int64_t grain, mt_status* (*body)(void* user, int64_t begin, int64_t end), void* user) {
  return guard([&] {
    require_not_null(reinterpret_cast<const void*>(body), "body");
    check(count >= 0, ErrorKind::value, "count must not be negative, got {}", count);
    cpu::parallel_for(0, count, grain, [&](int64_t begin, int64_t end) { rethrow_status(body(user, begin, end)); });
  });
}

// ---- the allocator -----------------------------------------------------------------------------------------------

mt_status* mt_allocator_get_stats(mt_allocator_stats* out) {
  return guard([&] {
    const cpu::AllocatorStatistics s = cpu::allocator_statistics();
    mt_allocator_stats found{};
    found.allocated_bytes = s.allocated_bytes;
    found.allocated_peak_bytes = s.peak_allocated_bytes;
    found.reserved_bytes = s.reserved_bytes;
    found.reserved_peak_bytes = s.peak_reserved_bytes;
    found.allocations = s.allocation_count;
    found.frees = s.deallocation_count;
    found.cache_hits = s.allocation_count - s.system_allocation_count;
    write_struct(out, "out", found);
  });
}
mt_status* mt_allocator_reset_peak(void) {
  return guard([] { cpu::reset_peak_statistics(); });
}
mt_status* mt_allocator_empty_cache(void) {
  return guard([] { cpu::empty_cache(); });
}

// ---- descriptions of the build -----------------------------------------------------------------------------------

const char* mt_cpu_capability(void) { return cpu::cpu_capability_name(); }

const char* mt_blas_description(void) {
  const char* text = "unknown";
  mt_status_release(guard([&] { text = cpu::blas_description(); }));
  return text;
}

mt_status* mt_blas_search_path_set(const char* folder) {
  return guard([&] {
    require_not_null(folder, "folder");
    cpu::set_blas_search_path(folder);
  });
}

const char* mt_build_description(void) {
  // The string is never freed, like all strings that this library returns without an owner.
  static const std::string* const text = [] {
    return new std::string(std::string("MindTorch built with:\n  - MindTorch ") + MT_VERSION_STRING + ", ABI " +
                           std::to_string(MT_ABI_VERSION) + "\n  - C++ compiler: " __VERSION__ "\n  - C++ standard: " +
                           std::to_string(__cplusplus) + "\n  - CPU capability: " + cpu::cpu_capability_name() +
                           "\n  - Parallel backend: " + cpu::parallel_backend() + "\n  - BLAS: " + mt_blas_description() + "\n");
  }();
  return text->c_str();
}
