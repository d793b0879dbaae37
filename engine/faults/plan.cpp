#include "ringside/faults/plan.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "ringside/base/error.h"
#include "ringside/base/units.h"

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostBytes = 1 << 20;
constexpr size_t kMostFaults = 1000;
constexpr int64_t kMostRanks = 1 << 20;
constexpr int64_t kMostSteps = 1'000'000'000;
constexpr int64_t kMostElements = 1 << 30;
constexpr double kMostSeconds = 86400;
constexpr size_t kLongestName = 200;
constexpr int kDeepest = 8;  // a plan needs 3

constexpr std::array<std::string_view, 12> kKinds = {
    "skip", "extra", "wrong_size", "wrong_dtype", "other_tensor",   "delay",
    "stop", "kill",  "raise",      "nan",         "one_batch_more", "evaluates_alone"};
constexpr std::array<std::string_view, 3> kMoments = {"before", "inside", "after"};

template <size_t N>
std::string list(const std::array<std::string_view, N>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

bool may_be_inside(FaultKind kind) {
  return kind == FaultKind::kDelay || kind == FaultKind::kStop || kind == FaultKind::kKill ||
         kind == FaultKind::kRaise;
}

// Reads one fault; every message begins with where: "plan.json: fault 3: ".
class FaultReader {
 public:
  FaultReader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  Fault read() {
    if (!json_.is_object()) reject("must be an object {\"kind\": ...}");
    Fault fault;
    fault.kind = static_cast<FaultKind>(choice("kind", kKinds, std::nullopt));
    fault.rank = static_cast<int>(integer("rank", 0, kMostRanks, std::nullopt));
    fault.step = integer("step", 0, kMostSteps, std::nullopt);
    fault.group = name("group");
    fault.tag = name("tag");
    fault.unit = name("unit");
    fault.call = integer("call", 0, kMostSteps, 0);
    fault.when = static_cast<FaultMoment>(choice("when", kMoments, 0));
    fault.time = seconds(fault.kind == FaultKind::kDelay);
    fault.elements = integer("elements", 1, kMostElements, 1);
    fault.silent = flag("silent");
    if (fault.when != FaultMoment::kBefore && !may_be_inside(fault.kind))
      reject("\"when\" is for delay, stop, kill and raise; a " + std::string(to_string(fault.kind)) +
             " happens to the call itself");
    for (const auto& [key, value] : json_.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        reject("unknown key \"" + key.substr(0, kLongestName) + "\"; allowed are " + known_keys());
    return fault;
  }

 private:
  [[noreturn]] void reject(const std::string& what) const { throw InputError(where_ + what); }

  const Json* find(const char* key) {
    known_.emplace_back(key);
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }
  std::string known_keys() const {
    std::string text;
    for (const std::string& key : known_) text += (text.empty() ? "" : ", ") + key;
    return text;
  }

  template <size_t N>
  size_t choice(const char* key, const std::array<std::string_view, N>& names,
                std::optional<size_t> fallback) {
    const Json* value = find(key);
    if (value == nullptr && fallback) return *fallback;
    const std::string allowed = std::string("\"") + key + "\" must be one of " + list(names);
    if (value == nullptr || !value->is_string()) reject(allowed);
    const auto& text = value->get_ref<const std::string&>();
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) reject(allowed + ", not \"" + text.substr(0, kLongestName) + "\"");
    return static_cast<size_t>(found - names.begin());
  }

  int64_t integer(const char* key, int64_t least, int64_t most, std::optional<int64_t> fallback) {
    const Json* value = find(key);
    if (value == nullptr && fallback) return *fallback;
    const bool fits =
        value != nullptr && value->is_number_integer() &&
        (!value->is_number_unsigned() || value->get<uint64_t>() <= static_cast<uint64_t>(most)) &&
        value->get<int64_t>() >= least && value->get<int64_t>() <= most;
    if (!fits)
      reject(std::string("\"") + key + "\" must be a whole number from " + std::to_string(least) + " to " +
             std::to_string(most));
    return value->get<int64_t>();
  }

  std::chrono::nanoseconds seconds(bool required) {
    const Json* value = find("seconds");
    if (value == nullptr && !required) return {};
    const bool fits = value != nullptr && value->is_number() && value->get<double>() >= 0 &&
                      value->get<double>() <= kMostSeconds;
    if (!fits)
      reject("\"seconds\" must be a number from 0 to 86400" +
             std::string(required ? ": a delay needs it" : ""));
    return std::chrono::nanoseconds(static_cast<int64_t>(value->get<double>() * 1e9));
  }

  std::string name(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) return "";
    if (!value->is_string() || value->get_ref<const std::string&>().size() > kLongestName)
      reject(std::string("\"") + key + "\" must be a text of at most " + std::to_string(kLongestName) +
             " bytes");
    return value->get<std::string>();
  }

  bool flag(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) reject(std::string("\"") + key + "\" must be true or false");
    return value->get<bool>();
  }

  const Json& json_;
  std::string where_;
  std::vector<std::string> known_;
};

Json parse_json(std::string_view text, const std::string& source) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open; a library would keep the last
  const auto bounded = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest) throw InputError(source + ": nested deeper than a fault plan can be");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw InputError(source + ": the key " + parsed.dump() + " stands twice in one object");
    return true;
  };
  try {
    return Json::parse(text, bounded);
  } catch (const Json::exception& error) {
    throw InputError(source + ": " + error.what());
  }
}

Json fault_json(const Fault& fault) {
  Json json = {{"kind", to_string(fault.kind)}, {"rank", fault.rank}, {"step", fault.step}};
  if (!fault.group.empty()) json["group"] = fault.group;
  if (!fault.tag.empty()) json["tag"] = fault.tag;
  if (!fault.unit.empty()) json["unit"] = fault.unit;
  json["call"] = fault.call;
  if (fault.when != FaultMoment::kBefore) json["when"] = to_string(fault.when);
  if (fault.time.count() > 0 || fault.kind == FaultKind::kDelay)
    json["seconds"] = std::chrono::duration<double>(fault.time).count();
  if (fault.elements != 1) json["elements"] = fault.elements;
  if (fault.silent) json["silent"] = true;
  return json;
}

}  // namespace

std::string_view to_string(FaultKind kind) { return kKinds.at(static_cast<size_t>(kind)); }
std::string_view to_string(FaultMoment moment) { return kMoments.at(static_cast<size_t>(moment)); }

std::string to_string(const Fault& fault) {
  const bool of_loop = fault.kind == FaultKind::kOneBatchMore || fault.kind == FaultKind::kEvaluatesAlone;
  std::string text = "rank " + std::to_string(fault.rank) + ": " + std::string(to_string(fault.kind));
  if (fault.silent) text += ", unnoticed,";
  if (fault.kind == FaultKind::kDelay)
    text += " of " + format_duration(std::chrono::duration<double>(fault.time).count());
  if (of_loop) return text + " after step " + std::to_string(fault.step);
  text += " " + std::string(to_string(fault.when)) + " call " + std::to_string(fault.call);
  if (!fault.tag.empty()) text += " of " + fault.tag;
  if (!fault.unit.empty()) text += " (" + fault.unit + ")";
  if (!fault.group.empty()) text += " on " + fault.group;
  return text + ", step " + std::to_string(fault.step);
}

FaultPlan parse_fault_plan(std::string_view text, const std::string& source) {
  if (text.size() > kMostBytes) throw InputError(source + ": larger than 1 MiB, which no fault plan is");
  const Json json = parse_json(text, source);
  const auto faults = json.is_object() ? json.find("faults") : json.end();
  if (!json.is_object() || faults == json.end() || !faults->is_array() || json.size() != 1)
    throw InputError(source + ": must be {\"faults\": [ ... ]} and nothing else");
  if (faults->size() > kMostFaults) throw InputError(source + ": more than 1,000 faults");
  FaultPlan plan;
  for (size_t i = 0; i < faults->size(); ++i)
    plan.faults.push_back(FaultReader((*faults)[i], source + ": fault " + std::to_string(i) + ": ").read());
  return plan;
}

FaultPlan read_fault_plan(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file + ": cannot be read; a fault plan is a JSON file");
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) throw InputError(file + ": cannot be read to its end");
  text.resize(static_cast<size_t>(in.gcount()));
  return parse_fault_plan(text, file);
}

std::string to_json(const FaultPlan& plan) {
  Json faults = Json::array();
  for (const Fault& fault : plan.faults) faults.push_back(fault_json(fault));
  return Json{{"faults", faults}}.dump(2) + "\n";
}

}  // namespace ringside
