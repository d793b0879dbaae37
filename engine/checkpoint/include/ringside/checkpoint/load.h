// Checkpoints that are whole: the manifest is as it was written, and each file has its bytes and its SHA-256.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ringside/checkpoint/file_system.h"
#include "ringside/checkpoint/manifest.h"

namespace ringside::inline checkpoint {

inline constexpr char kManifestName[] = "manifest.json";

// A small file, as text. CheckpointError where it is not there.
std::string read_text(FileSystem& files, const FileSystem::Path& path);

// Of the folders with a step's name, whole or not; the newest first.
std::vector<int64_t> saved_steps(FileSystem& files, const FileSystem::Path& folder);

class Checkpoint {
 public:
  // Reads all of it once, piece by piece. CheckpointError naming the file, what is wrong and what to do.
  Checkpoint(FileSystem& files, const FileSystem::Path& folder, int64_t step);

  const Manifest& manifest() const { return manifest_; }
  // The elements of a piece, in the order of its runs. (piece.bytes)
  void read(const StateRuns& piece, std::span<char> out) const;
  // CheckpointError where a run needs another value than the one that wrote this: it names both.
  void require(const std::map<std::string, std::string>& needs) const;

 private:
  void check_file(const StateFile& file) const;

  FileSystem& files_;
  const FileSystem::Path folder_;
  Manifest manifest_;
};

struct Latest {
  std::optional<int64_t> step;  // of the newest that is whole, which is:
  std::optional<Checkpoint> checkpoint;
  std::vector<std::string> refused;  // why newer ones are not
};
Latest latest(FileSystem& files, const FileSystem::Path& folder);

// Parameters out of a checkpoint, whole, in fp32, whatever mesh and stage wrote it: the master copy where
// there is one, else the parameter itself. (elements of the shape) InputError where the checkpoint has no
// such parameter, another shape, or a hole in it.
std::vector<float> whole_parameter(const Checkpoint& checkpoint, const std::string& name,
                                   const std::vector<int64_t>& shape);

}  // namespace ringside::inline checkpoint
