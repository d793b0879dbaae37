#include "ringside/lesson/config.h"

#include <algorithm>
#include <set>

#include "parameter_value.h"
#include "ringside/base/check.h"
#include "ringside/base/text.h"
#include "ringside/lesson/suggest.h"

namespace ringside::inline kit {
namespace {

const ParameterSpec* find_spec(const std::vector<ParameterSpec>& specs, const std::string& name) {
  const auto found = std::ranges::find_if(specs, [&](const auto& spec) { return spec.name == name; });
  return found == specs.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const std::vector<ParameterSpec>& specs) {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : specs) names.push_back(spec.name);
  return names;
}

bool is_name(const std::string& text) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' && std::ranges::all_of(text, allowed);
}

// The declaration is ours: a default outside its own range is a bug.
std::string canonical_default(const std::string& lesson, const ParameterSpec& spec) {
  try {
    return canonical_value(spec, spec.default_value);
  } catch (const UsageError& error) {
    throw InvariantError("lesson '" + lesson + "': its own default is not allowed: " + error.what());
  }
}

std::pair<std::string, std::string> split_word(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("'" + as_typed(word) + "': expected name=value, such as ranks=4");
  return {word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace

Config Config::parse(std::string lesson, const std::vector<ParameterSpec>& specs,
                     const std::vector<std::string>& words) {
  Config config;
  config.lesson_ = std::move(lesson);
  config.specs_ = specs;
  for (const ParameterSpec& spec : specs) {
    RINGSIDE_CHECK(is_name(spec.name),
                   "lesson '" << config.lesson_ << "': parameter name '" << spec.name << "'");
    const bool added = config.values_.emplace(spec.name, canonical_default(config.lesson_, spec)).second;
    RINGSIDE_CHECK(added, "lesson '" << config.lesson_ << "' declares '" << spec.name << "' twice");
  }
  config.defaults_ = config.values_;

  std::set<std::string> given;
  for (const std::string& word : words) {
    const auto [name, value] = split_word(word);
    const ParameterSpec* spec = find_spec(specs, name);
    if (spec == nullptr) {
      const bool is_command = config.lesson_.find(' ') != std::string::npos;  // "plan zero"
      const std::string whose = is_command ? config.lesson_ : "lesson '" + config.lesson_ + "'";
      throw UsageError(as_typed(name) + ": " + whose + " has no such parameter" +
                       suggestion(name, names_of(specs)) + "; allowed are " + join(names_of(specs)));
    }
    if (!given.insert(name).second) throw UsageError(name + ": given twice; give it once");
    config.values_[name] = canonical_value(*spec, value);
  }
  return config;
}

bool Config::declares(const std::string& name) const { return find_spec(specs_, name) != nullptr; }

const ParameterSpec& Config::spec(const std::string& name) const {
  const ParameterSpec* found = find_spec(specs_, name);
  RINGSIDE_CHECK(found != nullptr, "lesson '" << lesson_ << "' declares no parameter '" << name << "'");
  return *found;
}

int64_t Config::integer(const std::string& name) const { return integer_value(spec(name), text(name)); }

double Config::real(const std::string& name) const {
  const ParameterSpec& declared = spec(name);
  if (declared.kind == ParameterKind::kReal) return real_value(text(name));
  return double(integer_value(declared, text(name)));
}

const std::string& Config::text(const std::string& name) const { return values_.at(spec(name).name); }

bool Config::is_on(const std::string& name) const { return text(name) == "on"; }

bool Config::is_default(const std::string& name) const { return text(name) == defaults_.at(name); }

Config Config::with(const std::vector<std::string>& changes) const {
  std::vector<std::string> words = split_scenario(scenario());
  words.erase(words.begin());  // the lesson
  for (const std::string& change : changes) {
    const std::string key = change.substr(0, change.find('=') + 1);
    std::erase_if(words, [&](const std::string& word) { return word.starts_with(key); });
    words.push_back(change);
  }
  return parse(lesson_, specs_, words);
}

std::string Config::scenario(bool everything) const {
  std::string line = lesson_;
  for (const ParameterSpec& spec : specs_) {
    if (everything || !is_default(spec.name))
      line += " " + spec.name + "=" + quote_for_shell(text(spec.name));
  }
  return line;
}

}  // namespace ringside::inline kit
