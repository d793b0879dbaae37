// Runs the timeout lesson as a front end does.
#pragma once

#include "ringside/trace/measure.h"
#include "run_a_lesson.h"

namespace ringside::testing {

inline const Lesson& lesson() { return find_lesson("nccl_timeout"); }

inline Config config_of(const std::vector<std::string>& words) { return scenario_of(lesson(), words); }
inline Trace run_lesson(const std::vector<std::string>& words) { return run_lesson(lesson(), words); }

inline double number(const Trace& trace, const std::string& section, const std::string& key) {
  return number_in(trace, section, key).value_or(0);
}

}  // namespace ringside::testing
