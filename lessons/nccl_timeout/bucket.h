// The reducer's rule: gradients drop into the bucket in the order of backward, until one would pass the
// limit.
#pragma once

#include <string>
#include <vector>

#include "names.h"
#include "ringside/base/units.h"
#include "ringside/lesson/figure.h"
#include "ringside/lesson/tr.h"

namespace ringside::nccl_lesson {

struct Bucket {
  std::vector<Piece> pieces;
  int64_t limit = 0;

  explicit Bucket(const SectionView& plan)
      : pieces(rows_as<Piece>(plan)), limit(static_cast<int64_t>(number_in(plan, kLimit).value_or(0))) {}
  int64_t sum(size_t count) const {
    int64_t total = 0;
    for (size_t i = 0; i < std::min(count, pieces.size()); ++i) total += pieces[i].elements;
    return total;
  }
  size_t fits() const {  // a bucket holds at least one, however large
    size_t count = std::min<size_t>(1, pieces.size());
    while (count < pieces.size() && sum(count + 1) <= limit) ++count;
    return count;
  }
  size_t end_of_group(size_t from) const {
    size_t end = from;
    while (end < pieces.size() && pieces[end].group == pieces[from].group) ++end;
    return end;
  }
};

// The first `count` gradients, and with `tried` the next one over the limit.
inline figure::Value bucket_bars(const Bucket& bucket, size_t count, bool tried) {
  figure::Bars bars{.value = {tr("elements")}, .parts = {}, .rows = {}};
  bars.rows = {{tr("in the bucket"), {}, format_count(bucket.sum(count))}};
  for (size_t begin = 0; begin < count;) {
    const size_t end = std::min(bucket.end_of_group(begin), count);
    const int64_t elements = bucket.sum(end) - bucket.sum(begin);
    bars.parts.push_back({tr("{} {}", bucket.pieces[begin].group, format_count(elements)),
                          figure::hue(bars.parts.size() + 1)});
    bars.rows[0].values.push_back(static_cast<double>(elements));
    begin = end;
  }
  if (tried && count < bucket.pieces.size()) {
    const Piece& next = bucket.pieces[count];
    bars.parts.push_back({tr("next {}", format_count(next.elements)), figure::Ink::kDim});
    bars.rows[0].values.push_back(0);
    bars.rows.push_back({tr("with the next"), std::vector<double>(bars.parts.size(), 0),
                         tr("{}: over the limit", format_count(bucket.sum(count) + next.elements))});
    for (size_t i = 0; i + 1 < bars.parts.size(); ++i) bars.rows[1].values[i] = bars.rows[0].values[i];
    bars.rows[1].values.back() = static_cast<double>(next.elements);
  }
  bars.limit = figure::Mark{tr("limit {}", format_count(bucket.limit)), static_cast<double>(bucket.limit)};
  if (bars.parts.empty()) return figure::Nothing{tr("The bucket is empty.")};
  return bars;
}

}  // namespace ringside::nccl_lesson
