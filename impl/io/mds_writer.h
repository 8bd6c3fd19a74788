// Writes MDS shards and their index.
#pragma once

#include "io/mds_encoding.h"

namespace mt::io {

struct DatasetOptions {
  std::string compression;              // "zstd" or "zstd:LEVEL"; empty: none
  std::optional<int64_t> size_limit;    // of a shard in bytes, before compression
  bool synced = true;                   // whether each file is on the disk before the next one begins
};

// Writes samples into shards. The index, which makes the folder a dataset, is written last.
class DatasetWriter : public mt::Object {
 public:
  // `columns` are pairs of names and encodings. The folder must be empty, or absent. RuntimeError if it is not.
  DatasetWriter(std::string folder, const std::vector<std::pair<std::string, std::string>>& columns, DatasetOptions options);
  static void destroy(DatasetWriter* writer) noexcept { delete writer; }

  // Writes a sample: one value per column, in the order of the constructor's columns. A sample that is refused is not in the dataset.
  void write(const std::vector<Field>& values);
  void finish();

 private:
  struct Column {
    std::string name, encoding;
    MdsEncoding parsed;
    size_t position;  // of the value in a sample
  };
  uint64_t shard_size() const;  // of the samples that wait
  void write_shard();

  const std::string folder_;
  const DatasetOptions options_;
  int level_ = 0;  // of compression; 0: none
  std::vector<Column> columns_;  // sorted by name
  std::string config_;           // the description of columns that begins each shard
  std::string samples_;          // those of the next shard
  std::vector<uint64_t> ends_;   // where each of them ends
  std::vector<std::string> shards_;  // what the index says of each shard
  bool finished_ = false;
};

}  // namespace mt::io
