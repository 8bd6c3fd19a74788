// Reads NumPy's arrays: .npy files, and .npz archives of them.
#include <algorithm>
#include <charconv>

#include "io/checkpoint.h"
#include "io/numpy_types.h"
#include "io/zip.h"

namespace mt::io {

namespace {

constexpr std::string_view mark("\x93NUMPY", 6);
constexpr size_t longest_header = 1 << 20;

// The contents of an array's header.
struct Array {
  NumpyType type;
  bool is_fortran = false;
  Dims sizes;
  uint64_t begin = 0;  // of the elements
  int64_t nbytes = 0;
};

// Parses a header: a dict of Python literals, which are strings, True, False, and a tuple of numbers.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  Array parse() {
    Array array;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!take_if('}')) {
      const std::string_view key = parse_string();
      expect(':');
      if (key == "descr") {
        array.type = numpy_type(parse_string(), "npy");
        has_type = true;
      } else if (key == "fortran_order") {
        array.is_fortran = parse_boolean();
        has_order = true;
      } else if (key == "shape") {
        array.sizes = parse_shape();
        has_shape = true;
      } else {
        fail("npy: the header has the unknown key \"{}\"", escape_for_message(key));
      }
      if (!take_if(',')) {
        expect('}');
        break;
      }
    }
    check(has_type && has_order && has_shape, "npy: the header has to have descr, fortran_order and shape");
    skip_space();
    check(at_ == text_.size(), "npy: something follows the header's dict");
    return array;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take_if(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    const char wanted[] = {c, 0};
    check(take_if(c), "npy: expected '{}' at byte {} of the header", wanted, uint64_t(at_));
  }
  std::string_view parse_string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    check(quote == '\'' || quote == '"', "npy: expected a string at byte {} of the header (arrays of records are not read)", uint64_t(at_));
    const size_t end = text_.find(quote, at_ + 1);
    check(end != std::string_view::npos, "npy: a string in the header does not end");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }
  bool parse_boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("npy: expected True or False at byte {} of the header", uint64_t(at_));
  }
  Dims parse_shape() {
    Dims sizes;
    expect('(');
    while (!take_if(')')) {
      skip_space();
      int64_t size = 0;
      const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
      const auto [rest, error] = std::from_chars(begin, end, size);
      check(error == std::errc() && size >= 0, "npy: expected a size at byte {} of the header", uint64_t(at_));
      at_ += size_t(rest - begin);
      sizes.push_back(size);
      if (!take_if(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  std::string_view text_;
  size_t at_ = 0;
};

Array read_header(const Source& source) {
  Cursor cursor(source.view(0, source.size()), "npy");
  check(cursor.read_text(mark.size()) == mark, "npy: <{}> is no array of NumPy", source.name());
  const auto major = cursor.read_little_endian<uint8_t>(), minor = cursor.read_little_endian<uint8_t>();
  check(major >= 1 && major <= 3, "npy: version {}.{} is not known here", int(major), int(minor));
  const uint64_t length = major == 1 ? cursor.read_little_endian<uint16_t>() : cursor.read_little_endian<uint32_t>();
  check(length <= longest_header, "npy: a header of {} bytes; at most {} are read", length, uint64_t(longest_header));
  Array array = Literal(cursor.read_text(length)).parse();
  array.begin = cursor.position();
  const std::optional<int64_t> needed = bytes_needed(array.sizes, array.type.dtype);
  check(needed && uint64_t(*needed) <= cursor.left(), "npy: an array of shape {} and type {} does not fit in the {} bytes that are left",
        array.sizes, array.type.dtype, uint64_t(cursor.left()));
  array.nbytes = *needed;
  return array;
}

Entry make_entry(std::string name, const Array& array) {
  Entry entry;
  entry.name = std::move(name);
  entry.dtype = array.type.dtype;
  entry.sizes = array.sizes;
  entry.nbytes = array.nbytes;
  return entry;
}

Tensor read_array(const Source& source, const Array& array, Access access) {
  Ref<Storage> storage = source.storage(array.begin, uint64_t(array.nbytes), array.type.is_big ? Access::copy : access,
                                        element_size(array.type.dtype));
  if (array.type.is_big) swap_bytes(*storage, array.type.dtype);
  Dims strides = contiguous_strides(array.sizes);
  if (array.is_fortran) {
    Dims turned = array.sizes;
    std::reverse(turned.begin(), turned.end());
    strides = contiguous_strides(turned);
    std::reverse(strides.begin(), strides.end());
  }
  return make_tensor(std::move(storage), array.type.dtype, array.sizes, strides, 0);
}

class NpyFile final : public Checkpoint {
 public:
  explicit NpyFile(std::shared_ptr<Source> from) : Checkpoint(Format::npy, std::move(from)), array_(read_header(*source)) {
    entries.push_back(make_entry("", array_));
    index_names();
  }
  Tensor read(size_t, Access access) override { return read_array(*source, array_, access); }

 private:
  Array array_;
};

class NpzFile final : public Checkpoint {
 public:
  explicit NpzFile(std::shared_ptr<Source> from) : Checkpoint(Format::npz, std::move(from)), zip_(source) {
    for (const ZipReader::Record& record : zip_.records()) {
      // Reads the header of each array; a deflated record must be inflated for that.
      members_.push_back(open_member(record, Access::map));
      arrays_.push_back(read_header(*members_.back()));
      entries.push_back(make_entry(record.name.substr(0, record.name.size() - 4), arrays_.back()));
      if (record.method != 0) members_.back() = nullptr;
    }
    index_names();
  }
  Tensor read(size_t index, Access access) override {
    const std::shared_ptr<Source> kept = members_[index] ? members_[index] : open_member(zip_.records()[index], access);
    return read_array(*kept, arrays_[index], access);
  }

 private:
  std::shared_ptr<Source> open_member(const ZipReader::Record& record, Access access) const {
    const Ref<Storage> bytes = zip_.storage(record, access, 1);
    auto owner = std::make_shared<Ref<Storage>>(bytes);
    return Source::over({static_cast<const uint8_t*>(bytes->data), size_t(bytes->nbytes)}, std::move(owner));
  }

  const ZipReader zip_;
  std::vector<std::shared_ptr<Source>> members_;
  std::vector<Array> arrays_;
};

}  // namespace

bool looks_like_npy(const Source& source) { return source.size() >= mark.size() && text_of(source.view(0, mark.size())) == mark; }
Ref<Checkpoint> open_npy(std::shared_ptr<Source> source) { return Ref<Checkpoint>::adopt(new NpyFile(std::move(source))); }
Ref<Checkpoint> open_npz(std::shared_ptr<Source> source) { return Ref<Checkpoint>::adopt(new NpzFile(std::move(source))); }
bool looks_like_npz(const Source& source) {
  // Whether a zip file is an .npz archive: the name of its first record, after the local header, ends in ".npy".
  if (source.size() < 30) return false;
  Cursor cursor(source.view(0, source.size()), "zip");
  cursor.skip(26);
  const auto length = cursor.read_little_endian<uint16_t>();
  cursor.skip(2);
  return cursor.left() >= length && cursor.read_text(length).ends_with(".npy");
}

}  // namespace mt::io
