// Finds docstrings in a memory-mapped file beside the extension: no private memory, no work at start-up.
#include "documentation.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace mt::py {
namespace {

// Written by bindings/generator/documentation.py.
struct Header {
  char magic[8];
  uint32_t count;
};
struct Place {
  uint32_t key, text;
};

const char in_this_library = 0;

std::string_view map_file_read_only(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat about;
  void* start = MAP_FAILED;
  if (fstat(file, &about) == 0 && about.st_size > 0) {
    start = mmap(nullptr, static_cast<size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  }
  close(file);
  return start == MAP_FAILED ? std::string_view() : std::string_view(static_cast<char*>(start), static_cast<size_t>(about.st_size));
}

class Table {
 public:
  Table() {
    Dl_info info;
    if (dladdr(&in_this_library, &info) == 0 || info.dli_fname == nullptr) return;
    const std::string extension = info.dli_fname;
    const std::string_view bytes = map_file_read_only(extension.substr(0, extension.rfind('/') + 1) + "_C/documentation.bin");
    Header header;
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    const bool is_whole = std::memcmp(header.magic, "MTDOC1\0", 8) == 0 && bytes.back() == '\0' &&
                          (bytes.size() - sizeof header) / sizeof(Place) >= header.count;
    if (!is_whole) return;
    places_ = reinterpret_cast<const Place*>(bytes.data() + sizeof header);
    count_ = header.count;
    bytes_ = bytes;
  }

  const char* find(const std::string& key) const {
    const Place* end = places_ + count_;
    const Place* at = std::lower_bound(places_, end, key, [this](const Place& place, const std::string& wanted) {
      return wanted.compare(text_at(place.key)) > 0;
    });
    return at != end && key == text_at(at->key) ? text_at(at->text) : nullptr;
  }

 private:
  const char* text_at(uint32_t offset) const { return offset < bytes_.size() ? bytes_.data() + offset : ""; }

  const Place* places_ = nullptr;
  size_t count_ = 0;
  std::string_view bytes_;
};

}  // namespace

const char* find_documentation(const std::string& key) {
  static const Table* table = new Table;
  return table->find(key);
}

void add_documentation(PyMethodDef* functions, const std::string& owner) {
  for (; functions->ml_name; ++functions) {
    if (const char* found = find_documentation(owner + "." + functions->ml_name)) functions->ml_doc = found;
  }
}

}  // namespace mt::py
