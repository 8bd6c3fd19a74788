// The allocators of all devices, and their settings.
#include "npu/allocator.h"

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "core/messages.h"
#include "npu/device_allocator.h"

namespace mt::npu {
namespace {

std::mutex settings_mutex;
AllocatorSettings settings_now;
std::once_flag settings_read;

DeviceAllocator& allocator_of(int device) {
  static auto* const all = [] {  // never destroyed: tensors may be freed during exit
    auto* list = new std::vector<std::unique_ptr<DeviceAllocator>>();
    for (int i = 0; i < max_devices; ++i) list->push_back(std::make_unique<DeviceAllocator>(i));
    return list;
  }();
  return *(*all)[size_t(device)];
}

}  // namespace

AllocatorSettings settings() {
  std::call_once(settings_read, [] {
    if (const char* text = secure_getenv("MINDTORCH_NPU_ALLOC_CONF")) settings_now = parse_settings(text);
  });
  std::lock_guard lock(settings_mutex);
  return settings_now;
}

void* allocate(int device, int64_t nbytes, int64_t stream) {
  device = checked_device(device);
  check(nbytes >= 0, ErrorKind::value, messages::nbytes_must_not_be_negative, nbytes);
  return nbytes ? allocator_of(device).allocate(nbytes, stream) : nullptr;
}
void release(void* pointer) {
  if (!pointer) return;
  for (int device = 0; device < max_devices; ++device)
    if (allocator_of(device).release(pointer)) return;
  fail("invalid device pointer: {}", int64_t(reinterpret_cast<intptr_t>(pointer)));
}
void record_stream(void* pointer, int64_t stream) {
  if (!pointer) return;
  for (int device = 0; device < max_devices; ++device)
    if (allocator_of(device).record_stream(pointer, stream)) return;
}
void empty_cache() {
  for (int device = 0; device < max_devices; ++device) allocator_of(device).empty_cache();
}

void memory_statistics(int device, const FigureFn& visit) { allocator_of(checked_device(device)).visit_statistics(visit); }
void reset_peak_statistics(int device) { allocator_of(checked_device(device)).reset_peak(); }
void reset_accumulated_statistics(int device) { allocator_of(checked_device(device)).reset_accumulated(); }
double memory_fraction(int device) { return allocator_of(checked_device(device)).fraction(); }
void set_memory_fraction(int device, double fraction) {
  check(fraction >= 0 && fraction <= 1, ErrorKind::value, "invalid fraction:{}. Please set within [0, 1].", fraction);
  allocator_of(checked_device(device)).set_fraction(fraction);
}
void set_allocator_settings(const std::string& text) {
  const AllocatorSettings parsed = parse_settings(text);
  settings();  // reads the environment first, once
  std::lock_guard lock(settings_mutex);
  settings_now = parsed;
}

std::vector<SegmentView> memory_snapshot() {
  std::vector<SegmentView> all;
  for (int device = 0; device < max_devices; ++device) allocator_of(device).snapshot(all);
  std::sort(all.begin(), all.end(), [](const SegmentView& a, const SegmentView& b) { return a.blocks[0].address < b.blocks[0].address; });
  return all;
}

void begin_pool(int device, int64_t stream, PoolId pool) { allocator_of(device).begin_pool(stream, pool); }
void end_pool(int device, int64_t stream, PoolId) { allocator_of(device).end_pool(stream); }
void drop_pool(int device, PoolId pool) { allocator_of(device).drop_pool(pool); }

}  // namespace mt::npu
