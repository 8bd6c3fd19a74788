// Compressed checkpoints. The elements of a tensor are split into blocks of 1 MiB, so that several threads work on one tensor and a tensor
// is read without the others. Within a block the first bytes of all elements come first, then the second bytes, and so on: exponents of
// floats are alike, and compress only next to each other.
#include "io/compressed.h"

#include <algorithm>

#include "cpu/threads/parallel.h"
#include "io/checkpoint.h"
#include "io/json.h"
#include "io/zstd_stream.h"

namespace mt::io {

namespace {

constexpr std::string_view begin_mark = "MTZSTD01", end_mark = "MTZSTDIX";
constexpr int64_t block_size = 1 << 20;  // a multiple of every element size
constexpr uint64_t longest_index = 1 << 28;
constexpr int64_t blocks_at_a_time = 64;

// No frame of `size` bytes is smaller (RFC 8878): a header of 6 bytes, and 4 for each 128 KiB of equal bytes. So an index cannot promise
// far more than the file can hold.
int64_t smallest_frame(int64_t size) { return 6 + (size + (1 << 17) - 1) / (1 << 17) * 4; }

int64_t count_blocks(int64_t nbytes) { return (nbytes + block_size - 1) / block_size; }

// Groups bytes of elements by position: a loop for each element width, so that the compiler unrolls it.
template <int64_t Width>
void group_bytes_of_width(const uint8_t* from, uint8_t* to, int64_t count) {
  for (int64_t byte = 0; byte < Width; ++byte)
    for (int64_t i = 0; i < count; ++i) to[byte * count + i] = from[i * Width + byte];
}
template <int64_t Width>
void ungroup_bytes_of_width(const uint8_t* from, uint8_t* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t byte = 0; byte < Width; ++byte) to[i * Width + byte] = from[byte * count + i];
}

void group_bytes(const uint8_t* from, uint8_t* to, int64_t nbytes, int64_t width) {
  switch (width) {
    case 2: return group_bytes_of_width<2>(from, to, nbytes / 2);
    case 4: return group_bytes_of_width<4>(from, to, nbytes / 4);
    case 8: return group_bytes_of_width<8>(from, to, nbytes / 8);
    case 16: return group_bytes_of_width<16>(from, to, nbytes / 16);
    default: std::memcpy(to, from, size_t(nbytes));
  }
}
void ungroup_bytes(const uint8_t* from, uint8_t* to, int64_t nbytes, int64_t width) {
  switch (width) {
    case 2: return ungroup_bytes_of_width<2>(from, to, nbytes / 2);
    case 4: return ungroup_bytes_of_width<4>(from, to, nbytes / 4);
    case 8: return ungroup_bytes_of_width<8>(from, to, nbytes / 8);
    case 16: return ungroup_bytes_of_width<16>(from, to, nbytes / 16);
    default: std::memcpy(to, from, size_t(nbytes));
  }
}

Dtype dtype_named(std::string_view name, const std::string& tensor) {
  for (int number = 0; number < 64; ++number)
    if (is_known_dtype(number) && name == mt::name_of(Dtype(number))) return Dtype(number);
  fail("compressed checkpoint: tensor \"{}\" has the dtype \"{}\", which is not known here", escape_for_message(tensor),
       escape_for_message(name));
}

const Json& required_member(const Json& object, const char* name, Json::Kind kind) {
  const Json* found = object.find(name);
  check(found && found->is(kind), "compressed checkpoint: the index has no \"{}\", or one of another kind", name);
  return *found;
}

class CompressedFile final : public Checkpoint {
 public:
  explicit CompressedFile(std::shared_ptr<Source> from) : Checkpoint(Format::compressed, std::move(from)) {
    const uint64_t tail = 8 + end_mark.size();
    check(source->size() >= begin_mark.size() + tail, "compressed checkpoint: the file <{}> ends too early", source->name());
    Cursor cursor(source->view(source->size() - tail, tail), "compressed checkpoint");
    const auto length = cursor.read_little_endian<uint64_t>();
    check(cursor.read_text(end_mark.size()) == end_mark, "compressed checkpoint: the file <{}> does not end with an index", source->name());
    check(length <= longest_index && length <= source->size() - tail - begin_mark.size(),
          "compressed checkpoint: the index has {} bytes, and the file <{}> has {}", length, source->name(), source->size());
    end_ = source->size() - tail - length;
    const Json index = parse_json(text_of(source->view(end_, length)), "compressed checkpoint");
    check(index.is(Json::Kind::object), "compressed checkpoint: the index has to be an object");
    for (const auto& [key, value] : required_member(index, "metadata", Json::Kind::object).members) {
      check(value.is(Json::Kind::string), "compressed checkpoint: metadata \"{}\" has to be a string", escape_for_message(key));
      metadata.emplace_back(key, value.string);
    }
    for (const Json& tensor : required_member(index, "tensors", Json::Kind::array).items) add_described_tensor(tensor);
    index_names();
  }

  Tensor read(size_t index, Access) override {
    const Entry& entry = entries[index];
    const std::vector<uint64_t>& starts = blocks_[index];
    const int64_t width = element_size(entry.dtype);
    Tensor tensor = empty(entry.sizes, entry.dtype);
    auto* target = static_cast<uint8_t*>(tensor.data());
    cpu::parallel_for(0, count_blocks(entry.nbytes), 1, [&](int64_t begin, int64_t end) {
      std::vector<uint8_t> grouped;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = i * block_size, size = std::min(block_size, entry.nbytes - at);
        grouped.resize(size_t(size));
        const Bytes packed = source->view(starts[size_t(i)], starts[size_t(i) + 1] - starts[size_t(i)]);
        decompress_zstd_into(packed, width > 1 ? std::span(grouped) : std::span(target + at, size_t(size)), source->name());
        if (width > 1) ungroup_bytes(grouped.data(), target + at, size, width);
      }
    });
    return tensor;
  }

 private:
  void add_described_tensor(const Json& described) {
    check(described.is(Json::Kind::object), "compressed checkpoint: a tensor has to be described by an object");
    Entry entry;
    entry.name = required_member(described, "name", Json::Kind::string).string;
    entry.dtype = dtype_named(required_member(described, "dtype", Json::Kind::string).string, entry.name);
    for (const Json& size : required_member(described, "shape", Json::Kind::array).items) {
      check(size.is(Json::Kind::integer), "compressed checkpoint: the shape of \"{}\" has to be whole numbers",
            escape_for_message(entry.name));
      entry.sizes.push_back(size.integer);
    }
    const std::optional<int64_t> nbytes = bytes_needed(entry.sizes, entry.dtype);
    check(nbytes.has_value(), "compressed checkpoint: tensor \"{}\" cannot have the shape {}", escape_for_message(entry.name), entry.sizes);
    entry.nbytes = *nbytes;
    const std::vector<Json>& sizes = required_member(described, "blocks", Json::Kind::array).items;
    check(int64_t(sizes.size()) == count_blocks(*nbytes), "compressed checkpoint: tensor \"{}\" of {} bytes has {} blocks instead of {}",
          escape_for_message(entry.name), *nbytes, uint64_t(sizes.size()), count_blocks(*nbytes));
    std::vector<uint64_t> starts{next_};
    for (const Json& size : sizes) {
      const int64_t left = *nbytes - int64_t(starts.size() - 1) * block_size;
      const bool is_possible = size.is(Json::Kind::integer) && size.integer >= smallest_frame(std::min(block_size, left));
      check(is_possible && uint64_t(size.integer) <= end_ - next_, "compressed checkpoint: a block of tensor \"{}\" is outside of the file",
            escape_for_message(entry.name));
      next_ += uint64_t(size.integer);
      starts.push_back(next_);
    }
    entries.push_back(std::move(entry));
    blocks_.push_back(std::move(starts));
  }

  uint64_t next_ = begin_mark.size();  // where the next block starts
  uint64_t end_ = 0;                   // of the blocks
  std::vector<std::vector<uint64_t>> blocks_;  // where each block starts, and the last one ends
};

}  // namespace

bool looks_like_compressed(const Source& source) {
  return source.size() >= begin_mark.size() && text_of(source.view(0, begin_mark.size())) == begin_mark;
}
Ref<Checkpoint> open_compressed(std::shared_ptr<Source> source) { return Ref<Checkpoint>::adopt(new CompressedFile(std::move(source))); }

void write_compressed(NewFile& file, const TensorDict& tensors, const std::vector<std::pair<std::string, std::string>>& metadata, int level,
                      const Progress& progress) {
  int64_t total = 0, done = 0;
  for (const auto& [name, tensor] : tensors.items()) {
    check(is_utf8(name), ErrorKind::value, "the name \"{}\" is not UTF-8", escape_for_message(name));
    check_dense(name, tensor);
    total += tensor.numel() * tensor.itemsize();
  }
  file.write(begin_mark);
  std::string index = "{\"metadata\": {";
  for (size_t i = 0; i < metadata.size(); ++i)
    index += (i ? ", " : "") + quoted_json(metadata[i].first) + ": " + quoted_json(metadata[i].second);
  index += "}, \"tensors\": [";
  for (const auto& [name, tensor] : tensors.items()) {
    const Tensor plain = copy_to_contiguous_host(tensor);
    const auto* from = static_cast<const uint8_t*>(plain.data());
    const int64_t width = plain.itemsize(), nbytes = plain.numel() * width, count = count_blocks(nbytes);
    if (index.back() == '}') index += ", ";
    index += "{\"name\": " + quoted_json(name) + ", \"dtype\": " + quoted_json(mt::name_of(plain.dtype())) + ", \"shape\": [";
    for (int64_t d = 0; d < plain.dim(); ++d) index += (d ? ", " : "") + std::to_string(plain.size(d));
    index += "], \"blocks\": [";
    for (int64_t first = 0; first < count; first += blocks_at_a_time) {
      const int64_t last = std::min(first + blocks_at_a_time, count);
      std::vector<std::vector<uint8_t>> packed(size_t(last - first));
      cpu::parallel_for(first, last, 1, [&](int64_t begin, int64_t end) {
        std::vector<uint8_t> grouped;
        for (int64_t i = begin; i < end; ++i) {
          const int64_t at = i * block_size, size = std::min(block_size, nbytes - at);
          grouped.resize(size_t(size));
          group_bytes(from + at, grouped.data(), size, width);
          packed[size_t(i - first)] = compress_zstd(grouped, {.level = level, .with_checksum = true});
        }
      });
      for (const std::vector<uint8_t>& block : packed) {
        file.write(block);
        index += (index.back() == '[' ? "" : ", ") + std::to_string(block.size());
      }
      done += std::min(last * block_size, nbytes) - first * block_size;
      if (progress) progress(done, total);
    }
    index += "]}";
  }
  index += "]}";
  check(index.size() <= longest_index, ErrorKind::value, "the index would have {} bytes; at most {} are allowed", uint64_t(index.size()),
        longest_index);
  const uint64_t length = index.size();
  file.write(index);
  file.write(Bytes(reinterpret_cast<const uint8_t*>(&length), sizeof length));
  file.write(end_mark);
}

}  // namespace mt::io
