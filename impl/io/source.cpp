// Maps files, and reads them with several threads.
#include "io/source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cpu/parallel.h"

namespace mt::io {

namespace {

constexpr int64_t piece_size = 4 << 20;
constexpr int64_t most_dims = 64;

// Reads all bytes or raises; a file may have been truncated since it was opened.
void read_piece(int descriptor, uint8_t* to, int64_t count, uint64_t offset, const std::string& name) {
  while (count > 0) {
    const ssize_t got = pread(descriptor, to, size_t(count), off_t(offset));
    const int error = errno;
    if (got < 0 && error == EINTR) continue;
    check(got >= 0, "unable to read the file <{}>: {} ({})", name, std::strerror(error), error);
    check(got > 0, "the file <{}> became shorter while it was read", name);
    to += got;
    offset += uint64_t(got);
    count -= got;
  }
}

}  // namespace

std::shared_ptr<Source> Source::open(const std::string& path) {
  std::shared_ptr<Source> source(new Source());
  source->name_ = path;
  source->descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  int error = errno;
  check(source->descriptor_ >= 0, "unable to open file <{}>: {} ({})", path, std::strerror(error), error);
  struct stat status;
  check(fstat(source->descriptor_, &status) == 0 && S_ISREG(status.st_mode), "<{}> is not a regular file", path);
  source->size_ = uint64_t(status.st_size);
  if (source->size_ == 0) return source;
  // Writable, for tensors over the map: writes stay in this process, and only they take memory.
  void* base = mmap(nullptr, source->size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, source->descriptor_, 0);
  error = errno;
  check(base != MAP_FAILED, "unable to mmap {} bytes from file <{}>: {} ({})", source->size_, path, std::strerror(error), error);
  source->data_ = static_cast<uint8_t*>(base);
  return source;
}

std::shared_ptr<Source> Source::over(Bytes bytes, std::shared_ptr<void> owner) {
  std::shared_ptr<Source> source(new Source());
  source->name_ = "memory";
  source->data_ = const_cast<uint8_t*>(bytes.data());
  source->size_ = bytes.size();
  source->owner_ = std::move(owner);
  return source;
}

std::shared_ptr<Source> Source::holding(std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<std::vector<uint8_t>>(std::move(bytes));
  const Bytes seen(*owner);
  return over(seen, std::move(owner));
}

Source::~Source() {
  if (descriptor_ < 0) return;
  if (data_) munmap(data_, size_);
  close(descriptor_);
}

Bytes Source::view(uint64_t offset, uint64_t count) const {
  check(contains(offset, count), "the file <{}> has {} bytes, too few for {} at {}", name_, size_, count, offset);
  return {data_ + offset, size_t(count)};
}

void Source::read(uint64_t offset, uint64_t count, void* to) const {
  const uint8_t* from = view(offset, count).data();
  auto* target = static_cast<uint8_t*>(to);
  cpu::parallel_for(0, int64_t(count), piece_size, [&](int64_t begin, int64_t end) {
    // Reading from the file causes no page faults in the map.
    if (descriptor_ >= 0)
      read_piece(descriptor_, target + begin, end - begin, offset + uint64_t(begin), name_);
    else
      std::memcpy(target + begin, from + begin, size_t(end - begin));
  });
}

Ref<Storage> Source::storage(uint64_t offset, uint64_t count, Access access, int64_t alignment) const {
  const uint8_t* from = view(offset, count).data();
  if (access == Access::map && count > 0 && reinterpret_cast<uintptr_t>(from) % size_t(alignment) == 0) {
    auto* owner = new std::shared_ptr<const Source>(shared_from_this());
    return make_storage(
        const_cast<uint8_t*>(from), int64_t(count), Device{},
        [](void* context) { delete static_cast<std::shared_ptr<const Source>*>(context); }, owner);
  }
  Ref<Storage> copy = make_storage(int64_t(count), Device{});
  if (count > 0) read(offset, count, copy->data);
  return copy;
}

Bytes Cursor::take(uint64_t count) {
  check(count <= left(), "{} ends too early: {} bytes are needed at {}, and {} are left", what_, count, uint64_t(at_), uint64_t(left()));
  const Bytes bytes = bytes_.subspan(at_, size_t(count));
  at_ += size_t(count);
  return bytes;
}

std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 80)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      static constexpr char digits[] = "0123456789abcdef";
      out += {'\\', 'x', digits[uint8_t(c) >> 4], digits[uint8_t(c) & 15]};
    }
  }
  return text.size() > 80 ? out + "..." : out;
}

namespace {

// The length of the UTF-8 character at the start of a string; 0 if it is invalid.
int length_of_character(std::string_view text) {
  const auto byte = [&](size_t k) { return k < text.size() ? uint8_t(text[k]) : uint8_t(0); };
  const uint8_t first = byte(0);
  const int length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (int k = 1; k < length; ++k)
    if ((byte(size_t(k)) & 0xc0) != 0x80) return 0;
  // Only the shortest encoding, up to U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90)) return 0;
  return length;
}

}  // namespace

bool is_utf8_or_surrogates(std::string_view text) {
  while (!text.empty()) {
    const int length = length_of_character(text);
    if (length == 0) return false;
    text.remove_prefix(size_t(length));
  }
  return true;
}

bool is_utf8(std::string_view text) {
  if (!is_utf8_or_surrogates(text)) return false;
  for (size_t i = 0; i + 1 < text.size(); ++i)
    if (uint8_t(text[i]) == 0xed && uint8_t(text[i + 1]) >= 0xa0) return false;
  return true;
}

std::optional<int64_t> bytes_needed(IntList sizes, Dtype dtype) {
  if (sizes.size() > most_dims) return std::nullopt;
  // The product of sizes must fit even if another size is 0, since strides are products, too.
  int64_t strides = element_size(dtype), total = strides;
  for (const int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(total, size, &total)) return std::nullopt;
    if (size > 0 && __builtin_mul_overflow(strides, size, &strides)) return std::nullopt;
  }
  return total;
}

}  // namespace mt::io
