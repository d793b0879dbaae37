// What a checkpoint holds, as its `manifest.json` says it:
//
//   step, ranks     of the run that wrote it; `run` has more of it for who reads (mesh, stage), and `needs`
//                   what a run that goes on must agree in (precision, optimizer, seed, ...)
//   files           each with its bytes and SHA-256
//   tensors         name, kind of state, element type, whole shape
//   pieces          where runs of a tensor's elements lie: file, offset, bytes
//
// The text ends in the SHA-256 of all before it: nothing is believed of a manifest with another byte. Numbers
// are bounded all the same, for anybody can write a hash: a piece lies in its file and in its tensor, and the
// pieces of a tensor are together no less than it, so that what is loaded is no larger than the files. They
// may be more, as stage 0 writes a copy a rank; that they leave no hole is found when a tensor is read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/trace/events.h"

namespace ringside::inline checkpoint {

// `times` stretches of `count` neighbours in a flat whole tensor, each `step` elements behind the one before.
struct Stretches {
  int64_t begin = 0, count = 0, step = 0, times = 1;
  int64_t elements() const { return count * times; }
  bool operator==(const Stretches&) const = default;
};
// Adds a stretch: to the last one, where it goes on in the same step.
void add_stretch(std::vector<Stretches>& runs, int64_t begin, int64_t count);

struct StateTensor {
  std::string name;  // a parameter's
  std::string kind;  // which of its states
  Dtype dtype = Dtype::kFloat32;
  std::vector<int64_t> shape;  // whole
  int64_t elements() const;
  bool operator==(const StateTensor&) const = default;
};

struct StateRuns {
  size_t tensor = 0, file = 0;  // in the manifest's lists
  int64_t offset = 0, bytes = 0;
  std::vector<Stretches> runs;  // in the order of its bytes
};

struct StateFile {
  std::string name;  // "rank-3.bin"
  int64_t bytes = 0;
  std::string sha256;
};

struct Manifest {
  int64_t step = 0, ranks = 1;
  std::map<std::string, std::string> run, needs;
  std::vector<StateFile> files;
  std::vector<StateTensor> tensors;
  std::vector<StateRuns> pieces;
};

std::string to_text(const Manifest& manifest);
// CheckpointError naming `path`, what is wrong and what to do. complete: off where it is one rank's alone,
// whose tensors need not be whole.
Manifest read_manifest(std::string_view text, const std::string& path, bool complete = true);

// "step-000120"; -1: the name is none of these.
std::string folder_of_step(int64_t step);
int64_t step_of_folder(std::string_view name);

}  // namespace ringside::inline checkpoint
