// Reads zip archives. Checks everything that a directory states against the file's length.
#include <zlib.h>

#include <algorithm>

#include "io/zip.h"

namespace mt::io {

namespace {

constexpr uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50, end64_mark = 0x06064b50,
                   locator64_mark = 0x07064b50;
constexpr uint64_t local_size = 30, central_size = 46, end_size = 22, end64_size = 56, locator64_size = 20;
constexpr uint64_t limit16 = 0xffff, limit32 = 0xffffffff;
constexpr uint16_t encrypted_flags = 0x0041, patch_flag = 0x0020, masked_flag = 0x2000;
constexpr uint16_t stored = 0, deflated = 8;
constexpr uint64_t most_inflated = 1032;  // the most bytes that one deflated byte can expand to (zlib's technical notes)
constexpr const char* bad_header = "invalid header or archive is corrupted";

[[noreturn]] void refuse(const char* reason) { fail_archive("reading zip archive", reason); }

// What the record at the end of an archive states about its directory.
struct Directory {
  uint64_t files, here, size, offset, disk, at_disk;
};

uint64_t find_end_record(const Source& source) {
  if (source.size() < end_size) refuse("not a ZIP archive");
  // Searches backwards for the end record, which a comment of up to 64 KiB may follow.
  const uint64_t start = source.size() - std::min(source.size(), limit16 + end_size);
  const Bytes tail = source.view(start, source.size() - start);
  for (size_t at = tail.size() - end_size + 1; at-- > 0;) {
    uint32_t mark;
    std::memcpy(&mark, tail.data() + at, 4);
    if (mark == end_mark) return start + at;
  }
  refuse("failed finding central directory");
}

// Reads the zip64 record, which precedes the end record, if there is one.
bool read_zip64_end_record(const Source& source, uint64_t end, Directory& directory) {
  if (end < locator64_size + end64_size) return false;
  Cursor locator(source.view(end - locator64_size, locator64_size), "zip");
  if (locator.read_little_endian<uint32_t>() != locator64_mark) return false;
  locator.skip(4);
  const auto place = locator.read_little_endian<uint64_t>();
  const auto disks = locator.read_little_endian<uint32_t>();
  if (!source.contains(place, end64_size)) refuse("not a ZIP archive");
  Cursor wide(source.view(place, end64_size), "zip");
  if (wide.read_little_endian<uint32_t>() != end64_mark) return false;
  const auto record_size = wide.read_little_endian<uint64_t>();
  wide.skip(4);
  directory.disk = wide.read_little_endian<uint32_t>();
  directory.at_disk = wide.read_little_endian<uint32_t>();
  directory.here = wide.read_little_endian<uint64_t>();
  directory.files = wide.read_little_endian<uint64_t>();
  directory.size = wide.read_little_endian<uint64_t>();
  directory.offset = wide.read_little_endian<uint64_t>();
  if (record_size < end64_size - 12) refuse(bad_header);
  if (disks != 1) refuse("unsupported multidisk archive");
  if (directory.files > limit32 || directory.here > limit32) refuse("too many files");
  if (directory.size > limit32) refuse("unsupported central directory size");
  return true;
}

Directory read_end_record(const Source& source) {
  const uint64_t end = find_end_record(source);
  Directory directory{};
  if (!read_zip64_end_record(source, end, directory)) {
    Cursor cursor(source.view(end + 4, end_size - 4), "zip");
    directory.disk = cursor.read_little_endian<uint16_t>();
    directory.at_disk = cursor.read_little_endian<uint16_t>();
    directory.here = cursor.read_little_endian<uint16_t>();
    directory.files = cursor.read_little_endian<uint16_t>();
    directory.size = cursor.read_little_endian<uint32_t>();
    directory.offset = cursor.read_little_endian<uint32_t>();
  }
  const bool on_first = directory.disk == 1 && directory.at_disk == 1;
  if (directory.files != directory.here || ((directory.disk || directory.at_disk) && !on_first)) refuse("unsupported multidisk archive");
  if (directory.size < directory.files * central_size || !source.contains(directory.offset, directory.size)) refuse(bad_header);
  return directory;
}

// Replaces sizes and an offset that do not fit in 32 bits by the values in the zip64 field, if there is one.
void apply_zip64_field(Bytes extra, ZipReader::Record& record) {
  for (size_t at = 0; at < extra.size();) {
    if (extra.size() - at < 4) refuse(bad_header);
    Cursor field(extra.subspan(at), "zip");
    const auto kind = field.read_little_endian<uint16_t>();
    const auto length = field.read_little_endian<uint16_t>();
    if (length > field.left()) refuse(bad_header);
    if (kind == 1) {
      Cursor wide(field.take(length), "zip");
      for (uint64_t* value : {&record.size, &record.packed, &record.header}) {
        if (*value != limit32) continue;
        if (wide.left() < 8) refuse(bad_header);
        *value = wide.read_little_endian<uint64_t>();
      }
      return;
    }
    at += 4 + size_t(length);
  }
}

const char* find_unsupported_feature(uint16_t flags, uint16_t method) {
  if (method != stored && method != deflated) return "unsupported method";
  if (flags & encrypted_flags) return "unsupported encryption";
  return flags & patch_flag ? "unsupported feature" : nullptr;
}

ZipReader::Record read_entry(Cursor& cursor, const Source& source, uint64_t disk) {
  if (cursor.left() < central_size) refuse(bad_header);
  ZipReader::Record record;
  if (cursor.read_little_endian<uint32_t>() != central_mark) refuse(bad_header);
  cursor.skip(4);
  record.flags = cursor.read_little_endian<uint16_t>();
  record.method = cursor.read_little_endian<uint16_t>();
  const auto time = cursor.read_little_endian<uint16_t>();
  cursor.skip(6);  // date and checksum
  record.packed = cursor.read_little_endian<uint32_t>();
  record.size = cursor.read_little_endian<uint32_t>();
  const auto name_size = cursor.read_little_endian<uint16_t>();
  const auto extra_size = cursor.read_little_endian<uint16_t>();
  const auto comment_size = cursor.read_little_endian<uint16_t>();
  const auto on_disk = cursor.read_little_endian<uint16_t>();
  cursor.skip(6);  // attributes
  record.header = cursor.read_little_endian<uint32_t>();
  if (cursor.left() < uint64_t(name_size) + extra_size + comment_size) refuse(bad_header);
  record.name = cursor.read_text(name_size);
  const Bytes extra = cursor.take(extra_size);
  cursor.skip(comment_size);
  if (record.packed == limit32 || record.size == limit32 || record.header == limit32) apply_zip64_field(extra, record);
  if (record.packed != limit32 && record.size != limit32) {
    const bool differs = record.method == stored && time == 0 && record.packed != record.size;
    if (differs || (record.size && !record.packed)) refuse(bad_header);
  }
  if (on_disk == limit16 || (on_disk != disk && on_disk != 1)) refuse("unsupported multidisk archive");
  if (record.packed != limit32 &&
      (!source.contains(record.header, local_size) || !source.contains(record.header + local_size, record.packed)))
    refuse(bad_header);
  if (record.flags & masked_flag) refuse("unsupported encryption");
  record.problem = find_unsupported_feature(record.flags, record.method);
  return record;
}

std::string to_lower_case(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = char(c + 32);
  return out;
}

}  // namespace

void fail_archive(const std::string& what, const char* reason) {
  fail(
      "PytorchStreamReader failed {}: {}. This is an internal miniz error. If you are seeing this error, there is a high likelihood that your "
      "checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was transferred incorrectly, or the file was "
      "modified after saving.",
      what, reason);
}

ZipReader::ZipReader(std::shared_ptr<Source> from) : source(std::move(from)) {
  const Directory directory = read_end_record(*source);
  Cursor cursor(source->view(directory.offset, directory.size), "zip");
  records_.reserve(size_t(directory.files));  // at most the bytes of the directory, which are in the file
  for (uint64_t i = 0; i < directory.files; ++i) records_.push_back(read_entry(cursor, *source, directory.disk));
  for (size_t i = 0; i < records_.size(); ++i) index_[to_lower_case(records_[i].name)] = i;
}

const ZipReader::Record* ZipReader::find(std::string_view name) const {
  const auto found = index_.find(to_lower_case(name));
  return found == index_.end() ? nullptr : &records_[found->second];
}

uint64_t ZipReader::data_offset(const Record& record) const {
  const std::string reading = "reading file " + record.name.substr(record.name.find('/') + 1);
  if (record.problem) fail_archive("retrieving file meta-data for " + record.name.substr(record.name.find('/') + 1), record.problem);
  if (record.name.ends_with('/') || record.packed == 0) {
    if (record.size) fail_archive(reading, bad_header);
    return 0;
  }
  if (!source->contains(record.header, local_size)) fail_archive(reading, "file read failed");
  Cursor local(source->view(record.header, local_size), "zip");
  const bool marked = local.read_little_endian<uint32_t>() == local_mark;
  local.skip(22);
  const auto name_size = local.read_little_endian<uint16_t>();
  const auto extra_size = local.read_little_endian<uint16_t>();
  const uint64_t start = record.header + local_size + name_size + extra_size;
  if (!marked || !source->contains(start, record.packed)) fail_archive(reading, bad_header);
  if (record.method == deflated && record.size / most_inflated > record.packed) fail_archive(reading, "unexpected decompressed size");
  if (record.method == stored && !source->contains(start, record.size)) fail_archive(reading, "file read failed");
  return start;
}

void ZipReader::inflate_into(const Record& record, uint64_t start, uint8_t* to) const {
  const std::string reading = "reading file " + record.name.substr(record.name.find('/') + 1);
  z_stream stream{};
  check(inflateInit2(&stream, -MAX_WBITS) == Z_OK, ErrorKind::out_of_memory, "no memory to inflate a record");
  struct End {
    z_stream& stream;
    ~End() { inflateEnd(&stream); }
  } at_end{stream};
  // zlib counts in 32 bits.
  constexpr uint64_t most = 1 << 30;
  uint64_t taken = 0, made = 0;
  int result = Z_OK;
  while (result == Z_OK && made < record.size) {
    const uint64_t in = std::min(record.packed - taken, most), out = std::min(record.size - made, most);
    stream.next_in = const_cast<uint8_t*>(source->view(start + taken, in).data());
    stream.avail_in = uInt(in);
    stream.next_out = to + made;
    stream.avail_out = uInt(out);
    result = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
  }
  if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
    fail_archive(reading, "decompression failed or archive is corrupted");
  if (made != record.size) fail_archive(reading, "unexpected decompressed size");
}

std::optional<uint64_t> ZipReader::place_of(const Record& record) const {
  const uint64_t start = data_offset(record);
  return record.method == stored || record.size == 0 ? std::optional(start) : std::nullopt;
}

std::string ZipReader::read(const Record& record) const {
  const uint64_t start = data_offset(record);
  std::string out;
  if (record.size == 0) return out;
  if (record.method == stored) return std::string(text_of(source->view(start, record.size)));
  out.resize(size_t(record.size));
  inflate_into(record, start, reinterpret_cast<uint8_t*>(out.data()));
  return out;
}

Ref<Storage> ZipReader::storage(const Record& record, Access access, int64_t alignment) const {
  const uint64_t start = data_offset(record);
  if (record.method == stored || record.size == 0) return source->storage(start, record.size, access, alignment);
  Ref<Storage> out = make_storage(int64_t(record.size), Device{});
  inflate_into(record, start, static_cast<uint8_t*>(out->data));
  return out;
}

}  // namespace mt::io
