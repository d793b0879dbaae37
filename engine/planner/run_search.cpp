#include "run_search.h"

#include <algorithm>

namespace ringside {

RunSearch::RunSearch(GradientOrder order, std::vector<Gradient> body, FreeHead head, int64_t number,
                     int64_t bucket_size)
    : order_(order),
      body_(std::move(body)),
      head_(std::move(head)),
      number_(number),
      size_(bucket_size),
      window_{number - number / 2, number + number / 2},
      sums_(body_.size() + 1, 0),
      bucket_end_(body_.size()),
      starts_(body_.size() + 1, false) {
  for (size_t i = 0; i < body_.size(); ++i) sums_[i + 1] = sums_[i] + body_[i].elements;
  find_starts();
}

void RunSearch::run(Explanation& result) {
  search_body(result);
  for (const bool bias : head_.biases) search_head(bias, result);
}

std::vector<int64_t> RunSearch::head_sizes(bool bias, int64_t classes) const {
  const int64_t weight = classes * head_.hidden;
  if (!bias) return {weight};
  return backward() ? std::vector<int64_t>{classes, weight} : std::vector<int64_t>{weight, classes};
}

std::vector<std::string> RunSearch::head_names(bool bias) const {
  if (!bias) return {"score.weight"};
  return backward() ? std::vector<std::string>{"score.bias", "score.weight"}
                    : std::vector<std::string>{"score.weight", "score.bias"};
}

// ---- The flush rule -----------------------------------------------------------

void RunSearch::find_starts() {
  const size_t all = body_.size();
  for (size_t begin = 0, end = 0; begin < all; ++begin) {
    end = std::max(end, begin + 1);  // larger than the size: alone
    while (end < all && sum(begin, end + 1) <= size_) ++end;
    bucket_end_[begin] = end;
  }
  if (backward() && head_is_free()) {
    for (const bool bias : head_.biases) add_starts_behind_head(bias);
  } else {
    starts_[0] = true;
  }
  for (size_t i = 0; i < all; ++i) {
    if (!starts_[i]) continue;
    last_start_ = i;
    if (bucket_end_[i] < all) starts_[bucket_end_[i]] = true;
  }
}

// Where the bucket with the head in it can end, over every number of classes: at m where
// open + sums[m] <= size < open + sums[m + 1], with open what the head left in the bucket.
void RunSearch::add_starts_behind_head(bool bias) {
  const int64_t H = head_.hidden, least = head_.least_classes, most = head_.most_classes;
  const int64_t whole = size_ / (H + bias);  // most classes with which the whole head fits
  const auto add = [&](int64_t per_class, Span classes) {
    for (size_t m = 0; m < body_.size() && sums_[m] <= size_; ++m) {
      const int64_t above = (size_ - sums_[m + 1]) / per_class;  // rounds to 0 from below, where least is 1
      const int64_t first = std::max(classes.least, sums_[m + 1] > size_ ? int64_t{1} : above + 1);
      if (first <= std::min(classes.most, (size_ - sums_[m]) / per_class)) starts_[m] = true;
    }
  };
  add(H + bias, {least, std::min(most, whole)});
  if (bias) add(H, {std::max(least, whole + 1), most});  // the bias went alone
  if (most > size_ / H) starts_[0] = true;               // the weight goes alone
}

bool RunSearch::is_bucket(size_t begin, size_t end) const {
  if (!starts_[begin] || bucket_end_[begin] != end) return false;
  if (end < body_.size() || backward() || !head_is_free()) return true;
  return sum(begin, end) + head_.most_classes * head_.hidden > size_;  // some head does not fit any more
}

// The buckets with a part of the head, by the rule itself.
std::vector<RunSearch::HeadRun> RunSearch::buckets_at_head(bool bias, int64_t classes) const {
  std::vector<HeadRun> buckets;
  const size_t all = body_.size();
  const std::vector<int64_t> sizes = head_sizes(bias, classes);
  int64_t open = backward() ? 0 : sum(last_start_, all);
  size_t begin = 0;
  size_t body = backward() ? 0 : last_start_;
  for (size_t t = 0; t < sizes.size(); ++t) {
    if (open > 0 && open + sizes[t] > size_) {
      if (t > begin) buckets.push_back({begin, t, body});
      begin = t;
      body = backward() ? 0 : all;
      open = 0;
    }
    open += sizes[t];
  }
  if (backward() && open <= size_)
    body =
        static_cast<size_t>(std::upper_bound(sums_.begin(), sums_.end(), size_ - open) - sums_.begin()) - 1;
  buckets.push_back({begin, sizes.size(), body});
  return buckets;
}

// ---- Runs ---------------------------------------------------------------------

// Counts a hit, and says whether it is to be listed.
bool RunSearch::count(bool flushed, RunFamily& family, const Explanation& result) const {
  ++family.hits;
  family.flushed += flushed;
  return flushed || result.hits.size() < kMostHits;
}

void RunSearch::list(RunHit hit, bool flushed, Explanation& result) const {
  hit.order = order_;
  hit.flushed = flushed;
  if (hit.is_first) {
    hit.least_size = hit.tensors == 1 ? 1 : number_;
    if (hit.next_elements > 0) hit.most_size = number_ + hit.next_elements - 1;
  }
  result.hits.push_back(std::move(hit));
}

RunHit RunSearch::body_hit(size_t begin, size_t end) const {
  RunHit hit;
  hit.pieces = pieces_of(body_, begin, end);
  hit.tensors = end - begin;
  hit.first = body_[begin].name;
  hit.last = body_[end - 1].name;
  hit.is_first = begin == 0 && (!backward() || !head_is_free());
  if (end < body_.size()) {
    hit.next = body_[end].name;
    hit.next_elements = body_[end].elements;
  } else if (!backward() && head_is_free()) {
    hit.next = "score.weight";  // of a size that is not known
  }
  return hit;
}

void RunSearch::search_body(Explanation& result) const {
  RunFamily family;
  family.order = order_;
  const auto all = static_cast<double>(body_.size());
  family.candidates = all * (all + 1) / 2;
  for (size_t begin = 0, end = 0; begin < body_.size(); ++begin) {
    while (end < body_.size() && sum(begin, end) < number_) ++end;
    if (sum(begin, end) != number_) continue;
    const bool flushed = is_bucket(begin, end);
    if (count(flushed, family, result)) list(body_hit(begin, end), flushed, result);
  }
  chance_of_body(family);
  result.families.push_back(family);
}

RunHit RunSearch::head_hit(bool bias, int64_t classes, const HeadRun& run) const {
  const std::vector<int64_t> sizes = head_sizes(bias, classes);
  const std::vector<std::string> names = head_names(bias);
  const size_t all = body_.size(), begin = backward() ? 0 : run.body, end = backward() ? run.body : all;
  RunHit hit;
  hit.classes = classes;
  hit.bias = bias;
  hit.pieces = pieces_of(body_, begin, end);
  const std::string only = run.head_end - run.head_begin == 1 ? names[run.head_begin] : "";
  BucketPiece head{"head", only, 0, 0, 0, run.head_begin == 0 && run.head_end == sizes.size()};
  for (size_t t = run.head_begin; t < run.head_end; ++t) head.elements += sizes[t];
  hit.pieces.insert(backward() ? hit.pieces.begin() : hit.pieces.end(), head);
  hit.tensors = end - begin + run.head_end - run.head_begin;
  hit.first = backward() || begin == all ? names[run.head_begin] : body_[begin].name;
  hit.last = backward() && end > 0 ? body_[end - 1].name : names[run.head_end - 1];
  hit.is_first = backward() ? run.head_begin == 0 : begin == 0;
  if (run.head_end < sizes.size()) {
    hit.next = names[run.head_end];
    hit.next_elements = sizes[run.head_end];
  } else if (backward() && end < all) {
    hit.next = body_[end].name;
    hit.next_elements = body_[end].elements;
  }
  return hit;
}

void RunSearch::try_head(bool bias, const HeadRun& run, RunFamily& family, Explanation& result) const {
  const int64_t rest = number_ - (backward() ? sums_[run.body] : sum(run.body, body_.size()));
  int64_t per_class = 0;
  for (size_t t = run.head_begin; t < run.head_end; ++t) per_class += head_sizes(bias, 1)[t];
  if (rest <= 0 || rest % per_class != 0) return;
  const int64_t classes = rest / per_class;
  if (classes < head_.least_classes || classes > head_.most_classes) return;
  const auto buckets = buckets_at_head(bias, classes);
  const bool flushed = std::find(buckets.begin(), buckets.end(), run) != buckets.end();
  const bool is_cut = run.head_end - run.head_begin <= static_cast<size_t>(bias);
  if (is_cut && !flushed) return;
  if (count(flushed, family, result)) list(head_hit(bias, classes, run), flushed, result);
}

void RunSearch::search_head(bool bias, Explanation& result) const {
  RunFamily family;
  family.order = order_;
  family.has_head = true;
  family.bias = bias;
  const size_t all = body_.size(), tensors = bias ? 2 : 1;
  family.candidates =
      (static_cast<double>(all) + 1) * static_cast<double>(head_.most_classes - head_.least_classes + 1);
  for (size_t body = 0; body <= all; ++body) {
    try_head(bias, {0, tensors, body}, family, result);
    if (!bias || head_.least_classes < head_.most_classes) continue;
    // A bucket with one of the two: the one next to the body may go with it, the outer one is alone.
    if (backward()) {
      try_head(bias, {1, 2, body}, family, result);
      if (body == 0) try_head(bias, {0, 1, body}, family, result);
    } else {
      try_head(bias, {0, 1, body}, family, result);
      if (body == all) try_head(bias, {1, 2, body}, family, result);
    }
  }
  chance_of_head(bias, family);
  result.families.push_back(family);
}

// ---- Chance -------------------------------------------------------------------

void RunSearch::chance_of_body(RunFamily& family) const {
  const size_t all = body_.size();
  double inside = 0, flushed = 0;
  for (size_t begin = 0, low = 0, high = 0; begin < all; ++begin) {
    low = std::max(low, begin + 1);
    high = std::max(high, low);
    while (low <= all && sum(begin, low) < window_.least) ++low;
    while (high <= all && sum(begin, high) <= window_.most) ++high;
    if (high > low) inside += static_cast<double>(high - low);
    const int64_t bucket = sum(begin, bucket_end_[begin]);
    if (is_bucket(begin, bucket_end_[begin]) && bucket >= window_.least && bucket <= window_.most) ++flushed;
  }
  const auto numbers = static_cast<double>(window_.most - window_.least + 1);
  family.expected_hits = inside / numbers;
  family.expected_flushed = flushed / numbers;
}

// Of the classes C, those with rest + C per_class among the sums and in the window.
double RunSearch::classes_within(int64_t rest, int64_t per_class, Span sums) const {
  const int64_t least = std::max(window_.least, sums.least) - rest;
  const int64_t most = std::min(window_.most, sums.most) - rest;
  if (most < per_class || most < least) return 0;
  const int64_t first = std::max(head_.least_classes, least <= 0 ? 1 : (least + per_class - 1) / per_class);
  const int64_t last = std::min(head_.most_classes, most / per_class);
  return last < first ? 0 : static_cast<double>(last - first + 1);
}

void RunSearch::chance_of_head(bool bias, RunFamily& family) const {
  const size_t all = body_.size();
  const int64_t per_class = head_.hidden + bias;
  double inside = 0, flushed = 0;
  for (size_t body = 0; body <= all; ++body) {
    const int64_t rest = backward() ? sums_[body] : sum(body, all);
    inside += classes_within(rest, per_class, window_);
    // A bucket is full where the next gradient does not fit; the last one may be anything. A weight that is
    // alone may be larger than the size.
    const bool alone = !bias && body == (backward() ? 0 : all);
    const int64_t most = alone ? window_.most : size_;
    if (backward())
      flushed += classes_within(rest, per_class, {body < all ? size_ - body_[body].elements + 1 : 1, most});
    else if (body == last_start_)
      flushed += classes_within(rest, per_class, {1, size_});
    else if (body == all)  // having found the bucket before it too full
      flushed += classes_within(0, per_class, {size_ - sum(last_start_, all) + 1, most});
  }
  const auto numbers = static_cast<double>(window_.most - window_.least + 1);
  family.expected_hits = inside / numbers;
  family.expected_flushed = flushed / numbers;
}

}  // namespace ringside
