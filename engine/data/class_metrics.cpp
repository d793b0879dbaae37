#include "ringside/data/class_metrics.h"

#include <algorithm>
#include <numeric>

#include "ringside/base/check.h"
#include "ringside/base/error.h"

namespace ringside::inline data {

Confusion::Confusion(int64_t classes) : classes_(classes) {
  if (classes < 0 || classes > kMost) throw UsageError("{} classes: allowed are at most {}", classes, kMost);
  counts_.resize(size_t(classes * classes));
}

void Confusion::add(int64_t label, int64_t answer, int64_t times) {
  RINGSIDE_CHECK(label >= 0 && label < classes_ && answer >= 0 && answer < classes_,
                 "no class " << label << " or " << answer);
  counts_[size_t(label * classes_ + answer)] += times;
}

int64_t Confusion::at(int64_t label, int64_t answer) const {
  return counts_.at(size_t(label * classes_ + answer));
}

int64_t Confusion::samples() const { return std::accumulate(counts_.begin(), counts_.end(), int64_t{0}); }

double Confusion::accuracy() const {
  int64_t right = 0;
  for (int64_t c = 0; c < classes_; ++c) right += at(c, c);
  const int64_t all = samples();
  return all == 0 ? 0 : double(right) / double(all);
}

Confusion::OfClass Confusion::of(int64_t label) const {
  OfClass of{.right = at(label, label)};
  for (int64_t c = 0; c < classes_; ++c) of.labelled += at(label, c), of.answered += at(c, label);
  return of;
}

double Confusion::macro_f1() const {
  double sum = 0;
  int64_t seen = 0;
  for (int64_t c = 0; c < classes_; ++c) {
    const OfClass one = of(c);
    if (one.labelled + one.answered == 0) continue;
    sum += one.f1();
    ++seen;
  }
  return seen == 0 ? 0 : sum / double(seen);
}

GroupNames name_groups(const std::vector<int64_t>& groups, const std::vector<int64_t>& classes) {
  constexpr size_t kMost = 8;
  if (groups.empty() || groups.size() != classes.size())
    throw UsageError("{} tokens have a group, {} a class", groups.size(), classes.size());
  const auto most = size_t(std::max(std::ranges::max(groups), std::ranges::max(classes)) + 1);
  if (most > kMost) throw UsageError("{} groups or classes: at most {} are named", most, kMost);
  std::vector tokens(most, std::vector<int64_t>(most));  // (group, class)
  for (size_t j = 0; j < groups.size(); ++j) ++tokens[size_t(groups[j])][size_t(classes[j])];
  std::vector<int64_t> names(most);
  std::iota(names.begin(), names.end(), 0);
  GroupNames best{-1, {}};
  do {
    int64_t right = 0;
    for (size_t i = 0; i < names.size(); ++i) right += tokens[i][size_t(names[i])];
    const double accuracy = double(right) / double(groups.size());
    if (accuracy > best.accuracy) best = {accuracy, names};
  } while (std::ranges::next_permutation(names).found);
  return best;
}

double mean_accuracy(const std::vector<std::vector<int64_t>>& groups,
                     const std::vector<std::vector<int64_t>>& classes) {
  if (groups.empty() || groups.size() != classes.size())
    throw UsageError("{} pictures have groups, {} classes", groups.size(), classes.size());
  double sum = 0;
  for (size_t i = 0; i < groups.size(); ++i) sum += name_groups(groups[i], classes[i]).accuracy;
  return sum / double(groups.size());
}

}  // namespace ringside::inline data
