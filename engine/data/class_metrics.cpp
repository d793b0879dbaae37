#include "ringside/data/class_metrics.h"

#include <fmt/format.h>

#include <numeric>

#include "ringside/base/check.h"
#include "ringside/base/error.h"

namespace ringside::inline data {

Confusion::Confusion(int64_t classes) : classes_(classes) {
  if (classes < 0 || classes > kMost)
    throw UsageError(fmt::format("{} classes: allowed are at most {}", classes, kMost));
  counts_.resize(static_cast<size_t>(classes * classes));
}

void Confusion::add(int64_t label, int64_t answer, int64_t times) {
  RINGSIDE_CHECK(label >= 0 && label < classes_ && answer >= 0 && answer < classes_,
                 "no class " << label << " or " << answer);
  counts_[static_cast<size_t>(label * classes_ + answer)] += times;
}

int64_t Confusion::at(int64_t label, int64_t answer) const {
  return counts_.at(static_cast<size_t>(label * classes_ + answer));
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

}  // namespace ringside::inline data
