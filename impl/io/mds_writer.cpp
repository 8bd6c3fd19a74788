// Writes MDS shards, with the same bytes as MosaicML's writer.
#include "io/mds_writer.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "io/json.h"
#include "io/new_file.h"
#include "io/zstd_stream.h"

namespace mt::io {

namespace {

// A shard's offsets have 32 bits, which limits its size.
constexpr uint64_t largest_shard = 0xffffffff;
constexpr size_t most_columns = 4096;

int parse_level(const std::string& compression) {
  if (compression.empty()) return 0;
  if (compression == "zstd") return usual_zstd_level;
  int level = 0;
  const std::string_view digits = std::string_view(compression).substr(std::min<size_t>(5, compression.size()));
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), level);
  check(compression.starts_with("zstd:") && error == std::errc() && rest == digits.data() + digits.size() && level >= 1 &&
            level <= highest_zstd_level,
        ErrorKind::value, "MDS: compression has to be \"zstd\" or \"zstd:LEVEL\" with a level of 1 to {}, got \"{}\"", highest_zstd_level,
        escape_for_message(compression));
  return level;
}

template <class List, class F>
std::string json_list(const List& list, F&& text) {
  std::string out = "[";
  for (const auto& item : list) out += (out.size() > 1 ? ", " : "") + text(item);
  return out + "]";
}

std::string describe_file(const std::string& basename, uint64_t bytes) {
  return "{\"basename\": " + quoted_json(basename) + ", \"bytes\": " + std::to_string(bytes) + ", \"hashes\": {}}";
}

void prepare_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const bool is_folder = !error && std::filesystem::is_directory(folder, error);
  check(is_folder, "unable to make the folder <{}>: {}", folder, error ? error.message() : "a file has that name");
  const bool is_empty = std::filesystem::is_empty(folder, error);
  check(!error, "unable to list the folder <{}>: {}", folder, error.message());
  check(is_empty, "MDS: the folder <{}> has files; a dataset needs one of its own", folder);
}

void save_file(const std::string& path, std::string_view bytes, bool synced) {
  NewFile file(path);
  file.write(bytes);
  file.finish(synced);
}

}  // namespace

DatasetWriter::DatasetWriter(std::string folder, const std::vector<std::pair<std::string, std::string>>& columns, DatasetOptions options)
    : mt::Object(mt::Kind::dataset_writer), folder_(std::move(folder)), options_(std::move(options)),
      level_(parse_level(options_.compression)) {
  check(!folder_.empty(), ErrorKind::value, "MDS: a dataset needs the name of a folder");
  check(!columns.empty() && columns.size() <= most_columns, ErrorKind::value, "MDS: a dataset has 1 to {} columns, got {}",
        uint64_t(most_columns), uint64_t(columns.size()));
  check(!options_.size_limit || (*options_.size_limit > 0 && uint64_t(*options_.size_limit) <= largest_shard), ErrorKind::value,
        "MDS: a shard's limit has to be 1 to {} bytes, got {}", largest_shard, options_.size_limit.value_or(0));
  for (const auto& [name, encoding] : columns) {
    check(is_utf8(name) && is_utf8(encoding), ErrorKind::value, "MDS: the name \"{}\" is not UTF-8", escape_for_message(name));
    columns_.push_back({name, encoding, parse_encoding(encoding, name), columns_.size()});
  }
  std::sort(columns_.begin(), columns_.end(), [](const Column& a, const Column& b) { return a.name < b.name; });
  for (size_t i = 1; i < columns_.size(); ++i)
    check(columns_[i - 1].name != columns_[i].name, ErrorKind::value, "MDS: two columns have the name \"{}\"",
          escape_for_message(columns_[i].name));
  const auto size_text = [](const Column& column) {
    const std::optional<int64_t> size = fixed_size(column.parsed);
    return size ? std::to_string(*size) : "null";
  };
  config_ = "{\"column_encodings\": " + json_list(columns_, [](const Column& column) { return quoted_json(column.encoding); }) +
            ", \"column_names\": " + json_list(columns_, [](const Column& column) { return quoted_json(column.name); }) +
            ", \"column_sizes\": " + json_list(columns_, size_text) +
            ", \"compression\": " + (level_ ? quoted_json(options_.compression) : "null") +
            ", \"format\": \"mds\", \"hashes\": [], \"size_limit\": " +
            (options_.size_limit ? std::to_string(*options_.size_limit) : "null") + ", \"version\": 2}";
  prepare_folder(folder_);
}

// The head of a shard: the number of samples, the offset of each, the end of the last, and the columns.
uint64_t DatasetWriter::shard_size() const { return 4 * (2 + ends_.size()) + config_.size() + samples_.size(); }

void DatasetWriter::write(const std::vector<Field>& values) {
  check(!finished_, "MDS: the dataset in <{}> is finished", folder_);
  check(values.size() == columns_.size(), ErrorKind::value, "MDS: a sample needs {} values, got {}", uint64_t(columns_.size()),
        uint64_t(values.size()));
  std::string head, body;
  for (const Column& column : columns_) {
    const size_t begin = body.size();
    encode(column.parsed, values[column.position], column.name, body);
    check(body.size() <= largest_shard, ErrorKind::value, "MDS: a sample has more than the {} bytes of the largest shard", largest_shard);
    if (!fixed_size(column.parsed)) append_little_endian(uint32_t(body.size() - begin), head);
  }
  const uint64_t added = 4 + head.size() + body.size();
  const uint64_t limit = uint64_t(options_.size_limit.value_or(int64_t(largest_shard)));
  if (!ends_.empty() && shard_size() + added > limit) write_shard();
  check(shard_size() + added <= largest_shard, ErrorKind::value, "MDS: a sample of {} bytes does not fit into a shard of {} bytes", added,
        largest_shard);
  samples_.reserve(samples_.size() + head.size() + body.size());  // the rest cannot fail
  ends_.reserve(ends_.size() + 1);
  samples_ += head;
  samples_ += body;
  ends_.push_back(samples_.size());
}

void DatasetWriter::write_shard() {
  const uint64_t first = 4 * (2 + ends_.size()) + config_.size();
  std::string shard;
  shard.reserve(shard_size());
  append_little_endian(uint32_t(ends_.size()), shard);
  append_little_endian(uint32_t(first), shard);
  for (const uint64_t end : ends_) append_little_endian(uint32_t(first + end), shard);
  shard += config_;
  shard += samples_;

  char basename[32];
  std::snprintf(basename, sizeof basename, "shard.%05zu.mds", shards_.size());
  std::string packed = "null";
  if (level_) {
    const std::string name = std::string(basename) + ".zstd";
    const std::vector<uint8_t> bytes = compress_zstd(bytes_of(shard), {.level = level_});
    save_file(folder_ + '/' + name, text_of(bytes), options_.synced);
    packed = describe_file(name, bytes.size());
  } else {
    save_file(folder_ + '/' + basename, shard, options_.synced);
  }
  // Keys are sorted, so raw_data and samples precede size_limit.
  std::string entry = config_;
  const size_t at = entry.rfind("\"size_limit\": ");
  entry.insert(at, "\"raw_data\": " + describe_file(basename, shard.size()) + ", \"samples\": " + std::to_string(ends_.size()) + ", ");
  entry.pop_back();
  shards_.push_back(entry + ", \"zip_data\": " + packed + "}");
  samples_.clear();
  ends_.clear();
}

void DatasetWriter::finish() {
  check(!finished_, "MDS: the dataset in <{}> is finished", folder_);
  if (!ends_.empty()) write_shard();
  save_file(folder_ + "/index.json",
            "{\"shards\": " + json_list(shards_, [](const std::string& shard) { return shard; }) + ", \"version\": 2}", options_.synced);
  finished_ = true;
}

}  // namespace mt::io
