// The runtime for extensions: threads, modes, devices and streams, generators, warnings, and boxed values of recordings.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "kernels.h"
#include "tensors.h"

namespace mt::stable {
namespace {

// ---- threads --------------------------------------------------------------------------------------------------------------------

// Assigns thread numbers. Callers keep scratch memory per number, so bodies that run at the same time must have different ones.
class ThreadNumbers {
 public:
  explicit ThreadNumbers(size_t n) : taken_(n) {}
  uint32_t acquire() {
    for (;;)
      for (size_t i = 0; i < taken_.size(); ++i)
        if (!taken_[i].exchange(true, std::memory_order_acquire)) return uint32_t(i);
  }
  void release(uint32_t number) { taken_[number].store(false, std::memory_order_release); }

 private:
  std::vector<std::atomic<bool>> taken_;
};

thread_local uint32_t thread_number = 0;
thread_local bool in_parallel_region = false;

struct Region {
  void (*body)(int64_t begin, int64_t end, void* context);
  void* context;
  int64_t begin;
  ThreadNumbers numbers;
};

// A scope in which one piece of a parallel loop runs: sets the thread number and the mark of a parallel region.
class InRegion {
 public:
  explicit InRegion(uint32_t number)
      : former_number_(std::exchange(thread_number, number)), was_in_region_(std::exchange(in_parallel_region, true)) {}
  InRegion(const InRegion&) = delete;
  InRegion& operator=(const InRegion&) = delete;
  ~InRegion() {
    thread_number = former_number_;
    in_parallel_region = was_in_region_;
  }

 private:
  uint32_t former_number_;
  bool was_in_region_;
};

mt_status* run_index_range(void* user, int64_t begin, int64_t end) {
  auto& region = *static_cast<Region*>(user);
  const uint32_t number = region.numbers.acquire();
  mt_status* status = nullptr;
  try {
    InRegion here(number);
    region.body(region.begin + begin, region.begin + end, region.context);
  } catch (const std::exception& error) {
    status = mt_status_create("RuntimeError", error.what());
  } catch (...) {
    status = mt_status_create("RuntimeError", "a parallel body threw an exception that is no std::exception");
  }
  region.numbers.release(number);
  return status;
}

// ---- devices --------------------------------------------------------------------------------------------------------------------

void require_accelerator() {
  int32_t count = 0;
  throw_on_error(mt_device_count(MT_NPU, &count));
  if (count == 0) fail("Cannot access accelerator device when none is available.");
}

struct DeviceGuard : Marked<Mark::guard> {
  explicit DeviceGuard(int32_t device) {
    require_accelerator();
    throw_on_error(mt_device_get(MT_NPU, &former));
    throw_on_error(mt_device_set(MT_NPU, device));
  }
  ~DeviceGuard() { mt_status_release(mt_device_set(MT_NPU, former)); }
  int32_t former = 0;
};
struct Stream : Marked<Mark::stream> {
  int32_t device = 0;
  int64_t id = 0;
};

// ---- values and recordings ------------------------------------------------------------------------------------------------------

struct BoxedValue : Marked<Mark::value> {
  ~BoxedValue() { mt_value_clear(&value); }
  mt_value value = mt_none();
};
int32_t box_value(const mt_value& borrowed, BoxedValue** ret) {
  return guarded([&] {
    require_not_null(ret, "ivalue");
    auto boxed = std::make_unique<BoxedValue>();
    throw_on_error(mt_value_copy(&borrowed, &boxed->value));
    *ret = boxed.release();
  });
}

struct Recording : Marked<Mark::record> {
  explicit Recording(const char* name) { throw_on_error(mt_profiler_begin(name, MT_PROFILE_RANGE, &token)); }
  ~Recording() { mt_profiler_end(token); }
  int64_t token = -1;
};

}  // namespace
}  // namespace mt::stable

using namespace mt::stable;

STABLE_ABI int32_t torch_parallel_for(int64_t begin, int64_t end, int64_t grain_size, void (*func)(int64_t, int64_t, void*), void* ctx) {
  return guarded([&] {
    require_not_null(reinterpret_cast<const void*>(func), "func");
    if (grain_size < 0) fail("parallel_for: the grain size must not be negative, got " + std::to_string(grain_size));
    if (begin >= end) return;
    int64_t count = 0;
    if (__builtin_sub_overflow(end, begin, &count)) fail("parallel_for: the range is too long");
    if (in_parallel_region) {
      InRegion here(0);
      func(begin, end, ctx);
      return;
    }
    Region region{func, ctx, begin, ThreadNumbers(size_t(std::max(mt_threads_get(), 1)))};
    throw_on_error(mt_parallel_for(count, std::max<int64_t>(grain_size, 1), run_index_range, &region));
  });
}
STABLE_ABI int32_t torch_get_thread_idx(uint32_t* ret) {
  return guarded([&] {
    require_not_null(ret, "out_thread_idx");
    *ret = thread_number;
  });
}
STABLE_ABI int32_t torch_get_num_threads(uint32_t* ret) {
  return guarded([&] {
    require_not_null(ret, "out_num_threads");
    *ret = uint32_t(mt_threads_get());
  });
}

STABLE_ABI bool aoti_torch_grad_mode_is_enabled() {
  int32_t on = 0;
  mt_status_release(mt_mode_get(MT_MODE_GRAD, &on));
  return on != 0;
}
STABLE_ABI void aoti_torch_grad_mode_set_enabled(bool enabled) { mt_status_release(mt_mode_set(MT_MODE_GRAD, enabled)); }

STABLE_ABI int32_t torch_parse_device_string(const char* text, uint32_t* type, int32_t* index) {
  return guarded([&] {
    require_not_null(text, "device_string");
    require_not_null(type, "out_device_type");
    require_not_null(index, "out_device_index");
    mt_device device;
    throw_on_error(mt_device_parse(text, &device));
    *type = uint32_t(device.type);
    *index = device.index;
  });
}

STABLE_ABI int32_t aoti_torch_get_current_device_index(int32_t* ret) {
  return guarded([&] {
    require_not_null(ret, "ret_device_index");
    require_accelerator();
    throw_on_error(mt_device_get(MT_NPU, ret));
  });
}
STABLE_ABI int32_t aoti_torch_create_device_guard(int32_t device_index, DeviceGuard** ret) {
  return guarded([&] {
    require_not_null(ret, "ret_guard");
    *ret = new DeviceGuard(device_index);
  });
}
STABLE_ABI int32_t aoti_torch_delete_device_guard(DeviceGuard* guard) {
  return guarded([&] { delete &checked_object_of(guard, "guard"); });
}
STABLE_ABI int32_t aoti_torch_device_guard_set_index(DeviceGuard* guard, int32_t device_index) {
  return guarded([&] {
    checked_object_of(guard, "guard");
    throw_on_error(mt_device_set(MT_NPU, device_index));
  });
}
STABLE_ABI int32_t aoti_torch_get_current_stream(int32_t device_index, Stream** ret) {
  return guarded([&] {
    require_not_null(ret, "ret_stream");
    require_accelerator();
    auto stream = std::make_unique<Stream>();
    stream->device = device_index;
    throw_on_error(mt_npu_stream_get(device_index, &stream->id));
    *ret = stream.release();
  });
}
STABLE_ABI int32_t aoti_torch_delete_stream(Stream* stream) {
  return guarded([&] { delete &checked_object_of(stream, "stream"); });
}
STABLE_ABI int32_t aoti_torch_stream_id(Stream* stream, int64_t* ret) {
  return guarded([&] {
    require_not_null(ret, "ret_stream_id");
    *ret = checked_object_of(stream, "stream").id;
  });
}
STABLE_ABI int32_t torch_stream_native_handle(Stream* stream, void** ret) {
  return guarded([&] {
    require_not_null(ret, "ret_native_handle");
    const Stream& s = checked_object_of(stream, "stream");
    throw_on_error(mt_npu_stream_handle(s.device, s.id, ret));
  });
}

STABLE_ABI int32_t torch_new_generator_handle(mt_generator* self, mt_generator** ret) {
  return guarded([&] {
    require_not_null(ret, "ret_new_generator");
    mt_device device;
    throw_on_error(mt_generator_device(self, &device));  // raises for other objects
    mt_generator_retain(self);
    *ret = self;
  });
}
STABLE_ABI int32_t torch_delete_generator(mt_generator* generator) {
  return guarded([&] {
    mt_device device;
    throw_on_error(mt_generator_device(generator, &device));
    mt_generator_release(generator);
  });
}
STABLE_ABI int32_t torch_generator_get_device(mt_generator* generator, int32_t* type, int32_t* index) {
  return guarded([&] {
    require_not_null(type, "ret_device_type");
    require_not_null(index, "ret_device_index");
    mt_device device;
    throw_on_error(mt_generator_device(generator, &device));
    *type = device.type;
    *index = device.index;
  });
}

// Throws to its C++ caller: this function of the ABI returns no code.
STABLE_ABI void aoti_torch_check(bool cond, const char*, const char*, uint32_t, const char* msg) {
  if (!cond) fail(msg ? msg : "");
}
// To stderr, in the form of torch's log: no Python code waits for the warnings of an extension's kernel.
STABLE_ABI void aoti_torch_warn(const char* function, const char* file, uint32_t line, const char* msg) {
  timespec now{};
  timespec_get(&now, TIME_UTC);
  std::tm local{};
  localtime_r(&now.tv_sec, &local);
  char day[32];
  std::strftime(day, sizeof day, "%m%d %H:%M:%S", &local);
  const char* name = file ? file : "?";
  if (const char* slash = std::strrchr(name, '/')) name = slash + 1;
  std::fprintf(stderr, "[W%s.%09ld %s:%u] Warning: %s (function %s)\n", day, long(now.tv_nsec), name, line, msg ? msg : "",
               function ? function : "?");
}

STABLE_ABI int32_t aoti_torch_int64_to_ivalue(int64_t value, BoxedValue** ret) { return box_value(mt_int(value), ret); }
STABLE_ABI int32_t aoti_torch_str_to_ivalue(const char* value, BoxedValue** ret) { return box_value(mt_box_string(value), ret); }
STABLE_ABI int32_t aoti_torch_tensor_to_ivalue(mt_tensor* value, BoxedValue** ret) {
  return box_value(is_undefined(value) ? mt_none() : mt_box_tensor_or_none(value), ret);
}
STABLE_ABI int32_t aoti_torch_strlist_to_ivalue(const char** values, int64_t count, BoxedValue** ret) {
  std::vector<mt_value> texts;
  const int32_t code = guarded([&] {
    if (count > 0) require_not_null(values, "val");
    for (int64_t i = 0; i < count; ++i) texts.push_back(mt_box_string(values[i]));
  });
  return code ? code : box_value(mt_box_list(MT_TAG_STRINGS, texts.data(), int64_t(texts.size())), ret);
}
STABLE_ABI int32_t aoti_torch_delete_c10_value_object(BoxedValue* value) {
  return guarded([&] { delete &checked_object_of(value, "the value"); });
}

// A range of the profiler; its inputs are not stored.
STABLE_ABI int32_t aoti_record_function_start(const char* name, void*, BoxedValue* const*, uint64_t, Recording** ret) {
  return guarded([&] {
    require_not_null(name, "name");
    require_not_null(ret, "guard");
    *ret = new Recording(name);
  });
}
STABLE_ABI int32_t aoti_record_function_end(Recording* recording) {
  return guarded([&] { delete &checked_object_of(recording, "guard"); });
}
