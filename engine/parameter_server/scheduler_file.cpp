#include "ringside/parameter_server/scheduler_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "ringside/base/atomic_file.h"
#include "ringside/base/read_file.h"

namespace ringside::inline ps {
namespace {

constexpr uint16_t kTableType = 0xFF00;  // no message has it

// The rename itself is on the disk when its folder is.
void flush_folder_of(const std::filesystem::path& path) {
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that may be written and not read
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void SchedulerFile::save(const Bytes& bytes) {
  const Bytes frame = seal({kTableType, world_, kScheduler, kScheduler, bytes});
  write_file_atomically(path_, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
  });
  flush_folder_of(path_);
}

Bytes SchedulerFile::load() const {
  if (!std::filesystem::exists(std::filesystem::symlink_status(path_))) return {};
  const std::string text = read_file(path_, kHeaderBytes + kMostPayload);
  const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  try {
    const Frame frame = open(bytes, world_);
    if (frame.type != kTableType) throw FrameError(FrameFault::kType, "a frame that is no saved table");
    return {frame.payload.begin(), frame.payload.end()};
  } catch (const FrameError& error) {
    throw InputError(
        fmt::format("{}: is no scheduler's table of this run: {}. Name another file, or move this one away",
                    path_.string(), error.what()));
  }
}

}  // namespace ringside::inline ps
