// Runs the ZeRO lesson as a front end does, small: synthetic data, a model of a few thousand parameters.
#pragma once

#include <string>
#include <vector>

#include "catch.h"
#include "patience.h"
#include "ringside/base/error.h"
#include "ringside/session/session.h"

namespace ringside {

inline const std::vector<std::string> kSmall = {"hidden=8", "layers=1", "tokens=8",       "batch=8",
                                                "steps=4",  "lr=0.003", "data=synthetic", "proof=off"};

// Later words replace those of kSmall with the same name.
inline Config small_scenario(const std::vector<std::string>& words) {
  std::vector<std::string> all = words;
  for (const std::string& word : kSmall) {
    const std::string key = word.substr(0, word.find('=') + 1);
    bool given = false;
    for (const std::string& own : words) given = given || own.starts_with(key);
    if (!given) all.push_back(word);
  }
  const Lesson& lesson = find_lesson("zero");
  return Config::parse(lesson.id, lesson.parameters, all);
}

inline Trace run_small(const std::vector<std::string>& words) {
  Session session(find_lesson("zero"), small_scenario(words));
  REQUIRE(testing::finishes(session));
  return session.result();
}

inline double psi_of(const Trace& trace) { return trace.find("stage 0")->number("parameters"); }

inline const ClaimRow& claim_of(const Trace& trace, const std::string& id) {
  for (const ClaimRow& row : trace.rows().claims) {
    if (row.id == id) return row;
  }
  FAIL("no claim " << id);
  throw InvariantError("unreachable");
}

inline std::string verdict_of(const Trace& trace, const std::string& id) {
  return std::string(to_string(claim_of(trace, id).verdict));
}

inline int64_t unexplained_of(const Trace& trace) {
  int64_t bytes = 0;
  for (const LedgerRow& row : trace.rows().ledger) bytes += std::abs(row.unexplained());
  return bytes;
}

}  // namespace ringside
