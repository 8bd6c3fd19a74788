// Reads safetensors: a JSON header with the dtype, shape and offsets of each tensor, then the elements without gaps. Checks the header
// against the file before it reads elements.
#include "io/safetensors.h"

#include <algorithm>

#include "io/checkpoint.h"
#include "io/json.h"
#include "io/read_ahead.h"

namespace mt::io {

namespace {

// The format's own limit.
constexpr uint64_t longest_header = 100'000'000;

struct DtypeName {
  std::string_view name;
  Dtype dtype;
  int rank;  // the format's package sorts tensors by descending element size
};
constexpr DtypeName dtype_names[] = {
    {"BOOL", Dtype::boolean, 0},
    {"U8", Dtype::uint8, 1},
    {"I8", Dtype::int8, 2},
    {"F8_E5M2", Dtype::float8_e5m2, 3},
    {"F8_E4M3", Dtype::float8_e4m3fn, 4},
    {"F8_E5M2FNUZ", Dtype::float8_e5m2fnuz, 6},
    {"F8_E4M3FNUZ", Dtype::float8_e4m3fnuz, 5},
    {"F8_E8M0", Dtype::float8_e8m0fnu, 7},
    {"I16", Dtype::int16, 8},
    {"U16", Dtype::uint16, 9},
    {"F16", Dtype::float16, 10},
    {"BF16", Dtype::bfloat16, 11},
    {"I32", Dtype::int32, 12},
    {"U32", Dtype::uint32, 13},
    {"F32", Dtype::float32, 14},
    {"C64", Dtype::complex64, 15},
    {"F64", Dtype::float64, 16},
    {"I64", Dtype::int64, 17},
    {"U64", Dtype::uint64, 18},
};

Dtype dtype_named(std::string_view name, const std::string& tensor) {
  for (const DtypeName& known : dtype_names)
    if (known.name == name) return known.dtype;
  fail("safetensors: tensor \"{}\" has the dtype {}, which is not known here", escape_for_message(tensor), escape_for_message(name));
}
const DtypeName& name_for(Dtype dtype, const std::string& tensor) {
  for (const DtypeName& known : dtype_names)
    if (known.dtype == dtype) return known;
  fail(ErrorKind::type, "safetensors has no dtype for torch.{}, which tensor \"{}\" has", mt::name_of(dtype), escape_for_message(tensor));
}

int64_t read_count(const Json& value, const std::string& tensor, const char* what) {
  check(value.is(Json::Kind::integer) && value.integer >= 0, "safetensors: {} of tensor \"{}\" has to be whole numbers from 0 on", what,
        escape_for_message(tensor));
  return value.integer;
}

const Json& required_member(const Json& object, std::string_view name, Json::Kind kind, const std::string& tensor) {
  const Json* found = object.find(name);
  check(found && found->is(kind), "safetensors: tensor \"{}\" has no {}", escape_for_message(tensor),
        name == "dtype"   ? "dtype"
        : name == "shape" ? "shape"
                          : "data_offsets");
  return *found;
}

class File final : public Checkpoint {
 public:
  explicit File(std::shared_ptr<Source> from) : Checkpoint(Format::safetensors, std::move(from)) {
    check(source->size() >= 8, "safetensors: the file <{}> has {} bytes, and a header's length takes 8", source->name(), source->size());
    Cursor cursor(source->view(0, 8), "safetensors");
    const auto length = cursor.read_little_endian<uint64_t>();
    check(length <= longest_header, "safetensors: a header of {} bytes; at most {} are allowed", length, longest_header);
    check(source->contains(8, length), "safetensors: the header has {} bytes, and the file <{}> has {}", length, source->name(),
          source->size());
    const std::string_view text = text_of(source->view(8, length));
    check(!text.empty() && text[0] == '{', "safetensors: the header has to begin with '{'");
    begin_ = 8 + length;
    read_header(parse_json(text, "safetensors"));
    check_data_is_covered();
    index_names();
  }

  Tensor read(size_t index, Access access) override {
    const Entry& entry = entries[index];
    if (access == Access::copy)
      if (Ref<Storage> ahead = ahead_.take(index))
        return make_tensor(std::move(ahead), entry.dtype, entry.sizes, contiguous_strides(entry.sizes), 0);
    return tensor_at(*source, begin_ + offsets_[index], entry, access);
  }
  void read_ahead() override {
    std::vector<ReadAhead::Wanted> wanted;
    for (size_t i = 0; i < entries.size(); ++i) wanted.push_back({i, begin_ + offsets_[i], uint64_t(entries[i].nbytes)});
    ahead_.read(*source, wanted);
  }

 private:
  void read_header(const Json& header) {
    for (const auto& [name, value] : header.members) {
      if (name != "__metadata__") {
        add_tensor(name, value);
        continue;
      }
      check(value.is(Json::Kind::object), "safetensors: __metadata__ has to be an object");
      for (const auto& [key, item] : value.members) {
        check(item.is(Json::Kind::string), "safetensors: \"{}\" in __metadata__ has to be a string", escape_for_message(key));
        metadata.emplace_back(key, item.string);
      }
    }
    // Sorts entries by offset, as the package's own readers do.
    std::vector<size_t> order(entries.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(offsets_[a], entries[a].nbytes) < std::pair(offsets_[b], entries[b].nbytes);
    });
    std::vector<Entry> sorted;
    std::vector<uint64_t> offsets;
    for (const size_t i : order) {
      sorted.push_back(std::move(entries[i]));
      offsets.push_back(offsets_[i]);
    }
    entries = std::move(sorted);
    offsets_ = std::move(offsets);
  }

  void add_tensor(const std::string& name, const Json& value) {
    check(value.is(Json::Kind::object), "safetensors: tensor \"{}\" has to be described by an object", escape_for_message(name));
    Entry entry;
    entry.name = name;
    entry.dtype = dtype_named(required_member(value, "dtype", Json::Kind::string, name).string, name);
    for (const Json& size : required_member(value, "shape", Json::Kind::array, name).items)
      entry.sizes.push_back(read_count(size, name, "the shape"));
    const std::vector<Json>& range = required_member(value, "data_offsets", Json::Kind::array, name).items;
    check(range.size() == 2, "safetensors: data_offsets of tensor \"{}\" have to be two numbers", escape_for_message(name));
    const int64_t begin = read_count(range[0], name, "data_offsets"), end = read_count(range[1], name, "data_offsets");
    check(begin <= end && source->contains(begin_, uint64_t(end)),
          "safetensors: data_offsets of tensor \"{}\" are {} and {}, outside of the {} bytes that the file has for elements",
          escape_for_message(name), begin, end, source->size() - begin_);
    const std::optional<int64_t> needed = bytes_needed(entry.sizes, entry.dtype);
    check(needed && *needed == end - begin, "safetensors: tensor \"{}\" of shape {} and dtype {} does not have {} bytes",
          escape_for_message(name), entry.sizes, entry.dtype, end - begin);
    entry.nbytes = end - begin;
    offsets_.push_back(uint64_t(begin));
    entries.push_back(std::move(entry));
  }

  // Tensors must cover all bytes, without overlap.
  void check_data_is_covered() const {
    uint64_t end = 0;
    for (size_t i = 0; i < entries.size(); ++i) {
      check(offsets_[i] >= end, "safetensors: tensor \"{}\" begins at {}, inside another one", escape_for_message(entries[i].name),
            offsets_[i]);
      check(offsets_[i] == end, "safetensors: {} bytes before tensor \"{}\" belong to no tensor", offsets_[i] - end,
            escape_for_message(entries[i].name));
      end += uint64_t(entries[i].nbytes);
    }
    const uint64_t all = source->size() - begin_;
    check(end == all, "safetensors: the last {} bytes of the file belong to no tensor", all - end);
  }

  uint64_t begin_ = 0;  // of the elements
  std::vector<uint64_t> offsets_;
  ReadAhead ahead_;
};

}  // namespace

bool looks_like_safetensors(const Source& source) {
  if (source.size() < 10) return false;
  Cursor cursor(source.view(0, 9), "safetensors");
  return cursor.read_little_endian<uint64_t>() <= longest_header && cursor.read_text(1) == "{";
}

Ref<Checkpoint> open_safetensors(std::shared_ptr<Source> source) { return Ref<Checkpoint>::adopt(new File(std::move(source))); }

void write_safetensors(NewFile& file, const TensorDict& tensors, const std::vector<std::pair<std::string, std::string>>& metadata,
                       const Progress& progress) {
  struct Part {
    const std::string* name;
    const DtypeName* dtype;
    Tensor tensor;
  };
  std::vector<Part> parts;
  for (const auto& [name, tensor] : tensors.items()) {
    check(name != "__metadata__" && is_utf8(name), ErrorKind::value, "safetensors cannot have a tensor named \"{}\"",
          escape_for_message(name));
    check(tensor.layout() == Layout::strided && !tensor.is_meta(), ErrorKind::value, "safetensors holds dense tensors, and \"{}\" is none",
          escape_for_message(name));
    parts.push_back({&name, &name_for(tensor.dtype(), name), tensor});
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return std::pair(-a.dtype->rank, *a.name) < std::pair(-b.dtype->rank, *b.name); });
  std::string header = "{";
  const auto begin_member = [&](std::string_view name) { header += (header.size() > 1 ? "," : "") + quoted_json(name) + ":"; };
  if (!metadata.empty()) {
    begin_member("__metadata__");
    header += '{';
    for (size_t i = 0; i < metadata.size(); ++i)
      header += (i ? "," : "") + quoted_json(metadata[i].first) + ":" + quoted_json(metadata[i].second);
    header += '}';
  }
  int64_t end = 0;
  for (const Part& part : parts) {
    const int64_t begin = end;
    end += part.tensor.numel() * part.tensor.itemsize();
    begin_member(*part.name);
    header += "{\"dtype\":\"" + std::string(part.dtype->name) + "\",\"shape\":[";
    for (int64_t d = 0; d < part.tensor.dim(); ++d) header += (d ? "," : "") + std::to_string(part.tensor.size(d));
    header += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  check(header.size() <= longest_header, ErrorKind::value, "safetensors: the header would have {} bytes; at most {} are allowed",
        uint64_t(header.size()), longest_header);
  const uint64_t length = header.size();
  file.expect_total(int64_t(8 + length) + end, progress);
  file.write(Bytes(reinterpret_cast<const uint8_t*>(&length), 8));
  file.write(header);
  for (const Part& part : parts) {
    const Tensor plain = copy_to_contiguous_host(part.tensor);
    file.write(Bytes(static_cast<const uint8_t*>(plain.data()), size_t(plain.numel() * plain.itemsize())));
  }
}

}  // namespace mt::io
