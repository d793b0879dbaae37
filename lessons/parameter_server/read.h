// What is read from a run: by figures, claims and questions.
#pragma once

#include "parts.h"

namespace ringside::parameter_server_lesson {

// Li et al., OSDI 2014, figure 13 and section 5.1: theirs, on up to 1000 machines.
inline constexpr double kPaperIdleAt0 = 50, kPaperIdleAt16 = 1.7;
inline constexpr int64_t kPaperStaleness = 16, kPaperBest = 8;
inline constexpr double kPaperRecovery = 0.8;  // s

inline auto rule_of(const Trace& trace, const std::string& straggler, const std::string& rule) {
  return row_where<RuleRow>(trace, [&](auto& row) { return row.straggler == straggler && row.rule == rule; });
}
inline auto copies_of(const Trace& trace, int64_t copies, int64_t killed) {
  return row_where<CopyRow>(trace, [&](auto& row) { return row.copies == copies && row.killed == killed; });
}
inline auto bytes_with(const Trace& trace, const std::string& filter) {
  return row_where<ByteRow>(trace, [&](auto& row) { return row.filter == filter; });
}
inline double traffic_at(const Trace& trace, const char* node, double servers) {
  for (const figure::Point& point : curve(trace, kTraffic, node))
    if (point.x == servers) return point.y;
  return figure::kNone;
}
inline double share(double part, double of) { return of > 0 ? 100 * part / of : 0; }  // %
inline std::optional<double> saved_by(const Trace& trace, const std::string& filter) {
  const auto none = bytes_with(trace, kNone), with = bytes_with(trace, filter);
  if (!none || !with) return std::nullopt;
  return 100 - share(double(with->all()), double(none->all()));
}
inline std::optional<double> last_loss(const Trace& trace, const char* section) {
  const SectionView* training = trace.find(section);
  if (training == nullptr || training->scalars(0).empty()) return std::nullopt;
  return training->scalars(0).back().value;
}

}  // namespace ringside::parameter_server_lesson
