// Writes a dict of tensors with the same bytes as torch.save.
#include "core/backend.h"
#include "core/exception.h"
#include "io/pickle_format.h"
#include "io/torch_file.h"
#include "io/zip.h"

namespace mt::io {

namespace {

// Writes a pickle of protocol 2. Objects are numbered in order of first use, as by Python's pickler.
class Pickler {
 public:
  const std::string& text() const { return out_; }
  void add(Opcode code) { out_ += char(code); }
  void write_protocol() {
    add(PROTO);
    append_bytes_of(uint8_t(2));
  }

  // If an object was written before, writes a reference to it by its memo number; returns whether it was.
  bool write_reference_if_known(const std::string& known) {
    const auto found = memo_.find(known);
    if (found == memo_.end()) return false;
    write_opcode_with_number(BINGET, LONG_BINGET, found->second);
    return true;
  }
  void memoize(const std::string& known) {
    memo_.emplace(known, next_);
    memoize();
  }
  void memoize() { write_opcode_with_number(BINPUT, LONG_BINPUT, next_++); }

  void write_global(const std::string& module, const std::string& name) {
    const std::string path = char(GLOBAL) + module + '\n' + name + '\n';
    if (write_reference_if_known(path)) return;
    out_ += path;
    memoize(path);
  }
  // Writes a string once and then refers to it, as Python's pickler does if all occurrences are one string object.
  void write_shared_text(const std::string& value) {
    if (write_reference_if_known('"' + value)) return;
    write_text(value);
    memoize('"' + value);
  }
  void write_separate_text(std::string_view value) {
    write_text(value);
    memoize();
  }
  void write_integer(int64_t value) {
    if (value >= 0 && value < 0x100) {
      add(BININT1);
      append_bytes_of(uint8_t(value));
    } else if (value >= 0 && value < 0x10000) {
      add(BININT2);
      append_bytes_of(uint16_t(value));
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
      add(BININT);
      append_bytes_of(int32_t(value));
    } else {
      // Writes an integer as the fewest bytes of two's complement.
      int length = 8;
      while (length > 1 && value >> (8 * (length - 1) - 1) == (value < 0 ? -1 : 0)) --length;
      add(LONG1);
      append_bytes_of(uint8_t(length));
      out_.append(reinterpret_cast<const char*>(&value), size_t(length));
    }
  }
  void write_boolean(bool value) { add(value ? NEWTRUE : NEWFALSE); }
  void write_integer_tuple(IntList values) {
    if (values.size() > 3) add(MARK);
    for (const int64_t value : values) write_integer(value);
    static constexpr Opcode codes[] = {EMPTY_TUPLE, TUPLE1, TUPLE2, TUPLE3, TUPLE};
    add(codes[std::min<int64_t>(values.size(), 4)]);
    if (!values.empty()) memoize();
  }
  void write_tuple_end() {
    add(TUPLE);
    memoize();
  }
  void write_reduce() {
    add(REDUCE);
    memoize();
  }

 private:
  template <class T>
  void append_bytes_of(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void write_opcode_with_number(Opcode short_code, Opcode long_code, uint32_t value) {
    if (value < 256) {
      add(short_code);
      append_bytes_of(uint8_t(value));
    } else {
      add(long_code);
      append_bytes_of(value);
    }
  }
  void write_text(std::string_view value) {
    add(BINUNICODE);
    append_bytes_of(uint32_t(value.size()));
    out_ += value;
  }

  std::string out_;
  std::unordered_map<std::string, uint32_t> memo_;
  uint32_t next_ = 0;
};

// The class that represents a storage's dtype; empty if there is none.
std::string storage_class_name(Dtype dtype) {
  for (const StorageClass& known : storage_classes)
    if (known.dtype == dtype) return known.name;
  return "";
}

class Writer {
 public:
  explicit Writer(const TensorDict& tensors) {
    constexpr size_t batch = 1000;  // of Python's pickler
    const auto& items = tensors.items();
    pickler_.write_protocol();
    pickler_.add(EMPTY_DICT);
    pickler_.memoize();
    for (size_t begin = 0; begin < items.size(); begin += batch) {
      const size_t end = std::min(begin + batch, items.size());
      if (items.size() > 1) pickler_.add(MARK);
      for (size_t i = begin; i < end; ++i) {
        check(is_utf8(items[i].first), ErrorKind::value, "the name \"{}\" is not UTF-8", escape_for_message(items[i].first));
        pickler_.write_separate_text(items[i].first);
        add_tensor(items[i].second, items[i].first);
      }
      pickler_.add(items.size() > 1 ? SETITEMS : SETITEM);
    }
    pickler_.add(STOP);
  }

  const std::string& pickle() const { return pickler_.text(); }
  const std::vector<Ref<Storage>>& storages() const { return storages_; }

 private:
  void add_tensor(const Tensor& tensor, const std::string& name) {
    check_dense(name, tensor);
    const std::string kind = storage_class_name(tensor.dtype());
    pickler_.write_global("torch._utils", kind.empty() ? "_rebuild_tensor_v3" : "_rebuild_tensor_v2");
    pickler_.add(MARK);
    add_storage(tensor, kind);
    pickler_.write_integer(tensor.storage_offset());
    pickler_.write_integer_tuple(tensor.sizes());
    pickler_.write_integer_tuple(tensor.strides());
    pickler_.write_boolean(false);
    pickler_.write_global("collections", "OrderedDict");
    pickler_.add(EMPTY_TUPLE);
    pickler_.write_reduce();
    if (kind.empty()) pickler_.write_global("torch", mt::name_of(tensor.dtype()));
    if (tensor.is_conj() || tensor.is_neg()) write_lazy_flags(tensor);
    pickler_.write_tuple_end();
    pickler_.write_reduce();
  }

  // Writes the dict of lazy flags, {"conj": True, "neg": True}, with only those that are set.
  void write_lazy_flags(const Tensor& tensor) {
    const bool both = tensor.is_conj() && tensor.is_neg();
    pickler_.add(EMPTY_DICT);
    pickler_.memoize();
    if (both) pickler_.add(MARK);
    for (const auto& [name, set] : {std::pair("conj", tensor.is_conj()), std::pair("neg", tensor.is_neg())}) {
      if (!set) continue;
      pickler_.write_shared_text(name);
      pickler_.write_boolean(true);
    }
    pickler_.add(both ? SETITEMS : SETITEM);
  }

  void add_storage(const Tensor& tensor, const std::string& kind) {
    Storage* storage = tensor->storage.get();
    const auto [found, is_new] = numbers_.try_emplace(storage, storages_.size());
    if (is_new) {
      storages_.push_back(tensor->storage);
      dtypes_.push_back(kind);
    }
    check(dtypes_[found->second] == kind, "Cannot save multiple tensors or storages that view the same data as different types");
    pickler_.add(MARK);
    pickler_.write_shared_text("storage");
    if (kind.empty())
      pickler_.write_global("torch.storage", "UntypedStorage");
    else
      pickler_.write_global("torch", kind);
    pickler_.write_shared_text(std::to_string(found->second));
    pickler_.write_shared_text(tensor.device().is_cpu() ? "cpu" : text("{}", tensor.device()));
    pickler_.write_integer(kind.empty() ? storage->nbytes : storage->nbytes / tensor.itemsize());
    pickler_.write_tuple_end();
    pickler_.add(BINPERSID);
  }

  Pickler pickler_;
  std::vector<Ref<Storage>> storages_;
  std::vector<std::string> dtypes_;
  std::unordered_map<Storage*, size_t> numbers_;
};

Ref<Storage> copy_storage_to_host(const Ref<Storage>& storage) {
  if (storage->device.is_cpu()) return storage;
  check(!storage->device.is_meta(), ErrorKind::value, "a storage without memory cannot be saved");
  const int64_t sizes[] = {storage->nbytes}, strides[] = {1};
  return on_host(make_tensor(storage, Dtype::uint8, IntList(sizes, 1), IntList(strides, 1), 0))->storage;
}

}  // namespace

std::string archive_name(const std::string& path) {
  for (const char c : path)
    if (uint8_t(c) >= 0x80) return "archive";
  const std::string base = path.substr(path.rfind('/') + 1);
  const size_t dot = base.rfind('.');
  const std::string name = dot == std::string::npos ? base : base.substr(0, dot);
  check(!name.empty(), "[enforce fail at inline_container.cc:720] . invalid file name: {}", path);
  return name;
}

void write_torch(NewFile& file, const std::string& name, const TensorDict& tensors, const Progress& progress) {
  const Writer writer(tensors);
  write_archive(file, name, writer.pickle(), writer.storages(), progress);
}

void write_archive(NewFile& file, const std::string& name, std::string_view pickle, const std::vector<Ref<Storage>>& storages,
                   const Progress& progress) {
  ZipWriter zip(file, name);
  int64_t total = 0;  // of the elements; everything else is small
  for (const Ref<Storage>& storage : storages) total += storage->nbytes;
  file.expect_total(total, progress);
  zip.write("data.pkl", pickle);
  zip.write(".format_version", "1");
  zip.write(".storage_alignment", "64");
  zip.write("byteorder", "little");
  for (size_t i = 0; i < storages.size(); ++i) {
    const Ref<Storage> here = copy_storage_to_host(storages[i]);
    zip.write("data/" + std::to_string(i), Bytes(static_cast<const uint8_t*>(here->data), size_t(here->nbytes)));
  }
  zip.finish();
}

}  // namespace mt::io
