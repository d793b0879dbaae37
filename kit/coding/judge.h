// A person's code against a drill: built, run case by case in a process with limits, and compared with what
// is right.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "coding_drill.h"

namespace ringside::coding {

enum class Language : uint8_t { kCpp, kPython };
inline const char* ending_of(Language language) { return language == Language::kCpp ? ".cpp" : ".py"; }

// assets/drills/ID/start.cpp and so on. MissingError as of assets().
std::string text_of(const CodingDrill& drill, const std::string& name, Language language);

struct Code {
  std::filesystem::path file;  // messages have its last part
  std::string text;
  Language language = Language::kCpp;
};

struct Verdict {
  size_t right = 0, cases = 0;  // right: before the first that was not
  std::string problem = {};     // what ended it, in sentences: not built, a crash, a limit; "": it answered
  bool built = true;
  std::optional<Json> got = {};      // of case `right`: a value an output, or {"hang": [...]}
  const Mistake* mistake = nullptr;  // that gives the same
  std::string printed = {};          // the last that it wrote
  bool passed() const { return right == cases; }
};

// MissingError: no compiler, no python3. CancelledError.
Verdict judge(const CodingDrill& drill, const Code& code, const std::function<bool()>& cancelled);

}  // namespace ringside::coding
