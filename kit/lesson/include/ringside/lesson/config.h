// Declared parameters, and a checked set of values for them: the scenario.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringside::inline kit {

enum class ParameterKind { kInteger, kReal, kCount, kChoice, kText };

struct ParameterSpec {
  std::string name, meaning, unit;
  ParameterKind kind = ParameterKind::kInteger;  // kCount: an integer that takes Ki, Mi, Gi
  std::string default_value;                     // as one would type it
  double minimum = 0, maximum = 0;               // numbers
  std::vector<std::string> choices = {};         // kChoice: all of them; kText: what a front end suggests
  // kText, kInteger: throws UsageError naming the key where the value is not allowed; may be empty. A number
  // is within its bounds here.
  void (*validate)(const std::string& value) = nullptr;
  std::vector<std::string> choice_meanings = {};  // of each choice, a sentence; none, or one a choice
};
std::string allowed_values(const ParameterSpec& spec);  // "allowed are 1 to 8", for messages and help

// The scenario: one value for each declared parameter, all of them valid.
class Config {
 public:
  // words: "name=value". UsageError naming the key and what is allowed, for an unknown,
  // duplicate, malformed, NaN, infinite, overflowing or out-of-range value.
  static Config parse(std::string lesson, const std::vector<ParameterSpec>& specs,
                      const std::vector<std::string>& words);

  // The same scenario with some words said otherwise ("ranks=8"); throws what parse() does.
  Config with(const std::vector<std::string>& changes) const;

  bool declares(const std::string& name) const;
  // A name that the lesson does not declare is an InvariantError.
  int64_t integer(const std::string& name) const;  // kInteger, kCount
  double real(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  bool is_on(const std::string& name) const;  // choice "on"
  bool is_default(const std::string& name) const;

  // "zero ranks=4 stage=2 seed=7": declaration order, shell-safe quoting; only
  // what differs from the default, or everything. parse() of it gives the same Config.
  std::string scenario(bool everything = false) const;
  const std::string& lesson() const { return lesson_; }
  // The same lesson with the same values.
  bool operator==(const Config& other) const { return lesson_ == other.lesson_ && values_ == other.values_; }

 private:
  const ParameterSpec& spec(const std::string& name) const;

  std::string lesson_;
  std::vector<ParameterSpec> specs_;
  std::map<std::string, std::string> values_, defaults_;  // canonical text
};

// Splits a scenario line into words, honouring the quoting that scenario() writes.
std::vector<std::string> split_scenario(const std::string& line);

}  // namespace ringside::inline kit
