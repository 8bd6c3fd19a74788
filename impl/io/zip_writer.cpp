// Writes zip archives as torch.save does: stored records with aligned data, a data descriptor after each, and a zip64 end record.
#include <algorithm>
#include <unordered_set>

#include "io/crc32.h"
#include "io/zip.h"

namespace mt::io {

namespace {

constexpr uint64_t limit32 = 0xffffffff;
constexpr uint16_t utf8_names = 0x0800, has_descriptor = 0x0008;
constexpr uint64_t local_size = 30;

template <class... T>
std::string pack_little_endian(T... numbers) {
  std::string out;
  (out.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return out;
}
uint32_t clamp_to_32_bits(uint64_t value) { return uint32_t(std::min(value, limit32)); }

// The zip64 field of a record whose size or offset does not fit in 32 bits.
std::string make_zip64_field(uint64_t size, uint64_t start) {
  std::string wide;
  if (size >= limit32) wide += pack_little_endian(size, size);
  if (start >= limit32) wide += pack_little_endian(start);
  return wide.empty() ? wide : pack_little_endian(uint16_t(1), uint16_t(wide.size())) + wide;
}

uint64_t padding_before(uint64_t unpadded, uint64_t alignment) { return alignment ? (alignment - unpadded % alignment) % alignment : 0; }
uint64_t descriptor_size(uint64_t size, uint64_t start) { return size == 0 ? 0 : size >= limit32 || start >= limit32 ? 24 : 16; }

// Combines hashes as torch does: boost's hash_combine on 64 bits.
uint64_t combine_hash(uint64_t seed, uint64_t value) { return seed ^ (value + 0x9e3779b9 + (seed << 6) + (seed >> 2)); }

}  // namespace

void SerializationId::add(std::string_view name, uint32_t crc, bool is_empty) {
  names_.emplace_back(name);
  if (!is_empty) checksums_ = combine_hash(checksums_, crc);
}

std::string SerializationId::text() const {
  // torch iterates over a hash set of the names: the same container of the standard library has the same order, and so gives the same hash.
  std::unordered_set<std::string> set;
  for (const std::string& name : names_) set.insert(name);
  uint64_t names = 0;
  for (const std::string& name : set) names = combine_hash(names, std::hash<std::string>{}(name));
  char text[48];
  std::snprintf(text, sizeof text, "%020llu%020llu", static_cast<unsigned long long>(names), static_cast<unsigned long long>(checksums_));
  return text;
}

ZipWriter::ZipWriter(NewFile& file, std::string folder, int64_t alignment)
    : file_(file), folder_(std::move(folder)), alignment_(uint64_t(alignment)) {}

void ZipWriter::write(std::string_view name, std::initializer_list<Bytes> pieces) {
  const std::string path = folder_.empty() ? std::string(name) : folder_ + '/' + std::string(name);
  check(path.size() <= 0xffff, ErrorKind::value, "a record's name has {} bytes; at most 65535 are allowed", uint64_t(path.size()));
  const uint64_t start = file_.position();
  uint64_t size = 0;
  for (const Bytes& piece : pieces) size += piece.size();
  const std::string wide = make_zip64_field(size, start);
  const uint64_t padding = padding_before(start + local_size + path.size() + wide.size() + 4, alignment_);
  const uint16_t flags = size ? utf8_names | has_descriptor : utf8_names;
  const uint32_t shown_size = size >= limit32 ? uint32_t(limit32) : 0;
  const std::string extra = wide + "FB" + pack_little_endian(uint16_t(padding)) + std::string(size_t(padding), 'Z');
  // Writes the header without sizes and checksum, which follow the data, as in torch.
  file_.write("PK\x03\x04" +
              pack_little_endian(uint16_t(0), flags, uint16_t(0), uint16_t(0), uint16_t(0), uint32_t(0), shown_size, shown_size,
                                 uint16_t(path.size()), uint16_t(extra.size())) +
              path + extra);
  uint32_t crc = 0;
  if (size) {
    for (const Bytes& piece : pieces) crc = write_with_checksum(crc, piece);
    const std::string sizes = descriptor_size(size, start) == 24 ? pack_little_endian(size, size)
                                                                 : pack_little_endian(uint32_t(size), uint32_t(size));
    file_.write("PK\x07\x08" + pack_little_endian(crc) + sizes);
  }
  written_.push_back({path, start, size, flags, crc});
  id_.add(name, crc, size == 0);
}

// Computes the checksum of a part and writes it before the next, so that the part is read from memory once. More threads would save
// little: a checksum takes a fifth of the time of the write.
uint32_t ZipWriter::write_with_checksum(uint32_t crc, Bytes piece) {
  constexpr size_t cached = 1 << 18;
  for (; !piece.empty(); piece = piece.subspan(std::min(cached, piece.size()))) {
    const Bytes part = piece.first(std::min(cached, piece.size()));
    crc = crc32(crc, part);
    file_.write(part);
  }
  return crc;
}

void ZipWriter::finish() {
  write("version", "3\n");
  const auto is_order = [&](const Written& w) { return w.path.ends_with("/byteorder"); };
  if (std::none_of(written_.begin(), written_.end(), is_order)) write("byteorder", "little");
  write(".data/serialization_id", id_.text());
  finish_with_directory();
}

void ZipWriter::finish_with_directory() {
  const uint64_t start = file_.position(), count = written_.size();
  std::string directory;
  for (const Written& w : written_) {
    const std::string extra = make_zip64_field(w.size, w.start);
    directory += "PK\x01\x02" +
                 pack_little_endian(uint16_t(0), uint16_t(0), w.flags, uint16_t(0), uint16_t(0), uint16_t(0), w.crc,
                                    clamp_to_32_bits(w.size), clamp_to_32_bits(w.size), uint16_t(w.path.size()), uint16_t(extra.size()),
                                    uint16_t(0), uint16_t(0), uint16_t(0), uint32_t(0), clamp_to_32_bits(w.start)) +
                 w.path + extra;
  }
  const uint64_t length = directory.size(), end = start + length;
  const auto short_count = uint16_t(std::min<uint64_t>(count, 0xffff));
  file_.write(directory + "PK\x06\x06" +
              pack_little_endian(uint64_t(44), uint16_t(0x031e), uint16_t(45), uint32_t(0), uint32_t(0), count, count, length, start) +
              "PK\x06\x07" + pack_little_endian(uint32_t(0), end, uint32_t(1)) + "PK\x05\x06" +
              pack_little_endian(uint16_t(0), uint16_t(0), short_count, short_count, clamp_to_32_bits(length), clamp_to_32_bits(start),
                                 uint16_t(0)));
}

}  // namespace mt::io
