// The zip container: reads archives of any writer (stored or deflated, zip64), and writes torch.save's, byte for byte, and NumPy's.
#pragma once

#include <unordered_map>

#include "io/new_file.h"

namespace mt::io {

class ZipReader {
 public:
  // Raises RuntimeError with torch's message for anything but an archive.
  explicit ZipReader(std::shared_ptr<Source> source);

  struct Record {
    std::string name;
    uint16_t flags = 0, method = 0;
    uint64_t packed = 0, size = 0, header = 0;
    const char* problem = nullptr;  // why its data cannot be read
  };
  const std::vector<Record>& records() const { return records_; }
  // Returns the last record with a name, ignoring case as torch does; nullptr if there is none.
  const Record* find(std::string_view name) const;

  // Returns the offset of a record's data, after checking that all of the data is in the file.
  uint64_t data_offset(const Record& record) const;
  // As data_offset() for a stored record; nullopt for a compressed one.
  std::optional<uint64_t> place_of(const Record& record) const;
  std::string read(const Record& record) const;
  // Reads a record as a storage; maps a stored record if requested.
  Ref<Storage> storage(const Record& record, Access access, int64_t alignment) const;

  const std::shared_ptr<Source> source;

 private:
  void inflate_into(const Record& record, uint64_t start, uint8_t* to) const;
  std::vector<Record> records_;
  std::unordered_map<std::string, size_t> index_;
};

// Raises an error with the beginning and end of torch's messages about archives.
[[noreturn]] void fail_archive(const std::string& what, const char* reason);

// Computes the id that torch.save gives an archive, from names and checksums of its records in torch's order.
class SerializationId {
 public:
  void add(std::string_view name, uint32_t crc, bool is_empty);
  std::string text() const;

 private:
  std::vector<std::string> names_;
  uint64_t checksums_ = 0;
};

class ZipWriter {
 public:
  // The names of all records begin with `folder` and a slash, unless it is empty.
  ZipWriter(NewFile& file, std::string folder, int64_t alignment = 64);
  // Writes an uncompressed record whose data starts at a multiple of the alignment; the data is given in pieces.
  void write(std::string_view name, std::initializer_list<Bytes> pieces);
  void write(std::string_view name, Bytes data) { write(name, {data}); }
  void write(std::string_view name, std::string_view data) { write(name, bytes_of(data)); }
  // Writes torch's version and id, and the directory.
  void finish();
  void finish_with_directory();

 private:
  struct Written {
    std::string path;
    uint64_t start, size;
    uint16_t flags;
    uint32_t crc;
  };
  uint32_t write_with_checksum(uint32_t crc, Bytes piece);

  NewFile& file_;
  const std::string folder_;
  const uint64_t alignment_;
  std::vector<Written> written_;
  SerializationId id_;
};

}  // namespace mt::io
