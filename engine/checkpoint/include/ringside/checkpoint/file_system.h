// What a checkpoint asks of a disk, one call an operation, so that a test can fail each, or stop before it.
//
// What has been written may be lost until sync(); a name that was made, changed or removed until
// sync_folder() of the folder that has it. Errors: CheckpointError naming the path and the system's reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/base/error.h"

namespace ringside::inline checkpoint {

// What is wrong with a checkpoint, or with the disk that it is on: it ends a program with 8. The message
// names the file and what to do. Bytes of it are refused before they are believed.
using CheckpointError = ErrorOf<ExitCode::kCheckpoint>;

class FileSystem {
 public:
  class File {  // destruction closes it
   public:
    virtual ~File() = default;
    virtual void write(std::string_view bytes) = 0;  // behind what there is
    virtual void sync() = 0;
  };
  using Path = std::filesystem::path;

  virtual ~FileSystem() = default;
  virtual void make_folder(const Path& folder) = 0;            // and those above it; it may be there
  virtual std::unique_ptr<File> create(const Path& file) = 0;  // empty
  virtual void sync_folder(const Path& folder) = 0;
  virtual void rename(const Path& from, const Path& to) = 0;  // nothing has the name `to`
  virtual void exchange(const Path& one,
                        const Path& other) = 0;  // both are there; each gets the other's name
  virtual void remove(const Path& path) = 0;     // a file, or a folder without entries
  // Names in a folder, sorted; none where it is not there.
  virtual std::vector<std::string> list(const Path& folder) = 0;
  virtual int64_t size(const Path& file) = 0;  // bytes; -1: there is no such file, or it is none
  // (out.size()) bytes from `offset` on; CheckpointError where there are fewer.
  virtual void read(const Path& file, int64_t offset, std::span<char> out) = 0;
};

FileSystem& disk();  // this machine's

}  // namespace ringside::inline checkpoint
