// Reads MDS shards, compressed with zstd or not.
#include "io/mds.h"

#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <random>

#include "core/half.h"
#include "io/json.h"
#include "io/numpy_types.h"
#include "io/zstd_stream.h"

namespace mt::io {

namespace {

// Offsets in a shard have 32 bits.
constexpr uint64_t largest_shard = 0xffffffff;
constexpr uint64_t longest_index = 1 << 28;
constexpr size_t most_opened = 8;
constexpr size_t most_columns = 4096;

const Json& member(const Json& object, const char* name, Json::Kind kind) {
  const Json* found = object.find(name);
  check(found && found->is(kind), "MDS: the index has no \"{}\", or one of another kind", name);
  return *found;
}

// Joins the folder and a file's name; refuses a name that leaves the folder.
std::string path_in(const std::string& folder, const std::string& name) {
  bool leads_out = name.empty() || name[0] == '/' || name.find('\0') != std::string::npos;
  for (size_t at = 0; at < name.size(); at = name.find('/', at) == std::string::npos ? name.size() : name.find('/', at) + 1)
    leads_out |= name.compare(at, 3, "../") == 0 || name.substr(at) == "..";
  check(!leads_out, "MDS: \"{}\" is not the name of a file in the dataset's folder", shown(name));
  return folder + '/' + name;
}

bool exists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

// Encodings of columns that take no parameters.
struct Encoding {
  std::string_view name;
  Dtype dtype;  // if the encoding is a number of fixed size, else Dtype::none
};
constexpr Encoding encodings[] = {
    {"int", Dtype::int64},       {"uint8", Dtype::uint8},      {"uint16", Dtype::uint16},   {"uint32", Dtype::uint32},
    {"uint64", Dtype::uint64},   {"int8", Dtype::int8},        {"int16", Dtype::int16},     {"int32", Dtype::int32},
    {"int64", Dtype::int64},     {"float16", Dtype::float16},  {"float32", Dtype::float32}, {"float64", Dtype::float64},
    {"bytes", Dtype::none},      {"str", Dtype::none},         {"json", Dtype::none},       {"str_int", Dtype::none},
    {"str_float", Dtype::none},  {"str_decimal", Dtype::none}, {"pil", Dtype::none},        {"jpeg", Dtype::none},
    {"png", Dtype::none},        {"jpeg_array", Dtype::none},  {"jpegarray", Dtype::none},  {"list[pil]", Dtype::none},
    {"list[jpeg]", Dtype::none}, {"list[png]", Dtype::none},
};

const Encoding* find_encoding(std::string_view name) {
  for (const Encoding& known : encodings)
    if (known.name == name) return &known;
  return nullptr;
}

template <class T>
T number_in(Bytes data, const std::string& column) {
  check(data.size() == sizeof(T), "MDS: column \"{}\" has {} bytes instead of {}", shown(column), uint64_t(data.size()),
        uint64_t(sizeof(T)));
  T value;
  std::memcpy(&value, data.data(), sizeof(T));
  return value;
}

Field integer_field(int64_t value) {
  Field field;
  field.kind = Field::Kind::integer;
  field.integer = value;
  return field;
}
Field real_field(double value) {
  Field field;
  field.kind = Field::Kind::real;
  field.real = value;
  return field;
}

Field decode_number(Dtype dtype, Bytes data, const std::string& column) {
  switch (dtype) {
    case Dtype::uint8: return integer_field(number_in<uint8_t>(data, column));
    case Dtype::uint16: return integer_field(number_in<uint16_t>(data, column));
    case Dtype::uint32: return integer_field(number_in<uint32_t>(data, column));
    case Dtype::int8: return integer_field(number_in<int8_t>(data, column));
    case Dtype::int16: return integer_field(number_in<int16_t>(data, column));
    case Dtype::int32: return integer_field(number_in<int32_t>(data, column));
    case Dtype::int64: return integer_field(number_in<int64_t>(data, column));
    case Dtype::float16: return real_field(float(std::bit_cast<Half>(number_in<uint16_t>(data, column))));
    case Dtype::float32: return real_field(number_in<float>(data, column));
    case Dtype::float64: return real_field(number_in<double>(data, column));
    default: {
      Field field = integer_field(int64_t(number_in<uint64_t>(data, column)));
      field.kind = Field::Kind::unsigned_integer;
      return field;
    }
  }
}

// "ndarray", "ndarray:float32" or "ndarray:float32:3,4": each sample states what the name omits.
struct ArrayEncoding {
  Dtype dtype = Dtype::none;
  std::optional<Dims> sizes;
};

Dtype array_dtype(int number, const std::string& column) {
  switch (number) {
    case 8: return Dtype::uint8;
    case 9: return Dtype::int8;
    case 16: return Dtype::uint16;
    case 17: return Dtype::int16;
    case 18: return Dtype::float16;
    case 32: return Dtype::uint32;
    case 33: return Dtype::int32;
    case 34: return Dtype::float32;
    case 64: return Dtype::uint64;
    case 65: return Dtype::int64;
    case 66: return Dtype::float64;
    default: fail("MDS: column \"{}\" has an array of type {}, which is not known here", shown(column), number);
  }
}

ArrayEncoding parse_array(std::string_view encoding, const std::string& column) {
  ArrayEncoding array;
  encoding.remove_prefix(sizeof "ndarray" - 1);
  if (encoding.empty()) return array;
  encoding.remove_prefix(1);
  const size_t colon = encoding.find(':');
  array.dtype = numpy_type(encoding.substr(0, colon), "MDS").dtype;
  if (colon == std::string_view::npos) return array;
  array.sizes.emplace();
  const char *at = encoding.data() + colon + 1, *end = encoding.data() + encoding.size();
  for (;;) {
    int64_t size = 0;
    const auto [rest, error] = std::from_chars(at, end, size);
    check(error == std::errc() && size > 0 && array.sizes->size() < 64 && (rest == end || *rest == ','),
          "MDS: column \"{}\" has the encoding \"{}\", whose shape is no list of sizes", shown(column), shown(encoding));
    array.sizes->push_back(size);
    if (rest == end) return array;
    at = rest + 1;
  }
}

Field decode_array(const std::string& encoding, Bytes data, const std::string& column) {
  ArrayEncoding array = parse_array(encoding, column);
  Cursor cursor(data, "MDS: an array");
  if (array.dtype == Dtype::none) array.dtype = array_dtype(cursor.little<uint8_t>(), column);
  if (!array.sizes) {
    array.sizes.emplace();
    const auto head = cursor.little<uint8_t>();
    for (int d = 0; d < head >> 2; ++d) {
      uint64_t size = 0;
      std::memcpy(&size, cursor.take(uint64_t(1) << (head & 3)).data(), size_t(1) << (head & 3));
      check(size <= INT64_MAX, "MDS: column \"{}\" has an array of {} rows", shown(column), size);
      array.sizes->push_back(int64_t(size));
    }
  }
  const std::optional<int64_t> needed = bytes_needed(*array.sizes, array.dtype);
  check(needed && uint64_t(*needed) == cursor.left(), "MDS: column \"{}\" has an array of shape {} and type {} in {} bytes", shown(column),
        *array.sizes, array.dtype, uint64_t(cursor.left()));
  Field field;
  field.kind = Field::Kind::tensor;
  field.tensor = empty(*array.sizes, array.dtype);
  if (*needed) std::memcpy(field.tensor.data(), cursor.take(uint64_t(*needed)).data(), size_t(*needed));
  return field;
}

Field decode_text(const std::string& encoding, Bytes data, const std::string& column) {
  Field field;
  field.text = text_of(data);
  const char *begin = field.text.data(), *end = begin + field.text.size();
  if (encoding == "str_int") {
    int64_t value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error == std::errc() && rest == end) return integer_field(value);
    check(error == std::errc::result_out_of_range && rest == end, "MDS: column \"{}\" has \"{}\", which is no whole number", shown(column),
          shown(field.text));
  } else if (encoding == "str_float") {
    double value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value);
    check(error == std::errc() && rest == end, "MDS: column \"{}\" has \"{}\", which is no number", shown(column), shown(field.text));
    return real_field(value);
  } else if (encoding == "str" || encoding == "json" || encoding == "str_decimal") {
    check(is_utf8(field.text), "MDS: column \"{}\" has text that is not UTF-8", shown(column));
  }
  return field;
}

Field decode(const Dataset::Column& column, Bytes data) {
  if (column.encoding.starts_with("ndarray")) return decode_array(column.encoding, data, column.name);
  const Encoding* encoding = find_encoding(column.encoding);
  if (encoding->dtype != Dtype::none) return decode_number(encoding->dtype, data, column.name);
  return decode_text(column.encoding, data, column.name);
}

std::vector<Dataset::Column> read_columns(const Json& shard) {
  const std::vector<Json>& names = member(shard, "column_names", Json::Kind::array).items;
  const std::vector<Json>& kinds = member(shard, "column_encodings", Json::Kind::array).items;
  check(names.size() == kinds.size() && names.size() <= most_columns, "MDS: {} columns and {} encodings", uint64_t(names.size()),
        uint64_t(kinds.size()));
  std::vector<Dataset::Column> columns;
  for (size_t i = 0; i < names.size(); ++i) {
    check(names[i].is(Json::Kind::string) && kinds[i].is(Json::Kind::string), "MDS: names and encodings of columns have to be texts");
    const std::string &name = names[i].string, &encoding = kinds[i].string;
    check(encoding != "pkl", ErrorKind::value, "MDS: column \"{}\" has pickles, which may run any code and are not read", shown(name));
    if (encoding == "ndarray" || encoding.starts_with("ndarray:"))
      parse_array(encoding, name);
    else
      check(find_encoding(encoding) != nullptr, ErrorKind::value, "MDS: column \"{}\" has the encoding \"{}\", which is not known here",
            shown(name), shown(encoding));
    columns.push_back({name, encoding});
  }
  return columns;
}

}  // namespace

Dataset::Dataset(const std::string& folder) : mt::Object(mt::Kind::dataset), starts_{0} {
  const std::shared_ptr<Source> index = Source::open(folder + "/index.json");
  check(index->size() <= longest_index, "MDS: the index has {} bytes; at most {} are read", index->size(), longest_index);
  const Json root = parse_json(text_of(index->view(0, index->size())), "MDS");
  check(root.is(Json::Kind::object), "MDS: the index has to be an object");
  const int64_t version = member(root, "version", Json::Kind::integer).integer;
  check(version == 2, ErrorKind::value, "Unsupported streaming data version: {}. Expected version 2.", version);
  for (const Json& described : member(root, "shards", Json::Kind::array).items) {
    check(described.is(Json::Kind::object), "MDS: a shard has to be described by an object");
    const std::string& format = member(described, "format", Json::Kind::string).string;
    check(format == "mds", ErrorKind::value, "Unsupported data format: {}. Expected to be `mds`.", shown(format));
    std::vector<Column> columns = read_columns(described);
    const auto same = [](const Column& a, const Column& b) { return a.name == b.name && a.encoding == b.encoding; };
    if (shards_.empty()) columns_ = columns;
    check(std::equal(columns.begin(), columns.end(), columns_.begin(), columns_.end(), same), "MDS: shards have different columns");
    Shard shard;
    const Json& raw = member(described, "raw_data", Json::Kind::object);
    shard.raw = path_in(folder, member(raw, "basename", Json::Kind::string).string);
    const int64_t bytes = member(raw, "bytes", Json::Kind::integer).integer;
    check(bytes >= 0 && uint64_t(bytes) <= largest_shard, "MDS: a shard of {} bytes", bytes);
    shard.raw_bytes = uint64_t(bytes);
    if (const Json* packed = described.find("zip_data"); packed && packed->is(Json::Kind::object)) {
      const std::string& compression = member(described, "compression", Json::Kind::string).string;
      check(compression == "zstd" || compression.starts_with("zstd:"), ErrorKind::not_implemented,
            "MDS: shards are compressed with \"{}\"; zstd is read here", shown(compression));
      shard.packed = path_in(folder, member(*packed, "basename", Json::Kind::string).string);
    }
    for (const Json& size : member(described, "column_sizes", Json::Kind::array).items) {
      const bool is_fixed = size.is(Json::Kind::integer) && size.integer > 0;
      check(!is_fixed || uint64_t(size.integer) <= largest_shard, "MDS: a column of {} bytes", size.integer);
      shard.sizes.push_back(is_fixed ? size.integer : -1);
    }
    check(shard.sizes.size() == columns_.size(), "MDS: {} columns and {} sizes", uint64_t(columns_.size()), uint64_t(shard.sizes.size()));
    shard.samples = member(described, "samples", Json::Kind::integer).integer;
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
  if (shard.packed.empty() || exists(shard.raw)) {
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
  // A shard begins with the number of samples, the offset of each, and the end of the last.
  Cursor table(source->view(4 * uint64_t(1 + index - starts_[number]), 8), "MDS");
  const auto begin = table.little<uint32_t>(), end = table.little<uint32_t>();
  check(begin <= end && end <= source->size(), "MDS: sample {} is from {} to {} of a shard of {} bytes", index, uint64_t(begin),
        uint64_t(end), source->size());
  Cursor cursor(source->view(begin, end - begin), "MDS: a sample");
  std::vector<uint64_t> sizes;
  for (const int64_t size : shard.sizes) sizes.push_back(size >= 0 ? uint64_t(size) : cursor.little<uint32_t>());
  std::vector<Field> fields;
  for (size_t i = 0; i < columns_.size(); ++i) fields.push_back(decode(columns_[i], cursor.take(sizes[i])));
  return fields;
}

std::vector<int64_t> shuffled(const std::vector<int64_t>& shard_starts, uint64_t seed, int64_t block) {
  check(block > 0, ErrorKind::value, "a block has to have samples, got {}", block);
  std::mt19937_64 random(seed);
  // A random number below `count`, the same with every standard library; the bias is below 2^-32.
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
