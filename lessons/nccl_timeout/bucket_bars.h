// A bucket as bars: the figure and the picture that is filled by hand draw the same.
#pragma once

#include "parts.h"

namespace ringside::nccl_lesson {

// The first `count` gradients. Under them what is still to come, or with `tried` the next one over the limit.
inline figure::Value bucket_bars(const Bucket& bucket, size_t count, bool tried) {
  figure::Bars bars{.value = {tr("elements")}, .parts = {}, .rows = {}};
  bars.rows = {{tr("in the bucket"), {}, format_count(bucket.sum(count))}};
  const auto add = [&](size_t row, size_t begin, size_t end, const std::string& name, figure::Ink ink) {
    const int64_t elements = bucket.sum(end) - bucket.sum(begin);
    bars.parts.push_back({tr("{} {}", name, format_count(elements)), ink});
    for (size_t i = 0; i < bars.rows.size(); ++i)
      bars.rows[i].values.push_back(i == row ? double(elements) : 0);
  };
  for (size_t begin = 0, end = 0; begin < count; begin = end) {
    end = std::min(bucket.end_of_group(begin), count);
    add(0, begin, end, bucket.pieces[begin].group, figure::hue(bars.parts.size() + 1));
  }
  const size_t fits = bucket.fits();
  if (tried && count < bucket.pieces.size()) {
    bars.rows.push_back({tr("with the next"), bars.rows[0].values,
                         tr("{}: over the limit", format_count(bucket.sum(count + 1)))});
    add(1, count, count + 1, tr("next"), figure::Ink::kDim);
  } else if (count < fits) {
    bars.rows.push_back(
        {tr("to come"), bars.rows[0].values, format_count(bucket.sum(fits) - bucket.sum(count))});
    std::ranges::fill(bars.rows[1].values, 0);
    for (size_t begin = count, end = 0; begin < fits; begin = end) {
      end = std::min(bucket.end_of_group(begin), fits);
      add(1, begin, end, tr("to come: {}", bucket.pieces[begin].group), figure::Ink::kDim);
    }
  }
  bars.limit = figure::Mark{"reduce_bucket_size", double(bucket.limit)};
  if (bars.parts.empty()) return figure::Nothing{tr("The bucket is empty.")};
  return bars;
}

}  // namespace ringside::nccl_lesson
