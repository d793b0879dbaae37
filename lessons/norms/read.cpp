// What is read from the trace, by questions, claims and figures.
#include <algorithm>
#include <cmath>

#include "parts.h"
#include "ringside/lesson/tr.h"

namespace ringside::lessons::norms {

std::string name_of(double rate, double decay) { return tr("rate {:g}, decay {:g}", rate, decay); }

std::string seen_by(int64_t rank, const char* moment) { return tr("{}, batch of rank {}", moment, rank); }
std::string kept_by(int64_t rank, const char* moment) { return tr("{} that rank {} keeps", moment, rank); }

double turn_at_rest(double rate, double decay) { return std::sqrt(2 * rate * decay) * 180 / M_PI; }

Hashes hashes_of(const SectionView* section) {
  Hashes all;
  for (HashRow& row : rows_in<HashRow>(section)) all[{row.step, row.rank}] = std::move(row);
  return all;
}

std::optional<int64_t> first_part(const SectionView* a, const SectionView* b, bool buffers) {
  const Hashes other = hashes_of(b);
  for (const auto& [at, row] : hashes_of(a)) {
    const auto right = other.find({row.step, 0});
    if (right != other.end() && row.of(buffers) != right->second.of(buffers)) return row.step;
  }
  return std::nullopt;
}

double steepness_of(const Trace& trace, const std::string& features) {
  return first_of(trace, kSquares, features) / last_of(trace, kSquares, features);
}

int64_t steps_to_target(const Trace& trace, const std::string& features) {
  for (const figure::Point& point : curve(trace, kFall, features))
    if (point.y <= kTarget) return static_cast<int64_t>(point.x);
  return kNotReached;
}
std::string in_words(int64_t steps) {
  return steps == kNotReached ? tr("more than {}", kFallSteps) : std::to_string(steps);
}

}  // namespace ringside::lessons::norms
