// Device memory: each allocation is mapped twice, at an address that the host must not access and at one that the simulator uses.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <shared_mutex>

#include "npu_sim/simulator.h"

namespace mt::npu_sim {
namespace {

struct Allocation {
  char* device;
  char* host;
  size_t size, mapped;
  int index;
};
struct Memory {
  std::shared_mutex mutex;
  std::map<const char*, Allocation> by_address;
  int64_t used[max_devices] = {};
};
Memory& device_memory() {
  static auto* const all = new Memory();
  return *all;
}

int64_t read_setting(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoll(text, nullptr, 10) : otherwise;
}
int64_t total_memory() {
  static const int64_t bytes = read_setting("MINDTORCH_NPU_SIM_MEMORY", int64_t(16) << 30);
  return bytes;
}

const Allocation* find_allocation(const void* pointer) {
  Memory& m = device_memory();
  auto found = m.by_address.upper_bound(static_cast<const char*>(pointer));
  if (found == m.by_address.begin()) return nullptr;
  const Allocation& a = std::prev(found)->second;
  return static_cast<const char*>(pointer) < a.device + a.mapped ? &a : nullptr;
}

}  // namespace

int device_count() {
  static const int64_t count = read_setting("MINDTORCH_NPU_SIM_DEVICES", 2);
  return count < 0 ? 0 : count < max_devices ? int(count) : max_devices;
}

aclError allocate(int device, size_t size, void** out) {
  Memory& m = device_memory();
  std::unique_lock lock(m.mutex);
  const int64_t end = std::min(total_memory(), memory_end());
  if (int64_t(size) > end - m.used[device]) {
    set_error_text("device memory is used up");
    return acl::error_rt_memory_allocation;
  }
  const size_t page = size_t(sysconf(_SC_PAGESIZE)), mapped = (size + page - 1) / page * page;
  const int file = memfd_create("mindtorch-npu-sim", MFD_CLOEXEC);
  if (file < 0) return acl::error_rt_memory_allocation;
  void *device_view = MAP_FAILED, *host_view = MAP_FAILED;
  if (ftruncate(file, off_t(mapped)) == 0) {
    device_view = mmap(nullptr, mapped, PROT_NONE, MAP_SHARED, file, 0);
    host_view = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (device_view == MAP_FAILED || host_view == MAP_FAILED) {
    if (device_view != MAP_FAILED) munmap(device_view, mapped);
    if (host_view != MAP_FAILED) munmap(host_view, mapped);
    set_error_text("the host has no memory for the simulator");
    return acl::error_rt_memory_allocation;
  }
  m.by_address[static_cast<char*>(device_view)] = {static_cast<char*>(device_view), static_cast<char*>(host_view), size, mapped, device};
  m.used[device] += int64_t(size);
  ++counters().allocations;
  ++counters().live_allocations;
  *out = device_view;
  return acl::success;
}

aclError release(void* pointer) {
  Memory& m = device_memory();
  std::unique_lock lock(m.mutex);
  auto found = m.by_address.find(static_cast<const char*>(pointer));
  if (found == m.by_address.end()) {
    set_error_text("not the beginning of device memory");
    return acl::error_rt_param_invalid;
  }
  const Allocation a = found->second;
  m.by_address.erase(found);
  m.used[a.index] -= int64_t(a.size);
  munmap(a.device, a.mapped);
  munmap(a.host, a.mapped);
  forget_accesses(a.device, a.device + a.mapped);
  ++counters().frees;
  --counters().live_allocations;
  return acl::success;
}

char* host_view(const void* device_pointer) {
  std::shared_lock lock(device_memory().mutex);
  const Allocation* a = find_allocation(device_pointer);
  return a ? a->host + (static_cast<const char*>(device_pointer) - a->device) : nullptr;
}
int device_of(const void* device_pointer) {
  std::shared_lock lock(device_memory().mutex);
  const Allocation* a = find_allocation(device_pointer);
  return a ? a->index : -1;
}

aclError allocate_host(size_t size, void** out) {
  *out = std::aligned_alloc(64, (size + 63) / 64 * 64);
  return *out ? acl::success : acl::error_rt_memory_allocation;
}
aclError release_host(void* pointer) {
  std::free(pointer);
  return acl::success;
}

void memory_info(int device, size_t* free, size_t* total) {
  std::shared_lock lock(device_memory().mutex);
  const int64_t end = std::min(total_memory(), memory_end());
  *total = size_t(total_memory());
  *free = size_t(std::max(end - device_memory().used[device], int64_t(0)));
}

}  // namespace mt::npu_sim
