// MDS, the shards of MosaicML's streaming datasets: samples of named, typed columns, in files with an index of their offsets.
#pragma once

#include <list>
#include <mutex>

#include "io/source.h"

namespace mt::io {

// What a column of a sample holds.
struct Field {
  enum class Kind : uint8_t { integer, unsigned_integer, real, text, tensor } kind = Kind::text;
  int64_t integer = 0;
  double real = 0;
  std::string text;  // bytes, UTF-8 or JSON, as the column's encoding says
  Tensor tensor;
};

class Dataset : public mt::Object {
 public:
  // A folder with an index.json of version 2. What the index says of each shard is checked when the shard is opened.
  explicit Dataset(const std::string& folder);
  static void destroy(Dataset* dataset) noexcept { delete dataset; }

  struct Column {
    std::string name, encoding;
  };
  const std::vector<Column>& columns() const { return columns_; }
  int64_t size() const { return starts_.back(); }
  std::vector<Field> read(int64_t index);
  // Where the samples of each shard begin, and the end of the last.
  const std::vector<int64_t>& shard_starts() const { return starts_; }

 private:
  struct Shard {
    std::string raw, packed;  // paths; `packed` is empty where there is no compressed file
    uint64_t raw_bytes = 0;
    std::vector<int64_t> sizes;  // of the columns, -1: each sample says
    int64_t samples = 0;
  };
  std::shared_ptr<Source> open_shard(size_t number);

  std::vector<Column> columns_;
  std::vector<Shard> shards_;
  std::vector<int64_t> starts_;
  // Opened shards, the one that was used last in front.
  std::list<std::pair<size_t, std::shared_ptr<Source>>> opened_;
  std::mutex mutex_;
};

// A permutation of 0 ... size - 1 from a seed: shards in random order, and samples mixed over blocks of `block` samples, so that few shards
// are open at a time. The same on every machine.
std::vector<int64_t> shuffled(const std::vector<int64_t>& shard_starts, uint64_t seed, int64_t block);

}  // namespace mt::io
