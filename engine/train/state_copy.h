// What a rank saves, copied into memory of its own: the run goes on while the copy is written. It is booked
// as "other", kCheckpointCopy (trace/training_rows.h), and kept from save to save.
#pragma once

#include <ATen/ATen.h>

#include "state_on_disk.h"

namespace ringside::inline training {

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
