#include "ringside/checkpoint/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "ringside/base/text.h"

namespace ringside::inline checkpoint {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what, int reason) {
  throw CheckpointError("{}: cannot be {}: {}", typed_path(path), what,
                        std::generic_category().message(reason));
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, const char* what)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) fail(path, what, errno);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor& operator=(Descriptor&&) = delete;
  operator int() const { return number_; }

 private:
  const int number_;
};

class DiskFile final : public FileSystem::File {
 public:
  explicit DiskFile(const fs::path& path)
      : path_(path), file_(path, O_WRONLY | O_CREAT | O_TRUNC, "written") {}

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path_, "written", errno);
      bytes.remove_prefix(size_t(written));
      written_ += written;
      if (written_ - begun_ >= kBegin) begin_writing();
    }
  }
  void sync() override {
    if (::fsync(file_) != 0) fail(path_, "flushed to the disk", errno);
  }

 private:
  // The disk begins with these bytes while the next ones are hashed and written, so that sync() has less to
  // wait for. Only a hint: where the file system has no such call, sync() does it all.
  void begin_writing() {
    ::sync_file_range(file_, begun_, written_ - begun_, SYNC_FILE_RANGE_WRITE);
    begun_ = written_;
  }
  static constexpr int64_t kBegin = int64_t{8} << 20;  // bytes

  const fs::path path_;
  const Descriptor file_;
  int64_t written_ = 0, begun_ = 0;  // bytes
};

class Disk final : public FileSystem {
 public:
  void make_folder(const Path& folder) override {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) fail(folder, "made a folder", error.value());
  }
  std::unique_ptr<File> create(const Path& file) override { return std::make_unique<DiskFile>(file); }
  void sync_folder(const Path& folder) override {
    const Descriptor opened(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY, "opened");
    if (::fsync(opened) != 0) fail(folder, "flushed to the disk", errno);
  }
  void rename(const Path& from, const Path& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) fail(to, "given its name", errno);
  }
  void exchange(const Path& one, const Path& other) override {
    if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) != 0)
      fail(other, "replaced in one go (remove it, or take another folder)", errno);
  }
  void remove(const Path& path) override {
    if (::remove(path.c_str()) != 0) fail(path, "removed", errno);
  }
  std::vector<std::string> list(const Path& folder) override {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator entry(folder, error), end;
    for (; !error && entry != end; entry.increment(error)) names.push_back(entry->path().filename());
    if (error && error != std::errc::no_such_file_or_directory) fail(folder, "listed", error.value());
    std::ranges::sort(names);
    return names;
  }
  int64_t size(const Path& file) override {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return -1;
    return found.st_size;
  }
  void read(const Path& file, int64_t offset, std::span<char> out) override {
    const Descriptor opened(file, O_RDONLY, "read");
    while (!out.empty()) {
      const ssize_t got = ::pread(opened, out.data(), out.size(), offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(file, "read", errno);
      if (got == 0)
        throw CheckpointError(typed_path(file) + ": ends early: it was cut off, take another checkpoint");
      out = out.subspan(size_t(got));
      offset += got;
    }
  }
};

}  // namespace

FileSystem& disk() {
  static Disk disk;
  return disk;
}

}  // namespace ringside::inline checkpoint
