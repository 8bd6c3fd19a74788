// Shared by the tests of files: a temporary folder, files of given bytes, and opened checkpoints.
#pragma once

#include <mindtorch/io.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "capi_support.h"

namespace io_test {

using namespace capi_test;

// A folder that the test removes at its end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mindtorch-io-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  size_t count() const { return size_t(std::distance(std::filesystem::directory_iterator(path_), {})); }

 private:
  std::filesystem::path path_;
};

inline void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
inline std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
// Returns a number's bytes in little-endian order.
template <class T>
std::string little(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

class Checkpoint {
 public:
  explicit Checkpoint(const std::string& path, int32_t access = MT_READ_MAP) {
    mt_checkpoint_options options{};
    options.struct_size = sizeof options;
    options.access = access;
    error = failure(mt_checkpoint_open(path.c_str(), &options, &handle_));
  }
  ~Checkpoint() { mt_checkpoint_release(handle_); }
  Checkpoint(const Checkpoint&) = delete;
  operator mt_checkpoint*() const { return handle_; }

  mt_checkpoint_info info() const {
    mt_checkpoint_info info{};
    info.struct_size = sizeof info;
    EXPECT_OK(mt_checkpoint_get_info(handle_, &info));
    return info;
  }
  mt_checkpoint_entry entry(int64_t index) const {
    mt_checkpoint_entry entry{};
    entry.struct_size = sizeof entry;
    EXPECT_OK(mt_checkpoint_get_entry(handle_, index, &entry));
    return entry;
  }
  Owned read(const char* name) const {
    int64_t index = -1;
    EXPECT_OK(mt_checkpoint_find(handle_, name, &index));
    Owned tensor;
    EXPECT_OK(mt_checkpoint_read(handle_, index, tensor.out()));
    return tensor;
  }
  std::string error;

 private:
  mt_checkpoint* handle_ = nullptr;
};

class Dict {
 public:
  Dict() { EXPECT_OK(mt_tensor_dict_create(&handle_)); }
  ~Dict() { mt_tensor_dict_release(handle_); }
  Dict(const Dict&) = delete;
  operator mt_tensor_dict*() const { return handle_; }
  void set(const char* name, mt_tensor* tensor) { EXPECT_OK(mt_tensor_dict_set(handle_, name, tensor)); }

 private:
  mt_tensor_dict* handle_ = nullptr;
};

}  // namespace io_test
