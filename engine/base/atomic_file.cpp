#include "ringside/base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline base {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int reason) {
  throw InputError("{}: cannot be written: {}", typed_path(path), std::generic_category().message(reason));
}

void write_stream(const fs::path& file, const fs::path& named,
                  const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (out) write(out);
  out.close();
  if (!out) fail(named, errno != 0 ? errno : EIO);
}

void flush_to_disk(const fs::path& file, const fs::path& named) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(named, errno);
  const int reason = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (reason != 0) fail(named, reason);
}

// Beside the target, so that the rename stays on one file system.
fs::path temporary_beside(const fs::path& target) {
  static std::atomic<uint64_t> count{0};
  return fmt::format("{}.{}.{}.tmp", target.string(), ::getpid(), count++);
}

struct RemoveOnExit {
  const fs::path& file;
  ~RemoveOnExit() {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
};

}  // namespace

void write_file_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  std::error_code error;
  const bool exists = fs::exists(path, error);
  if (fs::is_directory(path, error)) fail(path, EISDIR);
  if (exists && !fs::is_regular_file(path, error)) return write_stream(path, path, write);

  // A link keeps pointing at its file: the file is replaced, not the link.
  const fs::path target = exists ? fs::canonical(path, error) : path;
  if (target.empty()) fail(path, error.value());
  const fs::path temporary = temporary_beside(target);
  const RemoveOnExit removal{temporary};
  write_stream(temporary, path, write);
  flush_to_disk(temporary, path);
  fs::rename(temporary, target, error);
  if (error) fail(path, error.value());
}

}  // namespace ringside::inline base
