// A checkpoint is written by all ranks and published by one:
//
//   FOLDER/.step-000120.tmp/   each rank: rank-3.bin, rank-3.json (its part of the manifest), both flushed
//   (all ranks are done: a barrier)
//   rank 0: manifest.json flushed, what is left over removed, the folder flushed
//           renamed to FOLDER/step-000120, FOLDER flushed; then older ones are removed
//
// So a folder with a step's name is whole, whatever breaks when: an error, a killed process, a lost power.
// One that is there already under this name changes places with the new one in one operation. Ranks share the
// folder. Errors: CheckpointError naming the file; the checkpoints of before are then as they were.
#pragma once

#include <memory>
#include <string_view>

#include "ringside/base/sha256.h"
#include "ringside/checkpoint/file_system.h"
#include "ringside/checkpoint/manifest.h"

namespace ringside::inline checkpoint {

// Makes the folder and those above it that are missing, each safe in the one above it: before the first save.
void prepare_folder(FileSystem& files, const FileSystem::Path& folder);

class RankFile {
 public:
  RankFile(FileSystem& files, const FileSystem::Path& folder, int64_t step, int rank);
  // data: the elements of the runs, in their order.
  void add(const StateTensor& tensor, std::vector<Stretches> runs, std::string_view data);
  void finish();  // all of it is on the disk
  int64_t bytes() const { return part_.files[0].bytes; }

 private:
  FileSystem& files_;
  const FileSystem::Path folder_;
  const int rank_;
  Manifest part_;
  Sha256 hash_;
  std::unique_ptr<FileSystem::File> file_;
};

// about: step, ranks, run and needs. keep: so many checkpoints stay, this one among them; 0: all.
void publish(FileSystem& files, const FileSystem::Path& folder, Manifest about, int64_t keep);

}  // namespace ringside::inline checkpoint
