// All-gathers of what a model returned: in one piece, in chunks, or compressed.
#pragma once

#include <ATen/ATen.h>

#include <string>

#include "ringside/comm/process_group.h"
#include "ringside/train/trainer.h"

namespace ringside {

class OutputGather {
 public:
  OutputGather(ProcessGroup& group, GatherTransfer transfer, int64_t chunk);

  // own: (...), of the same shape on every rank -> (N, ...), [r] being rank r's. Buffers that it
  // makes are booked as such, with the tag's unit and "gathered" and the given name.
  at::Tensor whole(const at::Tensor& own, const Tag& tag, const std::string& name);
  at::Tensor by_transfer(const at::Tensor& own, const Tag& tag, const std::string& name);

  int64_t received_bytes() const { return received_; }  // from other ranks, so far

 private:
  void all_gather(const at::Tensor& own, const at::Tensor& all, const Tag& tag);
  at::Tensor chunked(const at::Tensor& own, const Tag& tag, const std::string& name);
  at::Tensor compressed(const at::Tensor& own, const Tag& tag, const std::string& name);

  ProcessGroup& group_;
  GatherTransfer transfer_;
  int64_t chunk_;  // elements
  int64_t received_ = 0;
};

}  // namespace ringside
