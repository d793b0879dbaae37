// The search behind explain.h in one order of gradients. It is linear in their number: sums of
// neighbours are differences of prefix sums, and for a head of free size the rest is one division.
#pragma once

#include <vector>

#include "ringside/planner/explain.h"

namespace ringside {

// A head whose size is searched for: weight (C, H), perhaps with a bias (C). It comes first in backward
// order (bias, weight) and last in parameter order (weight, bias).
struct FreeHead {
  int64_t hidden = 0;
  int64_t least_classes = 1, most_classes = kMostClasses;
  std::vector<bool> biases;  // settings to try; empty: there is no such head
};

class RunSearch {
 public:
  RunSearch(GradientOrder order, std::vector<Gradient> body, FreeHead head, int64_t number,
            int64_t bucket_size);
  void run(Explanation& result);

 private:
  struct Span {
    int64_t least, most;
  };
  // A run that touches the head: its tensors [head_begin, head_end), in order, and the body's gradients
  // [0, body) behind it (backward) or [body, all) before it (parameters).
  struct HeadRun {
    size_t head_begin, head_end, body;
    bool operator==(const HeadRun&) const = default;
  };
  bool backward() const { return order_ == GradientOrder::kBackward; }
  bool head_is_free() const { return !head_.biases.empty(); }
  int64_t sum(size_t begin, size_t end) const { return sums_[end] - sums_[begin]; }
  std::vector<int64_t> head_sizes(bool bias, int64_t classes) const;
  std::vector<std::string> head_names(bool bias) const;

  void find_starts();
  void add_starts_behind_head(bool bias);
  bool is_bucket(size_t begin, size_t end) const;
  std::vector<HeadRun> buckets_at_head(bool bias, int64_t classes) const;

  void search_body(Explanation& result) const;
  RunHit body_hit(size_t begin, size_t end) const;
  void search_head(bool bias, Explanation& result) const;
  void try_head(bool bias, const HeadRun& run, RunFamily& family, Explanation& result) const;
  RunHit head_hit(bool bias, int64_t classes, const HeadRun& run) const;
  bool count(bool flushed, RunFamily& family, const Explanation& result) const;
  void list(RunHit hit, bool flushed, Explanation& result) const;

  void chance_of_body(RunFamily& family) const;
  void chance_of_head(bool bias, RunFamily& family) const;
  double classes_within(int64_t rest, int64_t per_class, Span sums) const;

  GradientOrder order_;
  std::vector<Gradient> body_;
  FreeHead head_;
  int64_t number_, size_;
  Span window_;                     // around the number, for the chance
  std::vector<int64_t> sums_;       // of the first i gradients
  std::vector<size_t> bucket_end_;  // of a bucket that starts at i, as far as the body goes
  std::vector<bool> starts_;        // some reducer starts a bucket at i
  size_t last_start_ = 0;           // of the bucket that is open at the end of the body
};

}  // namespace ringside
