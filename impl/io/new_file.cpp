// Saves a file atomically: writes a temporary file, syncs it and renames it.
#include "io/new_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>

#include <cerrno>
#include <cstring>

namespace mt::io {

namespace {

// How many bytes are written between two reports of progress.
constexpr size_t piece_size = 8 << 20;

[[noreturn]] void fail_system(const char* what, const std::string& path, int error) {
  fail("unable to {} <{}>: {} ({})", what, path, std::strerror(error), error);
}

// Resolves symbolic links, so that the file which a link names is replaced and the link stays; for a new file, resolves its folder.
std::string resolve_symbolic_links(const std::string& path) {
  char buffer[PATH_MAX];
  if (realpath(path.c_str(), buffer)) return buffer;
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  if (!realpath(folder.c_str(), buffer)) fail_system("open the folder of file", path, errno);
  const std::string parent = buffer;
  return (parent == "/" ? "" : parent) + "/" + (slash == std::string::npos ? path : path.substr(slash + 1));
}

std::string folder_of(const std::string& absolute) { return absolute.substr(0, std::max<size_t>(absolute.rfind('/'), 1)); }

}  // namespace

NewFile::NewFile(const std::string& path) {
  check(!path.empty() && path.back() != '/', ErrorKind::value, "\"{}\" names no file", path);
  target_ = resolve_symbolic_links(path);
  struct stat old;
  const bool exists = stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail_system("open file", path, EISDIR);
  if (exists && access(target_.c_str(), W_OK) != 0) fail_system("open file", path, errno);
  if (exists && !S_ISREG(old.st_mode)) {
    descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail_system("open file", path, errno);
    return;
  }
  const size_t slash = target_.rfind('/');
  const std::string begin = target_.substr(0, slash + 1) + '.' + target_.substr(slash + 1, 80) + '.' + std::to_string(getpid()) + '-';
  for (int number = 0; descriptor_ < 0; ++number) {  // does not overwrite what a killed save left
    aside_ = begin + std::to_string(number) + ".tmp";
    descriptor_ = open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 || errno == EEXIST) continue;
    const int error = errno;
    aside_.clear();
    fail_system("make a file beside", path, error);
  }
  if (exists && fchmod(descriptor_, old.st_mode & 07777) != 0) {
    const int error = errno;
    unlink(aside_.c_str());
    close(descriptor_);
    fail_system("set the mode of the file beside", path, error);
  }
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!aside_.empty()) unlink(aside_.c_str());
}

void NewFile::expect_total(int64_t bytes, Progress progress) {
  total_ = bytes;
  progress_ = std::move(progress);
}

void NewFile::write(Bytes bytes) {
  while (!bytes.empty()) {
    const size_t piece = std::min(bytes.size(), piece_size);
    const ssize_t written = ::write(descriptor_, bytes.data(), piece);
    const int error = errno;
    if (written < 0 && error == EINTR) continue;
    if (written < 0) fail_system("write file", target_, error);
    position_ += uint64_t(written);
    bytes = bytes.subspan(size_t(written));
    if (progress_) progress_(std::min(int64_t(position_), total_), total_);
  }
}

void NewFile::finish(bool synced) {
  if (synced && !aside_.empty() && fsync(descriptor_) != 0) fail_system("sync file", target_, errno);
  // Some file systems report a full disk only on close.
  if (close(std::exchange(descriptor_, -1)) != 0) fail_system("close file", target_, errno);
  if (aside_.empty()) return;
  if (rename(aside_.c_str(), target_.c_str()) != 0) fail_system("rename a file to", target_, errno);
  aside_.clear();
  if (!synced) return;
  // Syncs the folder too: otherwise the name could still lead to the old file after a power failure. Ignores a folder that cannot be
  // opened.
  const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

}  // namespace mt::io
