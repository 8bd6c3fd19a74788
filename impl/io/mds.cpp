// Reads MDS shards, compressed with zstd or not.
#include "io/mds.h"

#include <sys/stat.h>

#include <algorithm>
#include <random>

#include "io/json.h"
#include "io/zstd_stream.h"

namespace mt::io {

namespace {

// A shard's offsets have 32 bits, which limits its size.
constexpr uint64_t largest_shard = 0xffffffff;
constexpr uint64_t longest_index = 1 << 28;
constexpr size_t most_opened = 8;
constexpr size_t most_columns = 4096;

const Json& required_member(const Json& object, const char* name, Json::Kind kind) {
  const Json* found = object.find(name);
  check(found && found->is(kind), "MDS: the index has no \"{}\", or one of another kind", name);
  return *found;
}

// Joins the folder and a file's name; refuses a name that leaves the folder.
std::string path_in(const std::string& folder, const std::string& name) {
  bool leads_out = name.empty() || name[0] == '/' || name.find('\0') != std::string::npos;
  for (size_t at = 0; at < name.size(); at = name.find('/', at) == std::string::npos ? name.size() : name.find('/', at) + 1)
    leads_out |= name.compare(at, 3, "../") == 0 || name.substr(at) == "..";
  check(!leads_out, "MDS: \"{}\" is not the name of a file in the dataset's folder", escape_for_message(name));
  return folder + '/' + name;
}

bool file_exists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

std::vector<Dataset::Column> read_columns(const Json& shard) {
  const std::vector<Json>& names = required_member(shard, "column_names", Json::Kind::array).items;
  const std::vector<Json>& kinds = required_member(shard, "column_encodings", Json::Kind::array).items;
  check(names.size() == kinds.size() && names.size() <= most_columns, "MDS: {} columns and {} encodings", uint64_t(names.size()),
        uint64_t(kinds.size()));
  std::vector<Dataset::Column> columns;
  for (size_t i = 0; i < names.size(); ++i) {
    check(names[i].is(Json::Kind::string) && kinds[i].is(Json::Kind::string), "MDS: names and encodings of columns have to be texts");
    const std::string &name = names[i].string, &encoding = kinds[i].string;
    columns.push_back({name, encoding, parse_encoding(encoding, name)});
  }
  return columns;
}

}  // namespace

Dataset::Dataset(const std::string& folder) : mt::Object(mt::Kind::dataset), starts_{0} {
  const std::shared_ptr<Source> index = Source::open(folder + "/index.json");
  check(index->size() <= longest_index, "MDS: the index has {} bytes; at most {} are read", index->size(), longest_index);
  const Json root = parse_json(text_of(index->view(0, index->size())), "MDS");
  check(root.is(Json::Kind::object), "MDS: the index has to be an object");
  const int64_t version = required_member(root, "version", Json::Kind::integer).integer;
  check(version == 2, ErrorKind::value, "Unsupported streaming data version: {}. Expected version 2.", version);
  for (const Json& described : required_member(root, "shards", Json::Kind::array).items) {
    check(described.is(Json::Kind::object), "MDS: a shard has to be described by an object");
    const std::string& format = required_member(described, "format", Json::Kind::string).string;
    check(format == "mds", ErrorKind::value, "Unsupported data format: {}. Expected to be `mds`.", escape_for_message(format));
    std::vector<Column> columns = read_columns(described);
    const auto same = [](const Column& a, const Column& b) { return a.name == b.name && a.encoding == b.encoding; };
    if (shards_.empty()) columns_ = columns;
    check(std::equal(columns.begin(), columns.end(), columns_.begin(), columns_.end(), same), "MDS: shards have different columns");
    Shard shard;
    const Json& raw = required_member(described, "raw_data", Json::Kind::object);
    shard.raw = path_in(folder, required_member(raw, "basename", Json::Kind::string).string);
    const int64_t bytes = required_member(raw, "bytes", Json::Kind::integer).integer;
    check(bytes >= 0 && uint64_t(bytes) <= largest_shard, "MDS: a shard of {} bytes", bytes);
    shard.raw_bytes = uint64_t(bytes);
    if (const Json* packed = described.find("zip_data"); packed && packed->is(Json::Kind::object)) {
      const std::string& compression = required_member(described, "compression", Json::Kind::string).string;
      check(compression == "zstd" || compression.starts_with("zstd:"), ErrorKind::not_implemented,
            "MDS: shards are compressed with \"{}\"; zstd is read here", escape_for_message(compression));
      shard.packed = path_in(folder, required_member(*packed, "basename", Json::Kind::string).string);
    }
    for (const Json& size : required_member(described, "column_sizes", Json::Kind::array).items) {
      const bool is_fixed = size.is(Json::Kind::integer) && size.integer > 0;
      check(!is_fixed || uint64_t(size.integer) <= largest_shard, "MDS: a column of {} bytes", size.integer);
      shard.sizes.push_back(is_fixed ? size.integer : -1);
    }
    check(shard.sizes.size() == columns_.size(), "MDS: {} columns and {} sizes", uint64_t(columns_.size()), uint64_t(shard.sizes.size()));
    shard.samples = required_member(described, "samples", Json::Kind::integer).integer;
    check(shard.samples >= 0 && uint64_t(shard.samples) <= shard.raw_bytes / 4, "MDS: a shard of {} bytes has {} samples", bytes,
          shard.samples);
    starts_.push_back(starts_.back() + shard.samples);
    shards_.push_back(std::move(shard));
  }
}

std::shared_ptr<Source> Dataset::open_shard(size_t number) {
  const std::lock_guard lock(mutex_);
  for (auto it = opened_.begin(); it != opened_.end(); ++it) {
    if (it->first != number) continue;
    opened_.splice(opened_.begin(), opened_, it);
    return it->second;
  }
  const Shard& shard = shards_[number];
  std::shared_ptr<Source> source;
  if (shard.packed.empty() || file_exists(shard.raw)) {
    source = Source::open(shard.raw);
  } else {
    const std::shared_ptr<Source> packed = Source::open(shard.packed);
    source = Source::holding(decompress_zstd(packed->view(0, packed->size()), shard.raw_bytes, shard.packed));
  }
  check(source->size() == shard.raw_bytes, "MDS: the shard <{}> has {} bytes, and the index says {}", shard.raw, source->size(),
        shard.raw_bytes);
  opened_.emplace_front(number, source);
  if (opened_.size() > most_opened) opened_.pop_back();
  return source;
}

std::vector<Field> Dataset::read(int64_t index) {
  check(index >= 0 && index < size(), ErrorKind::index, "there is no sample {} among {}", index, size());
  const size_t number = size_t(std::upper_bound(starts_.begin(), starts_.end(), index) - starts_.begin()) - 1;
  const Shard& shard = shards_[number];
  const std::shared_ptr<Source> source = open_shard(number);
  // Reads the sample's offsets from the head of its shard: the number of samples, the offset of each, and the end of the last.
  Cursor table(source->view(4 * uint64_t(1 + index - starts_[number]), 8), "MDS");
  const auto begin = table.read_little_endian<uint32_t>(), end = table.read_little_endian<uint32_t>();
  check(begin <= end && end <= source->size(), "MDS: sample {} is from {} to {} of a shard of {} bytes", index, uint64_t(begin),
        uint64_t(end), source->size());
  Cursor cursor(source->view(begin, end - begin), "MDS: a sample");
  std::vector<uint64_t> sizes;
  for (const int64_t size : shard.sizes) sizes.push_back(size >= 0 ? uint64_t(size) : cursor.read_little_endian<uint32_t>());
  std::vector<Field> fields;
  for (size_t i = 0; i < columns_.size(); ++i) fields.push_back(decode(columns_[i].parsed, cursor.take(sizes[i]), columns_[i].name));
  return fields;
}

std::vector<int64_t> shuffle_within_blocks(const std::vector<int64_t>& shard_starts, uint64_t seed, int64_t block) {
  check(block > 0, ErrorKind::value, "a block has to have samples, got {}", block);
  std::mt19937_64 random(seed);
  // Returns a random number below `count`. Unlike std::uniform_int_distribution it is the same with every standard library; its bias is
  // below 2^-32.
  const auto below = [&](uint64_t count) { return uint64_t((static_cast<unsigned __int128>(random()) * count) >> 64); };
  const auto mix = [&](auto begin, auto end) {
    for (auto rest = end - begin; rest > 1; --rest) std::swap(begin[rest - 1], begin[int64_t(below(uint64_t(rest)))]);
  };
  std::vector<size_t> shards(shard_starts.size() - 1);
  for (size_t i = 0; i < shards.size(); ++i) shards[i] = i;
  mix(shards.begin(), shards.end());
  std::vector<int64_t> order;
  order.reserve(size_t(shard_starts.back()));
  for (const size_t shard : shards)
    for (int64_t sample = shard_starts[shard]; sample < shard_starts[shard + 1]; ++sample) order.push_back(sample);
  for (int64_t begin = 0; begin < int64_t(order.size()); begin += block)
    mix(order.begin() + begin, order.begin() + std::min(begin + block, int64_t(order.size())));
  return order;
}

}  // namespace mt::io
