// Runs the timeout lesson as a front end does.
#pragma once

#include <catch.h>

#include <string>
#include <vector>

#include "patience.h"
#include "ringside/lesson/lesson.h"
#include "ringside/session/session.h"

namespace ringside::testing {

inline const Lesson& lesson() { return find_lesson("nccl_timeout"); }

inline Config config_of(const std::vector<std::string>& words) {
  return Config::parse("nccl_timeout", lesson().parameters, words);
}

inline Trace run_lesson(const std::vector<std::string>& words) {
  Session session(lesson(), config_of(words));
  REQUIRE(finishes(session));
  return session.result();
}

inline std::string attribute(const Trace& trace, const std::string& section, const std::string& key) {
  const SectionView* view = trace.find(section);
  if (view == nullptr) return "no section " + section;
  return view->has(key) ? view->text(key) : "";
}
inline double number(const Trace& trace, const std::string& section, const std::string& key) {
  return std::stod("0" + attribute(trace, section, key));
}

inline ClaimRow claim(const Trace& trace, const std::string& id) {
  for (const ClaimRow& row : trace.rows().claims)
    if (row.id == id) return row;
  return {};
}

}  // namespace ringside::testing
