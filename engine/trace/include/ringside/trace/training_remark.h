// What a person should know of a training that goes on all the same. Each is recorded once, on the rank that
// it is about; of what concerns every rank, on rank 0.
#pragma once

#include "ringside/trace/rows.h"

namespace ringside {

struct TrainingRemark {
  static constexpr char kTable[] = "training remarks";
  // What `about` can be.
  static constexpr char kLearningRate[] = "learning rate", kFrozen[] = "frozen",
                        kEmptyShard[] = "empty shard", kNoGradient[] = "no gradient",
                        kNotFinite[] = "not finite", kLoss[] = "loss";
  std::string about, parameter;
  int64_t step = -1;
  std::string text;
};
void visit_fields(RowOf<TrainingRemark> auto& row, auto&& visit) {
  visit(Field{"about", "what it is about"}, row.about);
  visit(Field{"parameter", "the first that it is about; none: empty"}, row.parameter);
  visit(Field{"step", "-1 before the first"}, row.step);
  visit(Field{"text", "a sentence or two: what it is, and what can be done"}, row.text);
}

}  // namespace ringside
