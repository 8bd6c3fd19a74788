// Maps files, and reads them with several threads.
#include "io/source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cpu/fresh_pages.h"
#include "cpu/threads/parallel.h"

namespace mt::io {

namespace {

constexpr uint64_t piece_size = 2 << 20;
constexpr int64_t most_dims = 64;

// With fewer pieces it does not pay off to measure which pages are cheaper.
constexpr size_t least_pieces = 8;

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
  // Maps the file as writable, for tensors over the map: writes stay in this process, and only they take memory.
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

// Reads by pread(), not through the map, whose pages would first have to be entered into the page table.
void Source::read_piece(const Part& piece) const {
  auto* to = static_cast<uint8_t*>(piece.to);
  if (descriptor_ < 0) {
    std::memcpy(to, data_ + piece.offset, size_t(piece.count));
    return;
  }
  for (uint64_t done = 0; done < piece.count;) {
    const ssize_t got = pread(descriptor_, to + done, size_t(piece.count - done), off_t(piece.offset + done));
    const int error = errno;
    if (got < 0 && error == EINTR) continue;
    check(got >= 0, "unable to read the file <{}>: {} ({})", name_, std::strerror(error), error);
    check(got > 0, "the file <{}> became shorter while it was read", name_);
    done += uint64_t(got);
  }
}

void Source::read(std::span<const Part> parts) const {
  std::vector<Part> pieces;
  uint64_t total = 0;
  size_t choices = 0;
  for (const Part& part : parts) {
    view(part.offset, part.count);  // checks the range
    total += part.count;
    auto* to = static_cast<uint8_t*>(part.to);
    for (uint64_t done = 0; done < part.count; done += piece_size) {
      pieces.push_back({part.offset + done, std::min<uint64_t>(piece_size, part.count - done), to + done});
      choices += cpu::FreshPages::can_choose(to + done, size_t(pieces.back().count));
    }
  }
  if (total == 0) return;
  cpu::FreshPages pages;
  const auto chooses = [&](const Part& piece) { return choices >= least_pieces && cpu::FreshPages::can_choose(piece.to, piece.count); };
  const int64_t grain = int64_t(piece_size * pieces.size() / total);
  cpu::parallel_for(0, int64_t(pieces.size()), grain, [&](int64_t begin, int64_t end) {
    for (const Part& piece : std::span(pieces).subspan(size_t(begin), size_t(end - begin)))
      if (chooses(piece))
        pages.fill(piece.to, piece.count, [&] { read_piece(piece); });
      else
        read_piece(piece);
  });
  for (const Part& piece : pieces)
    if (chooses(piece)) cpu::FreshPages::allow_huge(piece.to, piece.count);
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
  const Part all{offset, count, copy->data};
  read({&all, 1});
  return copy;
}

Bytes Cursor::take(uint64_t count) {
  check(count <= left(), "{} ends too early: {} bytes are needed at {}, and {} are left", what_, count, uint64_t(at_), uint64_t(left()));
  const Bytes bytes = bytes_.subspan(at_, size_t(count));
  at_ += size_t(count);
  return bytes;
}

std::string escape_for_message(std::string_view text) {
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
  // Accepts only the shortest encoding of a character, up to U+10FFFF.
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
  // The product of the other sizes must fit even if one size is 0, since strides are products of sizes.
  int64_t strides = element_size(dtype), total = strides;
  for (const int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(total, size, &total)) return std::nullopt;
    if (size > 0 && __builtin_mul_overflow(strides, size, &strides)) return std::nullopt;
  }
  return total;
}

}  // namespace mt::io
