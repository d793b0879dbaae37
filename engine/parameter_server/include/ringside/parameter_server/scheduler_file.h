// The scheduler's table in a file: written beside its place, flushed, then renamed, so that a scheduler that
// is killed at any instant finds the table of before or the new one. The file is one frame (wire.h): with
// magic, version, length, checksum, and the world whose table it is.
#pragma once

#include <filesystem>

#include "ringside/parameter_server/scheduler.h"

namespace ringside::inline ps {

class SchedulerFile final : public SchedulerDisk {
 public:
  // A file that is not there is a table that was never saved; its folder must be there.
  SchedulerFile(std::filesystem::path path, uint64_t world) : path_(std::move(path)), world_(world) {}

  void save(const Bytes& bytes) override;  // InputError naming the path
  // InputError naming the path where it is torn, foreign, or of another world. The file stays as it is.
  Bytes load() const override;

 private:
  std::filesystem::path path_;
  uint64_t world_;
};

}  // namespace ringside::inline ps
