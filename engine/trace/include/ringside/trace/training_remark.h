// What a person should know of a training that goes on all the same. Each is recorded once, on the rank that
// it is about; of what concerns every rank, on rank 0.
#pragma once

#include "ringside/trace/rows.h"

namespace ringside::inline trace {

struct TrainingRemark {
  static constexpr Columns kTable{"training remarks", "about", "parameter", "step", "text"};
  std::string about;      // what it is about
  std::string parameter;  // the first that it is about; none: empty
  int64_t step = -1;      // -1 before the first
  std::string text;       // a sentence or two: what it is, and what can be done
  // What `about` can be.
  static constexpr char kLearningRate[] = "learning rate", kFrozen[] = "frozen",
                        kEmptyShard[] = "empty shard", kNoGradient[] = "no gradient",
                        kNotFinite[] = "not finite", kLoss[] = "loss";
};

}  // namespace ringside::inline trace
