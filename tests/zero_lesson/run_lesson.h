// Runs the ZeRO lesson as a front end does, small: synthetic data, a model of a few thousand parameters.
#pragma once

#include "ringside/ledger/ledger.h"
#include "run_a_lesson.h"

namespace ringside::testing {

inline const std::vector<std::string> kSmall = {"hidden=8", "layers=1", "tokens=8",       "batch=8",
                                                "steps=4",  "lr=0.003", "data=synthetic", "proof=off"};

inline const Lesson& lesson() { return find_lesson("zero"); }

// Later words replace those of kSmall with the same name.
inline std::vector<std::string> small_words(std::vector<std::string> words) {
  const std::vector<std::string> said = words;
  for (const std::string& word : kSmall)
    if (std::ranges::none_of(said, [key = word.substr(0, word.find('=') + 1)](const std::string& own) {
          return own.starts_with(key);
        }))
      words.push_back(word);
  return words;
}

inline Config small_scenario(const std::vector<std::string>& words) {
  return scenario_of(lesson(), small_words(words));
}
// A scenario is run once for all the tests that look at it.
inline const Trace& run_small(const std::vector<std::string>& words) {
  static std::map<std::vector<std::string>, Trace> runs;
  const auto [run, is_new] = runs.try_emplace(words);
  if (is_new) run->second = run_lesson(lesson(), small_words(words));
  return run->second;
}

inline double psi_of(const Trace& trace) { return trace.find("stage 0")->number("parameters"); }

inline std::string evidence_of(const Trace& trace, const std::string& claim) {
  return judge_alone(lesson(), claim, trace).evidence;
}
inline std::string verdict_of(const Trace& trace, const std::string& claim) {
  return verdict_alone(lesson(), claim, trace);
}

inline int64_t unexplained_of(const Trace& trace) { return unexplained_bytes(trace.rows().ledger); }

}  // namespace ringside::testing
