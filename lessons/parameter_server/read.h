// What is read from a run: by figures, claims and questions.
#pragma once

#include "parts.h"

namespace ringside::parameter_server_lesson {

// Li et al., OSDI 2014, figure 13 and section 5.1: theirs, on up to 1000 machines.
inline constexpr double kPaperIdleAt0 = 50, kPaperIdleAt16 = 1.7;
inline constexpr int64_t kPaperStaleness = 16, kPaperBest = 8;
inline constexpr double kPaperRecovery = 0.8;  // s

// NotRun where it is not there, as of those that follow.
inline RuleRow rule_of(const Trace& trace, const std::string& straggler, const std::string& rule) {
  return needed(row_where<RuleRow>(trace, having(&RuleRow::straggler, straggler, &RuleRow::rule, rule)));
}
inline CopyRow copies_of(const Trace& trace, int64_t copies, int64_t killed) {
  return needed(row_where<CopyRow>(trace, having(&CopyRow::copies, copies, &CopyRow::killed, killed)));
}
inline ByteRow bytes_with(const Trace& trace, const std::string& filter) {
  return needed(row_where<ByteRow>(trace, having(&ByteRow::filter, filter)));
}
inline double traffic_at(const Trace& trace, const char* node, double servers) {
  for (const figure::Point& point : curve(trace, kTraffic, node))
    if (point.x == servers) return point.y;
  return figure::kNone;
}
inline double share(double part, double of) { return of > 0 ? 100 * part / of : 0; }  // %
inline double saved_by(const Trace& trace, const std::string& filter) {
  return 100 - share(double(bytes_with(trace, filter).all()), double(bytes_with(trace, kNone).all()));
}
inline double last_loss(const Trace& trace, const char* section) {
  const auto& losses = needed(trace.find(section)).scalars(0);
  return losses.empty() ? throw NotRun() : losses.back().value;
}

}  // namespace ringside::parameter_server_lesson
