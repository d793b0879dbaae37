// Pieces of state (data_parallel/named_state.h) into a rank's file of a checkpoint, and out of those of all.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include "ringside/checkpoint/load.h"
#include "ringside/checkpoint/save.h"
#include "ringside/data_parallel/named_state.h"

namespace ringside::inline training {

// Of a buffer that each data-parallel rank has its own values of; 0 where they share it.
std::string buffer_state(int place);

// A piece as a file has it: its elements without padding, in the order of the runs.
using TakePacked =
    std::function<void(const StateTensor&, std::vector<Stretches> runs, std::string_view data)>;
void pack(const StatePiece& piece, const TakePacked& take);

class StateOnDisk {
 public:
  explicit StateOnDisk(const Checkpoint& checkpoint);  // refers to it
  bool has(const std::string& name, const std::string& kind) const { return places_.contains({name, kind}); }
  // As NamedState::fill, with one whole tensor in memory. CheckpointError naming the checkpoint's step.
  void fill(const StatePiece& piece) const;

 private:
  void add_all(const StateTensor& tensor, const std::vector<size_t>& pieces, NamedState& to) const;

  const Checkpoint& checkpoint_;
  struct Place {
    size_t tensor = 0;
    std::vector<size_t> pieces;
  };
  std::map<std::pair<std::string, std::string>, Place> places_;
};

// What a rank saves, copied into memory of its own: the run goes on while the copy is written. It is booked
// as "other", kCheckpointCopy (trace/training_rows.h), and kept from save to save.
class StateCopy {
 public:
  using Walk = std::function<void(const std::function<void(const StatePiece&)>& take)>;

  void take(const Walk& walk);  // on the rank's thread; walks twice, first for the bytes
  void write_to(RankFile& file) const;
  int64_t bytes() const { return bytes_; }

 private:
  struct Packed {
    StateTensor tensor;
    std::vector<Stretches> runs;
    std::string_view data;  // in memory_
  };
  void add(const StateTensor& tensor, std::vector<Stretches> runs, std::string_view data);

  at::Tensor memory_;  // (bytes) uint8
  std::vector<Packed> pieces_;
  int64_t bytes_ = 0;
};

}  // namespace ringside::inline training
