// Files that appear under their name only when they are complete: a save that fails, or is killed, leaves what was there before.
#pragma once

#include <functional>
#include <string>

#include "io/source.h"

namespace mt::io {

// Hears how many bytes of how many are written; what it throws ends the save.
using Progress = std::function<void(int64_t done, int64_t total)>;

class NewFile {
 public:
  // The file is made beside `path`, in its folder. A pipe or a device at `path`, which has no old content, is written as it is.
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;

  void expect_total(int64_t bytes, Progress progress);
  void write(Bytes bytes);
  void write(std::string_view text) { write(bytes_of(text)); }
  uint64_t position() const { return position_; }
  // Ends the file and gives it its name. With `synced` the disk has it when this returns.
  void finish(bool synced);

 private:
  std::string target_, aside_;
  int descriptor_ = -1;
  uint64_t position_ = 0;
  int64_t total_ = 0;
  Progress progress_;
};

}  // namespace mt::io
