// Saves files atomically: a save that fails, or is killed, leaves the previous file as it was.
#pragma once

#include <functional>
#include <string>

#include "io/source.h"

namespace mt::io {

// Called with the bytes written so far and in total; an exception that it throws ends the save.
using Progress = std::function<void(int64_t done, int64_t total)>;

class NewFile {
 public:
  // Writes to a temporary file in the folder of `path`. A pipe or a device at `path`, which has no previous content, is written directly.
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;

  void expect_total(int64_t bytes, Progress progress);
  void write(Bytes bytes);
  void write(std::string_view text) { write(bytes_of(text)); }
  uint64_t position() const { return position_; }
  // Completes the file and renames it. With `synced` it is on the disk when this returns.
  void finish(bool synced);

 private:
  std::string target_, aside_;
  int descriptor_ = -1;
  uint64_t position_ = 0;
  int64_t total_ = 0;
  Progress progress_;
};

}  // namespace mt::io
