// How the study record stands in its file. Everything read is bounded: it is the learner's file,
// and anything may have happened to it.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "study_record.h"

namespace ringside::inline kit {

inline constexpr size_t kNameBytes = 64;

struct KeptProgress {
  std::vector<Attempt> attempts;
  std::map<std::string, std::set<std::string>> visited;
  std::string last_lesson;
  int damaged = 0;  // entries that could not be read, or were too many
};
KeptProgress read_progress(const nlohmann::json& document);  // of null: nothing

// From attempts[first] on.
nlohmann::json write_progress(const std::vector<Attempt>& attempts, size_t first,
                              const std::map<std::string, std::set<std::string>>& visited,
                              const std::string& last_lesson);

Attempt bounded(Attempt attempt);  // texts cleaned and cut, confidence within 0 to 3
std::string new_attempt_id();      // 128 random bits

}  // namespace ringside::inline kit
