#include "core/mapped_file.h"
#include "core/messages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mt {
namespace {

// A mapped piece of a file. Mappings begin at multiples of the page size, so the piece may begin inside one.
struct Mapping {
  void* base;
  size_t size;
  bool is_named = false;    // mapped by its path
  std::string shared_path;  // if also shared
  static void unmap(void* context) {
    auto* mapping = static_cast<Mapping*>(context);
    if (mapping->base) munmap(mapping->base, mapping->size);
    delete mapping;
  }
};

Ref<Storage> map_range(int descriptor, int64_t offset, int64_t nbytes, bool shared, const char* name) {
  auto storage = make_storage(nullptr, nbytes, Device{}, nullptr, nullptr);
  const int64_t page = sysconf(_SC_PAGESIZE), lead = offset % page;
  auto mapping = std::make_unique<Mapping>(Mapping{nullptr, size_t(nbytes + lead), false, {}});
  if (nbytes > 0) {
    // Private maps are writable too: writes stay in this process.
    void* base = mmap(nullptr, mapping->size, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE, descriptor, offset - lead);
    const int error = errno;
    check(base != MAP_FAILED, messages::unable_to_mmap, nbytes, name, std::strerror(error), error);
    mapping->base = base;
    storage->data = static_cast<char*>(base) + lead;
  }
  storage->deleter = Mapping::unmap;
  storage->context = mapping.release();
  return storage;
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

// Checks a file's size; extends the file to `wanted` bytes if it may grow.
void check_file_size(int descriptor, int64_t wanted, bool may_grow, const char* name) {
  struct stat status;
  const int failed = fstat(descriptor, &status), error = errno;
  check(!failed, "unable to stat the file <{}>: {} ({})", name, std::strerror(error), error);
  const int64_t size = status.st_size;
  if (size >= wanted) return;
  check(may_grow, "file <{}> size <{}> is smaller than the required mapping size <{}>", name, size, wanted);
  const int grow_failed = ftruncate(descriptor, wanted), grow_error = errno;
  check(!grow_failed, "unable to resize file <{}> to the right size: {} ({})", name, std::strerror(grow_error), grow_error);
}

}  // namespace

Ref<Storage> map_file(const char* path, bool shared, int64_t nbytes) {
  // A negative size reports too little memory: mmap itself would read the number as a huge size.
  check(nbytes >= 0, messages::unable_to_mmap, nbytes, path, std::strerror(ENOMEM), ENOMEM);
  const Descriptor file{open(path, (shared ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0600)};
  const int error = errno;
  check(file.number >= 0, "unable to open file <{}> in {} mode: {} ({})", path, shared ? "read-write" : "read-only", std::strerror(error),
        error);
  check_file_size(file.number, nbytes, shared, path);
  Ref<Storage> storage = map_range(file.number, 0, nbytes, shared, path);
  auto* mapping = static_cast<Mapping*>(storage->context);
  mapping->is_named = true;
  if (shared) mapping->shared_path = path;
  return storage;
}

FileMapping file_mapping_of(const Storage& storage) {
  if (storage.deleter != Mapping::unmap) return {};
  const auto& mapping = *static_cast<const Mapping*>(storage.context);
  return {mapping.is_named, mapping.shared_path.empty() ? nullptr : mapping.shared_path.c_str()};
}

Ref<Storage> map_descriptor(int descriptor, int64_t offset, int64_t nbytes, bool shared) {
  check(offset >= 0, ErrorKind::value, messages::offset_must_not_be_negative, offset);
  check(nbytes <= INT64_MAX - offset, ErrorKind::value, messages::offset_and_nbytes_too_large, offset, nbytes);
  const std::string name = "descriptor " + std::to_string(descriptor);
  check_file_size(descriptor, offset + nbytes, false, name.c_str());
  return map_range(descriptor, offset, nbytes, shared, name.c_str());
}

}  // namespace mt
